//! Moving pieces of a run, for files of other programs: meshes once, a rigid motion a frame.
//!
//! ```text
//! curves       ropes and yarns
//! fractures    broken bonds
//! timing       times of frames in the other program
//! ```

mod curves;
mod fractures;
mod timing;

use std::collections::{BTreeMap, HashSet};

use bdem_core::geometry::{Pose, Quat, Vec3};
use bdem_run::output::ply::Vertex;
use bdem_run::scene::{Look, SceneCamera};

pub use curves::yarns;
pub use fractures::Fracture;
pub use timing::Timing;

use crate::pieces::{BentShape, ColliderMesh, Motion, Piece, PieceMotion, Skin, bends};

/// Moving pieces of a run.
pub struct Clip<'a> {
    /// Name of the run.
    pub name: String,
    /// Remarks on its origin, such as the scene's digest.
    pub comments: Vec<String>,
    /// Pieces, and what their motion is computed from.
    pub motion: Motion<'a>,
    /// Radii of all particles, m.
    pub radius: &'a [f64],
    /// Name of each body.
    pub bodies: Vec<String>,
    /// Look of each body.
    pub looks: Vec<Look>,
    /// Name of the material of each body, by which those of its faces are called.
    pub materials: Vec<String>,
    /// Times of its frames in the other program.
    pub timing: Timing,
    /// Colliders that are shown.
    pub colliders: Vec<ColliderMesh>,
    /// Camera of the scene.
    pub camera: Option<SceneCamera>,
    /// Whether y is the vertical axis; else it is z.
    pub y_up: bool,
    /// Asset that the pieces replace, in USD.
    pub over: Option<Over>,
    /// Particles of ropes and yarns, each list a curve.
    yarns: Vec<Vec<u32>>,
    /// Particles that are points: those of no piece and no yarn.
    points: Vec<u32>,
    fractures: Vec<Fracture>,
    samples: Vec<ClipSample>,
    /// Pieces that bend.
    skins: Vec<Skin>,
    /// Rigid pieces in another form than at rest, by their indices: with their cracks open.
    opened: BTreeMap<usize, Piece>,
}

/// Unbroken object in a layer of another program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Over {
    /// Path of the layer from the file that is written.
    pub layer: String,
    /// Path of the object's prim there.
    pub prim: String,
}

/// Frame of a clip.
#[derive(Clone, Debug)]
pub struct ClipSample {
    /// Number of the frame.
    pub frame: u32,
    /// Time, s.
    pub time: f64,
    /// Motion of each piece. Rotations are continuous in sign.
    pub motions: Vec<PieceMotion>,
    /// Positions (m) of the particles without a piece or yarn.
    pub loose: Vec<[f32; 3]>,
    /// Points (m) of all yarns, one after the other.
    pub yarns: Vec<[f32; 3]>,
    /// Forms of the pieces that bend, about their centroids, in the order of their skins.
    pub bent: Vec<BentShape>,
}

impl<'a> Clip<'a> {
    /// Clip without frames.
    pub fn new(name: &str, motion: Motion<'a>, radius: &'a [f64], timing: Timing) -> Self {
        let looks = vec![Look::default(); motion.pieces.bodies.len()];
        let bodies = motion.pieces.bodies.iter();
        let bodies: Vec<String> =
            bodies.map(|body| body.as_ref().map_or("body", |body| &body.name).to_owned()).collect();
        Self {
            name: name.to_owned(),
            comments: Vec::new(),
            radius,
            materials: bodies.clone(),
            bodies,
            looks,
            timing,
            colliders: Vec::new(),
            camera: None,
            y_up: false,
            over: None,
            yarns: Vec::new(),
            points: motion.pieces.loose.clone(),
            motion,
            fractures: Vec::new(),
            samples: Vec::new(),
            skins: Vec::new(),
            opened: BTreeMap::new(),
        }
    }

    /// Sets the particles of ropes and yarns, each list a curve, before any frame.
    pub fn set_yarns(&mut self, mut yarns: Vec<Vec<u32>>) {
        yarns.retain(|yarn| !yarn.is_empty());
        yarns.sort_by_key(|yarn| self.motion.body[yarn[0] as usize]);
        let in_yarns: HashSet<u32> = yarns.iter().flatten().copied().collect();
        self.points.retain(|i| !in_yarns.contains(i));
        self.yarns = yarns;
    }

    /// Particles of each yarn.
    pub(crate) fn yarns(&self) -> &[Vec<u32>] {
        &self.yarns
    }

    /// Particles that are points.
    pub(crate) fn points(&self) -> &[u32] {
        &self.points
    }

    /// Broken bonds.
    pub(crate) fn fractures(&self) -> &[Fracture] {
        &self.fractures
    }

    /// Adds a frame, with all particles of the run.
    pub fn add(&mut self, frame: u32, time: f64, particles: &[Vertex]) {
        let mut motions = self.motion.at(particles, time);
        if let Some(before) = self.samples.last() {
            for (motion, before) in motions.iter_mut().zip(&before.motions) {
                motion.pose.turn = nearer(motion.pose.turn, &before.pose.turn);
            }
        }
        let place = |&i: &u32| [particles[i as usize].x, particles[i as usize].y, particles[i as usize].z];
        let loose = self.points.iter().map(place).collect();
        let yarn = |yarn: &Vec<u32>| {
            let places: Vec<Vec3> = yarn.iter().map(|i| Vec3::from(place(i).map(f64::from))).collect();
            curves::points(&places)
        };
        let yarns = self.yarns.iter().flat_map(yarn).collect();
        self.samples.push(ClipSample { frame, time, motions, loose, yarns, bent: Vec::new() });
    }

    /// Indices of the pieces that bend in some frame. Those that are one with such a piece then bend too, so that the sides of
    /// unbroken cracks stay together.
    pub fn bent(&self) -> Vec<usize> {
        let mut all = vec![false; self.motion.pieces.pieces.len()];
        for sample in &self.samples {
            all.iter_mut().zip(bends(&sample.motions)).for_each(|(bent, bends)| *bent |= bends);
        }
        (0..all.len()).filter(|&k| all[k]).collect()
    }

    /// Sets the pieces that bend.
    pub fn set_skins(&mut self, skins: Vec<Skin>) {
        self.skins = skins;
    }

    /// Bends pieces in the frame at index `index`, with the particles of that frame. Those that are rigid there have their form at rest.
    pub fn bend(&mut self, index: usize, particles: &[Vertex]) {
        let sample = &self.samples[index];
        let bends = bends(&sample.motions);
        let pose = |skin: &Skin| match bends[skin.index()] {
            true => skin.posed(&self.motion, &sample.motions[skin.index()], particles, sample.time),
            false => skin.at_rest(),
        };
        self.samples[index].bent = self.skins.iter().map(pose).collect();
    }

    /// Skin of the piece at index `k`, and its form in each frame. None if it is rigid.
    pub(crate) fn bent_piece(&self, k: usize) -> Option<(&Skin, Vec<&BentShape>)> {
        let at = self.skins.iter().position(|skin| skin.index() == k)?;
        let shapes = self.samples.iter().map(|sample| sample.bent.get(at));
        Some((&self.skins[at], shapes.collect::<Option<_>>()?))
    }

    /// Piece at index `k` as it is if it is rigid.
    pub(crate) fn piece(&self, k: usize) -> &Piece {
        self.opened.get(&k).unwrap_or(&self.motion.pieces.pieces[k])
    }

    /// Rigid pieces with open cracks, and the index of the frame in which each has its cracks widest.
    pub fn widest(&self) -> Vec<(usize, usize)> {
        let opening = |k: usize, at: usize| self.samples[at].motions[k].opening;
        let widest = |k: usize| {
            let frames = (0..self.samples.len()).filter(|&at| opening(k, at) > 0.0);
            frames.max_by(|&a, &b| opening(k, a).total_cmp(&opening(k, b))).map(|at| (k, at))
        };
        (0..self.motion.pieces.pieces.len()).filter_map(widest).collect()
    }

    /// Gives the rigid piece at index `k` the form that it has in the frame at index `index`, with the particles of that frame.
    pub fn open(&mut self, k: usize, index: usize, particles: &[Vertex]) {
        let sample = &self.samples[index];
        for skin in Skin::of(&self.motion, &[k], f64::INFINITY) {
            let shape = skin.posed(&self.motion, &sample.motions[k], particles, sample.time);
            self.opened.insert(k, skin.opened(&shape));
        }
    }

    /// Whether the piece at index `k` is shown in each frame.
    pub(crate) fn shown(&self, k: usize) -> Vec<bool> {
        self.samples.iter().map(|sample| sample.motions[k].is_shown).collect()
    }

    /// Frames.
    pub fn samples(&self) -> &[ClipSample] {
        &self.samples
    }

    /// Time code of a frame.
    pub fn code(&self, sample: &ClipSample) -> f64 {
        let first = self.samples.first().map_or(0.0, |first| first.time);
        self.timing.code(sample.time - first)
    }

    /// Checks that the times of the frames are distinct where they are written: in single precision, with a millionth of a frame.
    ///
    /// # Errors
    /// The first two frames that are at one time, and the remedy.
    pub fn check_times(&self) -> Result<(), String> {
        let seconds = |sample: &ClipSample| ((self.code(sample) - self.timing.start) / self.timing.fps) as f32;
        let is_one = |pair: &&[ClipSample]| seconds(&pair[1]) <= seconds(&pair[0]);
        let Some([one, next]) = self.samples.windows(2).find(is_one) else { return Ok(()) };
        let frames = (next.time - one.time) / self.timing.speed * self.timing.fps;
        Err(format!(
            "frames {} and {} would be at one time: they are {:e} s apart in the run and {frames:e} frames of playback at a speed of {}; choose a smaller --speed, or fewer --frames",
            one.frame,
            next.frame,
            next.time - one.time,
            self.timing.speed
        ))
    }

    /// Unique name of a piece: its body's and its number.
    pub fn piece_name(&self, piece: &Piece) -> String {
        piece.name(&self.bodies[usize::from(piece.body)])
    }

    /// Mass of a piece's particles, kg.
    pub fn mass(&self, piece: &Piece) -> f64 {
        piece.particles.iter().map(|&i| self.motion.mass[i as usize]).sum()
    }

    /// First frame in which the piece at index `k` is no part of a larger one; none if there is none.
    pub fn freed(&self, k: usize) -> Option<u32> {
        let is_alone = |sample: &&ClipSample| {
            let own = sample.motions[k].number;
            let is_part = |(motion, piece): &(&PieceMotion, &Piece)| motion.number == own && !piece.is_whole();
            sample.motions.iter().zip(&self.motion.pieces.pieces).filter(is_part).count() < 2
        };
        self.samples.iter().find(is_alone).map(|sample| sample.frame)
    }

    /// Largest misfit of a piece's particles from its rigid motion, in radii, over all frames.
    pub fn misfit(&self, k: usize) -> f64 {
        self.samples.iter().map(|sample| sample.motions[k].misfit).fold(0.0, f64::max)
    }

    /// Whether a piece is elsewhere in a frame than at rest.
    pub(crate) fn has_moved(&self, sample: &ClipSample) -> bool {
        let is_off = |(k, motion): (usize, &PieceMotion)| motion.pose != self.motion.body_of(k).pose;
        sample.motions.iter().enumerate().any(is_off)
    }

    /// Pose of the piece at index `k` about its centroid in a frame.
    pub(crate) fn pose(&self, sample: &ClipSample, k: usize) -> Pose {
        let pose = sample.motions[k].pose;
        Pose { turn: pose.turn, shift: pose.apply(&self.motion.pieces.pieces[k].centre) }
    }

    /// Name of each collider: that in the scene, or its number.
    pub(crate) fn collider_names(&self) -> Vec<String> {
        let colliders = self.colliders.iter().enumerate();
        colliders.map(|(k, wall)| wall.name.clone().unwrap_or_else(|| format!("collider_{k:03}"))).collect()
    }

    /// Pose of a collider in each frame. Rotations are continuous in sign.
    pub(crate) fn collider_poses(&self, wall: &ColliderMesh) -> Vec<Pose> {
        let mut poses: Vec<Pose> = self.samples.iter().map(|sample| wall.pose(sample.time)).collect();
        for k in 1..poses.len() {
            poses[k].turn = nearer(poses[k].turn, &poses[k - 1].turn);
        }
        poses
    }
}

/// The quaternion of the same rotation that is nearer to another.
fn nearer(q: Quat, to: &Quat) -> Quat {
    if q.coords.dot(&to.coords) < 0.0 { -q } else { q }
}

/// Extent of points: low and high corner.
pub(crate) fn extent<'a>(points: impl Iterator<Item = &'a Vec3>) -> [Vec3; 2] {
    let empty = [Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY)];
    points.fold(empty, |[low, high], p| [low.inf(p), high.sup(p)])
}
