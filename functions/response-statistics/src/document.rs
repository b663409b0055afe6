//! The JSON:API document of the response: exactly the members of the contract, in its order.

use std::collections::BTreeMap;
use std::io;

use model::ProjectId;
use serde::Serialize;
use serde_json::{Value, json};
use service::error::Error;
use service::response::{BUFFERED_LIMIT, buffered_len};

use crate::refusals::response_too_large;

/// A document whose elements have these attributes.
pub(crate) struct Document<A> {
    kind: &'static str,
    relationships: Value,
    elements: Vec<(String, A)>,
}

#[derive(Serialize)]
struct Element<'a, A> {
    id: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    attributes: &'a A,
    relationships: &'a Value,
}

impl<A: Serialize> Document<A> {
    /// Makes a document of elements of this type, each with its id and its attributes.
    pub(crate) fn new(project: &ProjectId, kind: &'static str, elements: Vec<(String, A)>) -> Self {
        let relationships = json!({"project": {"data": {"id": project, "type": "project"}}});
        Self {
            kind,
            relationships,
            elements,
        }
    }

    /// Returns the document as JSON.
    ///
    /// # Errors
    ///
    /// Fails if it is larger than a buffered response may be.
    pub(crate) fn to_json(&self) -> Result<Vec<u8>, Error> {
        let elements = self.elements.iter().map(|(id, attributes)| Element {
            id,
            kind: self.kind,
            attributes,
            relationships: &self.relationships,
        });
        let document = BTreeMap::from([("data", elements.collect::<Vec<_>>())]);
        let mut text = BoundedText(Vec::new());
        // The document always serializes, so only the writer can fail.
        let written = serde_json::to_writer(&mut text, &document);
        if written.is_err() || buffered_len(&text.0) > BUFFERED_LIMIT {
            return Err(response_too_large());
        }
        Ok(text.0)
    }
}

/// A text that does not outgrow a buffered response, however long the names of groups are.
struct BoundedText(Vec<u8>);

impl io::Write for BoundedText {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > BUFFERED_LIMIT {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
