//! What is asked of a project's statistics, and the parameters that stand for it.

use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use shared::model::{
    Confidence, GroupBy, Invalid, ProjectId, Respondents, TraitFilter, Unit, WeekStart,
};

use super::group_by;

/// A question about the statistics of a project, as options.
#[derive(clap::Args, Debug, Clone)]
pub(in crate::commands) struct Query {
    /// The project
    #[arg(long, env = "FEEDBACK_PROJECT", hide_env_values = true)]
    pub(in crate::commands) project: ProjectId,
    /// The start of the period, inclusive [default: 30 days before the end]
    #[arg(long, value_name = "DATE")]
    pub(in crate::commands) start: Option<String>,
    /// The end of the period, exclusive [default: now]
    #[arg(long, value_name = "DATE")]
    pub(in crate::commands) end: Option<String>,
    /// Count only records whose trait matches: a string by eq, ne, contains or ncontains, a number by
    /// number.eq, .ne, .gt, .gte, .lt or .lte, a boolean by boolean.eq or .ne; may be given several
    /// times
    #[arg(long, value_name = "NAME=OPERATOR:VALUE")]
    pub(in crate::commands) filter: Vec<TraitFilter>,
    /// Divide the period into the intervals of the calendar; `all` is the period, with its start and end
    #[arg(long, value_parser = named::<Unit>(Unit::NAMES))]
    pub(in crate::commands) interval: Option<Unit>,
    /// The first day of a week [default: monday]
    #[arg(long, requires = "interval", value_parser = named::<WeekStart>(WeekStart::NAMES))]
    pub(in crate::commands) week_start: Option<WeekStart>,
    /// The time zone of the calendar, and of dates without an offset, such as Europe/Prague
    /// [default: UTC]
    #[arg(long, value_name = "ZONE")]
    pub(in crate::commands) timezone: Option<String>,
    /// Divide the records by a trait: NAME is a string, boolean.NAME a boolean
    #[arg(long, value_name = "NAME", value_parser = group_by::parse)]
    pub(in crate::commands) group_by: Option<GroupBy>,
    /// Show this many groups, those of the most displays, and all others as one: 1 to 100 [default: 20]
    #[arg(long, value_name = "N", requires = "group_by")]
    pub(in crate::commands) group_limit: Option<u64>,
    /// Count only the newest rating of each person in each interval, instead of all
    #[arg(long, value_parser = named::<Respondents>(Respondents::NAMES))]
    pub(in crate::commands) respondents: Option<Respondents>,
    /// Add the interval of the score, which contains that of all customers so many times of 100; of few
    /// responses less often
    #[arg(long, value_parser = named::<Confidence>(Confidence::NAMES))]
    pub(in crate::commands) confidence: Option<Confidence>,
    /// List the traits of the records instead: what there is to filter and group by
    #[arg(long, conflicts_with_all = ["interval", "week_start", "group_by", "group_limit", "respondents", "confidence", "csv"])]
    pub(in crate::commands) traits: bool,
}

impl Query {
    /// Returns whether the response has several elements.
    pub(in crate::commands) fn is_divided(&self) -> bool {
        self.interval.is_some() || self.group_by.is_some()
    }

    /// Returns whether the elements are in the order of time.
    pub(in crate::commands) fn is_series(&self) -> bool {
        self.interval.is_some_and(|unit| unit != Unit::All)
    }

    /// Returns the same question about the period as a whole, with its start and end.
    pub(in crate::commands) fn whole(self) -> Self {
        Self {
            interval: Some(Unit::All),
            group_by: None,
            group_limit: None,
            ..self
        }
    }

    /// Returns whether only the newest rating of each person counts.
    pub(in crate::commands) fn is_latest(&self) -> bool {
        self.respondents == Some(Respondents::Latest)
    }

    /// Returns the parameters of the request.
    pub(in crate::commands) fn parameters(&self) -> Vec<(&'static str, String)> {
        fn text<T: ToString>(value: Option<&T>) -> Option<String> {
            value.map(ToString::to_string)
        }
        let optional = [
            ("interval", text(self.interval.as_ref())),
            ("weekStart", text(self.week_start.as_ref())),
            ("groupBy", text(self.group_by.as_ref())),
            ("groupLimit", text(self.group_limit.as_ref())),
            ("confidence", text(self.confidence.as_ref())),
            ("respondents", text(self.respondents.as_ref())),
            ("describe", self.traits.then(|| "traits".to_owned())),
        ];
        let filters = self.filter.iter();
        let mut parameters = self.period();
        parameters.extend(present(optional));
        parameters.extend(filters.map(|filter| ("filter", filter.to_string())));
        parameters
    }

    /// Returns the parameters that list the traits of the same period, whatever the filters.
    pub(in crate::commands) fn describing(&self) -> Vec<(&'static str, String)> {
        let mut parameters = self.period();
        parameters.push(("describe", "traits".to_owned()));
        parameters
    }

    fn period(&self) -> Vec<(&'static str, String)> {
        let optional = [
            ("project", Some(self.project.to_string())),
            ("startDate", self.start.clone()),
            ("endDate", self.end.clone()),
            ("timezone", self.timezone.clone()),
        ];
        present(optional).collect()
    }
}

fn present<const N: usize>(
    optional: [(&'static str, Option<String>); N],
) -> impl Iterator<Item = (&'static str, String)> {
    let present = |(name, value): (_, Option<_>)| Some((name, value?));
    optional.into_iter().filter_map(present)
}

/// Parses a value by its name; the help lists the names.
fn named<T>(names: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = Invalid> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name| name.parse())
}
