//! Tangential springs between steps, and the work of friction in a step.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::geometry::Vec3;
use crate::model::WallContact;

/// Tangential spring of one contact. It slides where its force would exceed Coulomb's limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TangentialSpring {
    /// The spring xi at the end of the last step, m: displacement of the surface of i (or of a particle on a wall) over the
    /// other's.
    pub stretch: Vec3,
    /// Whether it slid in the last step.
    pub slides: bool,
    /// Unit normal of the last evaluated state, from i to the other. Zero without contact.
    pub n: Vec3,
    /// Slip by the rotations of particles in the step to that state, m.
    pub shift: Vec3,
    /// Friction limit mu |F_r|, N, of the last evaluated state. Zero without contact.
    pub limit: f64,
    /// Distances, m, of the contact point from the centre of i (or of a particle on a wall), and of j. The point is
    /// halfway within the overlap: then friction conserves angular momentum.
    pub arms: [f64; 2],
}

impl TangentialSpring {
    /// Whether there is a normal force.
    pub(crate) fn is_loaded(&self) -> bool {
        self.limit > 0.0
    }

    /// The spring between steps, of one that becomes `stretch` (m): none without a normal force.
    pub(super) fn committed(&self, stretch: Vec3, slides: bool) -> Self {
        let spring = Self { stretch, slides, shift: Vec3::zeros(), ..*self };
        if self.is_loaded() { spring } else { Self::default() }
    }

    /// The same with its two surfaces exchanged.
    pub(crate) fn swapped(&self) -> Self {
        let [i, j] = self.arms;
        Self { stretch: -self.stretch, n: -self.n, shift: -self.shift, arms: [j, i], ..*self }
    }
}

/// Energies of friction in a step, J. Kinetic energy and that of the tangential springs change by `walls + held - lost -
/// damped`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrictionWork {
    /// Energy dissipated in sliding: forces times relative displacements of the surfaces.
    pub lost: f64,
    /// Energy dissipated by tangential dashpots.
    pub damped: f64,
    /// Work of moving walls.
    pub walls: f64,
    /// Work of held particles whose velocity enters friction.
    pub held: f64,
}

impl FrictionWork {
    /// All that is dissipated, J.
    pub fn dissipated(&self) -> f64 {
        self.lost + self.damped
    }
}

impl AddAssign for FrictionWork {
    fn add_assign(&mut self, other: Self) {
        self.lost += other.lost;
        self.damped += other.damped;
        self.walls += other.walls;
        self.held += other.held;
    }
}

/// Friction of a particle on a wall.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WallTangentialSpring {
    /// Index of the particle.
    pub particle: u32,
    /// Index of the collider.
    pub wall: u32,
    /// Unit normal to the wall at the start of the step. Zero for a contact that begins in it.
    pub n_0: Vec3,
    /// Tangential spring.
    pub tangential: TangentialSpring,
}

impl WallTangentialSpring {
    pub(super) fn key(&self) -> (u32, u32) {
        (self.particle, self.wall)
    }
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
