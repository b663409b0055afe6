//! Random choices: the same for the same seed.

use std::time::Duration;

/// A generator of random numbers.
#[derive(Debug)]
pub struct Random(pub u64);

impl Random {
    /// Makes the generator of one of many cases.
    pub fn of_case(seed: u64, case: u64) -> Self {
        let mut random = Self(seed);
        Self(random.below(u64::MAX) ^ case.wrapping_mul(0xD6E8_FEB8_6659_FD93))
    }

    /// Makes another generator, with a seed from this one.
    #[must_use]
    pub fn fork(&mut self) -> Self {
        Self(self.below(u64::MAX))
    }

    /// Returns a number below the bound.
    pub fn below(&mut self, bound: u64) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % bound
    }

    /// Returns an index of a list of this length, which is not empty.
    pub fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    /// Returns one of these.
    pub fn choose<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.index(choices.len())]
    }

    /// Returns whether an event happens that happens once in this many times.
    pub fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// Returns a time below this one.
    pub fn duration_up_to(&mut self, limit: Duration) -> Duration {
        Duration::from_micros(self.below((limit.as_micros() as u64).max(1)))
    }
}
