//! Figures and tables of the papers: each is repeated by a study, or the book says why not.

use std::collections::BTreeSet;

use crate::docs::{book, read};

/// A paper, and the numbers of its last figure and table. Each has all before them too.
const PAPERS: [(&str, usize, usize); 5] =
    [("IBDEM", 12, 2), ("BDEM21", 20, 3), ("RODR", 7, 0), ("ROD", 0, 0), ("MSC", 16, 0)];

/// Figures and tables that the first column or the second of a row names, such as `[MSC] Figs 5, 12 to 14`.
fn named(row: &str) -> Vec<String> {
    let cells: String = row.split('|').take(3).collect::<Vec<_>>().join("|");
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

#[test]
fn every_figure_and_table_is_repeated_or_the_reason_is_given() {
    let page = read(&book().join("studies.md"));
    let (before, after) = page.split_once("## Not repeated, and why").expect("a table of what is not repeated");
    let first = before.split("\n## ").next().expect("the table of studies");
    let rows = |text: &str| text.lines().filter(|line| line.starts_with('|')).flat_map(named).collect::<Vec<_>>();
    let (repeated, others) = (rows(first), rows(after));
    let known = PAPERS.iter().flat_map(|(paper, figures, tables)| {
        let figures = (1..=*figures).map(move |n| format!("{paper} Fig {n}"));
        figures.chain((1..=*tables).map(move |n| format!("{paper} Table {n}")))
    });
    let known: BTreeSet<String> = known.collect();
    let told: BTreeSet<String> = repeated.iter().chain(&others).cloned().collect();
    assert_eq!(told.difference(&known).collect::<Vec<_>>(), Vec::<&String>::new(), "no paper has them");
    assert_eq!(known.difference(&told).collect::<Vec<_>>(), Vec::<&String>::new(), "nothing is said of them");
    let both: Vec<_> = others.iter().filter(|name| repeated.contains(name)).collect();
    assert!(both.is_empty(), "{both:?} are repeated, and said not to be");
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
