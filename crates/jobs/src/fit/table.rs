//! CSV files of targets, which are whole: tables of a run under way may end in a row that is being written.

use std::ops::Range;
use std::path::{Path, PathBuf};

use bdem_run::files;
use bdem_run::output::{Columns, OutputError};
use bdem_run::scene::{SceneError, error_at};
use csv::{ErrorKind, ReaderBuilder, Trim};

use super::file::Column;
use crate::error::JobError;

/// Numbers of a CSV file with a header, and their lines.
#[derive(Debug)]
pub(super) struct Table {
    path: PathBuf,
    text: String,
    pub columns: Columns,
    /// Bytes of the text of each row.
    lines: Vec<Range<usize>>,
}

impl Table {
    /// Table in the file at `path`.
    ///
    /// # Errors
    /// When it cannot be read, or a cell is no number.
    pub(super) fn read(path: &Path) -> Result<Self, JobError> {
        let bytes = files::read(path, files::MAX_BYTES).map_err(OutputError::file("read", path))?;
        let is_text = std::str::from_utf8(&bytes).map(drop).map_err(|error| error.valid_up_to());
        let text = String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}').to_owned();
        let mut table = Self { path: path.to_owned(), text, columns: Columns::default(), lines: Vec::new() };
        if let Err(end) = is_text {
            return Err(table.error(end..end, "this is not UTF-8 text".to_owned(), "save the table as UTF-8").into());
        }
        table.parse()?;
        Ok(table)
    }

    fn parse(&mut self) -> Result<(), SceneError> {
        let mut reader = ReaderBuilder::new().trim(Trim::All).from_reader(self.text.as_bytes());
        let names = reader.headers().map_err(|error| self.malformed(&error))?;
        let names: Vec<String> = names.iter().map(str::to_owned).collect();
        let (mut rows, mut lines) = (Vec::new(), Vec::new());
        for record in reader.records() {
            let record = record.map_err(|error| self.malformed(&error))?;
            let line = self.line(record.position());
            let number = |(column, cell): (usize, &str)| {
                let wrong = |_| format!("{} is {cell:?}", names[column]);
                let at = || self.cell(&line, column);
                cell.parse::<f64>().map_err(wrong).map_err(|message| self.error(at(), message, "give a number"))
            };
            rows.push(record.iter().enumerate().map(number).collect::<Result<_, _>>()?);
            lines.push(line);
        }
        (self.columns, self.lines) = (Columns { names, rows }, lines);
        Ok(())
    }

    fn malformed(&self, error: &csv::Error) -> SceneError {
        let message = match error.kind() {
            ErrorKind::UnequalLengths { expected_len, len, .. } => {
                format!("the row has {len} cells, and the header {expected_len}")
            }
            _ => format!("this is no row of a table: {error}"),
        };
        self.error(self.line(error.position()), message, "complete the row, or remove it")
    }

    /// Bytes of the line at a position of the reader.
    fn line(&self, position: Option<&csv::Position>) -> Range<usize> {
        let at = position.map_or(0, |position| position.byte() as usize).min(self.text.len());
        // the reader's positions are before blank lines
        let start = at + (self.text.len() - at - self.text[at..].trim_start().len());
        let end = self.text[start..].find(['\r', '\n']).map_or(self.text.len(), |length| start + length);
        start..end
    }

    /// Bytes of a cell of a line, or the line where cells are in quotes.
    fn cell(&self, line: &Range<usize>, column: usize) -> Range<usize> {
        let text = &self.text[line.clone()];
        let Some(cell) = text.split(',').nth(column).filter(|_| !text.contains('"')) else { return line.clone() };
        let start = line.start + text.split(',').take(column).map(|cell| cell.len() + 1).sum::<usize>();
        let blanks = cell.len() - cell.trim_start().len();
        start + blanks..(start + cell.trim_end().len()).max(start + blanks)
    }

    fn error(&self, span: Range<usize>, message: String, help: &str) -> SceneError {
        error_at(&self.path, &self.text, span, message, help)
    }

    /// Error of a row, at the column of this name if it has one.
    pub(super) fn error_in(&self, row: usize, name: &str, message: String, help: &str) -> SceneError {
        let column = self.columns.names.iter().position(|column| column == name);
        let line = &self.lines[row];
        self.error(column.map_or(line.clone(), |column| self.cell(line, column)), message, help)
    }

    /// Number of the line of a row, from 1.
    pub(super) fn line_of(&self, row: usize) -> usize {
        self.text[..self.lines[row].start].matches('\n').count() + 1
    }

    /// Checks that a value of each row is finite.
    pub(super) fn check_finite(&self, name: &str, values: &[f64]) -> Result<(), SceneError> {
        match values.iter().position(|value| !value.is_finite()) {
            Some(row) => Err(self.error_in(row, name, format!("{name} is {}", values[row]), "give a finite number")),
            None => Ok(()),
        }
    }

    /// Finite values of a column, in s, m or N.
    pub(super) fn in_unit(&self, column: &Column) -> Result<Vec<f64>, SceneError> {
        let Some(values) = self.columns.column(&column.name) else {
            let message = format!("there is no column {:?}", column.name);
            let first = self.text.lines().next().map_or(0, str::len);
            return Err(self.error(0..first, message, &format!("take one of {}", self.columns.names.join(", "))));
        };
        let values: Vec<f64> = values.map(|value| value * column.unit()).collect();
        self.check_finite(&column.name, &values)?;
        Ok(values)
    }

    /// Checks that the column `time` increases, where there is one.
    pub(super) fn check_times(&self) -> Result<(), SceneError> {
        let times: Vec<f64> = self.columns.column("time").map_or_else(Vec::new, Iterator::collect);
        match times.windows(2).position(|pair| !matches!(pair[0].partial_cmp(&pair[1]), Some(std::cmp::Ordering::Less)))
        {
            Some(row) => {
                let message = format!("time is {} s after {} s", times[row + 1], times[row]);
                Err(self.error_in(row + 1, "time", message, "give each row a later time than the one before it"))
            }
            None => Ok(()),
        }
    }
}
