#!/bin/bash -eu
# What OSS-Fuzz calls: puts into $OUT the fuzz targets, their seeds as archives, and the libraries that they need and its
# runner lacks.
cd "$SRC/cryptorformat"
# shellcheck disable=SC2016 # $ORIGIN is for the loader.
export CRYPTORFORMAT_SWIFT_FLAGS='--static-swift-stdlib -Xlinker -rpath=$ORIGIN/lib'
Development/fuzz --build "$OUT"
mkdir -p "$OUT/lib"
for seeds in "$OUT"/*.seeds; do
    target=${seeds%.seeds}
    ldd "$target" | awk '/libcrypto/ { print $3 }' | xargs -I {} cp -L {} "$OUT/lib"
    (cd "$seeds" && zip -q "${target}_seed_corpus.zip" -- *)
    rm -r "$seeds"
done
