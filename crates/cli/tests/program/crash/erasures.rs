//! Erasures in a folder that is served and read, while the `serve` is killed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::{scope, sleep};
use std::time::Duration;

use super::{Random, Wrong, is_whole};
use crate::http::{DEMO_PASSWORD, get_request, put_demo_credentials, send};
use crate::outcome::succeeded;
use crate::place::contains;
use crate::process::{Served, feedback, output, run, run_with_input};

const USERS: usize = 60;
/// The latest moment at which a `serve` is killed.
const ERASING: Duration = Duration::from_secs(1);

/// A data folder of which users are erased.
pub(super) struct Erasures {
    data: PathBuf,
    random: Random,
    /// Those that are not erased.
    users: BTreeSet<String>,
    erased: BTreeSet<String>,
    wrong: Wrong,
}

impl Erasures {
    /// Writes the folder, each of whose users has a text that takes some time to copy.
    pub(super) fn new(data: &Path, random: Random) -> Self {
        let users: BTreeSet<_> = (0..USERS).map(|n| format!("person-{n:02}")).collect();
        let record = |user: &String| {
            let text = format!("of {user}; ").repeat(3000);
            format!(
                r#"{{"id":"{user}","created":"2020-01-01","rating":9,"user":{{"userId":"{user}","name":"{text}"}}}}"#
            )
        };
        let records: Vec<_> = users.iter().map(record).collect();
        let import = format!(
            "import responses - --project demo --data {}",
            data.display()
        );
        succeeded(&run_with_input(&mut feedback(&import), records.join("\n")));
        Self {
            data: data.to_owned(),
            random,
            users,
            erased: BTreeSet::new(),
            wrong: Wrong::default(),
        }
    }

    /// Serves the folder, erases users, reads and makes a backup meanwhile, kills the `serve` at a random moment, and
    /// checks what the folder holds.
    pub(super) fn kill(&mut self) {
        let mut served = Served::with_data(&self.data);
        put_demo_credentials(&served);
        let moment = self.random.duration_up_to(ERASING);
        let is_killed = AtomicBool::new(false);
        let api = served.api.clone();
        let (erased, uncertain) = scope(|scope| {
            let erasing = scope.spawn(|| {
                let mut erased = BTreeSet::new();
                for user in &self.users {
                    let data = self.data.display();
                    let line = format!("erase --project demo --user-id {user} --yes --data {data}");
                    let is_done = output(&mut feedback(&line)).status.success();
                    if is_killed.load(Relaxed) {
                        // It may have found the folder free.
                        return (erased, Some(user.clone()));
                    }
                    assert!(is_done, "{user} is not erased");
                    erased.insert(user.clone());
                }
                (erased, None)
            });
            scope.spawn(|| {
                let request = get_request(&api, "/api/users?project=demo", DEMO_PASSWORD);
                while !is_killed.load(Relaxed) {
                    let answer = send(&api, &request);
                    let is_whole =
                        answer.is_ok_and(|it| it.contains(" 200 OK") && it.contains("]}"));
                    assert!(is_whole || is_killed.load(Relaxed), "a read has failed");
                }
            });
            sleep(moment);
            is_killed.store(true, Relaxed);
            served.signal("KILL");
            served.wait();
            erasing.join().unwrap()
        });
        self.users.retain(|user| !erased.contains(user));
        self.erased.extend(erased);
        self.check(uncertain);
    }

    /// Looks for erased users in what is stored and in the files, and for others who are lost. It is uncertain
    /// whether one is erased.
    fn check(&mut self, uncertain: Option<String>) {
        if !is_whole(&self.data) {
            self.wrong.corrupt += 1;
            return;
        }
        let export = format!("export users --project demo --data {}", self.data.display());
        let exported = succeeded(&run(&export));
        let is_stored = |user: &String| exported.contains(&format!(r#""userId":"{user}""#));
        if let Some(user) = uncertain.filter(|user| !is_stored(user)) {
            self.users.remove(&user);
        }
        self.wrong.lost += self.users.iter().filter(|user| !is_stored(user)).count();
        let entries = fs::read_dir(&self.data).unwrap();
        let files = entries.map(|entry| entry.unwrap().path());
        let files: Vec<_> = files.collect();
        let is_left = |user: &&String| {
            files
                .iter()
                .any(|file| contains(file, &format!("of {user};")))
        };
        self.wrong.invented += self.erased.iter().filter(is_left).count();
    }

    pub(super) fn verdict(self) -> Wrong {
        self.wrong
    }
}
