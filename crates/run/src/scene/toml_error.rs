//! Errors of the TOML parser and of types, in a user's terms.

use super::SceneError;
use super::check::nearest;
use super::source::Source;

/// Terms of the parser, and a user's.
const WORDS: [(&str, &str); 18] = [
    ("unknown field", "unknown key"),
    ("unknown variant", "unknown name"),
    ("missing field", "missing key"),
    ("duplicate field", "duplicate key"),
    ("expected f64", "expected a number"),
    ("expected u32", "expected a whole number from 0 to 4294967295"),
    ("expected u64", "expected a whole number of at least 0"),
    ("a sequence", "an array"),
    ("floating point", "number"),
    ("map,", "table,"),
    ("wanted exactly 1 element, found 0 elements", "expected exactly one key, found none"),
    ("wanted exactly 1 element, more than 1 element", "expected exactly one key, found several"),
    ("expected enum", "expected a name or a table with one key"),
    ("expected table, found", "expected the name alone, found"),
    ("table, expected unit", "table, expected the name alone"),
    ("floating-point number overflowed", "the number is too large"),
    ("string values must be quoted, expected literal string", "expected a value; text must be in quotes"),
    ("wanted string or table", "expected a name or a table with one key"),
];

/// Error of the parser with its position in `source`, in a user's terms.
pub(super) fn explain(source: &Source, error: &toml::de::Error) -> SceneError {
    // the root table has an empty span: a key that is missing there is reported at the last line
    let span = error.span().filter(|span| *span != (0..0)).unwrap_or_else(|| source.last_line());
    let message = plain(error.message());
    let help = suggestion(&message);
    source.error(span, message, help)
}

fn plain(message: &str) -> String {
    let keys =
        message.strip_prefix("unexpected keys in table: ").and_then(|rest| rest.split_once(", available keys: "));
    if let Some((unknown, known)) = keys {
        let unknown = unknown.split(", ").next().unwrap_or(unknown);
        return format!("unknown key `{unknown}`, expected one of `{}`", known.replace(", ", "`, `"));
    }
    if message.starts_with("invalid type: unit variant") {
        return "this name needs values, as in { name = { key = value } }".to_owned();
    }
    let message = match message.find("expected struct") {
        Some(at) => format!("{}expected a table", &message[..at]),
        None => message.to_owned(),
    };
    WORDS.iter().fold(message, |message, (theirs, ours)| message.replace(theirs, ours))
}

/// Words of other programs, and this one's.
const FOREIGN: [(&str, &str); 12] = [
    ("rk4", "explicit-verlet"),
    ("leapfrog", "explicit-verlet"),
    ("velocity-verlet", "explicit-verlet"),
    ("backward-euler", "implicit-euler"),
    ("e", "young_modulus"),
    ("g", "shear_modulus"),
    ("nu", "poisson_ratio"),
    ("rho", "density"),
    ("mu", "friction"),
    ("fps", "frame_rate"),
    ("dt", "step"),
    ("timestep", "step"),
];

/// Known keys or names nearest to an unknown one: at the distance of a typing error, another program's word, or those
/// that it is a part of.
fn suggestion(message: &str) -> Option<String> {
    /// Limit on the names that are suggested.
    const MOST: usize = 3;
    let mut quoted = message.strip_prefix("unknown ")?.split('`').skip(1).step_by(2);
    let unknown = quoted.next()?;
    let known: Vec<&str> = quoted.collect();
    let word = unknown.to_lowercase().replace(' ', "_");
    let foreign =
        || FOREIGN.iter().find(|(theirs, ours)| *theirs == word && known.contains(ours)).map(|(_, ours)| *ours);
    let names = match nearest(unknown, known.iter().copied()).or_else(foreign) {
        Some(name) if !is_part(&word, name) => vec![name],
        _ => known.iter().copied().filter(|name| is_part(&word, name)).collect(),
    };
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    (1..=MOST).contains(&names.len()).then(|| format!("did you mean {}?", names.join(" or ")))
}

/// Whether one of the two is a part of the other, and long enough to mean it.
fn is_part(word: &str, name: &str) -> bool {
    word.len().min(name.len()) >= 3 && (name.contains(word) || word.contains(name))
}

/// Message for an unknown name of a value, in a user's terms, with a suggestion.
pub(super) fn unknown_name(message: &str) -> String {
    let message = plain(message);
    match suggestion(&message) {
        Some(help) => format!("{message}; {help}"),
        None => message,
    }
}
