#!/bin/bash -eu
# What OSS-Fuzz calls: puts into $OUT the fuzz targets, their seeds as archives, and the libraries
# that they need and its runner lacks.
cd "$SRC/cryptorformat"
# shellcheck disable=SC2016 # $ORIGIN is for the loader.
export CRYPTORFORMAT_SWIFT_FLAGS='--static-swift-stdlib -Xlinker -rpath=$ORIGIN/lib'
rm -rf "$OUT/lib"
Development/fuzz --build "$OUT"
mkdir "$OUT/lib"
ldd "$OUT/header" | awk '/libcrypto/ { print $3 }' | xargs -I {} cp -L {} "$OUT/lib"
for seeds in "$OUT"/*.seeds; do
    (cd "$seeds" && zip -q "${seeds%.seeds}_seed_corpus.zip" -- *)
    rm -r "$seeds"
done
