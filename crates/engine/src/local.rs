//! Reads the service's tables for the API, from rows.

use model::Digest;
use model::items::Table;
use store::{LocalRead, LocalStore, PageRead};

use super::database::Engine;
use super::readers;
use super::row_texts::key_text;

impl LocalStore for Engine {
    fn page(&self, read: PageRead) -> LocalRead<Vec<u8>> {
        let name = self.tables().name(read.partition.table.into()).to_owned();
        self.read(read.operation(), move |reader| {
            readers::page(reader, &name, &read)
        })
    }

    fn credential(&self, digest: Digest) -> LocalRead<Option<String>> {
        let name = self.tables().name(Table::Credentials).to_owned();
        self.read("read credential", move |reader| {
            let key = [key_text(&digest.to_string()), String::new()];
            readers::items(reader, &name, [Ok(key)]).map(|mut found| found.pop())
        })
    }
}
