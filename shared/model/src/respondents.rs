//! Whose ratings count.

use super::named;

named! {
    /// Which ratings of a person count.
    #[derive(Default)]
    pub enum Respondents, "must be all or latest" {
        /// All of them.
        #[default]
        All = "all",
        /// The newest one of each interval.
        Latest = "latest",
    }
}
