//! The JSON:API document of the response: exactly the members of the contract, in its order.

use std::io;

use model::ProjectId;
use serde::Serialize;
use service::error::Error;
use service::http::{BUFFERED_LIMIT, buffered_len};

use crate::refusals::response_too_large;

/// A document whose elements have these attributes.
#[derive(Serialize)]
pub(crate) struct Document<'a, A> {
    data: Vec<Element<'a, A>>,
}

#[derive(Serialize)]
struct Element<'a, A> {
    id: String,
    #[serde(rename = "type")]
    kind: &'static str,
    attributes: A,
    relationships: Relationships<'a>,
}

#[derive(Serialize)]
struct Relationships<'a> {
    project: Relationship<'a>,
}

#[derive(Serialize)]
struct Relationship<'a> {
    data: Resource<'a>,
}

#[derive(Serialize)]
struct Resource<'a> {
    id: &'a ProjectId,
    #[serde(rename = "type")]
    kind: &'static str,
}

impl<'a, A: Serialize> Document<'a, A> {
    /// Makes a document of elements of this type, each with its id and its attributes.
    pub(crate) fn new(
        project: &'a ProjectId,
        kind: &'static str,
        elements: impl Iterator<Item = (String, A)>,
    ) -> Self {
        let project = || Relationship {
            data: Resource {
                id: project,
                kind: "project",
            },
        };
        let element = |(id, attributes)| Element {
            id,
            kind,
            attributes,
            relationships: Relationships { project: project() },
        };
        Self {
            data: elements.map(element).collect(),
        }
    }

    /// Returns the document as JSON.
    ///
    /// # Errors
    ///
    /// Fails if it is larger than a buffered response may be.
    pub(crate) fn to_json(&self) -> Result<Vec<u8>, Error> {
        let mut text = BoundedText(Vec::new());
        // The document always serializes, so only the writer can fail.
        let written = serde_json::to_writer(&mut text, self);
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
