//! Answers to questions nobody named as the rating: a rating is never guessed.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;

use model::{Outcome, Rating};
use serde_json::value::RawValue;

use crate::json_object::{JsonObject, scalar};
use crate::reason::{Reason, argument, is_word, quoted};

/// The questions of records that are rejected because they have answers but no rating.
#[derive(Default)]
pub(crate) struct Questions {
    rejected: u64,
    answers: BTreeMap<String, Answers>,
    /// How many answers belong to questions beyond those, or to none that can be named.
    others: u64,
}

/// What the answers to a question look like.
#[derive(Default)]
struct Answers {
    whole_numbers: u64,
    /// Those that may be ratings, and that `--map` finds among the record's own answers.
    ratings: u64,
    /// The least and the greatest whole number.
    range: Option<(i64, i64)>,
    texts: u64,
    others: u64,
}

impl Questions {
    /// Combines what a record says. One that is answered but not rated is pending only if nothing could be
    /// its rating. `is_named` says that `--map` names the rating.
    pub(crate) fn outcome(
        &mut self,
        rating: Option<Rating>,
        dismissed: bool,
        answers: [Option<&RawValue>; 2],
        is_named: bool,
    ) -> Result<Outcome, Reason> {
        let is_explained = rating.is_some() || (is_named && dismissed);
        let mut is_answered = false;
        if !is_explained {
            let [own, named] = answers;
            for (answers, is_own) in [(own, true), (named, false)] {
                is_answered |= answers.is_some_and(|answers| self.count(answers, is_own));
            }
        }
        if is_answered {
            self.rejected += 1;
            return Err(if is_named {
                "it has answers, but no rating where --map says"
            } else {
                "it has answers, but no rating: name its question with --map"
            }
            .to_owned());
        }
        Ok(Outcome::new(rating, dismissed))
    }

    /// Counts answers; returns whether there are any.
    fn count(&mut self, answers: &RawValue, is_own: bool) -> bool {
        let Ok(elements) = serde_json::from_str::<Vec<&RawValue>>(answers.get()) else {
            // What is not a list of answers may still have one.
            let members = JsonObject::parse(answers.get());
            let has_any = members.map_or(true, |members| members.names().next().is_some());
            self.others += u64::from(has_any);
            return has_any;
        };
        let mut has_any = false;
        for element in elements {
            let Some((id, value)) = answer(element) else {
                continue;
            };
            has_any = true;
            match self.of_question(id) {
                Some(answers) => answers.count(value, is_own),
                None => self.others += 1,
            }
        }
        has_any
    }

    /// Returns the answers to a question. The ids of a hostile file must not fill the memory.
    fn of_question(&mut self, id: Option<Cow<'_, str>>) -> Option<&mut Answers> {
        const MAX_QUESTIONS: usize = 1000;
        const MAX_ID: usize = 200;
        let question = id.filter(|id| id.len() <= MAX_ID)?;
        if self.answers.len() >= MAX_QUESTIONS && !self.answers.contains_key(&*question) {
            return None;
        }
        Some(self.answers.entry(question.into_owned()).or_default())
    }

    /// Lists the questions, the most frequent ones first, if any record was rejected.
    pub(crate) fn lines(&self) -> Vec<String> {
        if self.rejected == 0 {
            return Vec::new();
        }
        let mut questions: Vec<_> = self.answers.iter().collect();
        questions.sort_by_key(|(_, answers)| Reverse(answers.total()));
        let (records, their) = match self.rejected {
            1 => ("record has", "its"),
            _ => ("records have", "their"),
        };
        let mut lines = vec![format!(
            "{} {records} answers but no rating, and a rating is never guessed; {their} questions are",
            self.rejected
        )];
        lines.extend(questions.into_iter().map(|(id, answers)| {
            let option = if answers.ratings > 0 && !id.contains(char::is_control) {
                format!(
                    "; if it is the rating: --map {}",
                    argument(&format!("rating=answers.{id}"))
                )
            } else {
                String::new()
            };
            format!("  {}: {answers}{option}", question_name(id))
        }));
        if self.others > 0 {
            lines.push(format!("  other answers: {}", self.others));
        }
        lines
    }
}

/// Returns the question of an answer, if it is known, and its value; `None` if nobody answered.
fn answer(element: &RawValue) -> Option<(Option<Cow<'_, str>>, Option<&RawValue>)> {
    let Ok(members) = JsonObject::parse(element.get()) else {
        return (element.get() != "null").then_some((None, None));
    };
    let id = members.get("id").and_then(|id| scalar("id", id).ok());
    let value = members.get("value");
    // An object without a value still says that the question was answered.
    let is_answered = members.names().any(|name| name != "id");
    is_answered.then_some((id, value))
}

impl Answers {
    fn count(&mut self, value: Option<&RawValue>, is_own: bool) {
        let text = value.and_then(|value| scalar("value", value).ok());
        let number = text.as_deref().and_then(|text| text.parse::<i64>().ok());
        match (number, value) {
            (Some(number), _) => {
                let (least, greatest) = self.range.unwrap_or((number, number));
                self.range = Some((least.min(number), greatest.max(number)));
                self.whole_numbers += 1;
                self.ratings += u64::from(is_own && (0..=10).contains(&number));
            }
            (None, Some(value)) if value.get().starts_with('"') => self.texts += 1,
            _ => self.others += 1,
        }
    }

    fn total(&self) -> u64 {
        self.whole_numbers + self.texts + self.others
    }
}

/// As in "25 whole numbers 0–10, 3 texts".
impl fmt::Display for Answers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let range = self.range.map(|range| match range {
            (least, greatest) if least == greatest => format!(" {least}"),
            (least, greatest) => format!(" {least}–{greatest}"),
        });
        let counts = [
            (
                self.whole_numbers,
                "whole number",
                range.unwrap_or_default(),
            ),
            (self.texts, "text", String::new()),
            (self.others, "other value", String::new()),
        ];
        let occurring = counts.into_iter().filter(|(count, ..)| *count > 0);
        for (n, (count, what, range)) in occurring.enumerate() {
            let comma = if n > 0 { ", " } else { "" };
            let s = if count == 1 { "" } else { "s" };
            write!(f, "{comma}{count} {what}{s}{range}")?;
        }
        Ok(())
    }
}

fn question_name(id: &str) -> String {
    if is_word(id) {
        id.to_owned()
    } else {
        quoted(id)
    }
}
