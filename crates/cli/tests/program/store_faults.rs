//! `feedback serve` over a database that is locked, damaged, truncated or full: every response is the one of
//! the healthy database, or a refusal.

use std::path::Path;
use std::process::Child;
use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::http::{self, DEMO_PASSWORD, operate};
use crate::outcome::only_line;
use crate::place::Place;
use crate::process::{SERVE, Served, feedback, output_of};

const STATISTICS: &str =
    "/api/v2/response-statistics?project=demo&startDate=2025-01-01&endDate=2025-03-01";
const STREAMED: &str = "/api/users?project=demo";
const REQUESTS: [(&str, &str); 4] = [
    (STATISTICS, "AuthKey: demo-read-key-0000"),
    (
        "/api/v2/response-statistics?project=demo&startDate=2025-01-01&endDate=2025-03-01&interval=month",
        "AuthKey: demo-read-key-0000",
    ),
    (STREAMED, DEMO_PASSWORD),
    ("/api/users?project=demo&limit=7", DEMO_PASSWORD),
];

/// A response, as far as it depends on the database.
#[derive(Debug, PartialEq, Eq)]
enum Answer {
    Whole(String),
    /// The status and the code of the error.
    Refused(u16, String),
    /// The connection was dropped within the body.
    BrokenOff,
}

/// The database of the demo project, and the responses over it.
static HEALTHY: LazyLock<(Vec<u8>, Vec<Answer>)> = LazyLock::new(|| {
    let place = Place::new();
    let served = Served::start(&format!("--demo --data {}", place.data().display()));
    let answers = answers(&served);
    served.end();
    for answer in &answers {
        let is_whole = matches!(answer, Answer::Whole(body) if body.len() > 100);
        assert!(is_whole, "{answer:?}");
    }
    (
        std::fs::read(place.path("data/tables.sqlite")).unwrap(),
        answers,
    )
});

/// A data folder with this database, which no process uses.
struct Demo(Place);

impl Demo {
    fn new(database: &[u8]) -> Self {
        let place = Place::new();
        std::fs::create_dir(place.data()).unwrap();
        place.file("data/tables.sqlite", database);
        Self(place)
    }

    fn healthy() -> Self {
        Self::new(&HEALTHY.0)
    }

    fn database(&self) -> std::path::PathBuf {
        self.0.path("data/tables.sqlite")
    }

    fn serve(&self) -> Child {
        feedback(&serve(&self.0.data())).spawn().unwrap()
    }
}

/// Checks that every response is the one of the healthy database, or a refusal; returns the refusals.
#[track_caller]
fn check(served: &Served) -> Vec<Answer> {
    let answers = answers(served);
    let health = http::status(&served.api, "/health", "Accept: */*");
    assert!([200, 503].contains(&health), "{health}");
    let pairs = answers.into_iter().zip(&HEALTHY.1);
    let refused = pairs.filter(|(answer, healthy)| {
        let is_right = answer == *healthy || answer.is_refusal();
        assert!(is_right, "{answer:?} instead of {healthy:?}");
        answer != *healthy
    });
    refused.map(|(answer, _)| answer).collect()
}

fn serve(folder: &Path) -> String {
    format!("{SERVE} --data {}", folder.display())
}

/// Sends all requests at the same time: a refusal takes seconds, because it is retried.
fn answers(served: &Served) -> Vec<Answer> {
    let ask =
        &|(target, header): (&str, &str)| answer(target, &http::get(&served.api, target, header));
    std::thread::scope(|scope| {
        let asking = REQUESTS.map(|request| scope.spawn(move || ask(request)));
        asking.map(|answer| answer.join().unwrap()).into()
    })
}

fn answer(target: &str, response: &str) -> Answer {
    let (head, body) = response.split_once("\r\n\r\n").unwrap();
    match &head[..12] {
        "HTTP/1.1 200" if target == STREAMED && !body.ends_with("\r\n0\r\n\r\n") => {
            Answer::BrokenOff
        }
        "HTTP/1.1 200" => Answer::Whole(body.to_owned()),
        status => {
            let document: Value = serde_json::from_str(body).expect(response);
            let code = document["errors"][0]["code"].as_str().unwrap();
            Answer::Refused(status[9..].parse().unwrap(), code.to_owned())
        }
    }
}

impl Answer {
    fn is_refusal(&self) -> bool {
        match self {
            Self::Whole(_) => false,
            Self::Refused(status, code) => (*status, code.as_str()) == (503, "unavailable"),
            Self::BrokenOff => true,
        }
    }
}

#[test]
fn figures_of_a_database_with_a_destroyed_page_are_right_or_refused() {
    const PAGE: usize = 4096;
    const SAMPLE: usize = 12;
    let healthy = &HEALTHY.0;
    let pages = healthy.len() / PAGE;
    // With zeros or with other bytes; returns the refusals, or `None` if the start is refused.
    let destroy = |n: usize| {
        let page = n * pages / SAMPLE;
        let mut database = healthy.clone();
        for (at, byte) in database[page * PAGE..][..PAGE].iter_mut().enumerate() {
            *byte = u8::try_from((at * 131 + page) * (n % 2) % 251).unwrap();
        }
        match Served::try_ready(Demo::new(&database).serve()) {
            Ok(served) => Some(check(&served)),
            Err(output) => {
                only_line(&output);
                None
            }
        }
    };
    let outcomes: Vec<_> = std::thread::scope(|scope| {
        let destroyed = (0..SAMPLE).map(|n| scope.spawn(move || destroy(n)));
        let destroyed: Vec<_> = destroyed.collect();
        let outcomes = destroyed.into_iter();
        outcomes.map(|outcome| outcome.join().unwrap()).collect()
    });
    assert!(outcomes.contains(&None), "{outcomes:?}");
    let mut refused = outcomes.iter().flatten().flatten();
    assert!(refused.any(|answer| *answer == Answer::BrokenOff));
}

#[test]
fn a_folder_that_was_not_closed_is_refused_while_its_database_is_damaged() {
    const PAGE: usize = 4096;
    let mut damaged = HEALTHY.0.clone();
    let middle = damaged.len() / PAGE / 2 * PAGE;
    damaged[middle..][..PAGE].fill(0);
    let demo = Demo::healthy();
    let log = demo.0.path("data/tables.sqlite-wal");
    let served = Served::ready(demo.serve());
    let person = json!({"project": {"S": "demo"}, "userId": {"S": "last"}});
    let put = json!({"TableName": "users", "Item": person}).to_string();
    operate(served.dynamodb(), "PutItem", &put);
    drop(served);
    assert!(log.metadata().unwrap().len() > 0);
    std::fs::write(demo.database(), &damaged).unwrap();
    for _ in 0..2 {
        let line = only_line(&output_of(demo.serve()));
        let advice = "tables.sqlite, so restore a backup: ";
        assert!(line.contains(advice), "{line}");
    }
    let bytes = std::fs::read(&log).unwrap();
    let lost: [fn(&Path) -> std::io::Result<()>; 2] = [
        |database| std::fs::write(database, ""),
        |database| std::fs::remove_file(database),
    ];
    for lose in lost {
        lose(&demo.database()).unwrap();
        for command in ["tables create --data data", "backup copy --data data"] {
            let line = only_line(&demo.0.run(command));
            assert!(line.contains("restore a backup"), "{line}");
        }
        assert_eq!(std::fs::read(&log).unwrap(), bytes);
    }
    std::fs::write(demo.database(), &HEALTHY.0).unwrap();
    Served::ready(demo.serve()).end();
    assert!(!log.exists(), "it was closed");
}

#[test]
fn a_database_that_is_truncated_while_it_is_served_is_refused() {
    let demo = Demo::healthy();
    let served = Served::ready(demo.serve());
    let file = std::fs::File::options().write(true).open(demo.database());
    let file = file.unwrap();
    let length = file.metadata().unwrap().len();
    file.set_len(length / 8).unwrap();
    assert!(!check(&served).is_empty());
}

#[test]
fn reads_wait_for_no_other_program_that_writes() {
    let demo = Demo::healthy();
    let served = Served::ready(demo.serve());
    let writer = rusqlite::Connection::open(demo.database()).unwrap();
    writer.execute_batch("BEGIN EXCLUSIVE").unwrap();
    assert_eq!(check(&served), []);
}
