//! Sorts more entries than fit into memory: sorted runs of them are written to temporary files, and then
//! merged.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{ErrorKind, Read, Result, Seek, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use lz4_flex::frame::{FrameDecoder, FrameEncoder, FrameInfo};
use tempfile::tempfile_in;

/// Entries that are added in any order, and taken in that of their keys.
pub(super) struct ExternalSorter {
    run_size: usize,
    /// The keys and values of the recent entries, one after the other.
    recent: Vec<u8>,
    entries: Vec<EntryBounds>,
    folder: PathBuf,
    /// The files of the runs.
    runs: Vec<File>,
    /// The size of all entries.
    pub(super) bytes: usize,
    /// The number of all entries.
    pub(super) count: usize,
}

/// Where the key of an entry begins, where its value does, and where that ends.
struct EntryBounds {
    key: usize,
    value: usize,
    end: usize,
}

impl ExternalSorter {
    /// Writes runs of this many bytes to nameless files in this folder.
    pub(super) fn new(folder: &Path, run_size: usize) -> Self {
        Self {
            folder: folder.to_owned(),
            run_size,
            recent: Vec::new(),
            entries: Vec::new(),
            runs: Vec::new(),
            bytes: 0,
            count: 0,
        }
    }

    pub(super) fn add(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        let size = key.len() + value.len();
        if !self.entries.is_empty() && self.recent.len() + size > self.run_size {
            self.write_run()?;
        }
        // A vector that grows is copied, and takes twice its memory meanwhile.
        let room = self.run_size.saturating_sub(self.recent.len());
        self.recent.reserve_exact(room.max(size));
        let start = self.recent.len();
        self.recent.extend_from_slice(key);
        self.recent.extend_from_slice(value);
        self.entries.push(EntryBounds {
            key: start,
            value: start + key.len(),
            end: self.recent.len(),
        });
        self.bytes += size;
        self.count += 1;
        Ok(())
    }

    /// Writes the recent entries as a run, and removes them from memory. Sorted entries are alike: compressed, they
    /// take a third of their size.
    fn write_run(&mut self) -> Result<()> {
        let checked = FrameInfo::new().block_checksums(true);
        let mut run = FrameEncoder::with_frame_info(checked, tempfile_in(&self.folder)?);
        run.write_all(&length(self.entries.len())?)?;
        let part = |part: Range<usize>| self.recent.get(part).unwrap_or_default();
        // The sort is stable: entries of one key keep their order.
        self.entries
            .sort_by_key(|entry| part(entry.key..entry.value));
        for EntryBounds { key, value, end } in self.entries.drain(..) {
            for part in [part(key..value), part(value..end)] {
                run.write_all(&length(part.len())?)?;
                run.write_all(part)?;
            }
        }
        self.runs.push(run.finish()?);
        self.recent.clear();
        Ok(())
    }

    /// Takes all entries. Those with equal keys are in the order in which they were added.
    pub(super) fn take(mut self) -> Result<Sorted> {
        self.write_run()?;
        let mut sorted = Sorted {
            runs: self
                .runs
                .into_iter()
                .map(Run::open)
                .collect::<Result<_>>()?,
            next: BinaryHeap::new(),
        };
        for run in 0..sorted.runs.len() {
            sorted.advance(run)?;
        }
        Ok(sorted)
    }
}

/// The entries of a [`ExternalSorter`].
pub(super) struct Sorted {
    runs: Vec<Run>,
    /// The next entry of each run that has one.
    next: BinaryHeap<Reverse<NextEntry>>,
}

/// An entry's key, the position of its run, and its value.
type NextEntry = (Vec<u8>, usize, Vec<u8>);

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
    content: FrameDecoder<File>,
    left: usize,
}

impl Run {
    fn open(mut file: File) -> Result<Self> {
        file.rewind()?;
        let mut content = FrameDecoder::new(file);
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
    use std::io::SeekFrom;

    use super::*;

    fn sorter() -> ExternalSorter {
        ExternalSorter::new(&std::env::temp_dir(), 10_000)
    }

    #[test]
    fn entries_of_many_runs_are_in_the_order_of_their_keys_and_then_of_their_addition() {
        let mut sorter = sorter();
        let mut expected = Vec::new();
        for n in 0..200_u8 {
            // One entry is larger than a run.
            let value = vec![n; if n == 77 { 12_000 } else { 500 }];
            let key = (u32::from(n) * 7919 % 50).to_string();
            sorter.add(key.as_bytes(), &value).unwrap();
            expected.push((key, value));
        }
        assert!(sorter.runs.len() > 5);
        assert_eq!(sorter.count, 200);
        expected.sort_by(|(one, _), (other, _)| one.cmp(other));
        let mut entries = sorter.take().unwrap();
        for (_, value) in expected {
            assert_eq!(entries.next().unwrap(), Some(value));
        }
        assert_eq!(entries.next().unwrap(), None);
    }

    #[test]
    fn a_run_that_ends_early_or_has_changed_is_an_error() {
        type Damage = fn(&File);
        let damages: [Damage; 2] = [
            |file| file.set_len(file.metadata().unwrap().len() - 100).unwrap(),
            |mut file| {
                file.seek(SeekFrom::Start(100)).unwrap();
                file.write_all(b"other bytes").unwrap();
            },
        ];
        for damage in damages {
            let mut sorter = sorter();
            for n in 0..30_u32 {
                sorter.add(b"key", &n.to_be_bytes().repeat(100)).unwrap();
            }
            let [run] = &sorter.runs[..] else {
                panic!("{:?}", sorter.runs)
            };
            damage(run);
            let read = sorter.take().and_then(|mut entries| {
                while entries.next()?.is_some() {}
                Ok(())
            });
            assert!(read.is_err());
        }
    }
}
