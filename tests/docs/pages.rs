//! Pages of the book that are generated: the commands from the command line's parser, the scene's keys from its JSON
//! Schema. `UPDATE=1 cargo test --release --test program docs::` writes them.

use std::fs;

use crate::docs::{book, commands, keys, read};

fn is_fresh(page: &str, text: &str) {
    let path = book().join(page);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    }
    let there = read(&path);
    let differs = there.lines().zip(text.lines()).find(|(a, b)| a != b);
    assert!(
        there == text,
        "{} is stale: UPDATE=1 cargo test --release --test program docs:: writes it anew; first difference: {differs:?}",
        path.display()
    );
}

#[test]
fn the_commands_are_those_of_the_parser() {
    is_fresh("commands.md", &commands::page());
}

#[test]
fn the_scene_keys_are_those_of_the_schema() {
    is_fresh("scene_keys.md", &keys::page());
}
