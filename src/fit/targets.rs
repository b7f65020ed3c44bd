//! Targets of a fit, and residuals of runs to them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bdem_core::geometry::Vec3;
use bdem_core::model::{State, World};
use bdem_fit::run::Loss;
use bdem_fit::sweep::StateGradient;
use bdem_run::files;
use bdem_run::output::{Columns, FORCES, FrameFile, FrameRanges, OutputError, RESOLVED_SCENE, frames_of, ply};
use bdem_run::run::LoadCurve;
use bdem_run::scene::{Scene, SceneError, Specimen};
use sha2::{Digest, Sha256};
use toml::Spanned;

use super::file::{FitFile, Target};
use super::journal::Input;
use super::table::Table;
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
            let weight = target.weight();
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

    /// Number of residuals of a run.
    pub(super) fn residuals(&self) -> usize {
        let positions: usize = self.points.iter().flat_map(|target| target.frames.values()).map(Vec::len).sum();
        3 * positions + self.tables.iter().map(|table| table.values.len()).sum::<usize>()
    }

    /// Names of the targets, those of positions first, and digests of their values.
    pub(super) fn inputs(&self, file: &FitFile) -> Vec<Input> {
        let places = |is_table: bool| {
            let targets = file.tables.targets.iter();
            let of_kind = targets.filter(move |target| target.is_table() == is_table);
            of_kind.filter_map(Target::path).map(|path| file.beside(path.get_ref()).display().to_string())
        };
        let points = places(false).zip(&self.points).map(|(name, target)| Input::new(name, &target.digest()));
        let tables = places(true).zip(&self.tables).map(|(name, target)| Input::new(name, &target.digest()));
        points.chain(tables).collect()
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

impl PointTarget {
    fn digest(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        for (frame, points) in &self.frames {
            hash.update(frame.to_le_bytes());
            for (particle, position) in points {
                hash.update(particle.to_le_bytes());
                position.iter().for_each(|x| hash.update(x.to_le_bytes()));
            }
        }
        hash.finalize().into()
    }
}

impl TableTarget {
    fn digest(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        self.values.iter().for_each(|x| hash.update(x.to_le_bytes()));
        hash.finalize().into()
    }

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
    path: &Spanned<PathBuf>,
    scene: &Scene,
    state: &State,
    weight: f64,
) -> Result<PointTarget, CliError> {
    let mut frames = BTreeMap::new();
    for frame in frames_of(&file.beside(path.get_ref()), &FrameRanges::default())? {
        let number = frame.number;
        let wrong = |message: String, help: &str| CliError::from(file.error(path.span(), message, help));
        if number > scene.time.frames {
            let message = format!("the target has frame {number}, and the scene ends at {}", scene.time.frames);
            return Err(wrong(message, "raise time.frames of the scene, or take fewer frames"));
        }
        let positions = positions(&frame)?;
        if positions.len() != state.len() {
            let message = format!(
                "frame {number} of the target has {} particles, and the scene {}",
                positions.len(),
                state.len()
            );
            return Err(wrong(message, "take frames of the same particles; a track of a point needs no others"));
        }
        if let Some((i, p)) = positions.iter().find(|(_, p)| !p.iter().all(|x| x.is_finite())) {
            let message = format!("particle {i} in {} is at {:?} m", frame.path.display(), p.as_slice());
            return Err(wrong(message, "take frames whose positions are all finite"));
        }
        if frames.insert(number, positions).is_some() {
            let message = format!("the target has several frames {number}: one is {}", frame.path.display());
            return Err(wrong(message, "name a folder with the frames of one run"));
        }
    }
    // the start is the scene's own
    frames.remove(&0);
    let count: usize = frames.values().map(Vec::len).sum();
    if count == 0 {
        let message = "the target has no frame after the start".to_owned();
        return Err(file.error(path.span(), message, "name a run or a folder of PLY frames").into());
    }
    Ok(PointTarget { frames, weight: weight / count as f64 })
}

/// Particles and their positions in a frame.
fn positions(frame: &FrameFile) -> Result<Vec<(u32, Vec3)>, OutputError> {
    let vertices = ply::read_points(&frame.path)?.vertices;
    let position = |vertex: &ply::Vertex| Vec3::new(vertex.x.into(), vertex.y.into(), vertex.z.into());
    Ok((0..).zip(vertices.iter().map(position)).collect())
}

fn track(
    file: &FitFile,
    path: &Spanned<PathBuf>,
    target: &Target,
    scene: &Scene,
    state: &State,
) -> Result<PointTarget, CliError> {
    let track = Table::read(&file.beside(path.get_ref()))?;
    let Columns { names, rows } = &track.columns;
    if names != &["time", "x", "y", "z"] {
        let message = format!("the track has the columns {names:?}");
        return Err(file.error(path.span(), message, "give it the columns time,x,y,z, in s and m").into());
    }
    let point = Vec3::from(target.point.as_ref().map_or([0.0; 3], |point| *point.get_ref()));
    let distance = |i: &u32| (state.p[*i as usize] - point).norm();
    let particle =
        (0..state.len() as u32).min_by(|a, b| distance(a).total_cmp(&distance(b))).expect("a scene has particles");
    for name in names {
        track.check_finite(name, &track.columns.column(name).map_or_else(Vec::new, Iterator::collect))?;
    }
    let mut row_of = BTreeMap::new();
    for (row, numbers) in rows.iter().enumerate() {
        let frame = frame_of(&track, row, numbers[0], scene)?;
        if let Some(earlier) = row_of.insert(frame, row) {
            let message = format!("time is {} s as in line {}", numbers[0], track.line_of(earlier));
            return Err(track.error_in(row, "time", message, "give each frame one row").into());
        }
    }
    if row_of.keys().all(|frame| *frame == 0) {
        let message = "the track has no row after the start".to_owned();
        return Err(file.error(path.span(), message, "give it rows of time,x,y,z").into());
    }
    let count = row_of.len();
    let position = |row: usize| vec![(particle, Vec3::from_column_slice(&rows[row][1..]))];
    let frames = row_of.into_iter().map(|(frame, row)| (frame, position(row))).collect();
    Ok(PointTarget { frames, weight: target.weight() / count as f64 })
}

/// Frame of the scene at the time of a track's row.
fn frame_of(track: &Table, row: usize, time: f64, scene: &Scene) -> Result<u32, SceneError> {
    /// Distance of a row's time from a frame's, in frames.
    const OFF: f64 = 1e-3;
    let frame = time * scene.time.frame_rate;
    if (frame - frame.round()).abs() <= OFF && (0.0..=f64::from(scene.time.frames)).contains(&frame.round()) {
        return Ok(frame.round() as u32);
    }
    let (rate, frames) = (scene.time.frame_rate, scene.time.frames);
    let message =
        format!("time is {time} s, which is no frame of the scene: they are 1/{rate} s apart, up to {frames}");
    Err(track.error_in(row, "time", message, "resample the track at frames, or change time.frame_rate and time.frames"))
}

fn metrics(
    file: &FitFile,
    path: &Spanned<PathBuf>,
    column: &str,
    scene: &Scene,
    weight: f64,
) -> Result<TableTarget, CliError> {
    let table = Table::read(&file.beside(path.get_ref()))?;
    let Some(values) = table.columns.column(column).map(Iterator::collect::<Vec<f64>>) else {
        let message = format!("there is no column {column:?}");
        let help = format!("take one of {}", table.columns.names.join(", "));
        return Err(file.error(path.span(), message, &help).into());
    };
    table.check_times()?;
    table.check_finite(column, &values)?;
    if values.len() != scene.time.frames as usize + 1 {
        let message =
            format!("the column has {} rows, and the scene {} frames and the start", values.len(), scene.time.frames);
        return Err(file.error(path.span(), message, "give the scene as many time.frames").into());
    }
    table_target(file, path, Some(column.to_owned()), values, weight)
}

fn load_curve(file: &FitFile, path: &Spanned<PathBuf>, weight: f64) -> Result<TableTarget, CliError> {
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
    let loads = loads(curve);
    table.check_times()?;
    table.check_finite("the load", &loads)?;
    table_target(file, path, None, loads, weight)
}

fn table_target(
    file: &FitFile,
    path: &Spanned<PathBuf>,
    column: Option<String>,
    values: Vec<f64>,
    weight: f64,
) -> Result<TableTarget, CliError> {
    let squares: f64 = values.iter().map(|value| value * value).sum();
    let each = weight / squares;
    if !(squares.is_finite() && each.is_finite()) {
        let message = format!("the sum of the values' squares is {squares:e}, with a weight of {weight:e}");
        return Err(file.error(path.span(), message, "take a quantity that changes in the run").into());
    }
    Ok(TableTarget { column, values, weight: each })
}
