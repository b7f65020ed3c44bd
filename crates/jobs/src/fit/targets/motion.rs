use std::collections::BTreeMap;
use std::path::PathBuf;

use bdem_core::geometry::Vec3;
use bdem_core::model::{State, World};
use bdem_run::output::{FrameFile, FrameRanges, OutputError, frames_of, ply};
use bdem_run::scene::{Scene, SceneError};
use sha2::{Digest, Sha256};
use toml::Spanned;

use super::point_of_body::PointOfBody;
use crate::error::JobError;
use crate::fit::file::{FitFile, Target};
use crate::fit::table::Table;

/// Displacements (m) of points of bodies from the start, by frame.
#[derive(Debug)]
pub(super) struct MotionTarget {
    points: Vec<PointOfBody>,
    /// Displacement of each point.
    frames: BTreeMap<u32, Vec<Vec3>>,
    /// Loss where nothing moves.
    pub weight: f64,
    /// Sum of the displacements' squares, m2.
    squares: f64,
}

impl MotionTarget {
    pub(super) fn read(
        file: &FitFile,
        target: &Target,
        scene: &Scene,
        (world, start): &(World, State),
    ) -> Result<Self, JobError> {
        let (path, points, mut positions) = match (&target.frames, &target.track) {
            (Some(path), _) => {
                let points = (0..start.len() as u32).map(PointOfBody::particle).collect();
                (path, points, frames(file, path, scene, start.len())?)
            }
            (None, Some(path)) => (path, vec![point(file, target, world, start)?], track(file, path, scene)?),
            (None, None) => unreachable!("a motion has frames or a track"),
        };
        let wrong = |message: &str, help: &str| JobError::from(file.error(path.span(), message.to_owned(), help));
        let Some(first) = positions.remove(&0) else {
            let help = "add it: displacements count from there";
            return Err(wrong("the target has no frame 0, or row at time 0", help));
        };
        if positions.is_empty() {
            return Err(wrong("the target has no row or frame after the start", "give it some of the motion"));
        }
        let displacements = |at: Vec<Vec3>| at.iter().zip(&first).map(|(to, from)| to - from).collect::<Vec<_>>();
        let frames: BTreeMap<_, _> = positions.into_iter().map(|(frame, at)| (frame, displacements(at))).collect();
        let squares = frames.values().flatten().map(Vec3::norm_squared).sum();
        if !(squares > 0.0 && f64::is_finite(target.weight() / squares)) {
            return Err(wrong("the target does not move", "take one that does"));
        }
        Ok(Self { points, frames, weight: target.weight(), squares })
    }

    pub(super) fn residuals(&self) -> usize {
        3 * self.points.len() * self.frames.len()
    }

    pub(super) fn last_frame(&self) -> u32 {
        self.frames.keys().next_back().copied().unwrap_or(0)
    }

    /// Factor on displacements (m) that makes residuals of them.
    pub(super) fn scale(&self) -> f64 {
        (self.weight / self.squares).sqrt()
    }

    /// Calls `use_misfit` with each point and the difference of its displacement to the target's, if there is one at `frame`.
    pub(super) fn misfits(
        &self,
        frame: u32,
        start: &[Vec3],
        p: &[Vec3],
        mut use_misfit: impl FnMut(&PointOfBody, Vec3),
    ) {
        let seen = self.frames.get(&frame).into_iter().flatten();
        self.points.iter().zip(seen).for_each(|(point, seen)| use_misfit(point, point.displacement(start, p) - seen));
    }

    pub(super) fn digest(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        for (frame, displacements) in &self.frames {
            hash.update(frame.to_le_bytes());
            displacements.iter().flat_map(Vec3::iter).for_each(|x| hash.update(x.to_le_bytes()));
        }
        hash.finalize().into()
    }
}

/// Point of a track.
fn point(file: &FitFile, target: &Target, world: &World, start: &State) -> Result<PointOfBody, JobError> {
    let point = target.point.as_ref().expect("a track has a point");
    let [x, y, z] = *point.get_ref();
    PointOfBody::new(Vec3::new(x, y, z), world, &start.p).map_err(|distance| {
        let message = format!("the point [{x}, {y}, {z}] is of no body: the nearest particle is {distance:.4} m away");
        file.error(point.span(), message, "name a point of a body at the start, m").into()
    })
}

/// Positions of all particles by frame.
fn frames(
    file: &FitFile,
    path: &Spanned<PathBuf>,
    scene: &Scene,
    particles: usize,
) -> Result<BTreeMap<u32, Vec<Vec3>>, JobError> {
    let mut frames = BTreeMap::new();
    for frame in frames_of(&file.beside(path.get_ref()), &FrameRanges::default())? {
        let number = frame.number;
        let wrong = |message: String, help: &str| JobError::from(file.error(path.span(), message, help));
        if number > scene.time.frames {
            let message = format!("the target has frame {number}, and the scene ends at {}", scene.time.frames);
            return Err(wrong(message, "raise time.frames of the scene, or take fewer frames"));
        }
        let positions = positions(&frame)?;
        if positions.len() != particles {
            let message =
                format!("frame {number} of the target has {} particles, and the scene {particles}", positions.len());
            return Err(wrong(message, "take frames of the same particles; a track of a point needs no others"));
        }
        if let Some(i) = positions.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
            let message = format!("particle {i} in {} is at {:?} m", frame.path.display(), positions[i].as_slice());
            return Err(wrong(message, "take frames whose positions are all finite"));
        }
        if frames.insert(number, positions).is_some() {
            let message = format!("the target has several frames {number}: one is {}", frame.path.display());
            return Err(wrong(message, "name a folder with the frames of one run"));
        }
    }
    Ok(frames)
}

fn positions(frame: &FrameFile) -> Result<Vec<Vec3>, OutputError> {
    let vertices = ply::read_points(&frame.path)?.vertices;
    Ok(vertices.iter().map(|vertex| Vec3::new(vertex.x.into(), vertex.y.into(), vertex.z.into())).collect())
}

/// Positions of a point by frame.
fn track(file: &FitFile, path: &Spanned<PathBuf>, scene: &Scene) -> Result<BTreeMap<u32, Vec<Vec3>>, JobError> {
    let track = Table::read(&file.beside(path.get_ref()))?;
    let names = &track.columns.names;
    if names != &["time", "x", "y", "z"] {
        let message = format!("the track has the columns {names:?}");
        return Err(file.error(path.span(), message, "give it the columns time,x,y,z, in s and m").into());
    }
    for name in names {
        track.check_finite(name, &track.columns.column(name).map_or_else(Vec::new, Iterator::collect))?;
    }
    let mut row_of = BTreeMap::new();
    for (row, numbers) in track.columns.rows.iter().enumerate() {
        let frame = frame_of(&track, row, numbers[0], scene)?;
        if let Some(earlier) = row_of.insert(frame, row) {
            let message = format!("time is {} s as in line {}", numbers[0], track.line_of(earlier));
            return Err(track.error_in(row, "time", message, "give each frame one row").into());
        }
    }
    let position = |row: usize| vec![Vec3::from_column_slice(&track.columns.rows[row][1..])];
    Ok(row_of.into_iter().map(|(frame, row)| (frame, position(row))).collect())
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
