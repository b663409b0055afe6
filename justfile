# `just` lists these recipes; their commands can also be run directly.

# serve the API with the sample data
serve *arguments:
    cargo run --bin feedback -- serve {{ arguments }}

# serve the sample data, and run both functions on port 9000; needs cargo-lambda
watch:
    #!/usr/bin/env bash
    set -euo pipefail
    cargo build --bin feedback
    cargo run --quiet --bin feedback -- serve &
    trap "kill $! 2>/dev/null" EXIT
    cargo lambda watch --invoke-address 127.0.0.1 --env-file events/local.env

# invoke a function of `just watch`, such as `just invoke users`, with an event of events/
invoke function="response-statistics" event=(function + "-rest"):
    cargo lambda invoke --invoke-address 127.0.0.1 {{ function }} --data-file events/{{ event }}.json

# run the tests
test:
    cargo test --workspace

# run every check that a change must pass
ci:
    .ci/run

# format and lint the code
fmt:
    cargo fmt
    cargo clippy --workspace --all-targets -- -D warnings

# run every benchmark and write benches/RESULTS.md
bench *arguments:
    benches/run {{ arguments }}

# inject faults between the functions and their store, and check that every response is right or a refusal
soak faults="10000" seed="1":
    tests/reliability/record "just soak {{ faults }} {{ seed }}" tests/reliability/soak {{ faults }} {{ seed }}

# kill the program at random moments and fill its disk up: nothing acknowledged is lost
crash kills="300" seed="7":
    tests/reliability/record "just crash {{ kills }} {{ seed }}" tests/reliability/crash {{ kills }} {{ seed }}

# cut the power of a disk while the program writes to it: nothing acknowledged is lost; only as root
power losses="100" seed="7":
    tests/reliability/record "just power {{ losses }} {{ seed }}" tests/reliability/power {{ losses }} {{ seed }}

# serve a gigabyte to thousands of connections, some of which misbehave, and check every response
load seconds="120" seed="7":
    tests/reliability/record "just load {{ seconds }} {{ seed }}" tests/reliability/load/check {{ seconds }} {{ seed }}

# feed hostile input to everything that reads input from outside; installs cargo-fuzz if it is missing
fuzz runs="1000000" seed="7":
    tests/reliability/record "just fuzz {{ runs }} {{ seed }}" tests/reliability/fuzz {{ runs }} {{ seed }}

# change the code that differs from a commit, and check that a test notices each change (cargo-mutants)
mutants base="origin/main" shard="0/1" *options:
    command -v cargo-mutants || cargo install --locked cargo-mutants@27.1.0
    mkdir -p target/mutants
    git diff --relative {{ base }} > target/mutants/diff
    # The dependencies are built once for all runs.
    CARGO_TARGET_DIR=$PWD/target/mutants cargo mutants --in-diff target/mutants/diff --shard {{ shard }} \
        --output target {{ options }}

# run the tests that wait as long as a real limit of time, or that need curl and jq
limits:
    cargo test --workspace --test program -- --ignored --skip soak --skip power::losses

# options of `sam deploy` for the tables
data := ""

# deploy the tables and the service; SAM shows each change and asks, and the last line is for the shell
deploy *arguments:
    sam deploy --config-env data {{ data }}
    packaging/functions
    sam deploy {{ arguments }}
    sam list stack-outputs --stack-name survey-feedback --output json | \
        jq --raw-output '.[] | select(.OutputKey == "Environment").OutputValue'

# rehearse docs/aws.md on an emulator of AWS, and leave it running, with the service and its data
rehearse:
    #!/usr/bin/env bash
    set -euo pipefail
    cargo build -p tests -p feedback
    for name in rehearsal deploy; do [ -x target/venv/$name/bin/pip ] || python3 -m venv target/venv/$name; done
    target/venv/rehearsal/bin/pip install --quiet --requirement tests/rehearsal/requirements.txt
    target/venv/deploy/bin/pip install --quiet --requirement packaging/deploy/requirements.txt
    PATH=$PWD/target/venv/rehearsal/bin:$PWD/target/venv/deploy/bin:$PATH tests/rehearsal/run --keep

# ask the deployed API, or the one at this address, some forty questions, and check the answers (tests/smoke)
smoke url="":
    url={{ quote(url) }}; tests/smoke "${url:-$(sam list stack-outputs --stack-name survey-feedback --output json | \
        jq --raw-output '.[] | select(.OutputKey == "BaseUrl").OutputValue')}"
