#!/bin/sh
# Builds the targets as OSS-Fuzz wants them: a program each in $OUT, and their seeds as zip files beside them.
# Usage: OUT=FOLDER Development/FuzzTargets/build.sh [SWIFT BUILD OPTIONS]     --static-swift-stdlib where no Swift is installed
#
# CRYPTORFORMAT_FUZZER_RUNTIME=FILE   libFuzzer without main, if not the toolchain's
set -eu
cd "$(dirname "$0")"

: "${OUT:?names the folder for the programs}"
clang=$(dirname "$(command -v swiftc)")/clang
runtime=${CRYPTORFORMAT_FUZZER_RUNTIME:-}
[ -n "$runtime" ] || runtime=$(find "$("$clang" -print-resource-dir)/lib" -name "libclang_rt.fuzzer_no_main*$(uname -m)*.a" | head -n 1)
[ -n "$runtime" ] || {
    printf 'Development/FuzzTargets/build.sh: this toolchain has no libFuzzer\n' >&2
    exit 1
}

# Internals are testable, for this build only: the package that the package access means is another one.
# shellcheck disable=SC2086 # a list of words
set -- -c release --sanitize=address -Xswiftc -sanitize-coverage=edge,inline-8bit-counters,pc-table,trace-cmp \
    -Xcc -fsanitize=fuzzer-no-link -Xswiftc -enable-testing \
    -Xlinker "$runtime" -Xlinker -lstdc++ ${CRYPTORFORMAT_SWIFT_FLAGS:-} "$@"
swift build "$@"
program=$(swift build "$@" --show-bin-path)/cryptor-fuzz

mkdir -p "$OUT"
for target in $("$program" --targets); do
    cp "$program" "$OUT/$target.new"
    mv "$OUT/$target.new" "$OUT/$target"
done
python3 seeds.py "$OUT"
