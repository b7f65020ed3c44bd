use std::path::Path;

use bdem_run::files;
use bdem_run::output::{Columns, FORCES, METRICS, OutputError, RESOLVED_SCENE};
use bdem_run::run::LoadCurve;
use bdem_run::scene::{Scene, Specimen};
use sha2::{Digest, Sha256};

use crate::error::JobError;
use crate::fit::file::{CurveColumns, FitFile, Over, Target};
use crate::fit::table::Table;

/// A quantity of a run's tables over time or displacement.
#[derive(Debug)]
pub(super) struct CurveTarget {
    quantity: Quantity,
    /// Time (s) or displacement (m), which increases, and value.
    points: Vec<(f64, f64)>,
    /// Peak load (N), if the load falls after it: the specimen broke.
    peak: Option<f64>,
    /// Loss where the quantity is zero.
    pub weight: f64,
    /// Sum of the values' squares.
    squares: f64,
}

/// Quantity of a run.
#[derive(Debug)]
enum Quantity {
    /// Column of metrics.csv over time.
    Metric(String),
    /// Load of the specimen.
    Load(Over),
}

impl CurveTarget {
    pub(super) fn read(file: &FitFile, target: &Target, scene: &Scene) -> Result<Self, JobError> {
        let (quantity, points, peak) = match (&target.metrics, &target.load_curve) {
            (Some(_), _) => metrics(file, target)?,
            (None, Some(_)) => load_curve(file, target, scene)?,
            (None, None) => unreachable!("a curve has metrics or a load_curve"),
        };
        let squares: f64 = points.iter().map(|(_, value)| value * value).sum();
        let weight = target.weight();
        if !(squares > 0.0 && (weight / squares).is_finite()) {
            let message = format!("the sum of the values' squares is {squares:e}, with a weight of {weight:e}");
            let place = target.path().expect("a target has a path");
            return Err(file.error(place.span(), message, "take a quantity that changes in the run").into());
        }
        Ok(Self { quantity, points, peak, weight, squares })
    }

    pub(super) fn residuals(&self) -> usize {
        self.points.len() + usize::from(self.peak.is_some())
    }

    pub(super) fn digest(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        let numbers = self.points.iter().flat_map(|&(at, value)| [at, value]);
        numbers.chain(self.peak).for_each(|x| hash.update(x.to_le_bytes()));
        hash.finalize().into()
    }

    /// Adds the residuals of a run in the folder `run`. Returns the number of rows beyond its curve, where it keeps its end.
    pub(super) fn add_residuals(&self, run: &Path, to: &mut Vec<f64>) -> Result<usize, OutputError> {
        let (curve, peak) = self.curve_of(run)?;
        let scale = (self.weight / self.squares).sqrt();
        to.extend(self.points.iter().map(|&(at, value)| (interpolate(&curve, at) - value) * scale));
        // alone, rows up to a break have nothing against a run that breaks later
        let root = self.weight.sqrt();
        to.extend(self.peak.map(|seen| (peak / seen - 1.0) * root));
        Ok(self.points.iter().filter(|&&(at, _)| !covers(&curve, at)).count())
    }

    /// The run's curve and peak load.
    fn curve_of(&self, run: &Path) -> Result<(Vec<(f64, f64)>, f64), OutputError> {
        match &self.quantity {
            Quantity::Metric(column) => {
                let columns = Columns::read(&run.join(METRICS))?;
                Ok((over_time(&columns, column).unwrap_or_default(), 0.0))
            }
            Quantity::Load(over) => {
                let curve = LoadCurve::read(run)?;
                let peak = curve.as_ref().and_then(LoadCurve::peak_load).unwrap_or(0.0);
                Ok((curve.map_or_else(Vec::new, |curve| points_over(&curve, *over)), peak))
            }
        }
    }
}

/// Rounding of the places of a curve's rows, as a share of its end.
const ROUNDING: f64 = 1e-9;

/// Whether `at` is within the curve.
fn covers(curve: &[(f64, f64)], at: f64) -> bool {
    let (Some(first), Some(last)) = (curve.first(), curve.last()) else { return false };
    let rounding = ROUNDING * last.0.abs();
    (first.0 - rounding..=last.0 + rounding).contains(&at)
}

/// Linear interpolation of a curve; beyond its ends their values, and 0 without one.
fn interpolate(curve: &[(f64, f64)], at: f64) -> f64 {
    let after = curve.partition_point(|point| point.0 < at);
    match (after.checked_sub(1).map(|k| curve[k]), curve.get(after)) {
        (Some((x0, y0)), Some((x1, y1))) => y0 + (y1 - y0) * (at - x0) / (x1 - x0),
        (Some((_, y)), None) | (None, Some(&(_, y))) => y,
        (None, None) => 0.0,
    }
}

/// Points of a load curve over time or displacement. Over displacement they are those further than all before, so that the load
/// is a function of it also where a gauge springs back.
fn points_over(curve: &LoadCurve, over: Over) -> Vec<(f64, f64)> {
    match over {
        Over::Time => curve.times.iter().copied().zip(curve.points.iter().map(|point| point.1)).collect(),
        Over::Displacement => {
            let first = curve.points.first().map_or(0.0, |point| point.0);
            let mut furthest = f64::NEG_INFINITY;
            let further = curve.points.iter().filter(|point| {
                let is_further = point.0 > furthest;
                furthest = furthest.max(point.0);
                is_further
            });
            further.map(|(at, load)| (at - first, *load)).collect()
        }
    }
}

fn over_time(columns: &Columns, column: &str) -> Option<Vec<(f64, f64)>> {
    Some(columns.column("time")?.zip(columns.column(column)?).collect())
}

type Read = (Quantity, Vec<(f64, f64)>, Option<f64>);

fn metrics(file: &FitFile, target: &Target) -> Result<Read, JobError> {
    let (path, column) = (target.metrics.as_ref().expect("metrics"), target.column.clone().unwrap_or_default());
    let table = Table::read(&file.beside(path.get_ref()))?;
    let Some(points) = over_time(&table.columns, &column) else {
        let names = &table.columns.names;
        let missing = if names.contains(&column) { "time" } else { &column };
        let message = format!("there is no column {missing:?}");
        let help = format!("take one of {}", names.join(", "));
        return Err(file.error(path.span(), message, &help).into());
    };
    table.check_times()?;
    table.check_finite(&column, &points.iter().map(|point| point.1).collect::<Vec<_>>())?;
    Ok((Quantity::Metric(column), points, None))
}

fn load_curve(file: &FitFile, target: &Target, scene: &Scene) -> Result<Read, JobError> {
    let path = target.load_curve.as_ref().expect("a load curve");
    let Some(specimen) = &scene.specimen else {
        let message = "the scene has no [specimen], and so no load curve".to_owned();
        return Err(file.error(path.span(), message, "say in the scene what loads it, and which test it is").into());
    };
    let place = file.beside(path.get_ref());
    let (curve, over) = match &target.columns {
        Some(columns) => measured(&place, columns, specimen)?,
        None if place.is_dir() => (of_run(file, target)?, target.over.unwrap_or_default()),
        None => {
            let help = "add columns = { displacement = { name = \"Extension\", unit = \"mm\" }, load = { name = \"Load\", unit = \"kN\" } }";
            return Err(file.error(path.span(), "a table needs the names of its columns".to_owned(), help).into());
        }
    };
    let peak = curve.breaks().then(|| curve.peak_load()).flatten();
    Ok((Quantity::Load(over), points_over(&curve, over), peak))
}

/// Load curve of a laboratory's table.
fn measured(path: &Path, columns: &CurveColumns, specimen: &Specimen) -> Result<(LoadCurve, Over), JobError> {
    let table = Table::read(path)?;
    let values = |column| table.in_unit(column);
    let over = columns.over();
    let (at, loads) = (values(columns.at())?, values(&columns.load)?);
    if let (Over::Time, Some(row)) = (over, at.windows(2).position(|pair| pair[0] >= pair[1])) {
        let message = format!("time is {} s after {} s", at[row + 1], at[row]);
        let help = "give each row a later time than the one before it";
        return Err(table.error_in(row + 1, &columns.at().name, message, help).into());
    }
    Ok((LoadCurve::measured(specimen.test, at, loads), over))
}

/// Load curve of a run.
fn of_run(file: &FitFile, target: &Target) -> Result<LoadCurve, JobError> {
    let path = target.load_curve.as_ref().expect("a load curve");
    let run = file.beside(path.get_ref());
    let scene = run.join(RESOLVED_SCENE);
    let scene = files::read_of_run(&scene).map_err(OutputError::file("read", &scene))?;
    let Some(specimen) = Specimen::of_resolved(&String::from_utf8_lossy(&scene)) else {
        let message = "the run has no load curve".to_owned();
        return Err(file.error(path.span(), message, "take a run whose scene has a [specimen]").into());
    };
    let table = Table::read(&run.join(FORCES))?;
    let curve = LoadCurve::new(&specimen, &table.columns).map_err(|name| {
        let message = format!("forces.csv of the run has no columns {name}, which its specimen needs");
        file.error(path.span(), message, "take a run whose scene has not changed since")
    })?;
    table.check_times()?;
    let (at, loads): (Vec<f64>, Vec<f64>) = curve.points.iter().copied().unzip();
    table.check_finite("the load", &loads)?;
    table.check_finite("the displacement", &at)?;
    Ok(curve)
}
