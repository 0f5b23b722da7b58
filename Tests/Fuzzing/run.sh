#!/usr/bin/env bash
# Fuzzes Larkspur's parsers with libFuzzer and the address sanitizer, and checks that their costs grow with their input.
#
#     Tests/Fuzzing/run.sh [--seconds N] [--runs N] [--no-growth] [TARGET…]
#     Tests/Fuzzing/run.sh --merge [TARGET…]
#     Tests/Fuzzing/run.sh --list
#
# Without targets, it runs all of them, two at once, each for N seconds (default: 5), or until it has made N runs. The
# same seed and the same number of runs are the same inputs. Before that, it checks that it finds
# a planted fault. At a finding, it prints the input, and fails. What is built and what is found stays in
# Tests/Fuzzing/.build, and the next run continues there. The inputs with which a run begins are in Corpora (corpora.py says how). `--merge`
# adds found inputs that cover more.
#
# The runs print their seed. LARKSPUR_SEED sets it.
set -euo pipefail
cd "$(dirname "$0")"

seconds=5
runs=-1
growth=1
mode=fuzz
targets=()
while (($#)); do
    case $1 in
    --seconds)
        seconds=$2
        shift
        ;;
    --runs)
        runs=$2
        shift
        ;;
    --no-growth) growth=0 ;;
    --merge | --list) mode=${1#--} ;;
    --one-fuzz | --one-growth | --one-merge)
        mode=${1#--}
        ;;
    -*)
        sed -n '4,6s/^# *//p' "$0" >&2
        exit 64
        ;;
    *) targets+=("$1") ;;
    esac
    shift
done

# The sanitizer's shadow takes more addresses than any limit leaves, and its frames need more of the stack.
ulimit -v unlimited
ulimit -s 65536 2> /dev/null || true
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:detect_stack_use_after_return=0
# libFuzzer itself reports crashes.
export SWIFT_BACKTRACE=enable=no
# So that a seed repeats a run.
export SWIFT_DETERMINISTIC_HASHING=1
# The largest number that libFuzzer takes has 32 bits, and 0 means a random seed.
export LARKSPUR_SEED=${LARKSPUR_SEED:-$((RANDOM * 32768 + RANDOM + 1))}
program=.build/release/Fuzz
found=.build/found
corpora=.build/corpora
# A longer run also compares longer inputs, and one of a fixed length shorter ones.
length=$((seconds > 30 ? 8192 : runs > 0 ? 512 : 1024))

build() {
    local resources library
    resources=$(swiftc -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
    library=$(find -L "$resources" "$resources/../clang" -name 'libclang_rt.fuzzer_no_main*.a' -path "*$(uname -m)*" -print -quit)
    if [[ -z $library ]]; then
        echo 'This toolchain has no libFuzzer.' >&2
        return 1
    fi
    swift build --quiet --configuration release --product Fuzz -Xlinker "$library"
}

fuzz_one() {
    local target=$1 log=.build/logs/$1.log status=0
    mkdir -p "$found/$target" .build/findings
    ./corpora.py unpack "$target" "$corpora/$target"
    local options=(
        "-max_total_time=$seconds" "-runs=$runs" -max_len=4096 -timeout=60 -rss_limit_mb=3000 -print_final_stats=1 -use_value_profile=0
        "-seed=$LARKSPUR_SEED" "-artifact_prefix=.build/findings/$target-"
    )
    if [[ -f Dictionaries/$target.txt ]]; then options+=("-dict=Dictionaries/$target.txt"); fi
    "$program" "$target" "${options[@]}" "$found/$target" "$corpora/$target" > "$log" 2>&1 || status=$?
    local executions edges
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    edges=$(grep -ao 'cov: [0-9]*' "$log" | tail -n 1 | cut -d' ' -f2 || true)
    printf '%-22s %9s executions, %5s edges, %s inputs\n' \
        "$target" "${executions:-0}" "${edges:-0}" "$(find "$found/$target" "$corpora/$target" -type f | wc -l)"
    ((status == 0)) || report "$target" "$log"
}

# Prints a finding, and fails.
report() {
    local target=$1 log=$2 input
    input=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
    printf '\n=== A finding in %s. The seed was %s.\n' "$target" "$LARKSPUR_SEED"
    grep -aE 'Property failed|Fatal error|ERROR: |is: |expected: |^    #[0-9]+ .*(Sources|Larkspur)' "$log" | head -n 24 || true
    if [[ -n $input ]]; then
        printf 'The input is in Tests/Fuzzing/%s, and as Swift:\n' "$input"
        "$program" show "$input"
        printf 'To run it again: Tests/Fuzzing/%s %s Tests/Fuzzing/%s\n\n' "$program" "$target" "$input"
    else
        tail -n 20 "$log"
    fi
    return 1
}

growth_one() {
    ./corpora.py unpack "$1" "$corpora/$1"
    "$program" growth "$1" "$length" "$corpora/$1" 2> ".build/logs/$1.growth.log"
}

merge_one() {
    local target=$1
    ./corpora.py unpack "$target" "$corpora/$target"
    rm -rf ".build/merged/$target"
    mkdir -p "$found/$target" ".build/merged/$target"
    "$program" "$target" -set_cover_merge=1 -max_len=4096 -timeout=60 -rss_limit_mb=3000 \
        ".build/merged/$target" "$corpora/$target" "$found/$target" > ".build/logs/$target.merge.log" 2>&1
    if [[ -z $(ls ".build/merged/$target") ]]; then
        echo "Nothing remains of the corpus of $target; see .build/logs/$target.merge.log." >&2
        return 1
    fi
    # libFuzzer writes first what covers most. 40 inputs are enough.
    (cd ".build/merged/$target" && ls -t -r | tail -n +41 | xargs -r rm) || true
    ./corpora.py pack "$target" ".build/merged/$target"
}

# A fault and a quadratic cost, both planted, must be found.
self_test() {
    mkdir -p .build/self-test
    if "$program" planted -max_total_time=300 "-seed=$LARKSPUR_SEED" -artifact_prefix=.build/self-test/ \
        > .build/logs/planted.log 2>&1; then
        echo 'libFuzzer has not found the planted fault.' >&2
        return 1
    fi
    local input literal
    input=$(sed -n 's/.*Test unit written to //p' .build/logs/planted.log)
    literal=$("$program" show "$input")
    if ! grep -q 'Property failed: this text is not allowed' .build/logs/planted.log || [[ $literal != *HTTP* && $literal != '[0x48, 0x54, 0x54, 0x50'* ]]; then
        echo "The report of the planted fault is wrong: $literal" >&2
        return 1
    fi
    if timeout 300 "$program" growth quadratic "$length" > .build/logs/quadratic.log 2>&1; then
        echo 'The growth check has not found the planted cost.' >&2
        return 1
    fi
    if ! grep -q 'faster than the input: 3B' .build/logs/quadratic.log; then
        echo 'The report of the planted cost is wrong.' >&2
        return 1
    fi
}

# Runs a function for each target, two at once, and fails if one of them does.
each() {
    printf '%s\n' "${targets[@]}" | xargs -P 2 -I '{}' ./run.sh "--one-$1" --seconds "$seconds" --runs "$runs" '{}'
}

case $mode in
one-*) "${mode#one-}_one" "${targets[0]}" ;;
*)
    mkdir -p .build/logs
    build
    if ((!${#targets[@]})); then mapfile -t targets < <("$program" list); fi
    case $mode in
    list) printf '%s\n' "${targets[@]}" ;;
    merge) each merge ;;
    fuzz)
        self_test
        echo "The seed is $LARKSPUR_SEED."
        status=0
        start=$SECONDS
        each fuzz || status=1
        echo "fuzzing: ${#targets[@]} targets, $((SECONDS - start)) s"
        if ((growth)); then
            start=$SECONDS
            each growth || status=1
            echo "growth: ${#targets[@]} targets, $((SECONDS - start)) s"
        fi
        exit "$status"
        ;;
    esac
    ;;
esac
