//! Where the store of a command is.

use std::path::Path;

use shared::config::Tables;

use crate::text::printable;

/// Where a store is, as an operator knows it.
pub(super) enum Place<'a> {
    /// A data folder.
    Folder(&'a Path),
    /// A DynamoDB-compatible endpoint.
    Endpoint(String),
    /// The region of an AWS account, if one is configured.
    Region(Option<String>),
}

impl Place<'_> {
    /// Prints where a command is about to write.
    pub(super) fn announce(&self, tables: &Tables) {
        let Tables {
            users,
            responses,
            credentials,
        } = tables;
        let place = match self {
            Self::Folder(path) => format!("the data folder {}", path.display()),
            Self::Endpoint(url) => url.clone(),
            Self::Region(region) => format!(
                "an AWS account, region {}, tables {users}, {responses}, {credentials}",
                region.as_deref().unwrap_or("unknown")
            ),
        };
        eprintln!("writing to {}", printable(&place));
    }

    /// Prints where a store may still hold what was erased from its tables.
    pub(super) fn report_remains(&self) {
        match self {
            Self::Folder(_) => {}
            Self::Endpoint(_) => eprintln!(
                "the files of this store may still hold what was erased: if it is `feedback serve --data DIR`, stop it \
                 and run this command again with --data DIR"
            ),
            Self::Region(_) => {
                eprintln!(
                    "point-in-time backups of the tables keep what was erased for up to 35 days"
                );
            }
        }
    }
}
