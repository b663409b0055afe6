//! A clock that is wrong.

use std::process::Command;

use crate::outcome::only_line;
use crate::place::{Place, users};
use crate::process::output;

/// Takes two thousand million seconds from the time of day.
const EARLIER: &str = "
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
int clock_gettime(clockid_t id, struct timespec *now) {
    int (*real)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, \"clock_gettime\");
    int failed = real(id, now);
    if (id == CLOCK_REALTIME) now->tv_sec -= 2000000000;
    return failed;
}
";

#[test]
fn a_clock_before_1970_is_an_error_and_changes_nothing() {
    let place = Place::new();
    place.import(users(2));
    place.file("earlier.c", EARLIER);
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o", "earlier.so", "earlier.c", "-ldl"]);
    let status = compiler.current_dir(place.path("")).status();
    assert!(status.unwrap().success());
    for command in [
        "serve --data data --listen 127.0.0.1:0 --dynamodb-listen 127.0.0.1:0",
        "stats --project demo --data data",
        "import responses records.ndjson --project demo --data data",
        "credentials create --project demo --may users --data data",
    ] {
        let mut command = place.command(command);
        command.env("LD_PRELOAD", place.path("earlier.so"));
        let line = only_line(&output(&mut command));
        let expected = "feedback: the clock of this machine is before 1970: set it\n";
        assert_eq!(line, expected);
    }
    assert_eq!(place.export("users", "data").len(), 2);
}
