//! How dates of files are read: ISO 8601, or forms that an option names; and which forms they seem to have.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::RangeInclusive;
use std::str::FromStr;

use chrono::format::{Fixed, Item, Numeric, Parsed, StrftimeItems, parse};
use chrono::{DateTime, Datelike, ParseError, Utc};
use model::{Invalid, Timestamp, Zone};

use crate::reason::{Reason, quoted};

const RANGE: &str = "is not in the years 1000 to 9999";

/// The forms of the dates of files, and their time zone.
#[derive(Debug, Clone, Default)]
pub struct Dates {
    /// The forms; ISO 8601 if there are none. A timestamp with `T` and an offset needs none of them.
    pub forms: Vec<DateForm>,
    /// The zone of dates that have no offset. Those that its clocks skip are the end of the gap, and those that they
    /// show twice the first.
    pub zone: Zone,
}

/// A form of dates, as `--date-format` names it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum DateForm {
    /// Seconds since 1970, `unix`.
    Unix,
    /// Milliseconds since 1970, `unix-ms`.
    UnixMs,
    /// Days of a spreadsheet, `excel`: 1 is the first day of 1900, and fractions are times of the day.
    Excel,
    /// A strftime format.
    Format(String),
}

impl DateForm {
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Unix => "unix",
            Self::UnixMs => "unix-ms",
            Self::Excel => "excel",
            Self::Format(format) => format,
        }
    }
}

impl Dates {
    /// Reads a date.
    ///
    /// # Errors
    ///
    /// Returns why it is not one.
    pub fn read(&self, text: &str) -> Result<Timestamp, Reason> {
        let text = with_plain_blanks(text.trim());
        let text = &*text;
        if self.forms.is_empty() {
            let invalid = |_| {
                let must = "must be an ISO 8601 timestamp, such as 2026-01-31 08:30";
                format!("{must}, got {}", quoted(text))
            };
            return timestamp(text, &self.zone).map_err(invalid);
        }
        if let Some(instant) = exact(text) {
            return Ok(instant);
        }
        let mut reason = None;
        for form in &self.forms {
            match self.read_as(form, text) {
                Ok(instant) => return Ok(instant),
                // What a form nearly reads says more than that another does not fit.
                Err(Some(why)) => reason = Some(format!("{} {why}", quoted(text))),
                Err(None) => {}
            }
        }
        Err(reason.unwrap_or_else(|| {
            let names = self.forms.iter().map(|form| format!("{:?}", form.name()));
            let names = names.collect::<Vec<_>>().join(" or ");
            format!("{} does not have the format {names}", quoted(text))
        }))
    }

    /// Reads a date in this form. `Err` is the reason why what has the form is no date, or `None` if it has
    /// another form.
    fn read_as(&self, form: &DateForm, text: &str) -> Result<Timestamp, Option<String>> {
        let number = || {
            let number = text.parse::<f64>().ok();
            number.filter(|number| number.is_finite()).ok_or(None)
        };
        let instant = match form {
            DateForm::Unix => since_1970(number()? * 1000.0),
            DateForm::UnixMs => since_1970(number()?),
            DateForm::Excel => self.of_spreadsheet(number()?),
            DateForm::Format(format) => Some(self.read_format(format, text)?),
        };
        // `%Y` also reads the year 26, where `%y` was meant.
        let in_range = instant.filter(|instant| (1000..=9999).contains(&instant.year()));
        let instant = in_range.and_then(Timestamp::from_instant);
        instant.ok_or(Some(RANGE.to_owned()))
    }

    /// Returns the instant of a day of a spreadsheet, to the second. They are counted as if 1900 had been a leap year.
    fn of_spreadsheet(&self, days: f64) -> Option<DateTime<Utc>> {
        const FIRST_OF_1970: f64 = 25_569.0;
        if !(61.0..3_000_000.0).contains(&days) {
            return None;
        }
        let seconds = ((days - FIRST_OF_1970) * 86_400.0).round();
        let local = since_1970(seconds * 1000.0)?.naive_utc();
        self.zone.earliest_or_gap_end(local)
    }

    fn read_format(&self, format: &str, text: &str) -> Result<DateTime<Utc>, Option<String>> {
        let mut parsed = Parsed::new();
        let text = if format.contains("%z") || format.contains("%#z") {
            with_plain_offset(text)
        } else {
            text.into()
        };
        parse(&mut parsed, &text, StrftimeItems::new(format)).map_err(|_| None)?;
        let invalid = |_| Some("is not an instant".to_owned());
        // A zone's offset would move it to the next second.
        if parsed.second() == Some(60) {
            return Err(Some("is a leap second".to_owned()));
        }
        complete(&mut parsed).map_err(invalid)?;
        if parsed.offset().is_some() || parsed.timestamp().is_some() {
            return Ok(parsed.to_datetime().map_err(invalid)?.to_utc());
        }
        let local = parsed.to_naive_datetime_with_offset(0).map_err(invalid)?;
        if local.year() > 9999 {
            return Err(Some(RANGE.to_owned()));
        }
        let instant = self.zone.earliest_or_gap_end(local);
        instant.ok_or_else(|| Some(RANGE.to_owned()))
    }
}

/// Returns the instant so many milliseconds since 1970.
fn since_1970(millis: f64) -> Option<DateTime<Utc>> {
    #[allow(clippy::cast_possible_truncation)] // Instants beyond are none.
    DateTime::from_timestamp_millis(millis.round() as i64)
}

/// Completes a month alone, which is its first day, a date alone, which is its midnight, and an hour alone. Anything
/// else must be complete.
fn complete(parsed: &mut Parsed) -> Result<(), ParseError> {
    if parsed.month().is_some() && parsed.day().is_none() && parsed.hour_mod_12().is_none() {
        parsed.set_day(1)?;
    }
    if parsed.timestamp().is_some() || parsed.minute().is_some() || parsed.second().is_some() {
        return Ok(());
    }
    if parsed.hour_div_12().is_none() && parsed.hour_mod_12().is_none() {
        parsed.set_hour(0)?;
    }
    parsed.set_minute(0)?;
    Ok(())
}

/// Accepts a strftime format only if its dates are instants.
impl FromStr for DateForm {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut of_numbers = [Self::Unix, Self::UnixMs, Self::Excel].into_iter();
        if let Some(form) = of_numbers.find(|form| form.name() == text) {
            return Ok(form);
        }
        let items = StrftimeItems::new(text).parse().map_err(|_| {
            "is neither a strftime format, such as '%m/%d/%Y %H:%M:%S', nor unix, unix-ms or excel"
        })?;
        if items.contains(&Item::Fixed(Fixed::TimezoneName)) {
            return Err(
                "has %Z, but names such as CST stand for several offsets: give %z or --timezone",
            );
        }
        check_fields(&items)?;
        // 2001-02-03T16:05:06Z.
        let instant = DateTime::from_timestamp_secs(981_216_306).unwrap_or_default();
        // `%#z` can only be read.
        let writable = text.replace("%#z", "%z");
        let mut date = String::new();
        let written = write!(date, "{}", instant.format(&writable));
        let form = Self::Format(text.to_owned());
        let read = Dates::default().read_as(&form, &date);
        let has_day = has_number(&items, &Numeric::Day);
        let day = if has_day { "2001-02-03T" } else { "2001-02-0" };
        if written.is_err() || !read.is_ok_and(|read| read.to_string().starts_with(day)) {
            return Err(
                "does not tell instants: it needs a whole date, and of a time the hour (%I with %p), then \
                 minutes, then seconds",
            );
        }
        Ok(form)
    }
}

/// Checks that no field is a likely mistake for another one, which would be read as a wrong instant.
fn check_fields(items: &[Item<'_>]) -> Result<(), &'static str> {
    if has_number(items, &Numeric::Nanosecond) {
        return Err("has %f, which counts nanoseconds: a fraction of a second is %.f or %3f");
    }
    let months = items.iter().filter(|item| {
        matches!(
            item,
            Item::Numeric(Numeric::Month, _)
                | Item::Fixed(Fixed::ShortMonthName | Fixed::LongMonthName)
        )
    });
    if months.count() > 1
        && (has_number(items, &Numeric::Hour) || has_number(items, &Numeric::Hour12))
    {
        return Err("has the month twice: minutes are %M");
    }
    Ok(())
}

fn has_number(items: &[Item<'_>], number: &Numeric) -> bool {
    let is_it = |item: &Item<'_>| matches!(item, Item::Numeric(found, _) if found == number);
    items.iter().any(is_it)
}

/// Parses a date in ISO 8601. Unlike the API, files may have a space in place of the `T` and before the offset,
/// which may be `UTC` or hours alone (`+02`), neither hyphens nor colons (`20260131T083000Z`), and the name of a zone
/// in brackets behind an offset.
fn timestamp(text: &str, zone: &Zone) -> Result<Timestamp, Invalid> {
    zone.parse_timestamp(text).or_else(|invalid| {
        let text = text.trim();
        let other = in_form_of_the_api(text).and_then(|text| zone.parse_timestamp(&text).ok());
        other.or_else(|| without_hyphens(text, zone)).ok_or(invalid)
    })
}

fn in_form_of_the_api(text: &str) -> Option<String> {
    let named = text.strip_suffix(']').and_then(|text| text.split_once('['));
    if let Some((before, _)) = named.filter(|(before, _)| exact(before).is_some()) {
        return Some(before.to_owned());
    }
    let (date, clock) = text.split_at_checked("2026-01-31".len())?;
    let mut clock = clock.strip_prefix([' ', 'T'])?.to_owned();
    if let Some((time, offset)) = clock.split_once(' ') {
        let offset = if offset == "UTC" { "Z" } else { offset };
        let is_offset = offset.starts_with(['Z', '+', '-']);
        clock = is_offset.then(|| format!("{time}{offset}"))?;
    }
    if let Some(at) = clock.rfind(['+', '-'])
        && clock.len() - at == "+02".len()
    {
        clock.push_str("00");
    }
    Some(format!("{date}T{clock}"))
}

/// Parses a date such as `20260131`, or with a time such as `20260131T083000Z`.
fn without_hyphens(text: &str, zone: &Zone) -> Option<Timestamp> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits != "20260131".len() {
        return None;
    }
    let forms = ["%Y%m%d", "%Y%m%dT%H%M%S", "%Y%m%dT%H%M%S%#z"];
    let dates = Dates {
        forms: forms.map(|form| DateForm::Format(form.to_owned())).into(),
        zone: zone.clone(),
    };
    dates.read(text).ok()
}

/// Returns the instant of a timestamp with an offset, which needs neither a form nor a time zone.
fn exact(text: &str) -> Option<Timestamp> {
    let (_, time) = text.split_once('T')?;
    let has_offset = time.contains(['Z', '+', '-', ' ']);
    has_offset.then(|| text.parse().ok()).flatten()
}

/// Writes blanks that browsers do not break lines at, as before `AM`, as others.
fn with_plain_blanks(text: &str) -> Cow<'_, str> {
    const NOT_BROKEN: [char; 2] = ['\u{a0}', '\u{202f}'];
    if text.contains(NOT_BROKEN) {
        text.replace(NOT_BROKEN, " ").into()
    } else {
        text.into()
    }
}

/// Writes the offset behind a time of day as in `+01:00`, which may stand there as `GMT+1`, `UTC`, `Z` or
/// `+0100`, and drops the name of a zone in parentheses behind it.
fn with_plain_offset(text: &str) -> Cow<'_, str> {
    let plain = || {
        let named = text
            .strip_suffix(')')
            .and_then(|text| text.rsplit_once(" ("));
        let text = named.map_or(text, |(before, _)| before);
        let at = text.rfind(':')? + 1;
        let sign = text.get(at..)?.find(['+', '-']).map(|sign| at + sign);
        // The colon of an offset such as +01:00 is the last one.
        let sign = sign.or_else(|| {
            let before = text.get(..at - 1)?;
            let sign = before.rfind(['+', '-'])?;
            before.get(..sign)?.contains(':').then_some(sign)
        });
        let (before, offset) = text.split_at(sign.unwrap_or(text.len()));
        let mut universal = ["GMT", "UTC", "Z"].into_iter();
        let named = universal.find_map(|name| before.strip_suffix(name));
        let Some((sign, offset)) = offset.split_at_checked(1) else {
            return named.map(|before| format!("{before}+00:00"));
        };
        let before = named.unwrap_or(before);
        let numbers = offset.replace(':', "");
        let is_offset =
            (1..=4).contains(&numbers.len()) && numbers.bytes().all(|b| b.is_ascii_digit());
        let (hours, minutes) = match numbers.len() {
            3.. => numbers.split_at_checked(numbers.len() - 2)?,
            _ => (&*numbers, "00"),
        };
        is_offset.then(|| format!("{before}{sign}{hours:0>2}:{minutes}"))
    };
    plain().map_or(Cow::Borrowed(text), Cow::Owned)
}

/// What to write in a form in the place of a day that may be a month, and of a month that may be a day.
type InOrder = &'static [(&'static str, &'static str)];

const MONTH_FIRST: InOrder = &[(DAY_OR_MONTH, "%m"), (MONTH_OR_DAY, "%d")];
const DAY_FIRST: InOrder = &[(DAY_OR_MONTH, "%d"), (MONTH_OR_DAY, "%m")];

/// `26-03-01` has no other form.
const YEAR_FIRST: InOrder = &[("\u{1}-\u{2}-%y", "%y-%m-%d")];

const DAY_OR_MONTH: &str = "\u{1}";
const MONTH_OR_DAY: &str = "\u{2}";

/// Which numbers are dates.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Numbers {
    /// None: they may be anything.
    None,
    /// Those of ten digits or more, as of Unix, and of whole days or months: durations are smaller.
    Long,
    /// The days of spreadsheets, too.
    All,
}

/// Finds the date forms of these texts, more than half of which are dates: returns sets of forms that read them. There
/// are two sets where the order of day and month is open, and one that is empty stands for ISO 8601. Returns `None` if
/// they are none. Where a name says that even numbers may be dates, words such as `Median` are not counted.
pub(crate) fn forms_of<'a>(
    texts: impl Iterator<Item = &'a str> + Clone,
    numbers: Numbers,
) -> Option<Vec<Vec<DateForm>>> {
    let is_named = numbers > Numbers::None;
    let is_number = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let [mut iso, mut readable, mut others] = [0; 3];
    let mut dates = Vec::new();
    for text in texts.clone() {
        let may_be = is_named || !is_number(text);
        let is_iso = may_be && timestamp(text, &Zone::default()).is_ok();
        let date = form_of(text);
        if is_iso || date.is_some() {
            readable += 1;
        } else if !is_named || is_number(text) || has_year(text) {
            others += 1;
        }
        iso += usize::from(is_iso);
        dates.extend(date);
    }
    if readable <= others {
        return form_of_numbers(texts, numbers).map(|form| vec![vec![form]]);
    }
    if is_most(iso, readable) {
        return Some(vec![Vec::new()]);
    }
    let forms: BTreeSet<_> = dates.iter().map(|date| &*date.form).collect();
    let is_open = forms.iter().any(|form| form.contains(DAY_OR_MONTH));
    let has = |order| dates.iter().any(|date| date.order == order);
    let mut orders = match (has(Order::MonthFirst), has(Order::DayFirst)) {
        (false, true) => vec![DAY_FIRST],
        (false, false) | (true, true) if is_open => vec![MONTH_FIRST, DAY_FIRST],
        _ => vec![MONTH_FIRST],
    };
    if is_open && dates.iter().all(|date| date.may_be_year_first) {
        orders.push(YEAR_FIRST);
    }
    let set = |order: InOrder| {
        let written = forms.iter().map(|form| {
            let parts = order.iter();
            parts.fold((*form).to_owned(), |form, (from, to)| {
                form.replace(from, to)
            })
        });
        written.map(DateForm::Format).collect()
    };
    Some(orders.into_iter().map(set).collect())
}

/// Finds the form of numbers, more than half of which are dates, which a name allows.
fn form_of_numbers<'a>(texts: impl Iterator<Item = &'a str>, allowed: Numbers) -> Option<DateForm> {
    let texts: Vec<_> = texts.collect();
    let month = DateForm::Format("%Y%m".to_owned());
    let forms = [
        (month, 197_001.0..210_000.0, Numbers::Long),
        (DateForm::Unix, 1e8..1e10, Numbers::Long),
        (DateForm::UnixMs, 1e11..1e13, Numbers::Long),
        (DateForm::Excel, 20_000.0..80_000.0, Numbers::All),
    ];
    let mut found = forms.into_iter().filter(|(form, range, least)| {
        let is_date = |text: &str| {
            let number = text.parse::<f64>();
            number.is_ok_and(|number| range.contains(&number))
                && Dates::default().read_as(form, text).is_ok()
        };
        allowed >= *least && are_majority(texts.iter().copied(), is_date)
    });
    found.next().map(|(form, ..)| form)
}

/// Returns whether a text has a year and another number, as dates of any language have.
pub(crate) fn has_year(text: &str) -> bool {
    let numbers = text
        .split(|c: char| !c.is_ascii_digit())
        .filter(|number| !number.is_empty());
    let is_year =
        |number: &str| number.len() == 4 && (number.starts_with("19") || number.starts_with("20"));
    numbers.clone().any(is_year) && numbers.count() > 1
}

/// Says that dates are written in both orders, which no form reads.
pub(crate) fn contradiction<'a>(texts: impl Iterator<Item = &'a str>) -> Option<String> {
    let [mut day, mut month] = [None; 2];
    for text in texts {
        match form_of(text).map(|date| date.order) {
            Some(Order::DayFirst) => day = Some(text),
            Some(Order::MonthFirst) => month = Some(text),
            _ => {}
        }
    }
    let [day, month] = [day?, month?].map(quoted);
    Some(format!("{day} has the day first, and {month} the month"))
}

/// The zones of North America, by the names that people write behind times, of which services mean no other.
const ZONES: [(&str, &str); 2] = [
    ("PST", "America/Los_Angeles"),
    ("PDT", "America/Los_Angeles"),
];

/// Returns the zone of dates with the name of one, in which they are read.
pub(crate) fn zone_of(forms: &[DateForm]) -> Option<Zone> {
    let mut zones = ZONES.iter();
    let is_in = |name: &str| forms.iter().any(|form| form.name().ends_with(name));
    let (_, zone) = zones.find(|(name, _)| is_in(name))?;
    zone.parse().ok()
}

/// The form of a text, in which the order of day and month may be open.
struct DateText {
    /// A strftime format with [`DAY_OR_MONTH`] and [`MONTH_OR_DAY`].
    form: String,
    order: Order,
    /// Whether it may begin with a year of two digits, as in `26-03-01`.
    may_be_year_first: bool,
}

/// What a text says of the order of its day and month.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    DayFirst,
    MonthFirst,
    Open,
}

/// Tells the form of a date. Returns `None` if it has none that services write in English.
fn form_of(text: &str) -> Option<DateText> {
    let text = with_plain_blanks(text.trim());
    let text = with_plain_offset(&text);
    let mut scanner = Scanner {
        rest: &text,
        form: String::new(),
    };
    let mut order = Order::Open;
    let mut may_be_year_first = false;
    if scanner.word(WEEKDAYS, "%A") {
        scanner.one_of(&[", ", " "])?;
    }
    if scanner.word(MONTHS, "%B") {
        scanner.one_of(&[" "])?;
        scanner.number(1..=2, "%d")?;
        scanner.one_of(&[", ", " "])?;
        scanner.number(4..=4, "%Y")?;
    } else if scanner.number(4..=4, "%Y").is_some() {
        let separator = scanner.one_of(&["/", "-", ".", " "])?;
        if !scanner.word(MONTHS, "%B") {
            scanner.number(1..=2, "%m")?;
        }
        // A month alone is its first day.
        if !scanner.rest.is_empty() {
            scanner.one_of(&[separator])?;
            scanner.number(1..=2, "%d")?;
        }
    } else {
        let begun = scanner.form.len();
        let first = scanner.number(1..=2, "")?;
        let separator = scanner.one_of(&["/", "-", ". ", ".", " "])?;
        if scanner.word(MONTHS, "%B") {
            scanner.form.insert_str(begun, "%d");
            scanner.one_of(&[separator, ", "])?;
        } else {
            scanner.form.insert_str(begun, DAY_OR_MONTH);
            let second = scanner.number(1..=2, MONTH_OR_DAY)?;
            order = match (first, second) {
                (13.., _) => Order::DayFirst,
                (_, 13..) => Order::MonthFirst,
                _ => Order::Open,
            };
            scanner.one_of(&[separator])?;
            may_be_year_first = separator == "-" && second <= 12;
        }
        if scanner.number(4..=4, "%Y").is_none() {
            may_be_year_first &= (1..=31).contains(&scanner.number(2..=2, "%y")?);
        } else {
            may_be_year_first = false;
        }
    }
    if !scanner.rest.is_empty() {
        scanner.one_of(&[" at ", ", ", " - ", " ", "T"])?;
        scanner.time()?;
        scanner.offset();
        let name = ZONES
            .iter()
            .find(|(name, _)| scanner.rest.strip_prefix(' ') == Some(name));
        if let Some((name, _)) = name {
            scanner.one_of(&[" "])?;
            scanner.one_of(&[name])?;
        }
    }
    let form = scanner.form;
    scanner.rest.is_empty().then_some(DateText {
        form,
        order,
        may_be_year_first,
    })
}

/// Returns whether the text is a time of day alone.
pub(crate) fn is_time_of_day(text: &str) -> bool {
    let mut scanner = Scanner {
        rest: text.trim(),
        form: String::new(),
    };
    scanner.time().is_some() && scanner.rest.is_empty()
}

const WEEKDAYS: &str = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday";

const MONTHS: &str =
    "January February March April May June July August September October November December";

/// Reads a date from left to right, and writes its form.
struct Scanner<'a> {
    rest: &'a str,
    form: String,
}

impl Scanner<'_> {
    /// Reads a number of so many digits, which the form calls so.
    fn number(&mut self, digits: RangeInclusive<usize>, name: &str) -> Option<u32> {
        let is_digit = |byte: &u8| byte.is_ascii_digit();
        let length = self.rest.bytes().take_while(is_digit).count();
        let (number, rest) = self.rest.split_at_checked(length)?;
        let value = number.parse().ok().filter(|_| digits.contains(&length))?;
        self.form.push_str(name);
        self.rest = rest;
        Some(value)
    }

    /// Reads one of these names, or its first three letters.
    fn word(&mut self, names: &str, name: &str) -> bool {
        let is_letter = |c: char| c.is_ascii_alphabetic();
        let length = self.rest.find(|c| !is_letter(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(length);
        let is_name = |full: &&str| {
            full.eq_ignore_ascii_case(word)
                || full
                    .get(..3)
                    .is_some_and(|short| short.eq_ignore_ascii_case(word))
        };
        if !names.split(' ').any(|full| is_name(&full)) {
            return false;
        }
        self.form.push_str(name);
        self.rest = rest;
        true
    }

    /// Reads one of these separators, which stands in the form as it is.
    fn one_of<'b>(&mut self, separators: &[&'b str]) -> Option<&'b str> {
        let mut found = separators.iter();
        let separator = *found.find(|separator| self.rest.starts_with(**separator))?;
        self.form.push_str(separator);
        self.rest = self.rest.strip_prefix(separator)?;
        Some(separator)
    }

    fn time(&mut self) -> Option<()> {
        let begun = self.form.len();
        self.number(1..=2, "").filter(|hour| *hour < 24)?;
        self.one_of(&[":"])?;
        self.number(2..=2, "%M")?;
        if self.one_of(&[":"]).is_some() {
            self.number(2..=2, "%S")?;
            if let Some(fraction) = self.rest.strip_prefix('.') {
                self.rest = fraction;
                self.number(1..=9, "%.f")?;
            }
        }
        let halves = [" AM", " PM", " am", " pm", "AM", "PM", "am", "pm"];
        let half = halves.iter().find(|half| self.rest.starts_with(**half));
        if let Some(half) = half {
            self.rest = self.rest.strip_prefix(half)?;
            self.form
                .push_str(if half.starts_with(' ') { " %p" } else { "%p" });
        }
        let hour = if half.is_some() { "%I" } else { "%H" };
        self.form.insert_str(begun, hour);
        Some(())
    }

    /// Reads a plain offset, if there is one.
    fn offset(&mut self) {
        let (blank, rest) = match self.rest.strip_prefix(' ') {
            Some(rest) => (" ", rest),
            None => ("", self.rest),
        };
        if rest.len() == "+01:00".len() && rest.starts_with(['+', '-']) {
            self.form.push_str(blank);
            self.form.push_str("%z");
            self.rest = "";
        }
    }
}

/// Returns whether so many of all are all but a few.
pub(crate) fn is_most(count: usize, all: usize) -> bool {
    count > 0 && count * 20 >= all * 19
}

/// Returns whether so many of all are more than half.
pub(crate) fn is_majority(count: usize, all: usize) -> bool {
    count * 2 > all
}

/// Returns whether more than half of the texts are such ones.
pub(crate) fn are_majority<'a>(
    texts: impl Iterator<Item = &'a str> + Clone,
    is_one: impl Fn(&str) -> bool,
) -> bool {
    is_majority(
        texts.clone().filter(|text| is_one(text)).count(),
        texts.count(),
    )
}
