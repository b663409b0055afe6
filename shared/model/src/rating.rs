//! What became of displays, whose ratings count, and how certain a range is.

use crate::parsed::Invalid;

/// What became of one display of the survey (contract, section 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Rated(Rating),
    /// The user closed the survey without a rating.
    Dismissed,
    /// Neither has happened yet.
    Pending,
}

impl Outcome {
    /// Combines what a record says. A record with a rating counts as rated even if it is also
    /// marked as dismissed.
    pub fn new(rating: Option<Rating>, dismissed: bool) -> Self {
        match rating {
            Some(rating) => Self::Rated(rating),
            None if dismissed => Self::Dismissed,
            None => Self::Pending,
        }
    }

    pub fn rating(self) -> Option<Rating> {
        match self {
            Self::Rated(rating) => Some(rating),
            Self::Dismissed | Self::Pending => None,
        }
    }
}

/// A rating from 0 to 10.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rating(u8);

impl TryFrom<u8> for Rating {
    type Error = Invalid;

    fn try_from(value: u8) -> Result<Self, Invalid> {
        if value <= 10 {
            Ok(Self(value))
        } else {
            Err(Invalid("must be 0 to 10"))
        }
    }
}

impl Rating {
    pub fn value(self) -> u8 {
        self.0
    }
}

word_enum! {
    /// Which ratings of a person count.
    #[derive(Default)]
    pub enum Respondents, "must be all or latest" {
        #[default]
        All = "all",
        /// The newest one of each interval.
        Latest = "latest",
    }
}

word_enum! {
    /// How many of a hundred ranges are to contain the score of all customers.
    #[derive(Default)]
    pub enum Confidence, "must be 90, 95 or 99" {
        Percent90 = "90",
        #[default]
        Percent95 = "95",
        Percent99 = "99",
    }
}

impl Confidence {
    pub fn percent(self) -> u8 {
        match self {
            Self::Percent90 => 90,
            Self::Percent95 => 95,
            Self::Percent99 => 99,
        }
    }
}
