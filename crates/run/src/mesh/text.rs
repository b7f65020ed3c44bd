//! Text of files as programs of any system write it.

use std::borrow::Cow;

/// Text of a file, without a byte-order mark. Letters of other encodings than UTF-8, as in comments, become signs of their
/// own.
pub(crate) fn text(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes))
}

/// Lines of an OBJ file: one that ends with a backslash goes on in the next.
pub(super) fn joined_lines(text: &str) -> impl Iterator<Item = String> {
    let mut lines = lines(text);
    std::iter::from_fn(move || {
        let mut whole = lines.next()?.to_owned();
        while whole.trim_end().ends_with('\\') {
            whole.truncate(whole.trim_end().len() - 1);
            whole.push(' ');
            whole.push_str(lines.next().unwrap_or_default());
        }
        Some(whole)
    })
}

/// Lines that end with a line feed, a carriage return, or both. There may be empty ones.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = &str> + Clone {
    text.split('\n').flat_map(|line| line.strip_suffix('\r').unwrap_or(line).split('\r'))
}
