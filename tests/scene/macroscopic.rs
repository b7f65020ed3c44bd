//! Bars as stiff as the scene says.

use bdem_core::energy::Potential;
use bdem_core::geometry::Vec3;
use bdem_core::integrate::{Implicit, Integrator, TimeRule};
use bdem_core::internals::contact::Contacts;
use bdem_core::model::{Gradient, State, World};
use bdem_core::simulate::{CgTolerance, SolverSettings};
use bdem_run::scene::{PackingModuli, Scene};

use crate::common::scenes;

const RADIUS: f64 = 0.01;
const E: f64 = 1e7;
/// Of the whole bar.
const STRAIN: f64 = 1e-4;
/// s: long enough for inertia not to matter.
const FOREVER: f64 = 1e4;

/// A bar along `axis`, `width` particles wide and three times as long, whose last layers are drawn apart.
fn bar(packing: &str, nu: f64, axis: usize, width: f64) -> Scene {
    let side = 2.0 * RADIUS * width;
    let (mut size, mut low, mut velocity) = ([side; 3], [-2.0 * side; 3], [0.0; 3]);
    size[axis] = 3.0 * side;
    low[axis] = 1.5 * side - 4.0 * RADIUS;
    velocity[axis] = STRAIN * 3.0 * side / FOREVER;
    let text = format!(
        "[scene]\nname = \"bar\"\ngravity = [0, 0, 0]\n[time]\nframe_rate = 1\nframes = 1\n\
         [materials.solid]\ndensity = 1000.0\nyoung_modulus = {E:?}\npoisson_ratio = {nu:?}\nmoduli = \"macroscopic\"\n\
         [[bodies]]\nname = \"bar\"\nmaterial = \"solid\"\nparticle_radius = {RADIUS:?}\npacking = \"{packing}\"\nshape = {{ box = {{ size = {size:?} }} }}\n\
         [[constraints]]\nregion = {{ box = {{ min = {low:?}, max = [9, 9, 9] }} }}\nmotion = {{ velocity = {velocity:?} }}\n\
         [[constraints]]\nregion = {{ box = {{ min = [-9, -9, -9], max = {:?} }} }}\nmotion = \"fixed\"\n",
        low.map(|x| -x)
    );
    scenes::scene(&text, &[])
}

/// One step so long that it ends at rest.
fn stretch(world: &World, state: &State) -> State {
    let settings = SolverSettings {
        newton_tolerance: 1e-7,
        newton_relative_tolerance: 1e-3,
        cg_tolerance: CgTolerance::Fixed(1e-3),
        cg_iterations: 5000,
        ..SolverSettings::default()
    };
    let (mut stretched, mut contacts) = (state.clone(), Contacts::none(world, state));
    let mut euler = Implicit::new(TimeRule::Euler, world, &settings);
    euler.step(world, &mut contacts, &mut stretched, FOREVER).expect("a step");
    stretched
}

/// The force (N) along `axis` with which the drawn end pulls back.
fn tension(world: &World, state: &State, axis: usize) -> f64 {
    let contacts = Contacts::none(world, state);
    let mut gradient = vec![Gradient::default(); state.len()];
    Potential::new(world, &contacts).gradient(state, &mut gradient);
    world.constraints[0].particles.iter().map(|&i| gradient[i as usize].p[axis]).sum()
}

/// Strain along `axis` of the bar's middle half: the slope of displacements over places.
fn strain(rest: &State, stretched: &State, axis: usize) -> f64 {
    let reach = 0.5 * rest.p.iter().map(|p| p[axis]).fold(0.0, f64::max);
    let along = rest.p.iter().zip(&stretched.p).map(|(p, x)| (p[axis], x[axis] - p[axis]));
    let middle: Vec<(f64, f64)> = along.filter(|(place, _)| place.abs() < reach).collect();
    let count = middle.len() as f64;
    let (place, shift) = middle.iter().fold((0.0, 0.0), |(p, u), point| (p + point.0 / count, u + point.1 / count));
    let covariance: f64 = middle.iter().map(|point| (point.0 - place) * (point.1 - shift)).sum();
    covariance / middle.iter().map(|point| (point.0 - place).powi(2)).sum::<f64>()
}

/// Cross section (m2), from sphere to sphere.
fn section(rest: &State, axis: usize) -> f64 {
    let extent = rest.p.iter().fold(Vec3::zeros(), |most, p| most.sup(&p.abs()));
    (0..3).filter(|&k| k != axis).map(|k| 2.0 * (extent[k] + RADIUS)).product()
}

/// Young's moduli of bars along x, y and z over what was asked.
fn stiffness(packing: &str, nu: f64, width: f64) -> [f64; 3] {
    [0, 1, 2].map(|axis| {
        let (world, rest) = bar(packing, nu, axis, width).build().expect("a bar");
        let stretched = stretch(&world, &rest);
        tension(&world, &stretched, axis) / section(&rest, axis) / strain(&rest, &stretched, axis) / E
    })
}

/// Mean of the three within 5 %; and none of them off by more than `spread`, which grows as bonds bear less shear.
fn assert_stiff(packing: &str, nu: f64, spread: f64) {
    let along = stiffness(packing, nu, 16.0);
    let mean = along.iter().sum::<f64>() / 3.0;
    println!("nu = {nu}: E of bars along x, y, z over what was asked: {along:.3?}, mean {mean:.3}");
    assert!((mean - 1.0).abs() < 0.05, "nu = {nu}: mean {mean}");
    assert!(along.iter().all(|e| (e / mean - 1.0).abs() < spread), "nu = {nu}: {along:?}");
}

#[test]
fn bars_are_as_stiff_as_asked() {
    for (nu, spread) in [(-0.3, 0.05), (0.0, 0.03), (0.2, 0.04), (0.25, 0.09)] {
        assert_stiff("hexagonal", nu, spread);
    }
}

/// Random packings are as stiff along each axis.
#[test]
fn random_bars_are_as_stiff_as_asked() {
    for (packing, nu) in [("random", 0.1), ("random", 0.2), ("random-loose", 0.2)] {
        assert_stiff(packing, nu, 0.03);
    }
}

/// Poisson's ratio has a bound in each packing, which the error tells.
#[test]
fn a_ratio_that_no_packing_reaches_is_refused() {
    let error = bar("random", 0.45, 0, 6.0).build().expect_err("no packing has it").to_string();
    assert!(error.contains("Poisson's ratio is 0.4500, but the packing of body \"bar\" reaches "), "{error}");
}

/// The table of the usual random packing is what pulls measure.
#[test]
fn the_table_of_the_random_packing_is_measured() {
    let packing = bar("random", 0.2, 1, 4.0).bodies[0].packing.clone();
    let [table, measured] = [PackingModuli::of(&packing, &mut ()), PackingModuli::measure(&packing, &mut ())];
    for g in [0.01, 0.3, 1.5] {
        let [(e, nu), (f, mu)] = [&table, &measured].map(|of| of.of_solid(1.0, g));
        assert!((e / f - 1.0).abs() < 0.002 && (nu - mu).abs() < 0.002, "{g}: {e} {nu}, measured {f} {mu}");
    }
}
