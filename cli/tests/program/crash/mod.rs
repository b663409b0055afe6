//! What was acknowledged survives `kill -9` at any moment. The tests kill at a few moments, which their seeds
//! select; `just crash` kills for as long as it is told to.

mod imports;
mod writers;

use std::time::Duration;

use imports::{Imports, Route};
use writers::Store;

/// Selects the moments and the writes: the same for the same seed.
struct Random(u64);

impl Random {
    /// Returns a number below the bound.
    fn below(&mut self, bound: u64) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % bound
    }

    fn duration_up_to(&mut self, limit: Duration) -> Duration {
        Duration::from_micros(self.below(u64::try_from(limit.as_micros()).unwrap().max(1)))
    }
}

#[test]
fn what_a_serve_acknowledged_survives_that_it_is_killed() {
    let mut store = Store::new(Random(1));
    for _ in 0..5 {
        store.kill();
    }
    assert!(store.acknowledged() > 0);
}

#[test]
fn an_import_continues_after_it_was_killed() {
    let mut imports = Imports::new(Route::Folder, Random(2), 5000);
    for _ in 0..3 {
        imports.kill();
    }
    imports.complete();
}

#[test]
fn an_import_through_a_serve_continues_after_the_serve_was_killed() {
    let mut imports = Imports::new(Route::Serve, Random(3), 500);
    for _ in 0..2 {
        imports.kill();
    }
    imports.complete();
}

#[test]
#[ignore = "takes minutes; `just crash` runs it"]
fn soak() {
    let setting = |name, default| std::env::var(name).map_or(default, |text| text.parse().unwrap());
    let (kills, seed) = (setting("CRASH_KILLS", 300), setting("CRASH_SEED", 1));
    let mut random = Random(seed);
    eprintln!("{kills} kills, seed {seed}");
    let mut store = Store::new(Random(random.below(u64::MAX)));
    // A third of the kills each.
    for done in (0..kills).step_by(15) {
        for _ in 0..5 {
            store.kill();
        }
        for (route, records) in [(Route::Folder, 20_000), (Route::Serve, 2000)] {
            let mut imports = Imports::new(route, Random(random.below(u64::MAX)), records);
            for _ in 0..5 {
                imports.kill();
            }
            imports.complete();
        }
        let acknowledged = store.acknowledged();
        eprintln!(
            "{} kills survived, {acknowledged} acknowledged writes",
            done + 15
        );
    }
}
