//! Tests of the README and the book in `docs`.

mod commands;
mod examples;
mod figures;
mod keys;
mod links;
mod pages;

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn book() -> PathBuf {
    root().join("docs/src")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Text for a cell of a table, on one line.
fn cell(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
    // every second part is code, where nothing else needs an escape
    let escaped = |(n, part): (usize, &str)| if n % 2 == 0 { part.replace('<', "&lt;") } else { part.to_owned() };
    line.split('`').enumerate().map(escaped).collect::<Vec<_>>().join("`")
}
