//! Counts the records of a period: all of them together, or by the value of a trait.

use std::borrow::Cow;

use shared::model::GroupValue;
use shared::store::{self, ResponsePage};

use crate::breakdown::Grouping;
use crate::groups::Groups;
use crate::series::Series;

/// The figures of all shards together.
#[derive(Debug)]
pub(crate) enum Counts {
    Whole(Series),
    Grouped(Groups),
}

/// The figures of one group of the response over time.
#[derive(Debug)]
pub(crate) struct Column<'a> {
    /// `None` without groups.
    pub(crate) group: Option<Group<'a>>,
    pub(crate) series: Cow<'a, Series>,
}

/// What distinguishes a group of the response.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Group<'a> {
    pub(crate) value: GroupValue<'a>,
    /// Whether it consists of all groups that have no element of their own.
    pub(crate) other: bool,
}

impl Counts {
    pub(crate) fn new(grouping: Option<&Grouping>) -> Self {
        match grouping {
            None => Self::Whole(Series::default()),
            Some(grouping) => Self::Grouped(Groups::new(grouping.limit)),
        }
    }

    /// Counts the records of a page.
    pub(crate) fn add(&mut self, page: ResponsePage<'_>) -> Result<(), store::Error> {
        match self {
            Self::Whole(series) => page.read(&mut |row| {
                series.add(row.interval, row.outcome);
            }),
            Self::Grouped(groups) => {
                page.read(&mut |row| groups.add(row.group, row.interval, row.outcome))
            }
        }
    }

    /// Returns whether there are more groups than may be counted; then the figures are incomplete.
    pub(crate) fn exceeds_limits(&self) -> bool {
        matches!(self, Self::Grouped(groups) if groups.exceeds_limits())
    }

    /// Returns the groups of the response.
    pub(crate) fn columns(&self) -> Vec<Column<'_>> {
        match self {
            Self::Whole(series) => vec![Column {
                group: None,
                series: Cow::Borrowed(series),
            }],
            Self::Grouped(groups) => groups.columns(),
        }
    }
}
