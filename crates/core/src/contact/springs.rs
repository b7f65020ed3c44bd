//! Tangential springs of all contacts between steps, and the work of friction in a step.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::geometry::Vec3;
use crate::model::{FrictionModel, Pair, WallContact, World, insert_at};
use crate::neighbours::ContactPair;
use crate::parallel::CHUNK;
use crate::simd::Row8;

/// Tangential spring of one contact at the end of a step. All are zero without a normal force.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TangentialSpring {
    /// The spring xi, m: displacement of the surface of i (or of a particle on a wall) over the other's.
    pub stretch: Vec3,
    /// Whether it slid in the step.
    pub slides: bool,
    /// Unit normal from i to the other.
    pub n: Vec3,
    /// Friction limit mu |F_r|, N.
    pub limit: f64,
    /// Radius of each particle less the distance of the contact point from its centre, m: half the overlap of two particles, or
    /// that with a wall.
    pub depth: f64,
}

impl TangentialSpring {
    /// The spring in the layout of kernels: stretch, depth, normal, and the limit, negative if it slid.
    pub(super) fn row(&self) -> Row8 {
        let (s, n) = (&self.stretch, &self.n);
        Row8([s.x, s.y, s.z, self.depth, n.x, n.y, n.z, if self.slides { -self.limit } else { self.limit }])
    }

    /// The spring of such a row.
    pub(super) fn from_row(&Row8([x, y, z, depth, a, b, c, limit]): &Row8) -> Self {
        let (stretch, n) = (Vec3::new(x, y, z), Vec3::new(a, b, c));
        Self { stretch, slides: limit < 0.0, n, limit: limit.abs(), depth }
    }

    /// Whether there is a normal force.
    pub(crate) fn is_loaded(&self) -> bool {
        self.limit > 0.0
    }

    /// The same with its two surfaces exchanged.
    pub(crate) fn swapped(&self) -> Self {
        Self { stretch: -self.stretch, n: -self.n, ..*self }
    }
}

/// Tangential spring of a particle on a wall.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WallTangentialSpring {
    /// Index of the particle.
    pub particle: u32,
    /// Index of the wall.
    pub wall: u32,
    /// Tangential spring.
    pub tangential: TangentialSpring,
}

impl WallTangentialSpring {
    pub(super) fn key(&self) -> (u32, u32) {
        (self.particle, self.wall)
    }
}

/// Tangential springs of all contacts.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct TangentialSprings {
    /// Rows of the near pairs, in their order; empty where pairs have no friction.
    pub(super) pairs: Vec<Row8>,
    /// Springs on walls, sorted, by chunks of 1024 particles.
    pub(super) walls: Vec<Vec<WallTangentialSpring>>,
}

impl TangentialSprings {
    /// Springs without displacement, of no pairs yet.
    pub(super) fn new(world: &World) -> Self {
        let has_walls = has_springs(world) && !world.walls.is_empty();
        let chunks = if has_walls { world.particles.len().div_ceil(CHUNK) } else { 0 };
        Self { walls: vec![Vec::new(); chunks], ..Self::default() }
    }

    /// Whether it fits this number of `pairs` in `world`.
    pub(super) fn is_sound(&self, world: &World, pairs: usize) -> bool {
        let wanted = if has_springs(world) && pairs_have_friction(world) { pairs } else { 0 };
        let belongs = |(chunk, on): (usize, &WallTangentialSpring)| {
            let (i, wall) = (on.particle as usize, on.wall as usize);
            i / CHUNK == chunk && i < world.particles.len() && wall < world.walls.len()
        };
        let chunks = self.walls.iter().enumerate();
        let mut on_walls = chunks.flat_map(|(chunk, springs)| springs.iter().map(move |on| (chunk, on)));
        self.pairs.len() == wanted && self.walls.len() == Self::new(world).walls.len() && on_walls.all(belongs)
    }

    /// Springs of the near pairs, in their order; none where pairs have no friction.
    pub fn pairs(&self) -> impl ExactSizeIterator<Item = TangentialSpring> {
        self.pairs.iter().map(TangentialSpring::from_row)
    }

    /// Springs on walls, sorted by particle.
    pub fn on_walls(&self) -> impl Iterator<Item = &WallTangentialSpring> {
        self.walls.iter().flatten()
    }

    /// Sets the springs on walls, sorted by particle and wall.
    pub(super) fn set_on_walls(&mut self, on_walls: impl Iterator<Item = WallTangentialSpring>) {
        self.walls.iter_mut().for_each(Vec::clear);
        on_walls.for_each(|on| self.walls[on.particle as usize / CHUNK].push(on));
    }

    /// Carries the springs of `old` pairs over to `new` ones, both sorted.
    pub(super) fn follow(&mut self, world: &World, old: &[ContactPair], new: &[ContactPair]) {
        if !has_springs(world) || !pairs_have_friction(world) {
            return;
        }
        let mut springs = vec![Row8::ZERO; new.len()];
        let mut places = new.iter().zip(&mut springs).peekable();
        for (pair, spring) in old.iter().zip(&self.pairs) {
            while places.next_if(|(place, _)| place.ends() < pair.ends()).is_some() {}
            if let Some((_, place)) = places.next_if(|(place, _)| place.ends() == pair.ends()) {
                *place = *spring;
            }
        }
        self.pairs = springs;
    }

    /// Inserts springs of new pairs at these `places` (ascending), without displacement.
    pub(super) fn insert(&mut self, world: &World, places: &[usize]) {
        if has_springs(world) && pairs_have_friction(world) {
            insert_at(&mut self.pairs, places, places.iter().map(|_| Row8::ZERO));
        }
    }
}

/// Whether friction is by tangential springs.
fn has_springs(world: &World) -> bool {
    world.friction_model == FrictionModel::TangentialSpring
        && (pairs_have_friction(world) || world.walls.iter().any(|c| c.friction.is_some_and(|mu| mu > 0.0)))
}

/// Whether particles have friction with each other.
fn pairs_have_friction(world: &World) -> bool {
    world.materials.iter().any(|m| m.static_friction > 0.0)
}

/// Normals of the contacts of a particle with one wall.
pub(super) type Normals = SmallVec<[Vec3; WallContact::MOST]>;

/// Index of the spring that contact `k` keeps: of `springs` and `contacts`, by their normals, the two are nearest to each other.
pub(super) fn spring_of(springs: &[Vec3], contacts: &[Vec3], k: usize) -> Option<usize> {
    /// Cosine of the angle (60 degrees) between the normals of different faces.
    const OTHER_FACE: f64 = 0.5;
    if springs.len() == 1 && contacts.len() == 1 {
        return Some(0);
    }
    let nearest = |n: &Vec3, of: &[Vec3]| (0..of.len()).max_by(|&a, &b| of[a].dot(n).total_cmp(&of[b].dot(n)));
    let spring = nearest(&contacts[k], springs)?;
    let is_kept = springs[spring].dot(&contacts[k]) > OTHER_FACE && nearest(&springs[spring], contacts) == Some(k);
    is_kept.then_some(spring)
}

/// Energies of friction in a step, J. Kinetic energy and that of the tangential springs change by `walls + held - by_sliding -
/// damped`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrictionWork {
    /// Energy dissipated in sliding: forces times relative displacements of the surfaces.
    pub by_sliding: f64,
    /// Energy dissipated by tangential dashpots.
    pub damped: f64,
    /// Work of moving walls.
    pub walls: f64,
    /// Work of held particles whose velocity enters friction.
    pub held: f64,
}

impl FrictionWork {
    /// All that is dissipated, J.
    pub(crate) fn dissipated(&self) -> f64 {
        self.by_sliding + self.damped
    }
}

impl AddAssign for FrictionWork {
    fn add_assign(&mut self, other: Self) {
        self.by_sliding += other.by_sliding;
        self.damped += other.damped;
        self.walls += other.walls;
        self.held += other.held;
    }
}
