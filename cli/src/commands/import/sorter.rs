//! Sorts more entries than fit into memory: sorted runs of them are written to temporary files, and then merged.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{Cursor, ErrorKind, Read, Result, Seek, Write};
use std::ops::Range;
use std::path::PathBuf;

use lz4_flex::frame::{FrameDecoder, FrameEncoder};

/// Entries that are added in any order, and taken in that of their keys.
pub(super) struct Sorter {
    folder: PathBuf,
    /// The keys and values of the recent entries, one after the other.
    recent: Vec<u8>,
    entries: Vec<Entry>,
    runs: Vec<File>,
    /// The size of the runs in bytes.
    stored: usize,
}

/// Where an entry has its key and its value.
struct Entry {
    key: Range<usize>,
    value: Range<usize>,
}

impl Sorter {
    /// The size of a run in bytes.
    const RUN: usize = 12 << 20;

    /// Writes runs to this folder, in files without a name, which are gone with the process.
    pub(super) fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            recent: Vec::new(),
            entries: Vec::new(),
            runs: Vec::new(),
            stored: 0,
        }
    }

    /// Returns the size of all entries in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.stored + self.recent.len()
    }

    pub(super) fn add(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        if self.recent.len() + key.len() + value.len() > Self::RUN {
            let run = self.write_run(tempfile::tempfile_in(&self.folder)?)?;
            self.runs.push(run);
        }
        // At once: as it grows, it would be there twice.
        self.recent.reserve_exact(Self::RUN - self.recent.len());
        let (start, middle) = (self.recent.len(), self.recent.len() + key.len());
        self.recent.extend_from_slice(key);
        self.recent.extend_from_slice(value);
        let (key, value) = (start..middle, middle..self.recent.len());
        self.entries.push(Entry { key, value });
        Ok(())
    }

    /// Takes all entries. Those with equal keys are in the order in which they were added.
    pub(super) fn take(&mut self) -> Result<Sorted> {
        let last = Cursor::new(self.write_run(Vec::new())?);
        self.recent = Vec::new();
        self.stored = 0;
        let mut runs: Vec<Box<dyn Read + Send>> = Vec::new();
        for mut file in self.runs.drain(..) {
            file.rewind()?;
            runs.push(Box::new(file));
        }
        runs.push(Box::new(last));
        let runs = runs.into_iter().map(Run::open);
        let mut sorted = Sorted {
            runs: runs.collect::<Result<_>>()?,
            next: BinaryHeap::new(),
        };
        for run in 0..sorted.runs.len() {
            sorted.advance(run)?;
        }
        Ok(sorted)
    }

    /// Writes the recent entries as a run. Entries that are sorted are alike, and take a third of their size.
    fn write_run<W: Write>(&mut self, output: W) -> Result<W> {
        let mut run = FrameEncoder::new(output);
        run.write_all(&length(self.entries.len())?)?;
        let part = |part: &Range<usize>| self.recent.get(part.clone()).unwrap_or_default();
        // Stable.
        self.entries.sort_by_key(|entry| part(&entry.key));
        for entry in &self.entries {
            for part in [&entry.key, &entry.value].map(part) {
                run.write_all(&length(part.len())?)?;
                run.write_all(part)?;
            }
        }
        self.stored += self.recent.len();
        self.entries.clear();
        self.recent.clear();
        Ok(run.finish()?)
    }
}

/// The entries of a [`Sorter`].
pub(super) struct Sorted {
    runs: Vec<Run>,
    /// The next entry of each run that has one.
    next: BinaryHeap<Reverse<Next>>,
}

/// An entry's key, the position of its run, and its value.
type Next = (Vec<u8>, usize, Vec<u8>);

impl Sorted {
    /// Returns the value of the next entry.
    pub(super) fn next(&mut self) -> Result<Option<Vec<u8>>> {
        let Some(Reverse((_, run, value))) = self.next.pop() else {
            return Ok(None);
        };
        self.advance(run)?;
        Ok(Some(value))
    }

    /// Reads the next entry of a run, if it has one.
    fn advance(&mut self, run: usize) -> Result<()> {
        if let Some((key, value)) = self.runs.get_mut(run).map_or(Ok(None), Run::next)? {
            self.next.push(Reverse((key, run, value)));
        }
        Ok(())
    }
}

/// A run that is read: the number of its entries, and each with the lengths of its key and its value.
struct Run {
    content: FrameDecoder<Box<dyn Read + Send>>,
    left: usize,
}

impl Run {
    fn open(content: Box<dyn Read + Send>) -> Result<Self> {
        let mut content = FrameDecoder::new(content);
        let left = read_length(&mut content)?;
        Ok(Self { content, left })
    }

    fn next(&mut self) -> Result<Option<(Vec<u8>, Vec<u8>)>> {
        let Some(left) = self.left.checked_sub(1) else {
            return Ok(None);
        };
        self.left = left;
        Ok(Some((self.part()?, self.part()?)))
    }

    fn part(&mut self) -> Result<Vec<u8>> {
        let mut part = vec![0; read_length(&mut self.content)?];
        self.content.read_exact(&mut part)?;
        Ok(part)
    }
}

fn length(length: usize) -> Result<[u8; 4]> {
    let length = u32::try_from(length).map_err(|_| ErrorKind::FileTooLarge)?;
    Ok(length.to_le_bytes())
}

fn read_length(content: &mut impl Read) -> Result<usize> {
    let mut length = [0; 4];
    content.read_exact(&mut length)?;
    Ok(u32::from_le_bytes(length) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_many_runs_are_in_the_order_of_their_keys_and_then_of_their_addition() {
        let mut sorter = Sorter::new(std::env::temp_dir());
        let mut expected = Vec::new();
        for n in 0..200_u8 {
            let key = (u32::from(n) * 7919 % 50).to_string();
            expected.push((key.clone(), n));
            sorter.add(key.as_bytes(), &vec![n; 1 << 18]).unwrap();
        }
        assert!(sorter.runs.len() > 2);
        expected.sort_by(|(one, _), (other, _)| one.cmp(other));
        let mut entries = sorter.take().unwrap();
        for (_, n) in expected {
            assert_eq!(entries.next().unwrap().unwrap(), vec![n; 1 << 18]);
        }
        assert_eq!(entries.next().unwrap(), None);
        assert_eq!(sorter.bytes(), 0);
        assert_eq!(sorter.take().unwrap().next().unwrap(), None);
    }
}
