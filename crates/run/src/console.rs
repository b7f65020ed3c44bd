//! Text on standard error and standard output.

use std::borrow::Cow;
use std::io::{self, ErrorKind, Write};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Time of the last line on standard error.
static LAST_LINE: Mutex<Option<Instant>> = Mutex::new(None);

/// Notes that there is something new on standard error.
pub(crate) fn mark_line() {
    *LAST_LINE.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
}

/// Time of the last line on standard error, if there was one.
pub(crate) fn last_line() -> Option<Instant> {
    *LAST_LINE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes a line to standard error.
///
/// Standard error may be full, closed or a broken pipe. The line is dropped then: the files of a run are its result, and no
/// run ends because nobody reads its log.
pub fn message(text: &str) {
    let line = printable(text).into_owned() + "\n";
    // one call, so that lines of several runs in one file do not mix
    drop(io::stderr().lock().write_all(line.as_bytes()));
    mark_line();
}

/// Writes text to standard output. A pipe closed by its reader, as by `head`, is no error.
///
/// # Errors
/// When standard output cannot be written, such as a file on a full disk.
pub fn result(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(printable(text).as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    }
}

/// Text without control characters, for names and strings of files of unknown origin: a terminal obeys escape sequences.
/// Each becomes its escape in JSON, such as `\u001b`, so that JSON stays JSON. Line feeds and tabulators are kept.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_control) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    for letter in text.chars() {
        match is_control(letter) {
            true => clean += &format!("\\u{:04x}", u32::from(letter)),
            false => clean.push(letter),
        }
    }
    Cow::Owned(clean)
}

/// Whether a terminal may obey the character, or reverse the order of its line.
fn is_control(letter: char) -> bool {
    let reverses = matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    (letter.is_control() && letter != '\n' && letter != '\t') || reverses
}
