//! How many spheres touch one at once, and from where.

use crate::geometry::{Mat3, Vec3};
use crate::model::{State, World};

/// Spheres of one size, as many as touch a sphere at once, all around it.
///
/// Two that touch a sphere of radius r, and are q r themselves, are seen from its centre under an angle of at least
/// 2 alpha, sin alpha = q/(1 + q). A cap of the half angle alpha is each one's own:
///
/// ```text
/// number  N = 12 (1 - cos 30deg)/(1 - cos alpha)       twelve where all are alike
/// axial   A = N/3 for q <= 1,  6 - 8 sin^2 alpha, at least 2, for q > 1
/// ```
///
/// A is the greatest sum of squares that their directions have along an axis: even, where they are many and small;
/// that of three about either end of the axis, or one, where they are few and large.
#[derive(Clone, Copy, Debug)]
pub struct Shell {
    pub number: f64,
    pub axial: f64,
}

impl Shell {
    /// Of spheres that are `q` times as large.
    pub fn new(q: f64) -> Self {
        let sin2 = (q / (1.0 + q)).powi(2);
        let number = 12.0 * cap(0.25) / cap(sin2);
        let axial = if q <= 1.0 { number / 3.0 } else { (6.0 - 8.0 * sin2).max(2.0) };
        Self { number: number.max(axial), axial }
    }
}

/// 1 - cos, by the square of the sine; without loss for small angles.
fn cap(sin2: f64) -> f64 {
    sin2 / (1.0 + (1.0 - sin2).sqrt())
}

/// What the neighbours that a particle will always have leave of its shell: moments of the directions n from which
/// others may come to touch it, as shares of a whole shell.
#[derive(Clone, Copy, Debug)]
pub struct FreeShell {
    /// 1 less each neighbour's 1/N.
    pub number: f64,
    /// Sum of n/N: what neighbours on one side lack on the other.
    pub mean: Vec3,
    /// 1 less each neighbour's n n^T/A.
    pub axial: Mat3,
    /// Particles that can never come to touch it anew.
    pub known: usize,
}

impl FreeShell {
    /// All around.
    pub fn whole() -> Self {
        Self { number: 1.0, mean: Vec3::zeros(), axial: Mat3::identity(), known: 0 }
    }

    /// Of each particle of `world` beside those that it is bonded to at `state`, and those of its rigid body.
    pub fn of_all(world: &World, state: &State) -> Vec<Self> {
        let mut free = vec![Self::whole(); state.len()];
        for bond in world.whole_bonds() {
            remove(&mut free, world, state, [bond.i, bond.j].map(|i| i as usize));
        }
        for body in world.free_rigid() {
            remove_within(&mut free[body.particles.clone()], world, state, body.particles.start);
        }
        free
    }

    fn remove(&mut self, n: &Vec3, q: f64) {
        let shell = Shell::new(q);
        self.number -= 1.0 / shell.number;
        self.mean -= n / shell.number;
        self.axial -= n * n.transpose() / shell.axial;
    }
}

/// Neighbours further apart than they touch by this share leave room for others between.
const NEAR: f64 = 0.1;

/// Takes the two of a pair out of each other's room.
fn remove(free: &mut [FreeShell], world: &World, state: &State, [i, j]: [usize; 2]) {
    free[i].known += 1;
    free[j].known += 1;
    fill(free, world, state, [i, j], [i, j]);
}

/// The same for what touches in a rigid body, whose rooms these are, from particle `first` on.
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

/// What the particles `i` and `j`, whose rooms are at these `places`, take of them if they are near.
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
