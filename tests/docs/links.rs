//! Links, anchors, the summary and the README's size.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use crate::docs::{book, read, root};

/// Lines and bytes of the README at most: it is a front page, and the book has the rest.
const README_LINES: usize = 120;
const README_BYTES: usize = 8192;

/// A Markdown file: its headings and its links, those in code left out.
#[derive(Default)]
struct Page {
    headings: Vec<(usize, String)>,
    links: Vec<String>,
}

impl Page {
    fn parse(text: &str) -> Self {
        let mut page = Self::default();
        let mut fence = false;
        for line in text.lines() {
            if line.trim_start().starts_with("```") {
                fence = !fence;
            } else if !fence {
                let level = line.chars().take_while(|&c| c == '#').count();
                if let Some(title) = line[level..].strip_prefix(' ').filter(|_| level > 0) {
                    page.headings.push((level, title.trim().to_owned()));
                }
                page.read_links(&without_code(line));
            }
        }
        page
    }

    /// `[text](target)`, and `[name]: target` at the start of a line.
    fn read_links(&mut self, line: &str) {
        let mut rest = line;
        while let Some(at) = rest.find("](") {
            rest = &rest[at + 2..];
            let end = rest.find(')').unwrap_or_else(|| panic!("a link without an end: {line}"));
            self.links.push(rest[..end].to_owned());
        }
        let named = line.strip_prefix('[').and_then(|rest| rest.split_once("]: "));
        self.links.extend(named.map(|(_, target)| target.trim().to_owned()));
    }

    /// Anchors as forges and mdBook make them: of two headings alike the second gets `-1`.
    fn anchors(&self) -> BTreeSet<String> {
        let mut seen = BTreeMap::new();
        let mut number = |anchor: String| {
            let n: &mut usize = seen.entry(anchor.clone()).or_default();
            *n += 1;
            if *n == 1 { anchor } else { format!("{anchor}-{}", *n - 1) }
        };
        self.headings.iter().map(|(_, title)| number(anchor(title))).collect()
    }
}

/// A line without its `code`.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect()
}

fn anchor(title: &str) -> String {
    let kept = title.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

/// `a/../b` as `b`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => assert!(normal.pop(), "{} leaves the root", path.display()),
            Component::CurDir => {}
            part => normal.push(part),
        }
    }
    normal
}

/// Every page of the book, and what else a forge shows first.
fn pages() -> BTreeMap<PathBuf, Page> {
    let inside = book().read_dir().expect("docs/src").map(|entry| entry.expect("an entry").path());
    let pages = inside.filter(|path| path.extension().is_some_and(|ending| ending == "md"));
    let fronts = ["README.md", "CHANGELOG.md", "SECURITY.md"].map(|name| root().join(name));
    pages.chain(fronts).map(|path| (path.clone(), Page::parse(&read(&path)))).collect()
}

#[test]
fn every_relative_link_and_anchor_is_there() {
    let pages = pages();
    let mut wrong = Vec::new();
    for (path, page) in &pages {
        for link in page.links.iter().filter(|link| !link.contains("://")) {
            let (file, anchor) = link.split_once('#').map_or((link.as_str(), None), |(file, a)| (file, Some(a)));
            let target =
                if file.is_empty() { path.clone() } else { normal(&path.parent().expect("a folder").join(file)) };
            let anchors = || pages.get(&target).map(Page::anchors).unwrap_or_default();
            if !target.exists() {
                wrong.push(format!("{}: {link}: no such file", path.display()));
            } else if path.starts_with(book()) && !target.starts_with(book()) {
                wrong.push(format!("{}: {link} leaves the book, whose site would not have it", path.display()));
            } else if anchor.is_some_and(|anchor| !anchors().contains(anchor)) {
                wrong.push(format!("{}: {link}: no such heading", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_summary_lists_every_page_once() {
    let all = pages();
    let summary = &all[&book().join("SUMMARY.md")];
    let listed: BTreeSet<_> = summary.links.iter().map(|link| book().join(link)).collect();
    assert_eq!(listed.len(), summary.links.len(), "a page is listed twice");
    let there: BTreeSet<_> =
        all.into_keys().filter(|path| path.starts_with(book()) && !path.ends_with("SUMMARY.md")).collect();
    assert_eq!(listed, there);
}

#[test]
fn every_page_has_one_title() {
    for (path, page) in pages().iter().filter(|(path, _)| !path.ends_with("SUMMARY.md")) {
        let titles = page.headings.iter().filter(|(level, _)| *level == 1).count();
        let first = page.headings.first().map(|(level, _)| *level);
        assert_eq!((titles, first), (1, Some(1)), "{}", path.display());
    }
}

#[test]
fn the_readme_is_a_front_page() {
    let text = read(&root().join("README.md"));
    assert!(text.lines().count() <= README_LINES, "{} lines of {README_LINES}", text.lines().count());
    assert!(text.len() <= README_BYTES, "{} bytes of {README_BYTES}", text.len());
}

#[test]
fn links_and_anchors_are_read_as_forges_read_them() {
    let page = Page::parse(
        "# A\n## `[time]`, twice\n## `[time]`, twice\n[a](b.md#c) `[d](e)`\n```\n# no\n[f](g)\n```\n[h]: i\n",
    );
    assert_eq!(page.links, ["b.md#c", "i"]);
    assert_eq!(page.anchors(), ["a", "time-twice", "time-twice-1"].map(str::to_owned).into());
}
