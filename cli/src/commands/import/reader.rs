//! Opens the files of an import and reads their records.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::Context;
use flate2::bufread::MultiGzDecoder;

use super::columns::CellOptions;
use super::format;
use super::kind::Kind;
use super::progress::Progress;
use super::records::Records;

/// Reads the records of all files. Ends at the first file that cannot be read to its end; the records
/// before that are imported.
pub(super) fn read_all(
    files: &[PathBuf],
    kind: Kind,
    options: &CellOptions,
    progress: &Progress,
    mut records: Records,
) -> anyhow::Result<()> {
    files.iter().try_for_each(|path| {
        let name = path.display().to_string();
        let input = open(path, progress).with_context(|| cannot_open(path))?;
        records.begin_file(&name)?;
        let outcome = format::read(input, kind, options, &mut records);
        let ended = records.end_file();
        outcome.and(ended).context(name)
    })
}

/// Checks that all files can be opened, so that a mistyped name is found before anything is imported.
pub(super) fn check(files: &[PathBuf]) -> anyhow::Result<()> {
    for path in files.iter().filter(|path| !is_stdin(path)) {
        File::open(path).with_context(|| cannot_open(path))?;
    }
    Ok(())
}

fn cannot_open(path: &Path) -> String {
    format!("cannot open {}", path.display())
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn open(path: &Path, progress: &Progress) -> std::io::Result<BufReader<Box<dyn Read>>> {
    const BUFFER: usize = 64 << 10;
    let plain: Box<dyn Read> = if is_stdin(path) {
        Box::new(std::io::stdin())
    } else {
        Box::new(progress.track(File::open(path)?))
    };
    let mut plain = BufReader::with_capacity(BUFFER, plain);
    let mut magic = Vec::new();
    plain.by_ref().take(2).read_to_end(&mut magic)?;
    let zipped = magic == [0x1f, 0x8b];
    let whole = std::io::Cursor::new(magic).chain(plain);
    let input: Box<dyn Read> = if zipped {
        Box::new(MultiGzDecoder::new(whole))
    } else {
        Box::new(whole)
    };
    Ok(BufReader::with_capacity(BUFFER, input))
}
