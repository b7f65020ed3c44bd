//! Figures and tables of the papers: the book says of each how much of it is here, and why not more.

use std::collections::BTreeSet;

use crate::docs::{book, read};

/// A paper, and the numbers of its last figure and table. Each has all before them too.
const PAPERS: [(&str, usize, usize); 5] =
    [("IBDEM", 12, 2), ("BDEM21", 20, 3), ("RODR", 7, 0), ("ROD", 0, 0), ("MSC", 16, 0)];

/// Figures and tables that the first column of a row names, such as `[MSC] Figs 5, 12 to 14`.
fn named(row: &str) -> Vec<String> {
    let cells: String = row.split('|').take(2).collect::<Vec<_>>().join("|");
    let mut found = Vec::new();
    for part in cells.split('[').skip(1) {
        let Some((paper, rest)) = part.split_once("] ") else { continue };
        let mut words = rest.split([' ', ',', '|']).filter(|word| !word.is_empty());
        let Some(kind @ ("Fig" | "Figs" | "Table" | "Tables")) = words.next() else { continue };
        let (mut last, mut is_range) = (0, false);
        for word in words {
            let Ok(number) = word.parse::<usize>() else {
                is_range = word == "to";
                if is_range { continue } else { break }
            };
            let from = if is_range { last + 1 } else { number };
            found.extend((from..=number).map(|n| format!("{paper} {} {n}", kind.trim_end_matches('s'))));
            (last, is_range) = (number, false);
        }
    }
    found
}

/// How much of a figure or table is here.
const KINDS: [&str; 6] = ["full size", "smaller", "another system", "picture", "drawing", "not to be had"];

#[test]
fn every_figure_and_table_of_the_papers_has_its_row() {
    let page = read(&book().join("studies.md"));
    let first = page.split("\n## ").next().expect("the table of figures");
    let rows: Vec<&str> = first.lines().filter(|line| line.starts_with("| [")).collect();
    let known = PAPERS.iter().flat_map(|(paper, figures, tables)| {
        let figures = (1..=*figures).map(move |n| format!("{paper} Fig {n}"));
        figures.chain((1..=*tables).map(move |n| format!("{paper} Table {n}")))
    });
    let known: BTreeSet<String> = known.collect();
    let told: Vec<String> = rows.iter().flat_map(|row| named(row)).collect();
    let once: BTreeSet<String> = told.iter().cloned().collect();
    assert_eq!(once.difference(&known).collect::<Vec<_>>(), Vec::<&String>::new(), "no paper has them");
    assert_eq!(known.difference(&once).collect::<Vec<_>>(), Vec::<&String>::new(), "nothing is said of them");
    assert_eq!(told.len(), once.len(), "one has two rows");
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let [_, _, kind, command, ours, _, _] = cells[..] else { panic!("not seven cells: {row}") };
        assert!(KINDS.contains(&kind), "{kind:?} in {row}");
        assert!(!ours.contains("the same"), "{row}");
        let is_measured = ["full size", "smaller", "another system"].contains(&kind);
        assert!(!is_measured || is_there(command), "{command:?} is no command: {row}");
    }
}

/// Whether a command names a study, a scene or a script that is there.
fn is_there(command: &str) -> bool {
    let of = |prefix: &str| {
        command.trim_matches('`').strip_prefix(prefix).map(|rest| rest.split(' ').next().unwrap_or(rest))
    };
    match (of("bdem study "), of("bdem simulate "), of("python3 ")) {
        (Some(name), ..) => bdem_studies::STUDIES.iter().any(|study| study.name == name),
        (_, Some(file), _) | (.., Some(file)) => crate::docs::root().join(file).exists(),
        _ => false,
    }
}

/// Scenes and files of the code that the book names.
#[test]
fn files_that_the_theory_and_the_studies_name_are_there() {
    for page in ["theory.md", "studies.md"] {
        let text = read(&book().join(page));
        for name in text.split('`').filter(|name| name.starts_with("crates/") || name.starts_with("scenes/")) {
            assert!(crate::docs::root().join(name).exists(), "{page} names {name}, which is not there");
        }
    }
}
