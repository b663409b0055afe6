//! `feedback backup`.

use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::http::put_user;
use crate::operator::{Operator, users_at};
use crate::outcome::{stderr, succeeded};
use crate::place::{Place, contains, mode, users};
use crate::process::{Served, at_store, output};

#[test]
fn a_restored_backup_of_a_served_folder_answers_as_the_folder_does() {
    let operator = Operator::with_responses(
        r#"{"id":"r","created":"2020-01-01","rating":9,"user":{"userId":"007","traits":{"plan":"pro"}}}"#,
    );
    let output = operator.run("backup --data data backup.sqlite");
    assert_eq!(succeeded(&output), "");
    let said = "1 response, 1 user and 2 credentials in backup.sqlite\n";
    assert_eq!(stderr(&output), said);
    assert_eq!(mode(&operator.path("backup.sqlite")), 0o600);

    operator.place().restore("backup.sqlite", "restored");
    let served = Served::with_data(&operator.path("restored"));
    let request = "stats --project acme --start 2000-01-01 --json";
    let expected = succeeded(&operator.request(request));
    let answer = operator.run(&format!("{request} --url http://{}", served.api));
    assert_eq!(succeeded(&answer), expected);
    assert_eq!(users_at(&served.api), operator.users());
}

#[test]
fn a_backup_beside_a_writer_has_everything_acknowledged_before_and_no_gap() {
    let place = Place::new();
    let served = place.serve();
    let (written, ended) = (AtomicUsize::new(0), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                let next = written.load(Ordering::Relaxed);
                put_user(served.dynamodb(), &format!("user-{next:06}"));
                written.store(next + 1, Ordering::Relaxed);
            }
        });
        for n in 0..3 {
            let before = loop {
                let before = written.load(Ordering::Relaxed);
                if before >= 20 * (n + 1) {
                    break before;
                }
            };
            let backup = format!("backup-{n}.sqlite");
            succeeded(&place.run(&format!("backup --data data {backup}")));
            let after = written.load(Ordering::Relaxed) + 1;
            place.restore(&backup, &format!("restored-{n}"));
            let found = place.export("users", &format!("restored-{n}"));
            let count = found.len();
            assert!((before..=after).contains(&count), "{before} {count}");
            for (line, user) in found.iter().zip(users(count)) {
                assert!(line.contains(&user), "{user}: {line}");
            }
        }
        ended.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_backup_of_a_folder_whose_serve_was_killed_has_everything_acknowledged() {
    let place = Place::new();
    let mut served = place.serve();
    for user in users(30) {
        put_user(served.dynamodb(), &user);
    }
    served.signal("KILL");
    served.wait();
    succeeded(&place.run("backup --data data backup.sqlite"));
    for entry in fs::read_dir(place.data()).unwrap() {
        assert_eq!(mode(&entry.unwrap().path()), 0o600);
    }
    place.restore("backup.sqlite", "restored");
    assert_eq!(place.export("users", "restored").len(), 30);
    assert_eq!(place.export("users", "data").len(), 30);
}

#[test]
fn a_backup_holds_nothing_that_a_deletion_through_serve_leaves_in_the_folder() {
    let place = Place::new();
    let served = place.serve();
    put_user(served.dynamodb(), "confidential");
    let mut erase = place.command("erase --project demo --user-id confidential --yes");
    let endpoint = format!("http://{}", served.dynamodb());
    succeeded(&output(at_store(&mut erase, &endpoint)));
    let files = fs::read_dir(place.data()).unwrap();
    let mut files = files.map(|entry| entry.unwrap().path());
    assert!(files.any(|file| contains(&file, "confidential")));
    succeeded(&place.run("backup --data data backup.sqlite"));
    assert!(!contains(&place.path("backup.sqlite"), "confidential"));
}
