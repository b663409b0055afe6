//! Rated rows that may be no answers: totals, and those that a flag tells from others.

use std::collections::BTreeSet;

use crate::names::Flag;
use crate::reason::{argument, quoted};
use crate::record::Values;

/// Those of a file, of which all rows are looked at.
pub(crate) struct DoubtfulRows {
    flagged: Vec<FlaggedRows>,
    /// How many rows may be totals, and the line of the first.
    totals: Option<(u64, u64)>,
}

/// What a column or member of flags says.
struct FlaggedRows {
    place: String,
    flag: Flag,
    /// How many rows it says not to count, and what the first of them has.
    excluded: Option<(u64, String)>,
    /// What the others have: two texts at most, because an option can name one.
    others: BTreeSet<String>,
}

impl DoubtfulRows {
    /// Watches what is read from these places.
    pub(crate) fn new(flags: &[(String, Flag)]) -> Self {
        let flagged = flags.iter().map(|(place, flag)| FlaggedRows {
            place: place.clone(),
            flag: *flag,
            excluded: None,
            others: BTreeSet::new(),
        });
        Self {
            flagged: flagged.collect(),
            totals: None,
        }
    }

    /// Looks at a rated row.
    pub(crate) fn look(&mut self, row: &dyn Values, line: u64) {
        if row.may_be_totals() {
            self.totals.get_or_insert((0, line)).0 += 1;
        }
        for it in &mut self.flagged {
            // What cannot be read rejects the row where a field needs it.
            let text = row.text_at(&it.place).unwrap_or_default();
            let text = text.unwrap_or_default();
            if it.flag.excludes(&text) {
                let first = || (0, text.clone().into_owned());
                it.excluded.get_or_insert_with(first).0 += 1;
            } else if it.others.len() < 2 && !it.others.contains(&*text) {
                it.others.insert(text.into_owned());
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
        let (count, text) = self.excluded.as_ref()?;
        let mut others = self.others.iter();
        let way_out = match (others.next(), others.next()) {
            (Some(text), None) if !text.is_empty() => {
                let option = argument(&format!("{}={text}", self.place));
                format!("; --where {option} reads the others")
            }
            _ => String::new(),
        };
        let [place, text] = [&self.place, text].map(|text| quoted(text));
        Some(format!(
            "rows whose {place} is {text} count, too ({count}){way_out}"
        ))
    }
}
