//! Rated rows that may be no answers: totals, and those that a flag tells from others.

use std::collections::{BTreeMap, BTreeSet};

use crate::names::Flag;
use crate::reason::{argument, quoted};
use crate::record::Values;

/// Those of a file, of which all rows are looked at.
pub(crate) struct DoubtfulRows {
    flagged: Vec<FlaggedRows>,
    /// How many rows may be totals, and the line of the first.
    totals: Option<(u64, u64)>,
}

/// What a column or member says that may be one of flags.
struct FlaggedRows {
    place: String,
    flag: Flag,
    /// What rated rows have that do not count by it, and how many have that.
    excluded: BTreeMap<String, u64>,
    /// What the others have: two texts at most, because an option can name one.
    others: BTreeSet<String>,
    /// Whether it has had no value that a flag cannot have.
    is_flag: bool,
}

impl DoubtfulRows {
    /// Watches what is read from these places.
    pub(crate) fn new(flags: &[(String, Flag)]) -> Self {
        let flagged = flags.iter().map(|(place, flag)| FlaggedRows {
            place: place.clone(),
            flag: *flag,
            excluded: BTreeMap::new(),
            others: BTreeSet::new(),
            is_flag: true,
        });
        Self {
            flagged: flagged.collect(),
            totals: None,
        }
    }

    /// Looks at a row.
    pub(crate) fn look(&mut self, row: &dyn Values, line: u64, is_rated: bool) {
        if is_rated && row.may_be_totals() {
            self.totals.get_or_insert((0, line)).0 += 1;
        }
        for it in &mut self.flagged {
            // What cannot be read rejects the row where a field needs it.
            let text = row.text_at(&it.place).unwrap_or_default();
            let text = text.unwrap_or_default();
            match it.flag.counts(&text) {
                Some(false) if is_rated => *it.excluded.entry(text.into_owned()).or_default() += 1,
                Some(false) => {}
                counts => {
                    it.is_flag &= counts.is_some() || text.is_empty();
                    if it.others.len() < 2 && !it.others.contains(&*text) {
                        it.others.insert(text.into_owned());
                    }
                }
            }
        }
    }

    /// Says which there are.
    pub(crate) fn notes(&self) -> impl Iterator<Item = String> {
        let flagged = self.flagged.iter().filter_map(FlaggedRows::note);
        let totals = self.totals.map(|(count, line)| {
            format!("rows that may be totals count as answers ({count}), such as line {line}")
        });
        flagged.chain(totals)
    }
}

impl FlaggedRows {
    fn note(&self) -> Option<String> {
        let mut others = self.others.iter();
        let way_out = match (others.next(), others.next(), self.flag) {
            // That would skip whatever was dismissed.
            (.., Flag::Dismissed) => String::new(),
            (Some(text), None, _) if !text.is_empty() && !self.place.contains('=') => {
                let option = argument(&format!("{}={text}", self.place));
                format!("; --where {option} reads the others")
            }
            _ => String::new(),
        };
        let excluded = self.excluded.iter();
        let excluded = excluded.map(|(text, count)| format!("{} ({count})", quoted(text)));
        let excluded = excluded.collect::<Vec<_>>().join(" or ");
        let place = quoted(&self.place);
        (self.is_flag && !excluded.is_empty())
            .then(|| format!("rows whose {place} is {excluded} count, too{way_out}"))
    }
}
