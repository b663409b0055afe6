//! Rated rows that may be no answers: totals, and those that a flag tells from others.

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
    /// What the others have, if that is one text.
    others: Option<String>,
    are_others_alike: bool,
}

impl DoubtfulRows {
    /// Watches what is read from these places.
    pub(crate) fn new(flags: &[(String, Flag)]) -> Self {
        let flagged = flags.iter().map(|(place, flag)| FlaggedRows {
            place: place.clone(),
            flag: *flag,
            excluded: None,
            others: None,
            are_others_alike: true,
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
            } else if let Some(other) = &it.others {
                it.are_others_alike &= *other == text;
            } else {
                it.others = Some(text.into_owned());
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
        let others = self.others.as_ref();
        let others = others.filter(|text| self.are_others_alike && !text.is_empty());
        let way_out = others.map_or_else(String::new, |text| {
            let option = argument(&format!("{}={text}", self.place));
            format!("; --where {option} reads the others")
        });
        let [place, text] = [&self.place, text].map(|text| quoted(text));
        Some(format!(
            "rows whose {place} is {text} count, too ({count}){way_out}"
        ))
    }
}
