//! Cells of CSV.

use csv_core::{Reader, ReaderBuilder};

/// Makes a parser of rows.
pub(crate) fn reader(delimiter: u8) -> Reader {
    ReaderBuilder::new().delimiter(delimiter).build()
}

/// Returns the cells that end at these positions of the text; `None` if one is not UTF-8.
pub(crate) fn cells(text: &[u8], ends: &[usize]) -> Option<Vec<String>> {
    let mut start = 0;
    ends.iter()
        .map(|end| {
            let cell = text.get(std::mem::replace(&mut start, *end)..*end)?;
            Some(std::str::from_utf8(cell).ok()?.to_owned())
        })
        .collect()
}
