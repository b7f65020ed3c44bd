use bdem_core::geometry::Vec3;
use bdem_core::geometry::shape::{HalfSpace, Shape};
use bdem_core::integrate::{Integrator, Verlet, stability};
use bdem_core::internals::contact::Contacts;
use bdem_core::model::{Action, Constraint, Material, Motion, State, Wall, World, Wrench};

use crate::common::golden::{list, load, number};
use crate::common::system::{at_rest, block, bonded, chain, floor, material};

const E: f64 = 1e7;
const DENSITY: f64 = 2600.0;
const RADIUS: f64 = 0.01;

/// lambda_max rho r^2/E of a block about `side` spheres wide, from the longest stable step, 2/sqrt(lambda_max).
fn of_block(g: f64, side: f64) -> f64 {
    let (world, state) = block(material(E, g * E, DENSITY), [2.0 * RADIUS * side; 3], RADIUS);
    let limit = stability::limit(&world, &state);
    4.0 / (limit * limit) * DENSITY * RADIUS * RADIUS / E
}

/// A block is a part of the infinite lattice: it has no higher eigenvalue, and nearly as high a one if it is large.
#[test]
fn golden_hcp_moduli_greatest_eigenvalue() {
    for case in list(&load("hcp_moduli"), "cases") {
        let (g, lattice) = (number(case, "G_over_E"), number(case, "lambda_max_rho_r2_over_E"));
        let shares = [6.0, 12.0].map(|side| of_block(g, side) / lattice);
        assert!(shares[0] < shares[1] && shares[1] <= 1.0, "G/E = {g}: {shares:?}");
        assert!(shares[1] > 0.98, "G/E = {g}: {shares:?}");
    }
}

/// Two spheres: against each other they move at omega^2 = 2 k/m, turn in opposite senses at 2 k/J, and roll in the same
/// sense while they shear, with k_s/l0^2 (2/m + l0^2/(2J)).
#[test]
fn two_spheres_have_the_limit_of_their_fastest_mode() {
    let (world, state) = chain(material(E, 0.4 * E, DENSITY), 2, RADIUS);
    let (bond, m, j) = (&world.bonds()[0], world.particles.mass[0], world.particles.inertia[0]);
    let shear = bond.k.s * (2.0 / (m * bond.l0 * bond.l0) + 1.0 / (2.0 * j));
    let modes = [2.0 * bond.k.n / m, 2.0 * bond.k.t / j, 2.0 * bond.k.b / j, shear];
    let fastest = modes.into_iter().fold(0.0, f64::max);
    let limit = stability::limit(&world, &state);
    assert!((limit * fastest.sqrt() / 2.0 - 1.0).abs() < 1e-4, "{limit} {}", 2.0 / fastest.sqrt());
}

#[test]
fn damping_shortens_the_limit_and_nothing_to_touch_lifts_it() {
    let side = [0.08; 3];
    let (world, state) = block(material(E, 0.4 * E, DENSITY), side, RADIUS);
    let (damped, _) = block(Material { damping: 0.1, ..material(E, 0.4 * E, DENSITY) }, side, RADIUS);
    assert!(stability::limit(&damped, &state) < 0.99 * stability::limit(&world, &state));

    let (alone, state) = loose(&[Vec3::zeros()], 0.0);
    assert_eq!(stability::limit(&alone, &state), f64::INFINITY);
    let (mut pair, state) = loose(&[Vec3::zeros(), Vec3::x()], 0.0);
    assert!(stability::limit(&pair, &state).is_finite());
    pair.constraints = vec![Constraint::moved(vec![0, 1], Motion::Fixed)];
    assert_eq!(stability::limit(&pair, &state), f64::INFINITY, "neither can move");
}

/// Spheres of the material that are not bonded, with friction.
fn loose(p: &[Vec3], friction: f64) -> (World, State) {
    let material = Material { friction, static_friction: friction, ..material(E, 0.4 * E, DENSITY) };
    (bonded(material, p, &vec![RADIUS; p.len()], &[]), at_rest(p.to_vec()))
}

/// What `of` says after each of so many steps at this `share` of the limit.
fn swing((world, start): &(World, State), share: f64, steps: usize, of: impl Fn(&State, &Contacts) -> f64) -> Vec<f64> {
    let dt = share * stability::limit(world, start);
    let (mut contacts, mut state) = (Contacts::new(world, start), start.clone());
    let mut verlet = Verlet::new(world);
    let mut step = |_| verlet.step(world, &mut contacts, &mut state, dt).map(|_| of(&state, &contacts));
    (0..steps).map_while(|k| step(k).ok()).collect()
}

/// A small swing about rest, which `of` tells the size of, stays as it is at 0.95 of the limit, and grows at 1.05.
fn is_sharp(name: &str, system: &(World, State), of: impl Fn(&State, &Contacts) -> f64) {
    let greatest = |swings: &[f64]| swings.iter().copied().fold(0.0, f64::max);
    let stays = swing(system, 0.95, 5000, &of);
    assert_eq!(stays.len(), 5000, "{name}");
    let (first, later) = (greatest(&stays[..100]), greatest(&stays[100..]));
    assert!(first > 0.0 && later <= 1.01 * first, "{name}: {first:e} {later:e}");
    let grows = swing(system, 1.05, 400, &of);
    let (first, later) = (greatest(&grows[..4]), greatest(&grows[4..]));
    assert!(grows.len() < 400 || later > 20.0 * first, "{name}: {first:e} {later:e}");
}

/// How far (m) surfaces overlap at rest in these tests.
const OVERLAP: f64 = 1e-5;

/// Distance (m) of two spheres that are pressed together, at rest.
const PRESSED: f64 = 2.0 * RADIUS - OVERLAP;

/// Two spheres that forces press together: omega^2 = 2 k/m.
fn pressed(friction: f64) -> (World, State) {
    let (mut world, state) = loose(&[Vec3::zeros(), Vec3::x() * (PRESSED - 0.1 * OVERLAP)], friction);
    let push = Vec3::x() * (world.contact_stiffness_of(0) * OVERLAP);
    let load = |i, force| Constraint::new(vec![i], Action::Load(Wrench { force, torque: Vec3::zeros() }));
    world.constraints = vec![load(0, push), load(1, -push)];
    (world, state)
}

#[test]
fn the_limit_of_two_spheres_that_touch_is_sharp() {
    for friction in [0.0, 0.5] {
        is_sharp("pair", &pressed(friction), |x, _| ((x.p[1] - x.p[0]).norm() - PRESSED).abs());
    }
}

/// A sphere on a floor, under its weight: omega^2 = k/m.
fn resting(friction: f64) -> (World, State) {
    let (mut world, mut state) = loose(&[Vec3::z() * (RADIUS - OVERLAP)], friction);
    world.gravity = Vec3::z() * (-world.contact_stiffness_of(0) * OVERLAP / world.particles.mass[0]);
    world.walls = vec![floor(0.0, friction)];
    state.p[0].z += 0.1 * OVERLAP;
    (world, state)
}

#[test]
fn the_limit_of_a_sphere_on_a_wall_is_sharp() {
    let height = RADIUS - OVERLAP;
    is_sharp("floor", &resting(0.0), |x, _| (x.p[0].z - height).abs());
    // a wall that goes up, seen from itself
    let (mut world, mut state) = resting(0.0);
    world.walls[0].motion = Motion::Velocity(Vec3::z());
    state.v[0] = Vec3::z();
    is_sharp("moving floor", &(world, state), |x, _| (x.p[0].z - x.time - height).abs());
}

/// Dashpots of restitution 0.4 and 0.01, of a sphere on a floor and of two that are pressed together.
#[test]
fn the_limit_of_strong_dashpots_is_sharp() {
    // a dashpot never pulls: swings stay small to grow
    let small = 1e-4 * OVERLAP;
    for damping in [0.28, 0.83] {
        let (mut world, mut state) = resting(0.0);
        world.contact_damping = damping;
        state.p[0].z = RADIUS - OVERLAP + small;
        is_sharp("damped floor", &(world, state), |x, _| (x.p[0].z - (RADIUS - OVERLAP)).abs());
        let (mut world, mut state) = pressed(0.0);
        world.contact_damping = damping;
        state.p[1].x = PRESSED - small;
        is_sharp("damped pair", &(world, state), |x, _| ((x.p[1] - x.p[0]).norm() - PRESSED).abs());
    }
}

/// Rolling against friction's spring: omega^2 = 2/7 k (1/m + r^2/J) = k/m.
#[test]
fn the_limit_of_a_rubbing_sphere_is_sharp() {
    let (world, mut state) = resting(1e4);
    state.p[0].z -= 0.1 * OVERLAP;
    state.w[0] = Vec3::y() * 1e-2;
    let drawn = |_: &State, contacts: &Contacts| {
        contacts.tangential_springs().on_walls().map(|on| on.tangential.stretch.norm()).sum()
    };
    is_sharp("rubbing", &(world, state), drawn);
}

/// Both walls push back: omega^2 = 2 k/m.
#[test]
fn the_limit_of_a_sphere_between_two_walls_is_sharp() {
    let mut system = loose(&[Vec3::z() * 1e-3 * OVERLAP], 0.0);
    let wall = |normal: Vec3| Wall::new(Shape::HalfSpace(HalfSpace { normal, offset: OVERLAP - RADIUS }));
    system.0.walls = vec![wall(Vec3::z()), wall(-Vec3::z())];
    is_sharp("squeezed", &system, |x, _| x.p[0].z.abs());
}

/// In the hexagonal packing of loose spheres the fastest mode has omega^2 = 8 k/m; the limit is that.
#[test]
fn loose_spheres_have_the_limit_of_their_densest_packing() {
    let (_, state) = block(material(E, 0.4 * E, DENSITY), [0.1; 3], RADIUS);
    let (world, state) = loose(&state.p, 0.0);
    let lattice = 2.0 / (8.0 * world.contact_stiffness_of(0) / world.particles.mass[0]).sqrt();
    let share = stability::limit(&world, &state) / lattice;
    assert!((share - 1.0).abs() < 1e-3, "{share}");
}

/// What might touch a solid from outside takes nothing off its own limit; what is left of it when bonds break does not
/// either.
#[test]
fn a_solid_keeps_its_own_limit() {
    let (mut world, state) = block(material(E, 0.4 * E, DENSITY), [0.16; 3], RADIUS);
    let alone = stability::limit(&world, &state);
    world.walls = vec![floor(-0.2, 0.5)];
    let beside = stability::limit(&world, &state);
    assert!(beside > 0.98 * alone, "{}", beside / alone);
    for keep in [2, 3] {
        let broken: Vec<usize> = (0..world.bonds().len()).filter(|k| k % keep == 0).collect();
        let mut world = world.clone();
        world.remove_bonds(&broken);
        let later = stability::limit(&world, &state);
        assert!(later >= beside * (1.0 - 1e-3), "a bond of {keep}: {}", later / beside);
    }
}
