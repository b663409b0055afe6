//! How certain the range of a score is.

use super::named::named;

named! {
    /// How many of a hundred ranges are to contain the score of all customers.
    pub enum Confidence, "must be 90, 95 or 99" {
        /// 90 of them.
        Percent90 = "90",
        /// 95 of them.
        Percent95 = "95",
        /// 99 of them.
        Percent99 = "99",
    }
}

impl Confidence {
    /// Returns the number in percent.
    pub fn percent(self) -> u8 {
        match self {
            Self::Percent90 => 90,
            Self::Percent95 => 95,
            Self::Percent99 => 99,
        }
    }
}
