//! What is said of a comparison, for people (contract, section 4). It says what was tested, and no cause.

use chrono::NaiveDate;
use model::{Confidence, GroupValue, TraitName, is_control, is_invisible};

use crate::change::{Change, Verdict};
use crate::counts::Group;
use crate::period_name::day;
use crate::query::Progress;
use crate::score::{shown, signed, signed_range};
use crate::tally::{OutcomeTally, quantile};

/// What there is to say.
pub(crate) struct Summary<'a> {
    pub(crate) change: &'a Change,
    pub(crate) before: &'a OutcomeTally,
    pub(crate) after: &'a OutcomeTally,
    /// The name of the earlier period.
    pub(crate) earlier: String,
    /// The day of the project's first record, if that is after the start of the earlier period.
    pub(crate) first_day: Option<NaiveDate>,
    pub(crate) confidence: Confidence,
    /// Whether these are not all responses of the project.
    pub(crate) are_selected: bool,
    pub(crate) progress: Progress,
    /// `None` without groups.
    pub(crate) groups: Option<ComparedGroups<'a>>,
}

/// The groups of a comparison.
pub(crate) struct ComparedGroups<'a> {
    pub(crate) by: &'a TraitName,
    /// Those of all elements.
    pub(crate) changes: Vec<(Group<'a>, &'a Change)>,
    /// How many groups of the present period have no elements of their own.
    pub(crate) others: usize,
}

impl Summary<'_> {
    /// Returns the sentences.
    pub(crate) fn text(&self) -> String {
        let mut sentences = Vec::new();
        if self.are_selected {
            sentences.push("Selected responses only.".to_owned());
        }
        sentences.push(self.of_whole());
        let responses = self.after.kinds().responses();
        let is_comparable = match self.change.verdict {
            Verdict::Empty => responses == 0,
            Verdict::Partial => false,
            Verdict::Few | Verdict::Clear | Verdict::Chance => true,
        };
        let running = match self.progress {
            Progress::Runs => Some("This period"),
            Progress::ComparedRuns => Some("The period that this is compared with"),
            Progress::NotBegun | Progress::Over => None,
        };
        if let Some(period) = running.filter(|_| is_comparable) {
            sentences.push(format!("{period} still runs: look again at its end."));
        }
        if self.change.verdict.is_judged() {
            sentences.extend(self.groups.as_ref().map(ComparedGroups::clear));
        }
        sentences.extend(self.response_rates());
        sentences.join(" ")
    }

    fn of_whole(&self) -> String {
        let earlier = &self.earlier;
        let score = self.score();
        let responses = [self.before, self.after].map(|tally| tally.kinds().responses());
        match (self.change.verdict, responses) {
            (Verdict::Empty, [_, 0]) if self.progress == Progress::NotBegun => {
                "This period has not begun.".to_owned()
            }
            (Verdict::Empty, [0, 0]) => {
                format!("There are no responses for this period, and none for {earlier}.")
            }
            (Verdict::Empty, [_, 0]) => "There are no responses for this period.".to_owned(),
            (Verdict::Empty, _) => {
                format!("NPS {score}. There are no responses for {earlier} to compare with.")
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
        let level = match self.confidence {
            Confidence::Percent95 => String::new(),
            other => format!("{other}% interval "),
        };
        format!(
            "NPS {}, {way} from {} ({level}{range})",
            self.score(),
            self.earlier
        )
    }

    /// Says that another share of those who saw the survey answered: by a fifth, and beyond chance. Where only answers
    /// are recorded, nothing tells.
    fn response_rates(&self) -> Option<String> {
        let [before, after] = [self.before, self.after].map(|tally| {
            let answered = tally.kinds().responses() + tally.superseded;
            (answered, tally.displays)
        });
        let is_known = [before, after]
            .iter()
            .all(|(answered, displays)| 0 < *answered && answered < displays);
        // Over one denominator, so that a fifth is exactly one.
        let product = |one: u32, other: u32| u128::from(one) * u128::from(other);
        let (first, second) = (product(before.0, after.1), product(after.0, before.1));
        let differ = 5 * first.abs_diff(second) >= first.max(second);
        let rate = |(answered, displays): (u32, u32)| f64::from(answered) / f64::from(displays);
        let both = rate((before.0 + after.0, before.1 + after.1));
        let parts = f64::from(before.1).recip() + f64::from(after.1).recip();
        let error = (both * (1.0 - both) * parts).sqrt();
        let is_clear = (rate(after) - rate(before)).abs() > quantile(self.confidence) * error;
        let words = "other people may have answered";
        (is_known && differ && is_clear).then(|| {
            let [before, after] = [before, after].map(|counts| shown(100.0 * rate(counts)));
            format!("The response rate went from {before}% to {after}%: {words}.")
        })
    }
}

impl ComparedGroups<'_> {
    /// Names the groups that changed clearly, of those that are judged; three at most, which changed most. All others
    /// together are not the same ones in both periods.
    fn clear(&self) -> String {
        const NAMED: usize = 3;
        let by = quoted(self.by.as_str());
        let has_none =
            |(group, _): &(Group<'_>, _)| !group.other && group.value == GroupValue::Null;
        if self.changes.iter().all(has_none) {
            return format!("No response can be grouped by {by}.");
        }
        let own = self.changes.iter().filter(|(group, _)| !group.other);
        let judged = own.clone().filter(|(_, change)| change.verdict.is_judged());
        let count = judged.clone().count();
        let mut clear: Vec<_> = judged
            .filter(|(_, change)| change.verdict == Verdict::Clear)
            .map(|(group, change)| (group.value, change.points.unwrap_or_default()))
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
        let few = own.count() - count;
        let mut said = vec![match count {
            0 => "none judged".to_owned(),
            _ => format!("clear in {listed} of {count} judged"),
        }];
        said.extend((few > 0).then(|| format!("{few} with too few responses")));
        said.extend((self.others > 0).then(|| format!("{} not compared", self.others)));
        format!("By {by}: {}.", said.join("; "))
    }
}

/// Names a group as text: a value, which is people's, is quoted.
fn name(group: GroupValue<'_>) -> String {
    match group {
        GroupValue::String(text) => quoted(text),
        GroupValue::Boolean(flag) => flag.to_string(),
        GroupValue::Null => "responses without a value".to_owned(),
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
