//! Losses of power: a disk that forgets what was not synced, under everything that acknowledges writes.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use super::imports::{Imports, Route};
use super::power_disk::PowerDisk;
use super::writers::Store;
use super::{Random, Wrong, is_whole};
use crate::outcome::succeeded;
use crate::process::{feedback, output, run_with_input};

/// The number of losses in a row of the same kind.
const ROW: usize = 4;
const USERS: usize = 40;
/// The latest moment at which the power is cut while commands run.
const COMMANDS: Duration = Duration::from_secs(1);

/// Commands that create Read Keys and erase users, one after the other.
struct Commands {
    data: PathBuf,
    random: Random,
    /// The ids of the Read Keys, and the users that are not erased.
    keys: BTreeSet<String>,
    users: BTreeSet<String>,
    acknowledged: usize,
    wrong: Wrong,
}

/// What a command does.
#[derive(Clone)]
enum Act {
    Create,
    Erase(String),
}

impl Commands {
    fn new(data: &Path, random: Random) -> Self {
        let mut commands = Self {
            data: data.to_owned(),
            random,
            keys: BTreeSet::new(),
            users: (0..USERS).map(|n| format!("u{n}")).collect(),
            acknowledged: 0,
            wrong: Wrong::default(),
        };
        let mut records = String::new();
        for user in &commands.users {
            writeln!(records, r#"{{"id":"r-{user}","created":"2020-01-01","rating":9,"user":{{"userId":"{user}"}}}}"#).unwrap();
        }
        let mut import = commands.command("import responses - --project acme");
        succeeded(&run_with_input(&mut import, records));
        commands.keys = commands.stored_keys();
        commands
    }

    fn command(&self, line: &str) -> Command {
        feedback(&format!("{line} --data {}", self.data.display()))
    }

    fn run(&self, act: &Act) -> Output {
        output(&mut match act {
            Act::Create => self.command("credentials create --project acme --may statistics"),
            Act::Erase(user) => {
                self.command(&format!("erase --project acme --user-id {user} --yes"))
            }
        })
    }

    /// Runs commands until the power is cut at a random moment, and checks what the folder holds.
    fn lose_power(&mut self, disk: &PowerDisk) {
        let moment = self.random.duration_up_to(COMMANDS);
        let users: Vec<_> = self.users.iter().cloned().collect();
        let act_of = |random: u64| match usize::try_from(random).unwrap() {
            // More often than a quarter of the users is erased in a row.
            n if n < users.len() && n % 2 == 0 => Act::Erase(users[n].clone()),
            _ => Act::Create,
        };
        let acts: Vec<_> = (0..20)
            .map(|_| act_of(self.random.below(USERS as u64)))
            .collect();
        let outputs = std::thread::scope(|scope| {
            let running = scope.spawn(|| {
                let mut outputs = Vec::new();
                for act in &acts {
                    let output = self.run(act);
                    let is_acknowledged = output.status.success() && disk.has_power();
                    outputs.push((act.clone(), is_acknowledged.then_some(output)));
                    if !is_acknowledged {
                        break;
                    }
                }
                outputs
            });
            disk.cut_power_after(moment);
            running.join().unwrap()
        });
        disk.restore();
        self.check(outputs);
    }

    /// Compares what is stored with what the commands acknowledged. What a command without an output did may
    /// be there or not.
    fn check(&mut self, outputs: Vec<(Act, Option<Output>)>) {
        if !is_whole(&self.data) {
            self.wrong.corrupt += 1;
            return;
        }
        let (keys, users) = (self.stored_keys(), self.stored_users());
        let mut may_be_created = 0;
        for (act, output) in outputs {
            self.acknowledged += usize::from(output.is_some());
            match (act, output) {
                (Act::Create, Some(output)) => {
                    let secret = String::from_utf8(output.stdout).unwrap();
                    self.keys.insert(id(secret.trim()));
                }
                (Act::Create, None) => may_be_created += 1,
                (Act::Erase(user), None) if users.contains(&user) => {}
                (Act::Erase(user), _) => drop(self.users.remove(&user)),
            }
        }
        self.wrong.lost += (&self.keys - &keys).len() + (&self.users - &users).len();
        self.wrong.invented += (&users - &self.users).len();
        self.wrong.invented += (&keys - &self.keys).len().saturating_sub(may_be_created);
        (self.keys, self.users) = (keys, users);
    }

    fn stored_keys(&self) -> BTreeSet<String> {
        let listed = succeeded(&output(&mut self.command("credentials list")));
        let ids = listed.lines().filter_map(|line| line.split('\t').next());
        ids.map(str::to_owned).collect()
    }

    /// Returns the users, whose records must name the same.
    fn stored_users(&mut self) -> BTreeSet<String> {
        let [users, named] = ["users", "responses"].map(|kind| {
            let exported = output(&mut self.command(&format!("export {kind} --project acme")));
            let lines = succeeded(&exported);
            let ids = lines.lines().filter_map(|line| {
                let line: serde_json::Value = serde_json::from_str(line).unwrap();
                let ids = [&line["userId"], &line["user"]["userId"]];
                Some(ids.into_iter().find_map(|id| id.as_str())?.to_owned())
            });
            ids.collect::<BTreeSet<_>>()
        });
        // A half-done erasure names somebody who is no user.
        let known = &self.users | &users;
        self.wrong.invented += (&named - &known).len();
        users
    }
}

/// Returns the id under which a list has the credential of a secret.
fn id(secret: &str) -> String {
    let mut digest = test_support::sha256(secret);
    digest.truncate(8);
    digest
}

/// Cuts the power `losses` times, `row` times in a row of one writer; an import has so many records.
struct Plan {
    losses: usize,
    row: usize,
    records: usize,
}

/// Loses power as planned, of everything that writes in turn. Returns what was wrong, and how much was acknowledged.
fn lose(disk: &PowerDisk, plan: &Plan, random: &mut Random) -> (Wrong, u64) {
    let (mut wrong, mut acknowledged, mut done) = (Wrong::default(), 0, 0);
    for turn in 0.. {
        let row = plan.row.min(plan.losses - done);
        if row == 0 {
            break;
        }
        done += row;
        let data = disk.path().join("data");
        match turn % 3 {
            0 => {
                let mut store = Store::new(&data, random.fork());
                for _ in 0..row {
                    store.lose_power(disk);
                }
                acknowledged += store.acknowledgements();
                wrong += store.verdict();
            }
            1 => {
                let records = plan.records;
                let mut imports = Imports::new(&data, Route::Folder, random.fork(), records);
                for _ in 0..row {
                    acknowledged += imports.lose_power(disk);
                }
                wrong += imports.complete();
            }
            _ => {
                let mut commands = Commands::new(&data, random.fork());
                for _ in 0..row {
                    commands.lose_power(disk);
                }
                acknowledged += commands.acknowledged as u64;
                wrong += commands.wrong;
            }
        }
        std::fs::remove_dir_all(data).unwrap();
        eprintln!("{done} losses, {acknowledged} acknowledgements, {wrong:?}");
    }
    (wrong, acknowledged)
}

#[test]
fn what_was_acknowledged_survives_a_loss_of_power() {
    let disk = match PowerDisk::mount() {
        Ok(disk) => disk,
        Err(reason) => return eprintln!("skipped, the power is not cut: {reason}"),
    };
    let plan = Plan {
        losses: 3,
        row: 1,
        records: 5_000,
    };
    let (wrong, acknowledged) = lose(&disk, &plan, &mut Random(8));
    assert!(acknowledged > 0);
    assert_eq!(wrong, Wrong::default());
}

#[test]
#[ignore = "takes minutes; `just power` runs it"]
fn losses() {
    let setting = |name: &str| std::env::var(name).unwrap_or_else(|_| panic!("set {name}"));
    let [losses, seed] = ["POWER_LOSSES", "POWER_SEED"].map(|name| setting(name).parse().unwrap());
    let disk = PowerDisk::mount()
        .unwrap_or_else(|reason| panic!("skipped, the power is not cut: {reason}"));
    let plan = Plan {
        losses: usize::try_from(losses).unwrap(),
        row: ROW,
        records: 10_000,
    };
    let (wrong, acknowledged) = lose(&disk, &plan, &mut Random(seed));
    let figures = format!(
        "{losses} losses of power after {acknowledged} acknowledgements: {} lost, {} corrupt, {} invented",
        wrong.lost, wrong.corrupt, wrong.invented
    );
    std::fs::write(setting("POWER_FIGURES"), figures + "\n").unwrap();
    assert!(acknowledged > 0);
    assert_eq!(wrong, Wrong::default());
}
