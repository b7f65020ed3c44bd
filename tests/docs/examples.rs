//! The commands of the README and the book, run at a small size, a page after another in its order.

use std::fs;
use std::path::Path;

use super::{book, read, root};
use crate::cli::Workplace;

/// Commands of a page's shell blocks, as words, but those that other programs have a part in.
fn commands(text: &str) -> Vec<Vec<String>> {
    let blocks = text.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let lines = blocks
        .flat_map(str::lines)
        .filter(|line| line.starts_with("bdem ") && !line.contains(['[', '$', '|', '>', '\\', '{', '*']));
    let without_comment = |line: &str| line.split(" #").next().unwrap_or("").to_owned();
    lines.map(|line| without_comment(line).split_whitespace().skip(1).map(str::to_owned).collect()).collect()
}

/// The same with a value in place of the one after an option.
fn with(words: &mut [String], option: &str, value: &str) {
    if let Some(at) = words.iter().position(|word| word == option) {
        value.clone_into(&mut words[at + 1]);
    }
}

/// The command at a small size: a scene is checked, in place of a run of minutes, and pictures and frames are few.
fn small(command: &[String]) -> Vec<String> {
    let mut words = command.to_vec();
    let frames = if words[0] == "compare" { "1" } else { "0-1" };
    for (option, value) in [("--frames", frames), ("--fit", "0-1"), ("--size", "400x300")] {
        with(&mut words, option, value);
    }
    // a seed that the text leaves open
    words.iter_mut().for_each(|word| *word = word.replace("=N", "=3"));
    match words[0].as_str() {
        "simulate" => {
            "check".clone_into(&mut words[0]);
            for option in ["-o", "--frames"] {
                if let Some(at) = words.iter().position(|word| word == option) {
                    words.drain(at..at + 2);
                }
            }
            words.retain(|word| word != "--resume");
        }
        "sweep" => words.extend(["--frames", "1"].map(str::to_owned)),
        "compare" => words.extend(["--frames", "1", "--seconds", "0.5", "--set", "time.frames=1"].map(str::to_owned)),
        "render" if !words.contains(&"--frames".to_owned()) => {
            words.extend(["--frames", "0-1"].map(str::to_owned));
            if !words.contains(&"--size".to_owned()) {
                words.extend(["--size", "400x300"].map(str::to_owned));
            }
        }
        _ => {}
    }
    words
}

/// Makes the runs and the files that a command reads, which the page leaves to its reader.
fn prepare(place: &Workplace, command: &[String]) {
    if command.contains(&"set.usd".to_owned()) {
        fs::write(place.path("set.usd"), "#usda 1.0\n").expect("space");
    }
    for word in &command[1..] {
        let Some(name) = word.strip_prefix("out/").and_then(|rest| rest.split('/').next()) else { continue };
        let run = format!("out/{name}");
        if !place.path(&run).exists() && !["fit", "study", "calibrate", "sweep"].contains(&name) {
            let frames = ["simulate", "scene.toml", "--frames", "2", "-q", "-o", &run];
            place.run(&frames).expect(0);
        }
    }
}

/// Whether this test can run it: pages of generated options, and what takes minutes and has a test of its own, are left out.
fn is_tried(command: &[String]) -> bool {
    let (name, rest) = (command[0].as_str(), command[1..].join(" "));
    // `.ci/run` runs all studies
    name != "study" && !rest.contains("other/frames") && !rest.contains("mp4") && !rest.contains("fitted.toml")
}

#[test]
fn every_example_of_the_book_runs() {
    let pages = fs::read_dir(book()).expect("a book").map(|entry| entry.expect("an entry").path());
    let mut pages: Vec<_> = pages.filter(|path| path.extension().is_some_and(|ending| ending == "md")).collect();
    pages.sort();
    pages.push(root().join("README.md"));
    let mut count = 0;
    for page in pages {
        count += run_page(&page);
    }
    assert!(count > 60, "{count} commands");
}

/// Runs a page's commands, and returns their number.
fn run_page(page: &Path) -> usize {
    let commands: Vec<_> = commands(&read(page)).into_iter().filter(|command| is_tried(command)).collect();
    let place = Workplace::new();
    for folder in ["scenes", "tests"] {
        std::os::unix::fs::symlink(root().join(folder), place.path(folder)).expect("a link");
    }
    for command in &commands {
        prepare(&place, command);
        let words = small(command);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let ended = place.run(&words);
        assert!(ended.code == Some(0), "{}: bdem {}\n{}{}", page.display(), words.join(" "), ended.out, ended.err);
    }
    commands.len()
}
