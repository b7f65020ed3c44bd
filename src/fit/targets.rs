//! Targets of a fit, and residuals of runs to them.

use std::collections::BTreeMap;
use std::path::Path;

use bdem_core::geometry::Vec3;
use bdem_core::model::{State, World};
use bdem_fit::run::Loss;
use bdem_fit::sweep::StateGradient;
use bdem_run::output::{Columns, FrameRanges, OutputError, frames_of, ply};
use bdem_run::run::LoadCurve;
use bdem_run::scene::Scene;
use toml::Spanned;

use super::file::{FitFile, Target};
use crate::CliError;

/// Targets of a fit.
#[derive(Debug, Default)]
pub(super) struct Targets {
    /// Positions of particles.
    points: Vec<PointTarget>,
    /// Numbers of a run's tables.
    pub tables: Vec<TableTarget>,
}

/// Positions (m) of particles by frame.
#[derive(Debug)]
struct PointTarget {
    frames: BTreeMap<u32, Vec<(u32, Vec3)>>,
    /// Weight of each position: that of the target over the number of positions.
    weight: f64,
}

/// Values of a run's table.
#[derive(Debug)]
pub(super) struct TableTarget {
    /// Column of metrics.csv; none for the loads of the load curve.
    column: Option<String>,
    values: Vec<f64>,
    /// Weight of each value, over their mean square.
    weight: f64,
}

impl Targets {
    /// Targets of `file` for a `scene` that starts with `state`.
    pub(super) fn read(file: &FitFile, scene: &Scene, state: &State) -> Result<Self, CliError> {
        let mut targets = Self::default();
        for target in &file.tables.targets {
            let weight = target.weight;
            if let Some(path) = &target.frames {
                targets.points.push(frames(file, path, scene, state, weight)?);
            } else if let Some(path) = &target.track {
                targets.points.push(track(file, path, target, scene, state)?);
            } else if let (Some(path), Some(column)) = (&target.metrics, &target.column) {
                targets.tables.push(metrics(file, path, column, scene, weight)?);
            } else if let Some(path) = &target.load_curve {
                targets.tables.push(load_curve(file, path, weight)?);
            }
        }
        Ok(targets)
    }

    /// Last frame that positions need.
    pub(super) fn last_frame(&self) -> u32 {
        self.points.iter().filter_map(|target| target.frames.keys().next_back()).copied().max().unwrap_or(0)
    }

    /// Adds the residuals of positions at a frame.
    pub(super) fn add_residuals(&self, frame: u32, state: &State, to: &mut Vec<f64>) {
        for (i, position, weight) in self.at(frame) {
            to.extend(((state.p[i] - position) * weight.sqrt()).iter());
        }
    }

    fn at(&self, frame: u32) -> impl Iterator<Item = (usize, &Vec3, f64)> {
        let targets = self.points.iter();
        let of = targets.filter_map(move |target| target.frames.get(&frame).map(|points| (points, target.weight)));
        of.flat_map(|(points, weight)| points.iter().map(move |(i, position)| (*i as usize, position, weight)))
    }
}

impl Loss for Targets {
    fn at(&self, frame: u32, _: &World, state: &State, mut by: Option<&mut StateGradient>) -> f64 {
        let mut sum = 0.0;
        for (i, position, weight) in Self::at(self, frame) {
            let off = state.p[i] - position;
            sum += weight * off.norm_squared();
            if let Some(by) = &mut by {
                by.p[i] += off * (2.0 * weight);
            }
        }
        sum
    }
}

impl TableTarget {
    /// Residuals of a run in the folder `run`.
    pub(super) fn residuals(&self, run: &Path) -> Result<Vec<f64>, OutputError> {
        let values = match &self.column {
            Some(column) => {
                let columns = Columns::read(&run.join(bdem_run::output::METRICS))?;
                columns.column(column).map_or_else(Vec::new, Iterator::collect)
            }
            None => LoadCurve::read(run)?.map_or_else(Vec::new, loads),
        };
        // a run that ends sooner lacks the rest
        let at = |k: usize| values.get(k).copied().unwrap_or(0.0);
        Ok(self.values.iter().enumerate().map(|(k, value)| (at(k) - value) * self.weight.sqrt()).collect())
    }
}

fn loads(curve: LoadCurve) -> Vec<f64> {
    curve.points.iter().map(|(_, load)| *load).collect()
}

fn frames(
    file: &FitFile,
    path: &Spanned<std::path::PathBuf>,
    scene: &Scene,
    state: &State,
    weight: f64,
) -> Result<PointTarget, CliError> {
    let mut frames = BTreeMap::new();
    for frame in frames_of(&file.beside(path.get_ref()), &FrameRanges::default())? {
        if frame.number > scene.time.frames {
            let message = format!("the target has frame {}, and the scene ends at {}", frame.number, scene.time.frames);
            return Err(file
                .error(path.span(), message, "raise time.frames of the scene, or take fewer frames")
                .into());
        }
        let points = ply::read_points(&frame.path)?.vertices;
        if points.len() != state.len() {
            let message = format!(
                "frame {} of the target has {} particles, and the scene {}",
                frame.number,
                points.len(),
                state.len()
            );
            return Err(file
                .error(path.span(), message, "take frames of the same particles; a track of a point needs no others")
                .into());
        }
        let position =
            |(i, vertex): (u32, &ply::Vertex)| (i, Vec3::new(vertex.x.into(), vertex.y.into(), vertex.z.into()));
        frames.insert(frame.number, (0..).zip(&points).map(position).collect::<Vec<_>>());
    }
    // the start is the scene's own
    frames.remove(&0);
    let count: usize = frames.values().map(Vec::len).sum();
    if count == 0 {
        return Err(file
            .error(
                path.span(),
                "the target has no frame after the start".to_owned(),
                "name a run or a folder of PLY frames",
            )
            .into());
    }
    Ok(PointTarget { frames, weight: weight / count as f64 })
}

fn track(
    file: &FitFile,
    path: &Spanned<std::path::PathBuf>,
    target: &Target,
    scene: &Scene,
    state: &State,
) -> Result<PointTarget, CliError> {
    /// Distance of a row's time from a frame's, in frames.
    const OFF: f64 = 1e-3;
    let at = file.beside(path.get_ref());
    let source = bdem_run::files::open(&at).map_err(OutputError::file("read", &at))?;
    let columns = Columns::read_from(source).map_err(OutputError::file("read", &at))?;
    let names: Vec<&str> = columns.names.iter().map(String::as_str).collect();
    if names != ["time", "x", "y", "z"] {
        let message = format!("the track has the columns {names:?}");
        return Err(file.error(path.span(), message, "give it the columns time,x,y,z, in s and m").into());
    }
    let point = Vec3::from(target.point.unwrap_or_default());
    let distance = |i: &u32| (state.p[*i as usize] - point).norm();
    let particle =
        (0..state.len() as u32).min_by(|a, b| distance(a).total_cmp(&distance(b))).expect("a scene has particles");
    let mut frames = BTreeMap::new();
    for (k, row) in columns.rows.iter().enumerate() {
        let frame = row[0] * scene.time.frame_rate;
        if (frame - frame.round()).abs() > OFF || !(0.0..=f64::from(scene.time.frames)).contains(&frame.round()) {
            let message = format!(
                "row {} of the track is at {} s, which is no frame of the scene: they are 1/{} s apart, up to {}",
                k + 2,
                row[0],
                scene.time.frame_rate,
                scene.time.frames
            );
            return Err(file
                .error(path.span(), message, "resample the track at frames, or change time.frame_rate and time.frames")
                .into());
        }
        frames.insert(frame.round() as u32, vec![(particle, Vec3::new(row[1], row[2], row[3]))]);
    }
    if frames.is_empty() {
        return Err(file.error(path.span(), "the track has no rows".to_owned(), "give it rows of time,x,y,z").into());
    }
    let count = frames.len();
    Ok(PointTarget { frames, weight: target.weight / count as f64 })
}

fn metrics(
    file: &FitFile,
    path: &Spanned<std::path::PathBuf>,
    column: &str,
    scene: &Scene,
    weight: f64,
) -> Result<TableTarget, CliError> {
    let columns = Columns::read(&file.beside(path.get_ref()))?;
    let Some(values) = columns.column(column).map(Iterator::collect::<Vec<f64>>) else {
        let message = format!("there is no column {column:?}");
        return Err(file.error(path.span(), message, &format!("take one of {}", columns.names.join(", "))).into());
    };
    if values.len() != scene.time.frames as usize + 1 {
        let message =
            format!("the column has {} rows, and the scene {} frames and the start", values.len(), scene.time.frames);
        return Err(file.error(path.span(), message, "give the scene as many time.frames").into());
    }
    table(file, path, Some(column.to_owned()), values, weight)
}

fn load_curve(file: &FitFile, path: &Spanned<std::path::PathBuf>, weight: f64) -> Result<TableTarget, CliError> {
    let Some(curve) = LoadCurve::read(&file.beside(path.get_ref()))? else {
        let message = "the run has no load curve".to_owned();
        return Err(file.error(path.span(), message, "take a run whose scene has a [specimen]").into());
    };
    table(file, path, None, loads(curve), weight)
}

fn table(
    file: &FitFile,
    path: &Spanned<std::path::PathBuf>,
    column: Option<String>,
    values: Vec<f64>,
    weight: f64,
) -> Result<TableTarget, CliError> {
    let squares: f64 = values.iter().map(|value| value * value).sum();
    if squares == 0.0 || !squares.is_finite() {
        let message = "the target's values are all zero, or not finite".to_owned();
        return Err(file.error(path.span(), message, "take a quantity that changes in the run").into());
    }
    Ok(TableTarget { column, values, weight: weight / squares })
}
