# `just` lists these; each is one command that can be typed as well.

# the service with the demo project
serve *arguments:
    cargo run --bin feedback -- serve {{ arguments }}

# every test
test:
    cargo test --workspace

# what has to pass before a change lands
ci:
    .ci/run

# the code as it should look
fmt:
    cargo fmt
    cargo clippy --workspace --all-targets -- -D warnings

# every measurement, into benches/RESULTS.md
bench *arguments:
    benches/run {{ arguments }}
