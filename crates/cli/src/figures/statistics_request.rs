//! What is asked of a project's statistics: as options, and as the parameters of a request.

use std::str::FromStr;

use chrono::{DateTime, Datelike as _, Days, Utc};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use model::{
    Confidence, GroupBy, Invalid, Operator, Period, ProjectId, Respondents, Timestamp, TraitFilter,
    TraitName, Unit, WeekStart, Zone,
};
use response_statistics::{PeriodWord, TimeSpan};

/// A request of the statistics of a project, as options.
#[derive(clap::Args, Debug, Clone, Default)]
pub(crate) struct StatisticsRequest {
    /// The project; files need none, and are named after the first
    #[arg(long, env = "FEEDBACK_PROJECT", hide_env_values = true)]
    pub(crate) project: Option<ProjectId>,
    /// The start of the period, inclusive [default: 30 days before the end]
    #[arg(long, value_name = "DATE", value_parser = date)]
    pub(crate) start: Option<String>,
    /// The end of the period, exclusive [default: the end of today]
    #[arg(long, value_name = "DATE", value_parser = date)]
    pub(crate) end: Option<String>,
    /// The period, instead of --start and --end: a year, quarter, month or week such as 2026, 2026-Q3, 2026-09 or
    /// 2026-W41; this-week, last-month and the like; or days, weeks, months or years that end with today, such as
    /// 30d, 12w, 6mo or 1y, whose last month is the running one [default: 30d; of files, all of their records]
    #[arg(long, value_parser = word, conflicts_with_all = ["start", "end"])]
    pub(crate) period: Option<String>,
    /// Count only records whose trait matches
    #[arg(long, value_name = "NAME=OPERATOR:VALUE", value_parser = filter, help = filter_help())]
    pub(crate) filter: Vec<TraitFilter>,
    /// Divide the period into the intervals of the calendar; `all` is the period, with its start and end
    #[arg(long, value_parser = named::<Unit>(Unit::NAMES))]
    pub(crate) interval: Option<Unit>,
    /// The first day of a week [default: monday]
    #[arg(long, requires = "interval", value_parser = named::<WeekStart>(WeekStart::NAMES))]
    pub(crate) week_start: Option<WeekStart>,
    /// The time zone of the calendar, and of dates without an offset, such as Europe/Prague
    /// [default: UTC]
    #[arg(long, value_name = "ZONE")]
    pub(crate) timezone: Option<Zone>,
    /// Divide the records by a trait, a string or a boolean; boolean.NAME and string.NAME say which
    #[arg(long, value_name = "NAME")]
    pub(crate) group_by: Option<GroupBy>,
    /// Show this many groups, those of the most displays, and all others as one: 1 to 100 [default: 20]
    #[arg(long, value_name = "N", requires = "group_by")]
    pub(crate) group_limit: Option<u64>,
    /// `latest` counts only the newest rating of each person, in each interval [default: all]
    #[arg(long, value_parser = named::<Respondents>(Respondents::NAMES))]
    pub(crate) respondents: Option<Respondents>,
    /// The confidence of the score's interval, in percent [default: 95; with --csv
    /// and --json, none]
    #[arg(long, value_parser = named::<Confidence>(Confidence::NAMES))]
    pub(crate) confidence: Option<Confidence>,
    /// Whether the records have no dates; then all have the same instant.
    #[arg(skip)]
    pub(crate) is_undated: bool,
    /// What the period is compared with: previous, year (the same dates of the year before), START/END, a period as
    /// in --period, or none [default: previous; with --csv and --json, none]
    #[arg(long, value_name = "PERIOD", value_parser = compared)]
    pub(crate) compare: Option<String>,
}

impl StatisticsRequest {
    /// Returns the zone of the calendar, and of dates without an offset.
    pub(crate) fn zone(&self) -> Zone {
        self.timezone.clone().unwrap_or_default()
    }

    /// Fills in what is missing of the period: by default, it is the last 30 days, and ends with today.
    pub(crate) fn with_default_period(mut self, now: DateTime<Utc>) -> Self {
        if self.start.is_none() && self.end.is_none() {
            self.period.get_or_insert_with(|| "30d".to_owned());
        }
        if self.period.is_some() {
            // Files have filled in the period of their records.
            (self.start, self.end) = (None, None);
            return self;
        }
        if self.end.is_none() {
            let zone = self.zone();
            let tomorrow = zone.local(now).date().succ_opt();
            self.end = tomorrow.map(|date| date.to_string());
        }
        if self.start.is_none() {
            self.start = self.default_start();
        }
        self
    }

    /// Returns the start that the API takes if none is given, unless the end is no timestamp.
    fn default_start(&self) -> Option<String> {
        let zone = self.zone();
        let end = zone.parse_timestamp(self.end.as_deref()?).ok()?;
        Some(zone.days_before(end, Period::DEFAULT_DAYS).to_string())
    }

    /// Fills in the days from the first to the last of these instants.
    pub(crate) fn fill_period(&mut self, first: Timestamp, last: Timestamp) {
        let zone = self.zone();
        let day = |at: Timestamp| zone.local(at.into()).date();
        let day_after = day(last).checked_add_days(Days::new(1));
        let end = day_after.filter(|day| day.year() <= 9999);
        let last_instant = || "9999-12-31T23:59:59.999Z".to_owned();
        // The first day of the first year begins in the year before, but in UTC.
        let start = Some(day(first).to_string()).filter(|day| zone.parse_timestamp(day).is_ok());
        let first_instant = || "0001-01-01T00:00:00.000Z".to_owned();
        self.start
            .get_or_insert(start.unwrap_or_else(first_instant));
        self.end
            .get_or_insert(end.map_or_else(last_instant, |day| day.to_string()));
    }

    /// Returns the start and the end of the period, if they are timestamps, as the API writes them.
    pub(crate) fn time_span(&self) -> Option<TimeSpan> {
        let zone = self.zone();
        let written = |text: &Option<String>| {
            let instant = zone.parse_timestamp(text.as_deref()?).ok()?;
            Some(zone.write(instant.into()))
        };
        Some(TimeSpan {
            start: written(&self.start)?,
            end: written(&self.end)?,
        })
    }

    /// Returns whether the answer is divided into several intervals.
    pub(crate) fn is_series(&self) -> bool {
        self.interval.is_some_and(|unit| unit != Unit::All)
    }

    /// Returns whether only the newest rating of each person counts.
    pub(crate) fn is_latest(&self) -> bool {
        self.respondents == Some(Respondents::Latest)
    }

    /// Returns what the period is compared with, if that is asked for.
    pub(crate) fn compared_with(&self) -> Option<&String> {
        self.compare.as_ref().filter(|with| *with != "none")
    }

    /// Returns the same request, whose answer says the interval of time and of the score of each element.
    pub(crate) fn in_full(mut self) -> Self {
        self.interval.get_or_insert(Unit::All);
        self.confidence.get_or_insert(Confidence::Percent95);
        self
    }

    /// Returns the same request for the period as a whole, compared with nothing.
    pub(crate) fn whole(&self) -> Self {
        Self {
            interval: None,
            week_start: None,
            group_by: None,
            group_limit: None,
            compare: None,
            ..self.clone()
        }
        .in_full()
    }

    /// Returns the same request for all records of the period as a whole, whatever their traits.
    pub(crate) fn of_all_records(&self) -> Self {
        Self {
            filter: Vec::new(),
            ..self.whole()
        }
    }

    /// Returns the traits that are filtered or grouped by.
    pub(crate) fn traits(&self) -> impl Iterator<Item = &TraitName> {
        let filtered = self.filter.iter().map(|filter| &filter.name);
        filtered.chain(self.group_by.iter().map(|by| &by.name))
    }

    /// Returns the parameters of the request.
    pub(crate) fn parameters(&self) -> Vec<(&'static str, String)> {
        fn text<T: ToString>(value: Option<&T>) -> Option<String> {
            value.map(ToString::to_string)
        }
        let optional = [
            ("project", text(self.project.as_ref())),
            ("startDate", self.start.clone()),
            ("endDate", self.end.clone()),
            ("period", self.period.clone()),
            ("timezone", text(self.timezone.as_ref())),
            ("interval", text(self.interval.as_ref())),
            ("weekStart", text(self.week_start.as_ref())),
            ("groupBy", text(self.group_by.as_ref())),
            ("groupLimit", text(self.group_limit.as_ref())),
            ("confidence", text(self.confidence.as_ref())),
            ("respondents", text(self.respondents.as_ref())),
            ("compare", text(self.compared_with())),
        ];
        let filters = self.filter.iter();
        let repeated = filters.map(|filter| ("filter", Some(filter.to_string())));
        let all = optional.into_iter().chain(repeated);
        all.filter_map(|(name, value)| Some((name, value?)))
            .collect()
    }

    /// Returns the parameters that list the traits of the same period, of the records that pass the filters.
    pub(crate) fn describing(&self) -> Vec<(&'static str, String)> {
        let listing = Self {
            interval: None,
            confidence: None,
            respondents: None,
            ..self.whole()
        };
        let mut parameters = listing.parameters();
        parameters.push(("describe", "traits".to_owned()));
        parameters
    }
}

/// Parses a value by its name; the help lists the names.
fn named<T>(names: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = Invalid> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name| name.parse())
}

/// Checks the form of a date, whose zone is another option.
pub(crate) fn date(text: &str) -> Result<String, &'static str> {
    match Zone::default().parse_timestamp(text) {
        Ok(_) => Ok(text.to_owned()),
        Err(_) => Err("must be a date or an instant, such as 2026-01-31 or 2026-01-31T08:30:00Z"),
    }
}

/// Checks a word that names a period.
pub(crate) fn word(text: &str) -> Result<String, Invalid> {
    text.parse::<PeriodWord>().map(|_| text.to_owned())
}

/// Checks the form of what a period is compared with.
fn compared(text: &str) -> Result<String, String> {
    let is_known = match text.split_once('/') {
        Some((start, end)) => date(start).is_ok() && date(end).is_ok(),
        None => matches!(text, "previous" | "year" | "none") || word(text).is_ok(),
    };
    is_known.then(|| text.to_owned()).ok_or_else(|| {
        let word = PeriodWord::EXPECTED.0.trim_start_matches("must be ");
        format!("must be previous, year, none, START/END or {word}")
    })
}

fn filter_help() -> String {
    let forms = Operator::described();
    format!("Count only records whose trait matches: {forms}; may be given several times")
}

/// Parses a filter. Where the operator is missing, the error says the filter that was probably meant.
fn filter(text: &str) -> Result<TraitFilter, String> {
    text.parse().map_err(|error: String| {
        let (name, value) = text.split_once('=').unwrap_or_default();
        let operators = ["boolean.eq", "number.eq", "eq"].into_iter();
        let mut guesses = operators.map(|operator| format!("{name}={operator}:{value}"));
        let is_filter = |guess: &String| guess.parse::<TraitFilter>().is_ok();
        match guesses.find(is_filter) {
            Some(meant) if !value.contains(':') => format!("{error}; did you mean {meant}?"),
            _ => error,
        }
    })
}
