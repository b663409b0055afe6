//! The encodings of files.

use std::borrow::Cow;
use std::str::FromStr;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    BIG5, Decoder, EUC_JP, EUC_KR, Encoding, GBK, SHIFT_JIS, UTF_8, UTF_16BE, UTF_16LE,
    WINDOWS_1252,
};

/// The encoding of a file. A mark at its beginning decides it; otherwise it is UTF-8, or has to be named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileEncoding(&'static Encoding);

impl Default for FileEncoding {
    fn default() -> Self {
        Self(UTF_8)
    }
}

impl FromStr for FileEncoding {
    type Err = &'static str;

    fn from_str(label: &str) -> Result<Self, Self::Err> {
        let encoding = Encoding::for_label(label.as_bytes());
        let readable = encoding.filter(|found| found.name() != "replacement");
        let none = "is not an encoding, such as utf-8, windows-1252 or utf-16le";
        readable.map(Self).ok_or(none)
    }
}

impl FileEncoding {
    /// Returns the encoding that a mark at the beginning names, and the length of the mark.
    pub(crate) fn of_mark(head: &[u8]) -> Option<(Self, usize)> {
        Encoding::for_bom(head).map(|(encoding, length)| (Self(encoding), length))
    }

    /// Returns the encodings that a text without a mark may have, the likeliest first: UTF-8 alone unless it has
    /// more bad bytes than characters of several bytes: one bad byte does not change how the others are read.
    pub(crate) fn detect(head: &[u8]) -> Vec<Self> {
        let zeros = |odd: usize| {
            let start = head.iter().take(1000).skip(odd).step_by(2);
            start.filter(|byte| **byte == 0).count()
        };
        // Most characters of most languages have one zero, always on the same side.
        let few = head.len().min(1000) / 8;
        match (zeros(0), zeros(1)) {
            (0, zeros) if zeros > few => return vec![Self(UTF_16LE)],
            (zeros, 0) if zeros > few => return vec![Self(UTF_16BE)],
            _ => {}
        }
        let mut characters = 0;
        let mut bad = 0;
        let mut chunks = head.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            characters += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
            let is_incomplete =
                str::from_utf8(chunk.invalid()).is_err_and(|error| error.error_len().is_none());
            // The head may end within a character.
            let is_cut = is_incomplete && chunks.peek().is_none();
            bad += usize::from(!chunk.invalid().is_empty() && !is_cut);
        }
        if bad == 0 || characters > bad {
            vec![Self(UTF_8)]
        } else {
            detect_legacy(head)
        }
    }

    /// Returns a text as this encoding reads it.
    pub(crate) fn decoded(self, text: &[u8]) -> Cow<'_, str> {
        self.0.decode_without_bom_handling(text).0
    }

    pub(crate) fn is_utf_8(self) -> bool {
        self.0 == UTF_8
    }

    /// Returns the mark that a file has to begin with.
    pub(crate) fn mark(self) -> &'static str {
        if [UTF_16LE, UTF_16BE].contains(&self.0) {
            "\u{feff}"
        } else {
            ""
        }
    }

    /// Returns its name, as `--encoding` takes it.
    pub(crate) fn name(self) -> String {
        self.0.name().to_ascii_lowercase()
    }

    pub(crate) fn decoder(self) -> Decoder {
        self.0.new_decoder_without_bom_handling()
    }

    /// Encodes a text that was decoded. UTF-8 may hold bad bytes, which are kept.
    pub(crate) fn encode(self, text: Vec<u8>) -> Vec<u8> {
        if self.is_utf_8() {
            return text;
        }
        let text = String::from_utf8_lossy(&text);
        if self.0 == UTF_16LE {
            text.encode_utf16().flat_map(u16::to_le_bytes).collect()
        } else if self.0 == UTF_16BE {
            text.encode_utf16().flat_map(u16::to_be_bytes).collect()
        } else {
            self.0.encode(&text).0.into_owned()
        }
    }
}

/// Returns the encodings that a text which is not UTF-8 may have: the likeliest, of those of East Asia also the others
/// that can read it, because a few names do not tell them apart, and windows-1252, which most such files have, unless it
/// has bytes that mean nothing there. Those that read it alike are one.
fn detect_legacy(text: &[u8]) -> Vec<FileEncoding> {
    const EAST_ASIAN: [&Encoding; 5] = [GBK, BIG5, SHIFT_JIS, EUC_JP, EUC_KR];
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(text, true);
    let likeliest = detector.guess(None, Utf8Detection::Deny);
    let mut candidates = vec![FileEncoding(likeliest)];
    if EAST_ASIAN.contains(&likeliest) {
        let others = EAST_ASIAN.into_iter().filter(|other| *other != likeliest);
        let readable = others.filter(|other| !other.decode_without_bom_handling(text).1);
        candidates.extend(readable.map(FileEncoding));
    }
    let mut bytes = text.iter();
    let has_unused = bytes.any(|byte| b"\x81\x8D\x8F\x90\x9D".contains(byte));
    if !has_unused {
        let western = FileEncoding(WINDOWS_1252);
        let read = western.decoded(text);
        candidates.retain(|other| other.decoded(text) != read);
        candidates.push(western);
    }
    candidates
}
