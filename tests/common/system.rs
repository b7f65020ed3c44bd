//! Systems of particles and bonds: small ones, blocks, and those of the reference files.

use bdem_core::energy::Potential;
use bdem_core::fracture::weibull;
use bdem_core::geometry::{Quat, Vec3, packing, rotation, shape::HalfSpace, shape::Shape};
use bdem_core::internals::contact::Contacts;
use bdem_core::model::{Bond, Displacement, Material, Particles, State, Wall, World};
use serde_json::Value;

use super::golden::{list, number, numbers, quats, vec3s};

/// A material of one E, G and density that neither breaks nor springs.
pub(crate) fn material(young_modulus: f64, shear_modulus: f64, density: f64) -> Material {
    Material { shear_modulus, ..Material::elastic("test", density, young_modulus, 0.0) }
}

/// Bonded spheres at rest at `rest` (m), identity orientation, bonds between the given pairs.
pub(crate) fn bonded(material: Material, rest: &[Vec3], radii: &[f64], pairs: &[[u32; 2]]) -> World {
    let mut particles = Particles::default();
    for &r in radii {
        particles.push(r, material.density, 0, 0);
    }
    let bonds = pairs.iter().enumerate().map(|(id, &[i, j])| {
        let [a, b] = [i as usize, j as usize];
        let mass = [particles.mass[a], particles.mass[b]];
        Bond::new(id as u32, [i, j], rest[b] - rest[a], [radii[a], radii[b]], mass, &material)
    });
    let bonds = bonds.collect();
    World::new(vec![material], particles, bonds)
}

/// How much further apart than their radii say two spheres may be and still touch.
const TOUCH: f64 = 1e-6;

/// An upright block of hexagonally packed spheres about the origin, bonded where they touch, at rest.
pub(crate) fn block(material: Material, size: [f64; 3], radius: f64) -> (World, State) {
    let centres = packing::hexagonal(&Shape::Box { size }, radius);
    let radii = vec![radius; centres.len()];
    let pairs = packing::touching_pairs(&centres, &radii, TOUCH);
    (bonded(material, &centres, &radii, &pairs), at_rest(centres))
}

/// `count` spheres in a row along x that touch, the first at the origin, bonded each to the next, at rest.
pub(crate) fn chain(material: Material, count: u32, radius: f64) -> (World, State) {
    let centres: Vec<Vec3> = (0..count).map(|i| Vec3::x() * (2.0 * radius * f64::from(i))).collect();
    let pairs: Vec<[u32; 2]> = (1..count).map(|j| [j - 1, j]).collect();
    (bonded(material, &centres, &vec![radius; centres.len()], &pairs), at_rest(centres))
}

/// A floor whose top is at the height z = `offset` (m).
pub(crate) fn floor(offset: f64, friction: f64) -> Wall {
    let mut floor = Wall::new(Shape::HalfSpace(HalfSpace { normal: Vec3::z(), offset }));
    (floor.friction, floor.static_friction) = (Some(friction), Some(friction));
    floor
}

/// Turns and moves all particles as one rigid body: by the world rotation vector `theta` (rad) about the origin, then by
/// `shift` (m).
pub(crate) fn moved_rigidly(state: &State, theta: &Vec3, shift: &Vec3) -> State {
    let turn = rotation::exp(&(theta * 0.5));
    let turned = |v: &Vec3| rotation::rotate(&turn, v);
    State {
        time: state.time,
        p: state.p.iter().map(|p| turned(p) + shift).collect(),
        q: state.q.iter().map(|q| rotation::turn(q, theta)).collect(),
        v: state.v.iter().map(turned).collect(),
        w: state.w.iter().map(turned).collect(),
    }
}

/// Numbers in (-1, 1) that look random and are always the same.
pub(crate) fn noise(seed: u64, i: usize) -> Vec3 {
    Vec3::from_fn(|k, _| 2.0 * weibull::uniform(seed, (3 * i + k) as u32) - 1.0)
}

/// Shakes all particles: by up to `distance` (m) in each direction and `angle` (rad) about each axis.
pub(crate) fn shaken(state: &State, seed: u64, distance: f64, angle: f64) -> State {
    let mut shaken = state.clone();
    for i in 0..state.len() {
        let step = Displacement { translation: noise(seed, i) * distance, rotation: noise(seed + 1, i) * angle };
        shaken.p[i] += step.translation;
        shaken.q[i] = rotation::turn(&shaken.q[i], &step.rotation);
    }
    shaken
}

/// Gives all particles the velocities of one rigid body that turns at `spin` (rad/s) about the origin.
pub(crate) fn set_spinning(state: &mut State, spin: &Vec3) {
    state.v = state.p.iter().map(|p| spin.cross(p)).collect();
    state.w.fill(*spin);
}

/// A state at rest at identity orientation.
pub(crate) fn at_rest(p: Vec<Vec3>) -> State {
    let n = p.len();
    State { p, q: vec![Quat::identity(); n], v: vec![Vec3::zeros(); n], w: vec![Vec3::zeros(); n], ..State::default() }
}

/// The bonded system that a reference file describes. `rest` are its centres at rest.
pub(crate) fn from_golden(system: &Value, rest: &[Vec3]) -> World {
    let material = material(number(system, "E"), number(system, "G"), number(system, "rho"));
    let pairs: Vec<[u32; 2]> =
        list(system, "bonds").iter().map(|b| [0, 1].map(|k| b[k].as_u64().expect("an index") as u32)).collect();
    bonded(material, rest, &numbers(&system["r"]), &pairs)
}

pub(crate) fn state(json: &Value) -> State {
    State { p: vec3s(&json["p"]), q: quats(&json["q"]), v: vec3s(&json["v"]), w: vec3s(&json["w"]), ..State::default() }
}

/// No contacts: the reference systems know bonds only.
pub(crate) fn no_contacts(world: &World, state: &State) -> Contacts {
    Contacts::none(world, state)
}

/// Kinetic energy, J.
pub(crate) fn kinetic_energy(world: &World, state: &State) -> f64 {
    let (linear, spin) = state.kinetic_energy(&world.particles);
    linear + spin
}

/// Kinetic and potential energy, J.
pub(crate) fn energy(world: &World, contacts: &Contacts, state: &State) -> f64 {
    kinetic_energy(world, state) + Potential::new(world, contacts).value(state)
}

/// Compares every number of two states: `relative` of the greatest in its array.
pub(crate) fn assert_close(what: &str, got: &State, want: &State, relative: f64) {
    let flat = |v: &[Vec3]| v.iter().flat_map(|v| v.iter().copied().collect::<Vec<_>>()).collect::<Vec<f64>>();
    let flat_q = |q: &[Quat]| q.iter().flat_map(|q| q.coords.iter().copied().collect::<Vec<_>>()).collect::<Vec<f64>>();
    for (name, a, b) in [
        ("p", flat(&got.p), flat(&want.p)),
        ("q", flat_q(&got.q), flat_q(&want.q)),
        ("v", flat(&got.v), flat(&want.v)),
        ("w", flat(&got.w), flat(&want.w)),
    ] {
        let greatest = b.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        for (k, (a, b)) in a.iter().zip(&b).enumerate() {
            let limit = relative * greatest;
            assert!((a - b).abs() <= limit, "{what} {name}[{k}]: {a:e}, reference {b:e}, limit {limit:e}");
        }
    }
}
