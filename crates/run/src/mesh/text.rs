//! Text of files as programs of any system write it.

use std::borrow::Cow;

/// Text of a file, without a byte-order mark. Letters of other encodings than UTF-8, as in comments, become signs of their
/// own.
pub(crate) fn text(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes))
}

/// Lines that end with a line feed, a carriage return, or both. There may be empty ones.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = &str> + Clone {
    text.split(['\n', '\r'])
}
