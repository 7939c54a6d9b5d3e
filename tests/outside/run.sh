#!/bin/sh
# Runs the checks that other programs judge or that take long: all of them, or those named.
#   run.sh [NAME...]
# A check is tests/outside/NAME.sh. It exits with 0 (passed), 77 (skipped; it has printed `SKIP NAME: reason`) or
# anything else (failed). Ends with the list of what was skipped and a line `N passed, N failed`.
set -eu
cd "$(dirname "$0")/../.."
[ $# -gt 0 ] || set -- rasterio_ramp cog fill_pyflwdir rivers_pyflwdir resolution same_bits sweep_page

passed=0
failed=0
skips=$(mktemp)
output=$(mktemp)
trap 'rm -f "$skips" "$output" "$output.status"' EXIT

for check in "$@"; do
    echo "== $check"
    # Shown as it comes and kept for its SKIP lines; the status goes through a file, since a pipe has only the last.
    {
        status=0
        "tests/outside/$check.sh" </dev/null 2>&1 || status=$?
        echo "$status" >"$output.status"
    } | tee "$output"
    status=$(cat "$output.status")
    grep '^SKIP ' "$output" >>"$skips" || true
    case $status in
    0) passed=$((passed + 1)) ;;
    77) ;;
    *)
        failed=$((failed + 1))
        echo "FAILED $check (exit $status)"
        ;;
    esac
done

if [ -s "$skips" ]; then
    echo "== skipped"
    cat "$skips"
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
