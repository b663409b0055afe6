//! The pages of a list, as APIs return them: what documents such as `{"data":[…],"page":{…}}` say of others.

use crate::json_object::JsonObject;
use crate::names::{Paged, paged};

/// What is known of the pages of documents, files or an import.
#[derive(Clone, Default)]
pub(crate) struct Pages {
    documents: Count,
    records: Count,
    /// Whether one does not say that another follows.
    has_last: bool,
    /// Whether a document says that none follows, whatever its link or cursor is.
    is_told: bool,
    /// The names of their lists of objects beside those of the records.
    pub(crate) other_lists: Vec<String>,
}

/// How many were read, and how many there are: the greatest number that a page says.
#[derive(Clone, Copy, Default)]
struct Count {
    read: u64,
    said: u64,
}

impl Pages {
    /// A page that says nothing.
    pub(crate) fn of_document() -> Self {
        Self {
            documents: Count { read: 1, said: 0 },
            has_last: true,
            ..Self::default()
        }
    }

    pub(crate) fn count_record(&mut self) {
        self.records.read += 1;
    }

    /// Takes what a member of a page says that is none of the records, down to some levels.
    pub(crate) fn take(&mut self, name: &str, json: &str, levels: u8) {
        let number = json.parse().unwrap_or(0);
        match paged(name) {
            Some(Paged::Next) => {
                self.is_told |= json == "false";
                let is_none = ["null", "false", "0", "\"\"", "{}", "[]"].contains(&json);
                self.has_last = self.is_told || (self.has_last && is_none);
            }
            Some(Paged::Pages) => self.documents.said = self.documents.said.max(number),
            Some(Paged::Records) => self.records.said = self.records.said.max(number),
            Some(Paged::Around) if levels > 0 => {
                let members = JsonObject::parse(json).unwrap_or_default();
                for (name, value) in members.iter() {
                    self.take(name, value.get(), levels - 1);
                }
            }
            Some(Paged::Around) | None => {}
        }
    }

    /// Adds those of another document or file.
    pub(crate) fn add(&mut self, other: &Self) {
        self.documents.add(other.documents);
        self.records.add(other.records);
        self.has_last |= other.has_last;
    }

    /// Says that a page is missing, if one says that there are more, or each that another follows, although not as many
    /// have been read as there are.
    pub(crate) fn missing(&self) -> Option<String> {
        let Count { read, .. } = self.documents;
        let are_all = self.records.is_whole() || self.documents.is_whole();
        let without_last = (read > 0 && !self.has_last && !are_all)
            .then(|| format!("none of those that were read ({read}) is the last"));
        let lack = || self.records.lack("records");
        let why = without_last
            .or_else(lack)
            .or_else(|| self.documents.lack("pages"))?;
        Some(format!("a page is missing: {why}; fetch all pages again"))
    }
}

impl Count {
    fn add(&mut self, other: Self) {
        self.read += other.read;
        self.said = self.said.max(other.said);
    }

    /// Returns whether it is said how many there are, and as many were read.
    fn is_whole(self) -> bool {
        (1..=self.read).contains(&self.said)
    }

    fn lack(self, what: &str) -> Option<String> {
        let Self { read, said } = self;
        (read < said).then(|| format!("{read} of {said} {what} were read"))
    }
}
