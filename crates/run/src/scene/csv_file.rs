//! CSV files of particles and of bonds.

use csv::{Reader, ReaderBuilder, StringRecord, Trim};

use crate::mesh::text;

/// Table of a CSV file with a header.
///
/// Columns are separated by commas, semicolons or tabulators, by which of them the header has most of. Beside semicolons a
/// number may have a decimal comma. Lines that begin with `#` are comments.
pub(super) struct CsvFile {
    columns: Vec<String>,
    rows: Vec<StringRecord>,
    has_decimal_commas: bool,
}

impl CsvFile {
    /// Table in the `bytes` of a file.
    ///
    /// # Errors
    /// A message, when the file is no table.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let text = text::text(bytes);
        let (mut table, reader) = Self::head(&text)?;
        table.rows = reader.into_records().collect::<csv::Result<_>>().map_err(|error| error.to_string())?;
        Ok(table)
    }

    /// Whether the header in the `bytes` of a file has all of these columns.
    pub(super) fn has_columns(bytes: &[u8], names: &[&str]) -> bool {
        Self::head(&text::text(bytes)).is_ok_and(|(table, _)| names.iter().all(|name| table.place(name).is_some()))
    }

    /// Table without its rows, and a reader of them.
    fn head(text: &str) -> Result<(Self, Reader<&[u8]>), String> {
        let mut lines = text::lines(text).map(str::trim);
        let header = lines.find(|line| !line.is_empty() && !line.starts_with('#')).unwrap_or_default();
        let count = |separator: &u8| header.bytes().filter(|byte| byte == separator).count();
        // of equally many the last, so that a single column has commas
        let separator = [b'\t', b';', b','].into_iter().max_by_key(count).unwrap_or(b',');
        let mut builder = ReaderBuilder::new();
        builder.delimiter(separator).trim(Trim::All).comment(Some(b'#'));
        let mut reader = builder.from_reader(text.as_bytes());
        let columns = reader.headers().map_err(|error| error.to_string())?.iter().map(str::to_owned).collect();
        Ok((Self { columns, rows: Vec::new(), has_decimal_commas: separator == b';' }, reader))
    }

    /// Place of the column `name`. Capital letters count as small ones, unless there is a column of just this name.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        let place = |is: &dyn Fn(&str) -> bool| self.columns.iter().position(|column| is(column));
        place(&|column| column == name).or_else(|| place(&|column| column.eq_ignore_ascii_case(name)))
    }

    /// Names of the columns, for errors.
    pub(super) fn names(&self) -> String {
        self.columns.join(", ")
    }

    /// Number of rows.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Line of a row in the file, from 1.
    pub(super) fn line(&self, row: usize) -> u64 {
        self.rows[row].position().map_or(0, csv::Position::line)
    }

    /// Number in a row and a column.
    ///
    /// # Errors
    /// The text of the cell, when it is no number.
    pub(super) fn number(&self, row: usize, column: usize) -> Result<f64, &str> {
        let cell = self.rows[row].get(column).unwrap_or_default();
        let number = match self.has_decimal_commas {
            true => cell.replace(',', ".").parse(),
            false => cell.parse(),
        };
        number.map_err(|_| cell)
    }
}
