#!/bin/sh
# The same pixels for 1, 2, 3 and 8 threads, and for builds for any x86-64 and for one with AVX2 and FMA.
set -eu
cd "$(dirname "$0")/../.."
target="${CARGO_TARGET_DIR:-target}"
pipeline=pipelines/quickstart.yaml
# Small, and not square; several tiles, so that threads have something to disagree about.
settings="--set grid.rows=600 --set grid.cols=840 --set erode.rivers.cycles=40"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

run() { # BINARY THREADS NAME
    # shellcheck disable=SC2086  # a list of options
    "$1" run "$pipeline" $settings --threads "$2" --out "$folder/$3" --quiet
}

# Every 256-bit hash of a run, in order: its pixels' and its pipeline's.
hashes() { grep -oE '[0-9a-f]{64}' "$folder/$1/run.json"; }

compare() { # NAME
    if [ "$(hashes "$1")" != "$(hashes first)" ]; then
        echo "$1: hashes in run.json differ from those of one thread"
        exit 1
    fi
    for file in "$folder"/first/*.tif "$folder"/first/*.png; do
        cmp "$file" "$folder/$1/$(basename "$file")"
    done
    echo "$1: same pixels"
}

cargo build --quiet --release
run "$target/release/thalweg" 1 first
[ -n "$(hashes first)" ] || { echo "run.json holds no hashes"; exit 1; }
for threads in 2 3 8; do
    run "$target/release/thalweg" $threads threads-$threads
    compare threads-$threads
done

if [ "$(uname -m)" != x86_64 ] || ! grep -qw avx2 /proc/cpuinfo || ! grep -qw fma /proc/cpuinfo; then
    echo "SKIP same_bits x86-64-v3: this processor has no AVX2 and FMA"
    exit 0
fi
RUSTFLAGS="-C target-cpu=x86-64-v3" cargo build --quiet --release --target-dir "$target/x86-64-v3"
for threads in 1 8; do
    run "$target/x86-64-v3/release/thalweg" $threads v3-threads-$threads
    compare v3-threads-$threads
done
