use std::fmt::Write;

use bdem_pictures::plot::Chart;
use serde::Serialize;

/// Result of a study.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// Figures of the papers, and ours.
    pub claims: Vec<Claim>,
    /// Table of the measured numbers.
    pub table: ReportTable,
    /// Charts, whose names begin with the study's.
    pub charts: Vec<Chart>,
}

/// Figure of a paper, and ours.
#[derive(Clone, Debug, Serialize)]
pub struct Claim {
    /// Quantity and unit.
    pub what: String,
    /// Place in the paper, such as `[IBDEM] Fig 11`.
    pub source: &'static str,
    /// The paper's number or words.
    pub paper: String,
    /// Our number. NaN where it could not be measured; null in JSON then, and where it is infinite.
    pub ours: f64,
}

/// Table of numbers.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ReportTable {
    /// Names and units of the columns.
    pub columns: Vec<Column>,
    /// Rows, with a cell for each column.
    pub rows: Vec<Vec<Cell>>,
}

/// Column of a table.
#[derive(Clone, Debug, Serialize)]
pub struct Column {
    /// Name of the quantity.
    pub name: &'static str,
    /// Unit, empty where there is none.
    pub unit: &'static str,
}

/// Cell of a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Cell {
    /// Text, such as a name.
    Text(String),
    /// Number, or nothing where it could not be measured.
    Number(Option<f64>),
}

impl Claim {
    /// Claim of these parts.
    pub fn new(what: impl Into<String>, source: &'static str, paper: impl Into<String>, ours: f64) -> Self {
        Self { what: what.into(), source, paper: paper.into(), ours }
    }
}

impl ReportTable {
    /// Table without rows, with columns by name and unit.
    pub fn new(columns: &[(&'static str, &'static str)]) -> Self {
        Self { columns: columns.iter().map(|&(name, unit)| Column { name, unit }).collect(), rows: Vec::new() }
    }

    /// Heading of each column: its name and unit.
    pub fn headings(&self) -> Vec<String> {
        self.columns.iter().map(Column::heading).collect()
    }

    /// Table in Markdown.
    pub fn markdown(&self) -> String {
        let rows: Vec<Vec<String>> = self.rows.iter().map(|row| row.iter().map(Cell::short).collect()).collect();
        markdown(&self.headings(), &rows)
    }
}

impl Column {
    fn heading(&self) -> String {
        if self.unit.is_empty() { self.name.to_owned() } else { format!("{}, {}", self.name, self.unit) }
    }
}

impl Cell {
    fn short(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => short(*number),
        }
    }

    /// Number with all digits.
    pub fn full(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.map_or(String::new(), |number| number.to_string()),
        }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<f64> for Cell {
    fn from(number: f64) -> Self {
        Self::Number(Some(number))
    }
}

impl From<usize> for Cell {
    fn from(number: usize) -> Self {
        Self::Number(Some(number as f64))
    }
}

impl From<Option<f64>> for Cell {
    fn from(number: Option<f64>) -> Self {
        Self::Number(number)
    }
}

impl Report {
    /// Claims of the papers and our figures, as a table in Markdown.
    pub fn claims_markdown(&self) -> String {
        let row = |claim: &Claim| {
            vec![claim.what.clone(), claim.source.to_owned(), claim.paper.clone(), short(Some(claim.ours))]
        };
        let rows: Vec<_> = self.claims.iter().map(row).collect();
        markdown(&["", "source", "paper", "ours"].map(str::to_owned), &rows)
    }
}

/// Table in Markdown of headings and rows.
pub fn markdown(headings: &[String], rows: &[Vec<String>]) -> String {
    let mut text = format!("| {} |\n|{}\n", headings.join(" | "), "---|".repeat(headings.len()));
    rows.iter().for_each(|row| writeln!(text, "| {} |", row.join(" | ")).expect("a string takes all"));
    text
}

/// Number in three digits.
pub fn short(x: Option<f64>) -> String {
    match x {
        None => "-".to_owned(),
        Some(0.0) => "0".to_owned(),
        Some(x) if (1e-3..1e4).contains(&x.abs()) => {
            let digits = (2 - libm::log10(x.abs()).floor() as i32).max(0) as usize;
            format!("{x:.digits$}")
        }
        Some(x) => format!("{x:.2e}"),
    }
}
