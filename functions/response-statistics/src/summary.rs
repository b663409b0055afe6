//! What is said of a comparison, for people (contract, section 4). It says what was tested, and no cause.

use chrono::NaiveDate;
use model::{GroupValue, TraitName, is_control, is_invisible};

use crate::change::{Change, Verdict};
use crate::counts::Group;
use crate::period_name::day;
use crate::score::{rounded, shown, signed, signed_range};
use crate::tally::OutcomeTally;

/// What there is to say.
pub(crate) struct Summary<'a> {
    pub(crate) change: &'a Change,
    pub(crate) before: &'a OutcomeTally,
    pub(crate) after: &'a OutcomeTally,
    /// The name of the earlier period.
    pub(crate) earlier: String,
    /// The day of the project's first record, if that is after the start of the earlier period.
    pub(crate) first_day: Option<NaiveDate>,
    /// Whether the present period ends after today.
    pub(crate) still_runs: bool,
    /// `None` without groups.
    pub(crate) groups: Option<ComparedGroups<'a>>,
}

/// The groups of a comparison.
pub(crate) struct ComparedGroups<'a> {
    pub(crate) by: &'a TraitName,
    pub(crate) changes: Vec<(Group<'a>, &'a Change)>,
    /// The points by which their shares alone moved the whole score, if that is known.
    pub(crate) mix: Option<f64>,
}

impl Summary<'_> {
    /// Returns the sentences.
    pub(crate) fn text(&self) -> String {
        let mut sentences = vec![self.of_whole()];
        let responses = self.after.kinds().responses();
        let is_comparable = match self.change.verdict {
            Verdict::Empty => responses == 0,
            Verdict::Partial => false,
            Verdict::Few | Verdict::Clear | Verdict::Chance => true,
        };
        if self.still_runs && is_comparable {
            sentences.push("The period still runs: look again at its end.".to_owned());
        }
        if self.change.verdict.is_judged() {
            let groups = self.groups.as_ref();
            sentences.extend(groups.and_then(ComparedGroups::clear));
            sentences.extend(groups.and_then(ComparedGroups::mix));
            sentences.extend(self.response_rates());
        }
        sentences.join(" ")
    }

    fn of_whole(&self) -> String {
        let earlier = &self.earlier;
        let score = self.score();
        let responses = [self.before, self.after].map(|tally| tally.kinds().responses());
        match (self.change.verdict, responses) {
            (Verdict::Empty, [0, 0]) => {
                format!("There are no responses in this period, and none in {earlier}.")
            }
            (Verdict::Empty, [_, 0]) => "There are no responses in this period.".to_owned(),
            (Verdict::Empty, _) => {
                format!("NPS {score}. There are no responses in {earlier} to compare with.")
            }
            (Verdict::Partial, _) => {
                let first = self.first_day.map(|first| format!(" on {}", day(first)));
                let first = first.unwrap_or_default();
                format!("NPS {score}. Records begin{first}, so {earlier} cannot be compared.")
            }
            (Verdict::Few, _) => {
                format!(
                    "{}, but a period has fewer than 30 responses.",
                    self.moved()
                )
            }
            (Verdict::Clear, _) => format!("{}: clear.", self.moved()),
            (Verdict::Chance, _) => format!("{}: could be chance.", self.moved()),
        }
    }

    fn score(&self) -> String {
        shown(self.after.kinds().nps())
    }

    /// Says how the score moved, of which both periods have responses.
    fn moved(&self) -> String {
        let [points, low, high] =
            [self.change.points, self.change.low, self.change.high].map(Option::unwrap_or_default);
        let way = match shown(points.abs()).as_str() {
            "0.0" if self.change.verdict != Verdict::Clear => "unchanged".to_owned(),
            size if points > 0.0 => format!("up {size}"),
            size => format!("down {size}"),
        };
        let range = signed_range(low, high);
        format!(
            "NPS {}, {way} from {} ({range})",
            self.score(),
            self.earlier
        )
    }

    /// Says that another share of those who saw the survey answered. Where only answers are recorded, nothing tells.
    fn response_rates(&self) -> Option<String> {
        let [before, after] = [self.before, self.after].map(|tally| {
            let answered = tally.kinds().responses() + tally.superseded;
            (answered, tally.displays)
        });
        let is_known = before.0 < before.1 && after.0 < after.1;
        // Over one denominator, so that a fifth is exactly one.
        let product = |one: u32, other: u32| u128::from(one) * u128::from(other);
        let (first, second) = (product(before.0, after.1), product(after.0, before.1));
        let differ = 5 * first.abs_diff(second) >= first.max(second);
        let rate = |(answered, displays): (u32, u32)| {
            shown(100.0 * f64::from(answered) / f64::from(displays))
        };
        let words = "other people may have answered";
        (is_known && differ).then(|| {
            let (before, after) = (rate(before), rate(after));
            format!("The response rate went from {before}% to {after}%: {words}.")
        })
    }
}

impl ComparedGroups<'_> {
    /// Names the groups that changed clearly, of those that can be judged; three at most, which changed most.
    fn clear(&self) -> Option<String> {
        const NAMED: usize = 3;
        let judged = self
            .changes
            .iter()
            .filter(|(_, change)| change.verdict.is_judged());
        let count = judged.clone().count();
        let mut clear: Vec<_> = judged
            .filter(|(_, change)| change.verdict == Verdict::Clear)
            .map(|(group, change)| (*group, change.points.unwrap_or_default()))
            .collect();
        clear.sort_by(|(_, one), (_, other)| other.abs().total_cmp(&one.abs()));
        let more = clear.len().saturating_sub(NAMED);
        let mut names: Vec<_> = clear
            .iter()
            .take(NAMED)
            .map(|(group, points)| format!("{} ({})", name(*group), signed(*points)))
            .collect();
        names.extend((more > 0).then(|| format!("{more} more")));
        let listed = match names.split_last() {
            None => "none".to_owned(),
            Some((only, [])) => only.clone(),
            Some((last, others)) => format!("{} and {last}", others.join(", ")),
        };
        let by = quoted(self.by.as_str());
        (count > 0).then(|| format!("By {by}: clear in {listed} of {count} judged."))
    }

    /// Says what the shares of the groups did, unless it is nothing that is seen.
    fn mix(&self) -> Option<String> {
        let by = quoted(self.by.as_str());
        let moved = self.mix.filter(|points| rounded(*points) != 0.0)?;
        let moved = signed(moved);
        Some(format!(
            "The mix by {by} alone would have moved it by {moved}."
        ))
    }
}

/// Names a group as text: a value, which is people's, is quoted.
fn name(group: Group<'_>) -> String {
    match group.value {
        GroupValue::String(text) => quoted(text),
        GroupValue::Boolean(flag) => flag.to_string(),
        GroupValue::Null if group.other => "all others".to_owned(),
        GroupValue::Null => "no value".to_owned(),
    }
}

/// Quotes the beginning of a text of records, in one line, without what would end the quotation or could deceive.
fn quoted(text: &str) -> String {
    const MOST: usize = 40;
    let mut seen = text.chars().filter_map(|c| match c {
        '"' => Some('\''),
        _ if c.is_whitespace() => Some(' '),
        _ if is_control(c) || is_invisible(c) => None,
        _ => Some(c),
    });
    let beginning: String = seen.by_ref().take(MOST).collect();
    match seen.next() {
        None => format!("\"{beginning}\""),
        Some(_) => format!("\"{beginning}…\""),
    }
}
