//! A system clock that jumps while programs run: libfaketime, preloaded.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::{Random, Wrong};
use crate::http::{DEMO_ACCOUNT, get, operate, put_user, status};
use crate::process::Served;

const USERS: &str = "/api/users?project=demo";
const STATISTICS: &str =
    "/api/v2/response-statistics?project=demo&startDate=2025-03-01&endDate=2025-04-01";
const READ_KEY: &str = "AuthKey: demo-read-key-0000";

/// The time in which a response must come, however far the clock has jumped.
const PROMPT: Duration = Duration::from_secs(5);

/// The clock of a process, in which only the system's time jumps, as it does when it is set: durations go on.
struct Clock {
    library: String,
    /// Holds how far it is ahead, in seconds.
    offset: PathBuf,
}

impl Clock {
    fn new(library: &str, folder: &tempfile::TempDir) -> Self {
        let clock = Self {
            library: library.to_owned(),
            offset: folder.path().join("offset"),
        };
        clock.set(0);
        clock
    }

    fn set(&self, seconds: i64) {
        std::fs::write(&self.offset, format!("{seconds:+}\n")).unwrap();
    }

    fn serve(&self, options: &str) -> Served {
        let variables = [
            ("LD_PRELOAD", self.library.as_str()),
            ("FAKETIME_TIMESTAMP_FILE", self.offset.to_str().unwrap()),
            ("FAKETIME_NO_CACHE", "1"),
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1"),
            ("NO_FAKE_STAT", "1"),
        ];
        Served::start_with_env(options, &variables)
    }
}

/// Serves a folder, lets the clock jump by up to thirty years this many times, and checks that nothing that
/// was written is lost, and that nothing takes longer.
pub(super) fn jump(library: &str, random: &mut Random, times: usize) -> Wrong {
    let folder = tempfile::tempdir().unwrap();
    let clock = Clock::new(library, &folder);
    let data = format!("--data {}", folder.path().join("data").display());
    let mut wrong = Wrong::default();
    let mut served = clock.serve(&format!("{data} --demo"));
    let figures = body(&served, STATISTICS, READ_KEY);
    let ids: Vec<_> = (0..times).map(|n| format!("z-{n}")).collect();
    for (written, id) in ids.iter().enumerate() {
        let thirty_years = 30 * 365 * 86_400;
        let ahead = i64::try_from(random.below(2 * thirty_years)).unwrap();
        clock.set(ahead - i64::try_from(thirty_years).unwrap());
        if random.below(3) == 0 {
            served.signal("KILL");
            served.wait();
            served = clock.serve(&data);
        }
        let started = Instant::now();
        put_user(served.dynamodb(), id);
        wrong.invented += usize::from(body(&served, STATISTICS, READ_KEY) != figures);
        let users = body(&served, USERS, DEMO_ACCOUNT);
        let is_lost = |id: &&String| !users.contains(&format!(r#""userId":"{id}""#));
        wrong.lost += ids[..=written].iter().filter(is_lost).count();
        assert!(started.elapsed() < PROMPT, "{:?}", started.elapsed());
    }
    wrong
}

/// Returns whether a revoked key is refused after a minute, although the clock is set back meanwhile.
pub(super) fn refuses_revoked_key(library: &str) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let clock = Clock::new(library, &folder);
    let served = clock.serve("");
    let is_accepted = || status(&served.api, STATISTICS, READ_KEY) == 200;
    assert!(is_accepted());
    operate(
        served.dynamodb(),
        "DeleteTable",
        r#"{"TableName":"credentials"}"#,
    );
    assert!(is_accepted(), "a verified key is cached");
    std::thread::sleep(Duration::from_secs(35));
    clock.set(-30);
    std::thread::sleep(Duration::from_secs(26));
    !is_accepted()
}

/// Returns the body of a response, which must be a 200.
fn body(served: &Served, target: &str, header: &str) -> String {
    let response = get(&served.api, target, header);
    let (head, body) = response.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    body.to_owned()
}
