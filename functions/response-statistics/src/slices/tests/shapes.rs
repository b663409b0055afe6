//! How the records of random projects are distributed.

/// The same random numbers each time.
pub(super) struct Random(pub(super) u64);

impl Random {
    /// Returns a number from 0 until before 1.
    pub(super) fn share(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(super) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.share()
    }
}

/// How the records of a project are distributed over time, as shares of the period.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    Uniform,
    /// Each end of the period is this many times as dense as the other.
    Growth(f64),
    Decline(f64),
    /// Of the records, this share is within this share of the period, which begins there.
    Burst {
        share: f64,
        begin: f64,
        length: f64,
    },
    /// So many times, the density rises to so many times that of the lowest, and falls again.
    Seasons(f64, f64),
    /// All records of a day are of its first second, as those of an import that knows only dates.
    Dates,
}

impl Shape {
    pub(super) fn random(random: &mut Random) -> Self {
        let kind = random.between(0.0, 8.0);
        match kind as usize {
            0 => Self::Uniform,
            1 => Self::Growth(random.between(2.0, 50.0)),
            2 => Self::Decline(random.between(2.0, 50.0)),
            3 => Self::Burst {
                share: random.between(0.2, 0.9),
                begin: 0.0,
                length: random.between(0.01, 0.1),
            },
            4 => Self::Burst {
                share: random.between(0.2, 0.99),
                begin: random.between(0.0, 0.99),
                length: random.between(0.000_000_1, 0.01),
            },
            // A campaign, or a project that began late.
            5 => Self::Burst {
                share: 1.0,
                begin: random.between(0.0, 1.0),
                length: random.between(0.02, 0.5),
            },
            6 => Self::Seasons(random.between(1.0, 40.0).round(), random.between(2.0, 50.0)),
            _ => Self::Dates,
        }
    }

    /// Returns when a random record was created.
    pub(super) fn sample(self, random: &mut Random) -> f64 {
        match self {
            Self::Uniform => random.share(),
            Self::Growth(ratio) => random.share().mul_add(ratio - 1.0, 1.0).ln() / ratio.ln(),
            Self::Decline(ratio) => 1.0 - Self::Growth(ratio).sample(random),
            Self::Burst {
                share,
                begin,
                length,
            } => {
                if random.share() < share {
                    (begin + length * random.share()).min(0.999_999)
                } else {
                    random.share()
                }
            }
            Self::Seasons(count, ratio) => loop {
                let at = random.share();
                let height = (at * count * std::f64::consts::TAU).sin() / 2.0 + 0.5;
                if random.share() < height.mul_add(1.0 - 1.0 / ratio, 1.0 / ratio) {
                    return at;
                }
            },
            Self::Dates => (random.share() * 365.0).floor() / 365.0 + random.share() / 31_536_000.0,
        }
    }
}
