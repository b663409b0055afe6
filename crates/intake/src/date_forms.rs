//! The forms that dates seem to have, told from their texts.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use model::Zone;

use crate::dates::{DateForm, Dates, timestamp, with_plain_blanks, with_plain_offset};
use crate::reason::quoted;

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

/// Finds the date forms of these texts, a few of which may not be dates: returns sets of forms that read them. There
/// are two sets where the order of day and month is open, and one that is empty stands for ISO 8601. Returns `None` if
/// they are none.
pub(crate) fn forms_of<'a>(
    texts: impl Iterator<Item = &'a str> + Clone,
    numbers: Numbers,
) -> Option<Vec<Vec<DateForm>>> {
    // The row with the total of a spreadsheet is rejected, and must not keep its dates from being found.
    let texts = texts.filter(|text| !is_footer(text));
    let total = texts.clone().count();
    let are_most = |is_one: &dyn Fn(&str) -> bool| {
        let count = texts.clone().filter(|text| is_one(text)).count();
        is_most(count, total)
    };
    let is_number = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let may_be = |text: &str| numbers > Numbers::None || !is_number(text);
    if are_most(&|text| may_be(text) && timestamp(text, &Zone::default()).is_ok()) {
        return Some(vec![Vec::new()]);
    }
    let month = DateForm::Format("%Y%m".to_owned());
    let of_numbers = [
        (month, 197_001.0..210_000.0, Numbers::Long),
        (DateForm::Unix, 1e8..1e10, Numbers::Long),
        (DateForm::UnixMs, 1e11..1e13, Numbers::Long),
        (DateForm::Excel, 20_000.0..80_000.0, Numbers::All),
    ];
    for (form, range, least) in of_numbers {
        let is_form = |text: &str| {
            text.parse()
                .is_ok_and(|number: f64| range.contains(&number))
        };
        let dates = Dates {
            forms: vec![form],
            zone: Zone::default(),
        };
        let is_date = |text: &str| is_number(text) && is_form(text) && dates.read(text).is_ok();
        if numbers >= least && are_most(&is_date) {
            return Some(vec![dates.forms]);
        }
    }
    let dates: Vec<_> = texts.filter_map(form_of).collect();
    if !is_most(dates.len(), total) {
        return None;
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

/// Returns whether a text says, in the place of a date, that its row has no record.
fn is_footer(text: &str) -> bool {
    const FOOTERS: [&str; 8] = [
        "total",
        "grand total",
        "average",
        "mean",
        "sum",
        "gesamt",
        "summe",
        "moyenne",
    ];
    let text = text.trim().trim_end_matches(':').to_lowercase();
    FOOTERS.contains(&&*text)
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
