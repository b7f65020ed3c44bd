//! Which pieces may sleep, and what wakes them.
//!
//! A piece sleeps where its bonds bear, besides what they bear already, less than a share of their spare strength:
//!
//! ```text
//! waves      |v_i - v_rigid| + r |w_i - w_rigid|  <=  sigma/sqrt(E rho)     of every particle
//! contacts   |F_i|  <=  sigma pi r0^2                                       on every particle
//! bending    sum |F_i|  <=  sigma 9 b c^2/(8 a)                             of a free beam a > b > c of its moments of inertia
//! rotation   sum m |r| w^2/2  <=  sigma b c                                 on its middle section
//! ```
//!
//! with a > c the greatest and least edge of the box with its moments of inertia, A the area of the bonds through a section, and
//! the sum over the particles on its far side, at x from the centre; a beam of a free end bends most at a third of its length, by
//! M = 4/27 F a. sigma is the spare stress, or what strains the bond by [`VISIBLE_STRAIN`] if that is less. F_i is the contact force on a
//! particle; forces that hold the piece in balance as it falls asleep load its bonds already, and only their change counts. So it is
//! with a rotation that the bonds carry already: only what w^2 grows by counts.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::energy::bond;
use crate::fracture::BondLoad;
use crate::geometry::{Mat3, Vec3};
use crate::model::{Bond, Pair, Particles, State, World, Wrench};

use super::body::Body;

/// Strain that can be seen in a picture: stronger bonds count as if they broke there.
const VISIBLE_STRAIN: f64 = 3e-3;

/// Sum of the contact forces and the weight over the sum of their sizes, below which contacts hold a piece in balance. A blow
/// pushes one way, and is near 1.
const BALANCE: f64 = 0.2;

/// A piece that is asleep.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sleeper {
    /// Its particles, ascending.
    pub members: Arc<[u32]>,
    /// Distance of its farthest particle from its centre, m.
    pub reach: f64,
    /// Sum of contact forces that bends it to its spare stress, N.
    pub bending: f64,
    /// Angular velocity that strains its middle section to its spare stress, rad/s.
    pub spin: f64,
    /// Blocks that it has slept for.
    pub slept: u32,
}

/// What the bonds of a particle bear besides what they do: the weakest of them.
#[derive(Clone, Copy, Debug)]
struct Spare {
    /// N, Pa, and the speed (m/s) of a wave that brings that stress.
    force: f64,
    stress: f64,
    speed: f64,
}

/// A piece that may sleep.
#[derive(Debug)]
pub struct Calm {
    pub sleeper: Sleeper,
    /// Spare force of each member, N, and the contact force on it that its bonds balance, N.
    pub limits: Vec<f64>,
    pub balanced: Vec<Vec3>,
    /// Slopes of each member's energy by its bonds, N and N m.
    pub by_bonds: Vec<Wrench>,
}

/// Whether no wave in a piece of these `members` is strong enough to keep it awake, however strong its bonds are: a quick look.
pub fn moves_as_one(world: &World, state: &State, members: &[u32], share: f64) -> bool {
    if members.len() == 1 {
        return true;
    }
    let body = Body::of(members, &world.particles, state);
    members.iter().all(|&i| {
        let i = i as usize;
        off(&body, &world.particles, state, i) <= share * VISIBLE_STRAIN * sound(world, i)
    })
}

/// How fast particle `i` moves off its body, m/s.
fn off(body: &Body, particles: &Particles, state: &State, i: usize) -> f64 {
    let rigid = body.velocity_at(&state.p[i]);
    (state.v[i] - rigid).norm() + particles.radius[i] * (state.w[i] - body.spin).norm()
}

/// Judges a piece of these `members` (ascending), held together by `bonds`, at a `state` where the slopes of energy are
/// `slopes`. None where it may not sleep on a `share` of its spare strength.
pub fn judge<'a>(
    world: &World,
    state: &State,
    slopes: &[Wrench],
    members: &[u32],
    bonds: impl Iterator<Item = &'a Bond>,
    share: f64,
) -> Option<Calm> {
    let particles = &world.particles;
    let body = Body::of(members, particles, state);
    let of = || members.iter().map(|&i| i as usize);
    let place = |i: usize| members.binary_search(&(i as u32)).expect("bonds are of the piece");
    let mut spare = vec![Spare { force: f64::INFINITY, stress: f64::INFINITY, speed: f64::INFINITY }; members.len()];
    let mut by_bonds = vec![Wrench::default(); members.len()];
    let bonds: Vec<&Bond> = bonds.collect();
    for bond in &bonds {
        let of_bond = Spare::of(bond, share, world, state);
        let slopes = bond::gradient(bond, &bond::pose(bond, state)).wrenches();
        for (k, slope) in bond.ends().map(place).into_iter().zip(slopes) {
            spare[k] = spare[k].lesser(&of_bond);
            by_bonds[k] += slope;
        }
    }
    let is_calm = of().zip(&spare).all(|(i, spare)| off(&body, particles, state, i) <= spare.speed);
    let (mut sleeper, stress) = Sleeper::of(members, &body, &bonds, &spare, world, state);
    let spin = body.spin.norm();
    if carries_rotation(members, &body, &by_bonds, particles, state) {
        sleeper.spin = libm::hypot(sleeper.spin, spin);
    }
    if !is_calm || spin > sleeper.spin || stress == 0.0 {
        return None;
    }
    let force = |(i, by_bonds): (usize, &Wrench)| contact_force(world, i, &slopes[i]) + by_bonds.force;
    let forces: Vec<Vec3> = of().zip(&by_bonds).map(force).collect();
    let sizes: f64 = forces.iter().map(|f| f.norm()).sum();
    let sum = forces.iter().sum::<Vec3>() + world.gravity * body.mass;
    let is_balanced = sum.norm() <= BALANCE * sizes;
    let bears = sizes <= sleeper.bending && forces.iter().zip(&spare).all(|(f, spare)| f.norm() <= spare.force);
    if members.len() > 1 && !is_balanced && !bears {
        return None;
    }
    Some(Calm {
        limits: spare.iter().map(|spare| spare.force).collect(),
        balanced: if is_balanced { forces } else { vec![Vec3::zeros(); members.len()] },
        sleeper,
        by_bonds,
    })
}

/// Whether the bonds of a piece hold its particles on their circles already, by their slopes of energy: the share of the centripetal
/// forces m w x (w x r) in these, by least squares, is 1 but for [`BALANCE`].
fn carries_rotation(members: &[u32], body: &Body, by_bonds: &[Wrench], particles: &Particles, state: &State) -> bool {
    let centripetal = |i: usize| body.spin.cross(&body.spin.cross(&(state.p[i] - body.centre))) * particles.mass[i];
    let (mut along, mut sum) = (0.0, 0.0);
    for (&i, slope) in members.iter().zip(by_bonds) {
        let wanted = centripetal(i as usize);
        along -= wanted.dot(&slope.force);
        sum += wanted.norm_squared();
    }
    (along - sum).abs() <= BALANCE * sum
}

/// The force on particle `i` of a sleeper, N, but for its weight, where its energy has this `slope`.
pub fn contact_force(world: &World, i: usize, slope: &Wrench) -> Vec3 {
    -slope.force - world.gravity * world.particles.mass[i]
}

/// Speed of waves in particle `i`'s material, m/s.
fn sound(world: &World, i: usize) -> f64 {
    let material = world.material_of(i);
    (material.young_modulus / material.density).sqrt()
}

impl Sleeper {
    /// That of a piece, and its mean spare stress, Pa.
    fn of(members: &[u32], body: &Body, bonds: &[&Bond], spare: &[Spare], world: &World, state: &State) -> (Self, f64) {
        let arm = |i: &u32| (state.p[*i as usize] - body.centre).norm();
        let reach = members.iter().map(arm).fold(0.0, f64::max);
        let stress = spare.iter().map(|spare| spare.stress).sum::<f64>() / members.len() as f64;
        let mut sleeper =
            Self { members: members.into(), reach, bending: f64::INFINITY, spin: f64::INFINITY, slept: 0 };
        if members.len() > 1 {
            let mut least = f64::INFINITY;
            for axis in body.inertia.symmetric_eigen().eigenvectors.column_iter() {
                for share in [-0.5, 0.0, 0.5] {
                    let height = share * reach;
                    let [area, drawn] = section(members, body, bonds, world, state, &axis.into(), height);
                    if drawn > 0.0 && area > 0.0 {
                        sleeper.spin = sleeper.spin.min((stress * area / drawn).sqrt());
                    }
                    least = if share == 0.0 && area > 0.0 { least.min(area) } else { least };
                }
            }
            let [a, _, c] = edges(&body.inertia, body.mass);
            sleeper.bending = stress * 9.0 * least * c / (8.0 * a);
            let turned: f64 = members.iter().map(|i| world.particles.mass[*i as usize] * arm(i)).sum();
            sleeper.spin = sleeper.spin.min((sleeper.bending / turned).sqrt());
        }
        (sleeper, stress)
    }
}

/// Area of the bonds through the section of a piece at right angles to a unit vector `axis`, at a `height` (m) over its centre along
/// it, m2; and the sum of m x over the particles beyond it, x (m) from the centre along the axis, kg m.
fn section(
    members: &[u32],
    body: &Body,
    bonds: &[&Bond],
    world: &World,
    state: &State,
    axis: &Vec3,
    height: f64,
) -> [f64; 2] {
    let side = if height < 0.0 { -1.0 } else { 1.0 };
    let over = |i: usize| side * axis.dot(&(state.p[i] - body.centre));
    let is_cut = |bond: &&&Bond| {
        let [i, j] = bond.ends().map(|i| over(i) > side * height);
        i != j
    };
    let area = bonds.iter().filter(is_cut).map(|bond| bond.area()).sum();
    let beyond = members.iter().map(|&i| i as usize).filter(|&i| over(i) > side * height);
    [area, beyond.map(|i| world.particles.mass[i] * over(i)).sum()]
}

/// Edges a > b > c (m) of the box with this moment of inertia (kg m2) and mass (kg).
fn edges(inertia: &Mat3, mass: f64) -> [f64; 3] {
    let mut moments: [f64; 3] = inertia.symmetric_eigenvalues().into();
    moments.sort_by(f64::total_cmp);
    let sum: f64 = moments.iter().sum();
    moments.map(|moment| (6.0 / mass * (sum - 2.0 * moment)).max(0.0).sqrt())
}

impl Spare {
    /// A `share` of what a bond bears besides what it does.
    fn of(bond: &Bond, share: f64, world: &World, state: &State) -> Self {
        let (load, [sigma, tau]) = (BondLoad::of(bond, state), bond.strength);
        let modulus = bond.k.n * bond.l0 / bond.area();
        let spare = (1.0 - load.utilisation(bond, world.axial)).clamp(0.0, 1.0);
        let stress = share * (spare * sigma.min(tau)).min(VISIBLE_STRAIN * modulus);
        let density = world.material_of(bond.i as usize).density;
        Self { force: stress * bond.area(), stress, speed: stress / (modulus * density).sqrt() }
    }

    fn lesser(&self, other: &Self) -> Self {
        Self {
            force: self.force.min(other.force),
            stress: self.stress.min(other.stress),
            speed: self.speed.min(other.speed),
        }
    }
}
