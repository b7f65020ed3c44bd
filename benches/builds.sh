#!/usr/bin/env bash
# Processor seconds of rustc by crate, of a release build from nothing: benches/builds.sh [ARGUMENTS OF CARGO BUILD].
# It is its own RUSTC_WRAPPER.
set -euo pipefail

if [ -n "${BUILD_TIMES:-}" ]; then
    name=$(sed -n 's/.*--crate-name \([a-z0-9_]*\).*/\1/p' <<<"$*")
    exec 3>&2
    TIMEFORMAT="%U %S $name"
    { time "$@" 2>&3; } 2>>"$BUILD_TIMES"
    exit
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
BUILD_TIMES=$work/times RUSTC_WRAPPER=$(realpath "$0") cargo build --release --quiet --target-dir "$work/target" "$@"
awk '/ bdem(_|$)/ { print $3, $1 + $2; next } { rest += $1 + $2 } END { print "other packages", rest }' "$work/times"
