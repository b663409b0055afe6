# `just` lists these recipes; their commands can also be run directly.

# serve the API with the demo project
serve *arguments:
    cargo run --bin feedback -- serve {{ arguments }}

# run every test
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

# kill the program with `kill -9` at random moments, and check that nothing acknowledged is lost
crash kills="300" seed="1":
    CRASH_KILLS={{ kills }} CRASH_SEED={{ seed }} cargo test -p feedback --test program -- --ignored --nocapture crash::

# feed hostile input to everything that reads input from outside; installs cargo-fuzz if it is missing
fuzz runs="1000000" seed="7":
    tests/reliability/record "just fuzz {{ runs }} {{ seed }}" tests/reliability/fuzz {{ runs }} {{ seed }}
