//! PLY files of other programs, in the form that the parser takes.

use std::borrow::Cow;

use super::text::{lines, text};

/// Limit on the length of a header, bytes.
const MAX_HEADER: usize = 1 << 20;

/// Word of the last line of a header.
const END: &[u8] = b"end_header";

/// The same PLY file without comments, which may have any encoding. Texts also without blank lines, and with digits on both
/// sides of each point. A file without the end of a header stays as it is.
pub(crate) fn plain(bytes: &[u8]) -> Cow<'_, [u8]> {
    let searched = &bytes[..bytes.len().min(MAX_HEADER)];
    let Some(end) = searched.windows(END.len()).position(|word| word == END) else { return Cow::Borrowed(bytes) };
    let (head, rest) = bytes.split_at(end + END.len());
    let head = text(head);
    let is_comment = |line: &&str| ["comment", "obj_info"].iter().any(|word| line.starts_with(word));
    let kept = lines(&head).map(str::trim).filter(|line| !line.is_empty() && !is_comment(line));
    let mut plain: Vec<u8> = kept.clone().flat_map(|line| [line, "\n"]).flat_map(str::bytes).collect();
    let mut words = kept.map(str::split_whitespace);
    if words.any(|mut words| words.next() == Some("format") && words.next() == Some("ascii")) {
        plain.extend(plain_numbers(&text(rest)).bytes());
    } else {
        let line_end = [&b"\r\n"[..], b"\n", b"\r"].into_iter().find_map(|end| rest.strip_prefix(end));
        plain.extend(line_end.unwrap_or(rest));
    }
    Cow::Owned(plain)
}

/// Lines of numbers that are not blank, with digits on both sides of each point.
fn plain_numbers(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for line in lines(text) {
        let mut words = line.split_whitespace().peekable();
        if words.peek().is_none() {
            continue;
        }
        for word in words {
            add_number(word, &mut plain);
            plain.push(' ');
        }
        plain.push('\n');
    }
    plain
}

/// Adds `.5` as `0.5`, and `5.` as `5.0`.
fn add_number(word: &str, plain: &mut String) {
    let Some((before, after)) = word.split_once('.') else { return plain.push_str(word) };
    let is_digit = |c: char| c.is_ascii_digit();
    plain.push_str(before);
    if !before.ends_with(is_digit) {
        plain.push('0');
    }
    plain.push('.');
    if !after.starts_with(is_digit) {
        plain.push('0');
    }
    plain.push_str(after);
}
