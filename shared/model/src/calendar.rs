//! The calendar by which a period is divided.

use super::named;

named! {
    /// The length of the intervals of a period.
    pub enum Unit, "must be all, day, week, month, quarter or year" {
        /// The whole period, as one interval.
        All = "all",
        /// A day.
        Day = "day",
        /// A week.
        Week = "week",
        /// A month.
        Month = "month",
        /// A quarter.
        Quarter = "quarter",
        /// A year.
        Year = "year",
    }
}

named! {
    /// The first day of a week.
    #[derive(Default)]
    pub enum WeekStart, "must be monday or sunday" {
        /// Monday, as in ISO 8601.
        #[default]
        Monday = "monday",
        /// Sunday.
        Sunday = "sunday",
    }
}
