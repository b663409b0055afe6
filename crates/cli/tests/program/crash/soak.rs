//! `just crash`.

use super::disks::SmallDisk;
use super::erasures::Erasures;
use super::imports::{Imports, Route};
use super::writers::Store;
use super::{Random, Wrong};

/// The number of kills in a row of the same kind.
const ROW: usize = 5;
/// The number of full disks in a row of the same kind.
const FILLS: usize = 3;

/// What was done, and what was found.
#[derive(Default)]
pub(super) struct Soak {
    kills: usize,
    full_disks: usize,
    pub(super) acknowledgements: u64,
    pub(super) wrong: Wrong,
}

impl Soak {
    /// Kills this often: a quarter of the kills each.
    fn run(&mut self, kills: usize, random: &mut Random) {
        while self.kills < kills {
            let row = |soak: &Self| ROW.min(kills - soak.kills);
            self.kill_serve(row(self), random.fork());
            self.kill_imports(row(self), Route::Folder, 20_000, random.fork());
            self.kill_imports(row(self), Route::Serve, 20_000, random.fork());
            self.kill_erasures(row(self), random.fork());
            match SmallDisk::mount() {
                Some(disk) => self.fill(&disk, random),
                None => eprintln!("no disk is full: nothing can be mounted here"),
            }
            eprintln!("{}, {} writes", self.figures(), self.acknowledgements);
        }
        assert!(self.acknowledgements > 0, "nothing was written");
    }

    /// Kills a `serve` that programs write to.
    pub(super) fn kill_serve(&mut self, kills: usize, random: Random) {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::new(folder.path(), random);
        for _ in 0..kills {
            store.kill();
        }
        self.kills += kills;
        self.take(store);
    }

    /// Kills imports of so many records.
    pub(super) fn kill_imports(
        &mut self,
        kills: usize,
        route: Route,
        records: usize,
        random: Random,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut imports = Imports::new(folder.path(), route, random, records);
        for _ in 0..kills {
            imports.kill();
        }
        self.kills += kills;
        self.wrong += imports.complete();
    }

    /// Kills a `serve` through which users are erased.
    pub(super) fn kill_erasures(&mut self, kills: usize, random: Random) {
        let folder = tempfile::tempdir().unwrap();
        let mut erasures = Erasures::new(folder.path(), random);
        for _ in 0..kills {
            erasures.kill();
        }
        self.kills += kills;
        self.wrong += erasures.verdict();
    }

    /// Fills a disk up under a `serve` and under imports.
    fn fill(&mut self, disk: &SmallDisk, random: &mut Random) {
        let mut store = Store::new(&disk.path().join("served"), random.fork());
        for _ in 0..FILLS {
            store.fill(disk);
        }
        self.take(store);
        let folder = disk.path().join("imported");
        let mut imports = Imports::new(&folder, Route::Folder, random.fork(), 20_000);
        for _ in 0..FILLS {
            imports.fill(disk);
        }
        self.full_disks += 2 * FILLS;
        self.wrong += imports.complete();
    }

    fn take(&mut self, store: Store) {
        self.acknowledgements += store.acknowledgements();
        self.wrong += store.verdict();
    }

    /// Returns the line of figures.
    fn figures(&self) -> String {
        let Self { wrong, .. } = self;
        format!(
            "{} kills, {} full disks: {} lost, {} corrupt, {} invented, {} unclear errors",
            self.kills, self.full_disks, wrong.lost, wrong.corrupt, wrong.invented, wrong.unclear
        )
    }
}

#[test]
#[ignore = "takes minutes; `just crash` runs it"]
fn soak() {
    let setting = |name: &str| std::env::var(name).unwrap_or_else(|_| panic!("set {name}"));
    let [kills, seed] = ["CRASH_KILLS", "CRASH_SEED"].map(|name| setting(name).parse().unwrap());
    let (mut random, mut soak) = (Random(seed), Soak::default());
    soak.run(usize::try_from(kills).unwrap(), &mut random);
    std::fs::write(setting("CRASH_FIGURES"), soak.figures() + "\n").unwrap();
    assert_eq!(soak.wrong, Wrong::default());
}
