//! Particle files of other programs: CSV, PLY, text of YADE, and data files of LAMMPS.

use std::path::Path;

use bdem_core::geometry::Vec3;
use bdem_core::geometry::grid::first_pair_within;
use ply_rs::parser::{ParseError, Parser, Reader};
use ply_rs::ply::{Property, PropertyAccess, PropertyAccessResult};

use super::csv_file::CsvFile;
use super::lammps_file::LammpsFile;
use crate::mesh::{ply_text, text};

/// Limit on the ratio of radii. Beyond it the neighbour search becomes slow.
pub(super) const WIDEST_RANGE: f64 = 20.0;

/// Maximum overlap as a share of the smaller radius. Packings of other programs reach it.
const OVERLAP: f64 = 0.1;

/// Maximum overlap of grains without bonds as a share of the smaller radius: larger ones fly apart.
const GRAIN_OVERLAP: f64 = 0.01;

/// Particle: x, y, z and radius, m.
#[derive(Clone, Copy, Default)]
struct Row([f64; 4]);

const COLUMNS: [&str; 4] = ["x", "y", "z", "radius"];

/// Spheres of a file, sorted by x, y and z.
#[derive(Clone, Debug, Default)]
pub struct Spheres {
    /// Centres, m.
    pub centres: Vec<Vec3>,
    /// Radii, m.
    pub radii: Vec<f64>,
    /// Row of each in its file, from 0; empty where they are from none.
    pub rows: Vec<u32>,
    /// Pairs `i < j` of spheres to bond, sorted, in place of those that touch.
    pub bonds: Option<Vec<[u32; 2]>>,
    /// Velocity (m/s) and angular velocity (rad/s) of each, in the body's frame, on top of the body's. Empty where the file has none.
    pub velocities: Vec<[Vec3; 2]>,
}

impl Spheres {
    /// The same with bonds between these pairs of rows of the file.
    pub(super) fn bonded(self, pairs: &[[u32; 2]]) -> Self {
        let mut place = vec![0; self.rows.len()];
        self.rows.iter().zip(0..).for_each(|(&row, k)| place[row as usize] = k);
        let sorted = |[i, j]: [u32; 2]| [i.min(j), i.max(j)];
        let mut bonds: Vec<_> = pairs.iter().map(|pair| sorted(pair.map(|row| place[row as usize]))).collect();
        bonds.sort_unstable();
        Self { bonds: Some(bonds), ..self }
    }

    /// Whether two of them are listed as bonded.
    fn are_bonded(&self, i: usize, j: usize) -> bool {
        let pair = [i.min(j) as u32, i.max(j) as u32];
        self.bonds.as_ref().is_some_and(|bonds| bonds.binary_search(&pair).is_ok())
    }
}

/// Spheres in the `bytes` of the file called `name`. CSV needs the columns x, y, z and radius. PLY needs a first
/// element `vertex` with the properties x, y, z and radius or pscale. Other columns and properties are ignored. Names of text as YADE
/// exports it end in `.txt`, and those of data files of LAMMPS, whose bonds and velocities are read too, in `.data` or `.lmp`.
///
/// # Errors
/// A message, when the file is neither, or holds invalid particles.
pub fn read(name: &str, bytes: &[u8]) -> Result<Spheres, String> {
    let ending = Path::new(name).extension().map(|ending| ending.to_ascii_lowercase());
    let rows = match ending.as_ref().and_then(|ending| ending.to_str()) {
        Some("csv") => read_csv(bytes),
        Some("ply") => read_ply(bytes),
        Some("txt") => read_text(bytes),
        Some("data" | "lmp") => return read_lammps(bytes),
        _ => Err("its name must end in .csv, .ply, .txt or .data".to_owned()),
    };
    rows.and_then(spheres)
}

fn read_csv(bytes: &[u8]) -> Result<Vec<Row>, String> {
    let table = CsvFile::parse(bytes)?;
    let place = |name: &&str| table.place(name).ok_or_else(|| missing(name, &table.names()));
    let places = COLUMNS.iter().map(place).collect::<Result<Vec<_>, _>>()?;
    let row = |n: usize| {
        let number =
            |place: usize| table.number(n, place).map_err(|text| format!("particle {n}: {text:?} is not a number"));
        let [x, y, z, radius] = [0, 1, 2, 3].map(|column| number(places[column]));
        Ok(Row([x?, y?, z?, radius?]))
    };
    (0..table.len()).map(row).collect()
}

/// Rows of `x y z r`, separated by blanks, as `yade.export.text` writes them. A comment `#format x_y_z_r` names the columns.
fn read_text(bytes: &[u8]) -> Result<Vec<Row>, String> {
    /// Columns where no comment names them, as YADE calls them.
    const NAMES: [&str; 4] = ["x", "y", "z", "r"];
    let text = text::text(bytes);
    let (mut places, mut rows) = ([0, 1, 2, 3], Vec::new());
    for (line, content) in (1..).zip(text::lines(&text)) {
        if let Some(format) = content.trim_start().strip_prefix("#format") {
            let names: Vec<&str> = format.trim().split('_').collect();
            for (place, wanted) in places.iter_mut().zip(NAMES) {
                let found = names.iter().position(|name| *name == wanted);
                *place = found.ok_or_else(|| format!("line {line}: the format has no column {wanted:?}"))?;
            }
        }
        let content = content.split('#').next().unwrap_or_default();
        let words: Vec<&str> = content.split_whitespace().collect();
        if words.is_empty() {
            continue;
        }
        let mut row = Row::default();
        for (value, (&place, name)) in row.0.iter_mut().zip(places.iter().zip(NAMES)) {
            let word =
                words.get(place).ok_or_else(|| format!("line {line}: there is no {name}, but x y z r is needed"))?;
            *value = word.parse().map_err(|_| format!("line {line}: {word:?} is not a number"))?;
        }
        rows.push(row);
    }
    Ok(rows)
}

fn read_lammps(bytes: &[u8]) -> Result<Spheres, String> {
    let LammpsFile { atoms, bonds, velocities } = LammpsFile::parse(bytes)?;
    let mut spheres = spheres(atoms.into_iter().map(Row).collect())?;
    if !velocities.is_empty() {
        spheres.velocities = spheres.rows.iter().map(|&row| velocities[row as usize]).collect();
    }
    Ok(match bonds {
        Some(pairs) => spheres.bonded(&pairs),
        None => spheres,
    })
}

fn read_ply(bytes: &[u8]) -> Result<Vec<Row>, String> {
    let bytes = &*ply_text::plain(bytes);
    let mut reader = Reader::new(bytes);
    let parser = Parser::<Row>::new();
    // the parser's own message quotes the line, which may be a whole binary file
    let not_ply = |error: ParseError| format!("not a PLY file: line {} makes no sense", error.line().unwrap_or(1));
    let header = parser.read_header(&mut reader).map_err(not_ply)?;
    let Some((_, vertex)) = header.elements.iter().next().filter(|(name, _)| *name == "vertex") else {
        return Err("its first element must be vertex".to_owned());
    };
    let has = |wanted: usize| vertex.properties.keys().any(|name| column(name) == Some(wanted));
    if let Some(absent) = (0..COLUMNS.len()).find(|&wanted| !has(wanted)) {
        let known: Vec<&str> = vertex.properties.keys().map(String::as_str).collect();
        return Err(missing(COLUMNS[absent], &known.join(", ")));
    }
    // every property of every particle takes a byte at least
    if vertex.count as u128 * vertex.properties.len() as u128 > bytes.len() as u128 {
        return Err(format!("it is too short for {} particles", vertex.count));
    }
    parser.read_payload_for_element(&mut reader, vertex, &header).map_err(|error| error.to_string())
}

/// Index in [`COLUMNS`] of a property. Houdini calls the radius pscale.
fn column(property: &str) -> Option<usize> {
    COLUMNS.iter().position(|name| *name == property).or((property == "pscale").then_some(3))
}

/// Message about a missing column, with the `known` ones.
fn missing(column: &str, known: &str) -> String {
    let known = if known.is_empty() { "none" } else { known };
    format!("there is no column {column:?}, but {known}; x, y, z and radius are needed")
}

impl PropertyAccess for Row {
    fn new() -> Self {
        Self::default()
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        let Some(column) = column(name) else { return PropertyAccessResult::Ignored };
        let value = match property {
            Property::Float(value) => value.into(),
            Property::Double(value) => value,
            Property::Int(value) => value.into(),
            _ => return PropertyAccessResult::UnsupportedType,
        };
        self.0[column] = value;
        PropertyAccessResult::Set
    }
}

fn spheres(rows: Vec<Row>) -> Result<Spheres, String> {
    if rows.is_empty() {
        return Err("it holds no particles".to_owned());
    }
    for (n, Row(values)) in rows.iter().enumerate() {
        if let Some(column) = (0..COLUMNS.len()).find(|&column| !values[column].is_finite()) {
            return Err(format!(
                "particle {n}: {} is {}, but must be a finite number",
                COLUMNS[column], values[column]
            ));
        }
        if values[3] <= 0.0 {
            return Err(format!("particle {n}: radius is {:?}, but must be positive", values[3]));
        }
    }
    let places: Vec<Vec3> = rows.iter().map(|row| Vec3::from_row_slice(&row.0[..3])).collect();
    let radii: Vec<f64> = rows.iter().map(|row| row.0[3]).collect();
    check_overlaps(&places, &radii, OVERLAP, |_, _| false)?;
    let mut sorted: Vec<(Row, u32)> = rows.into_iter().zip(0..).collect();
    sorted.sort_by(|(Row(a), _), (Row(b), _)| {
        a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])).then(a[2].total_cmp(&b[2]))
    });
    let (centres, radii) = sorted.iter().map(|(Row([x, y, z, r]), _)| (Vec3::new(*x, *y, *z), *r)).unzip();
    Ok(Spheres { centres, radii, rows: sorted.iter().map(|(_, row)| *row).collect(), ..Spheres::default() })
}

/// Check that spheres without a bond between them do not fly apart at the start.
///
/// # Errors
/// A message with the rows of two that overlap.
pub(super) fn check_grains(spheres: &Spheres) -> Result<(), String> {
    let Spheres { centres, radii, rows, .. } = spheres;
    // as in the file, which the message names
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_key(|&k| rows[k]);
    let centres: Vec<Vec3> = order.iter().map(|&k| centres[k]).collect();
    let radii: Vec<f64> = order.iter().map(|&k| radii[k]).collect();
    check_overlaps(&centres, &radii, GRAIN_OVERLAP, |i, j| spheres.are_bonded(order[i], order[j]))
        .map_err(|why| why + ", and would fly apart, as there is no bond between them")
}

/// Check that no two spheres but those that `may` do so overlap by more than a `share` of the smaller radius.
fn check_overlaps(
    centres: &[Vec3],
    radii: &[f64],
    share: f64,
    may: impl Fn(usize, usize) -> bool + Sync,
) -> Result<(), String> {
    let (smallest, largest) = radii.iter().fold((f64::INFINITY, 0.0), |(low, high), &r| (r.min(low), r.max(high)));
    if largest > WIDEST_RANGE * smallest {
        return Err(format!(
            "its radii go from {smallest:?} to {largest:?}, but may differ by {WIDEST_RANGE} times at most"
        ));
    }
    let reach = |i: usize, j: usize| match radii[i] + radii[j] - share * radii[i].min(radii[j]) {
        reach if (centres[j] - centres[i]).norm() < reach && may(i, j) => 0.0,
        reach => reach,
    };
    let Some([i, j]) = first_pair_within(centres, reach, 2.0 * largest) else { return Ok(()) };
    let depth = radii[i] + radii[j] - (centres[j] - centres[i]).norm();
    Err(format!("particles {i} and {j} overlap by {depth:.3e} m, more than {share} of the smaller's radius"))
}
