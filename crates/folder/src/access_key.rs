//! The access key of a data folder, which its DynamoDB address requires of every program. It is in a file of
//! the form that every SDK of AWS reads.

use std::fs::read_to_string;
use std::io;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, ensure};
use subtle::ConstantTimeEq as _;
use tempfile::NamedTempFile;

use super::private_file;

pub const ACCESS_KEY: &str = "aws-credentials";

const BEGIN: &str = "[default]\naws_access_key_id = ";
const END: &str = "\naws_secret_access_key = unused\n";

/// The number of random bytes of a key, each of which is two digits.
const RANDOM_BYTES: usize = 20;

pub(super) struct AccessKey(String);

impl AccessKey {
    /// Reads the key of a folder. Fails if the file is a link, cannot be read, or has another form.
    pub(super) fn read(folder: &Path) -> anyhow::Result<Self> {
        let path = folder.join(ACCESS_KEY);
        private_file::refuse_elsewhere(&path)?;
        let text =
            read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let id = text
            .strip_prefix(BEGIN)
            .and_then(|rest| rest.strip_suffix(END))
            .unwrap_or_default();
        ensure!(
            id.len() == 2 * RANDOM_BYTES && id.bytes().all(|digit| digit.is_ascii_hexdigit()),
            "{} is not as feedback writes it; if it is deleted, the next command makes another",
            path.display()
        );
        Ok(Self(id.to_owned()))
    }

    /// Creates the key of a folder, unless it has one. The file appears when it is whole.
    pub(super) fn create_missing(folder: &Path) -> anyhow::Result<()> {
        let path = folder.join(ACCESS_KEY);
        if path.symlink_metadata().is_ok() {
            return Ok(());
        }
        let mut random = [0_u8; RANDOM_BYTES];
        getrandom::fill(&mut random).context("cannot generate random bits")?;
        let id = random.map(|byte| format!("{byte:02x}")).concat();
        let write = || -> io::Result<()> {
            // Only its owner can read it.
            let mut file = NamedTempFile::new_in(folder)?;
            write!(file, "{BEGIN}{id}{END}")?;
            file.as_file().sync_all()?;
            file.persist(&path)?;
            Ok(())
        };
        write().with_context(|| format!("cannot create {}", path.display()))
    }

    /// Returns whether an `Authorization` header names this key, after a time that does not tell how much of
    /// it is right. The signature is not verified.
    pub(super) fn is_in(&self, authorization: &[u8]) -> bool {
        let rest = authorization.strip_prefix(b"AWS4-HMAC-SHA256 Credential=");
        let id = rest.and_then(|rest| rest.split(|byte| *byte == b'/').next());
        id.is_some_and(|id| id.ct_eq(self.0.as_bytes()).into())
    }
}
