//! The order of rooms that each crate's front page draws, held against the paths in its code. The order of the crates
//! themselves is the compiler's.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Uses of rooms further up: file, and the room that it uses.
const EXCEPTIONS: [(&str, &str); 0] = [];

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("crates")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Rooms of a front page from the top down: the first words of the drawing under its heading "Rooms".
fn rooms(front_page: &str) -> Vec<String> {
    let rooms = front_page.split("# Rooms").nth(1).expect("a front page draws its rooms");
    let drawing = rooms.split("```").nth(1).expect("the drawing is a block of code");
    let name = |line: &str| Some(line.trim_start_matches("//! ").split_once(' ')?.0.to_owned());
    drawing.lines().filter_map(name).filter(|name| !name.is_empty()).collect()
}

/// Modules that a front page declares.
fn modules(front_page: &str) -> BTreeSet<&str> {
    front_page.lines().filter_map(module).collect()
}

fn module(line: &str) -> Option<&str> {
    line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';')
}

/// Source files at `path`, or in it.
fn sources(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_dir() {
        fs::read_dir(path).expect("a folder").for_each(|entry| sources(&entry.expect("an entry").path(), found));
    } else if path.extension().is_some_and(|ending| ending == "rs") {
        found.push(path.to_owned());
    }
}

/// Rooms of its crate that a file names, comments left out.
fn used(text: &str) -> BTreeSet<&str> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let is_grouped = |line: &str| line.contains("crate::{");
    assert!(!code.clone().any(is_grouped), "a path from the crate's root names one room, so that rooms are found");
    let names = code.flat_map(|line| line.split("crate::").skip(1));
    names.filter_map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()).collect()
}

/// Uses of rooms further up in a crate, as (file, room).
fn upward(name: &str) -> Vec<(String, String)> {
    let folder = crates().join(name).join("src");
    let code = read(&folder.join("lib.rs"));
    let front_page = if code.contains("../README.md") { read(&folder.join("../README.md")) } else { code.clone() };
    let rooms = rooms(&front_page);
    assert_eq!(rooms.iter().map(String::as_str).collect::<BTreeSet<_>>(), modules(&code), "rooms of {name}");
    let mut upward = Vec::new();
    for (height, room) in rooms.iter().enumerate() {
        let mut files = Vec::new();
        [folder.join(room), folder.join(room).with_extension("rs")]
            .iter()
            .filter(|path| path.exists())
            .for_each(|path| sources(path, &mut files));
        assert!(!files.is_empty(), "{name}: {room} has no files");
        for file in files {
            let text = read(&file);
            let above = rooms[..height].iter().filter(|above| used(&text).contains(above.as_str()));
            let place = file.strip_prefix(crates()).expect("a path within").to_string_lossy().into_owned();
            upward.extend(above.map(|above| (place.clone(), above.clone())));
        }
    }
    upward.sort();
    upward
}

#[test]
fn each_room_knows_only_rooms_further_down() {
    for name in ["core", "fit", "gpu", "run", "pictures", "jobs"] {
        let exceptions = EXCEPTIONS.iter().filter(|(file, _)| file.starts_with(&format!("{name}/")));
        let expected: Vec<_> = exceptions.map(|(file, room)| (file.to_string(), room.to_string())).collect();
        assert_eq!(upward(name), expected, "uses of rooms further up in {name}");
    }
}
