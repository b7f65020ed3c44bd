//! Number and directions of the spheres that can touch a sphere at once.

use crate::geometry::{Mat3, Vec3};
use crate::model::{State, World};

/// Full shell of spheres of one size that touch a sphere at once.
///
/// Two spheres of radius q r that touch a sphere of radius r subtend an angle of at least 2 alpha at its centre,
/// sin alpha = q/(1 + q). Each occupies a cap of half angle alpha:
///
/// ```text
/// number  N = 12 (1 - cos 30deg)/(1 - cos alpha)       twelve for equal spheres
/// axial   A = N/3 for q <= 1,  6 - 8 sin^2 alpha, at least 2, for q > 1
/// ```
///
/// A is the maximum sum of squared direction cosines along an axis. Many small spheres are even. Few large ones are three
/// around either end of the axis, or one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shell {
    pub number: f64,
    pub axial: f64,
}

impl Shell {
    /// Shell of spheres with `q` times the radius.
    pub(super) fn new(q: f64) -> Self {
        let sin2 = (q / (1.0 + q)).powi(2);
        let number = 12.0 * cap(0.25) / cap(sin2);
        let axial = if q <= 1.0 { number / 3.0 } else { (6.0 - 8.0 * sin2).max(2.0) };
        Self { number: number.max(axial), axial }
    }
}

/// 1 - cos from the square of the sine, without cancellation at small angles.
fn cap(sin2: f64) -> f64 {
    sin2 / (1.0 + (1.0 - sin2).sqrt())
}

/// Free part of a particle's shell beside its permanent neighbours: moments of the directions n of possible contacts, as shares
/// of a full shell.
#[derive(Clone, Copy, Debug)]
pub(super) struct FreeShell {
    /// One less 1/N of each neighbour.
    pub number: f64,
    /// Sum of n/N over the free part.
    pub mean: Vec3,
    /// One less n n^T/A of each neighbour.
    pub axial: Mat3,
    /// Number of permanent neighbours, which form no new contact.
    pub known: usize,
}

impl FreeShell {
    /// Full shell.
    pub(super) fn whole() -> Self {
        Self { number: 1.0, mean: Vec3::zeros(), axial: Mat3::identity(), known: 0 }
    }

    /// Free shells of all particles of `world`. Contacts are those bonded at `state`, and those in the same rigid body.
    pub(super) fn of_all(world: &World, state: &State) -> Vec<Self> {
        let mut free = vec![Self::whole(); state.len()];
        for bond in world.whole_bonds() {
            remove(&mut free, world, state, [bond.i, bond.j].map(|i| i as usize));
        }
        for body in world.free_rigid() {
            remove_within(&mut free[body.particles.clone()], world, state, body.particles.start);
        }
        free
    }

    /// Whether nothing of the shell is free, up to rounding.
    pub(super) fn is_empty(&self) -> bool {
        /// Moments at the level of rounding, as shares of a full shell.
        const ROUNDING: f64 = 1e-9;
        self.number.abs().max(self.mean.norm()).max(self.axial.norm()) <= ROUNDING
    }

    fn remove(&mut self, n: &Vec3, q: f64) {
        let shell = Shell::new(q);
        self.number -= 1.0 / shell.number;
        self.mean -= n / shell.number;
        self.axial -= n * n.transpose() / shell.axial;
    }
}

/// Limit on the relative gap of neighbours that leave no room for others between them.
const NEAR: f64 = 0.1;

/// Removes the particles of a pair from each other's free shell.
fn remove(free: &mut [FreeShell], world: &World, state: &State, [i, j]: [usize; 2]) {
    free[i].known += 1;
    free[j].known += 1;
    fill(free, world, state, [i, j], [i, j]);
}

/// The same for contacts within a rigid body, whose shells these are, from particle `first` on.
fn remove_within(free: &mut [FreeShell], world: &World, state: &State, first: usize) {
    let all = first..first + free.len();
    let radius = &world.particles.radius[all.clone()];
    let largest = radius.iter().copied().fold(0.0, f64::max);
    let reach = |i: usize, j: usize| (radius[i] + radius[j]) * (1.0 + NEAR);
    let pairs = crate::geometry::grid::pairs_within(&state.p[all], reach, 2.0 * largest * (1.0 + NEAR));
    for [i, j] in pairs.into_iter().map(|pair| pair.map(|i| i as usize)) {
        fill(free, world, state, [i, j], [first + i, first + j]);
    }
    let others = free.len() - 1;
    free.iter_mut().for_each(|free| free.known = others);
}

/// Removes the particles `i` and `j` from each other's free shell, at these `places`, if they are near.
fn fill(free: &mut [FreeShell], world: &World, state: &State, places: [usize; 2], [i, j]: [usize; 2]) {
    let [r_i, r_j] = [i, j].map(|i| world.particles.radius[i]);
    let apart = state.p[j] - state.p[i];
    let l = apart.norm();
    if l > 0.0 && l < (r_i + r_j) * (1.0 + NEAR) {
        let n = apart / l;
        free[places[0]].remove(&n, r_j / r_i);
        free[places[1]].remove(&-n, r_i / r_j);
    }
}
