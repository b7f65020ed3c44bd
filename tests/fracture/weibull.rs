use bdem_core::fracture::weibull::{draw, quantile_over_mean, uniform};
use bdem_core::geometry::Vec3;
use bdem_core::model::{Bond, Material};

use crate::common::golden::{list, load, number, numbers};
use crate::common::system::material;

const SEEDS: [u64; 4] = [0, 1, 42, u64::MAX];
const DRAWS: u32 = 100_000;

#[test]
fn golden_weibull_quantiles() {
    for case in list(&load("fracture"), "weibull") {
        let (modulus, mean) = (number(case, "shape_m"), number(case, "mean_over_scale"));
        let wanted = numbers(&case["quantile_over_scale"]).into_iter().zip(numbers(&case["quantile_over_mean"]));
        for (u, (over_scale, over_mean)) in numbers(&case["u"]).into_iter().zip(wanted) {
            let got = quantile_over_mean(u, modulus);
            assert!((got / over_mean - 1.0).abs() < 1e-12, "m = {modulus}, u = {u}: {got}, reference {over_mean}");
            assert!((got * mean / over_scale - 1.0).abs() < 1e-12, "m = {modulus}, u = {u}");
        }
        let median = number(case, "median_over_scale");
        assert!((quantile_over_mean(0.5, modulus) * mean / median - 1.0).abs() < 1e-12, "m = {modulus}");
    }
}

/// Strengths over their mean, of bonds 0, 1, 2, ...
fn drawn(modulus: f64, seed: u64) -> Vec<f64> {
    let material = brittle(modulus);
    let strength = |id| {
        let mut bond = bond(id, &material);
        draw(&mut bond, &material, uniform(seed, id));
        bond.strength[0] / material.tensile_strength
    };
    (0..DRAWS).map(strength).collect()
}

fn brittle(modulus: f64) -> Material {
    Material {
        tensile_strength: 3e6,
        shear_strength: 5e6,
        weibull_modulus: Some(modulus),
        ..material(1e9, 4e8, 2500.0)
    }
}

fn bond(id: u32, material: &Material) -> Bond {
    Bond::new(id, [0, 1], Vec3::x() * 0.02, [0.01; 2], [0.01; 2], material)
}

/// The greatest distance of a sample's distribution from `cdf`.
fn kolmogorov_smirnov(mut sample: Vec<f64>, cdf: impl Fn(f64) -> f64) -> f64 {
    sample.sort_by(f64::total_cmp);
    let n = sample.len() as f64;
    let off = |(k, &x): (usize, &f64)| (cdf(x) - k as f64 / n).abs().max((cdf(x) - (k + 1) as f64 / n).abs());
    sample.iter().enumerate().map(off).fold(0.0, f64::max)
}

/// The acceptance that the file names: the mean within four standard errors, and Kolmogorov and Smirnov's test at 1 %.
#[test]
fn golden_weibull_draws_are_accepted() {
    for case in list(&load("fracture"), "weibull") {
        let modulus = number(case, "shape_m");
        let [mean, std] = ["mean_over_scale", "std_over_scale"].map(|key| number(case, key));
        let root = f64::from(DRAWS).sqrt();
        for seed in SEEDS {
            let sample = drawn(modulus, seed);
            let got = sample.iter().sum::<f64>() / f64::from(DRAWS);
            assert!((got - 1.0).abs() < 4.0 * std / mean / root, "m = {modulus}, seed {seed}: mean {got}");
            let off = kolmogorov_smirnov(sample, |s| -(-(s * mean).powf(modulus)).exp_m1());
            assert!(off < 1.63 / root, "m = {modulus}, seed {seed}: {off}");
        }
    }
}

/// Neighbouring bonds, and the same bond under neighbouring seeds, have nothing to do with one another.
#[test]
fn draws_are_independent() {
    let correlation = |pairs: &mut dyn Iterator<Item = (f64, f64)>| {
        let (sum, n) = pairs.fold((0.0, 0.0), |(sum, n), (a, b)| (sum + (a - 0.5) * (b - 0.5), n + 1.0));
        // of uniform numbers the product's standard deviation is 1/12
        12.0 * sum / f64::sqrt(n)
    };
    let next_id = correlation(&mut (0..DRAWS).map(|id| (uniform(7, id), uniform(7, id + 1))));
    let next_seed = correlation(&mut (0..DRAWS).map(|id| (uniform(7, id), uniform(8, id))));
    assert!(next_id.abs() < 4.0 && next_seed.abs() < 4.0, "{next_id} {next_seed} standard errors");
}

#[test]
fn strengths_depend_on_seed_and_id_alone() {
    let material = brittle(5.0);
    let strength = |mut bond: Bond, seed| {
        let u = uniform(seed, bond.id);
        draw(&mut bond, &material, u);
        bond.strength
    };
    let elsewhere = || Bond::new(9, [70, 800], Vec3::z() * 0.05, [0.03, 0.02], [1.0, 2.0], &material);
    assert_eq!(strength(bond(9, &material), 1), strength(elsewhere(), 1));
    assert_ne!(strength(bond(9, &material), 1), strength(bond(10, &material), 1));
    assert_ne!(strength(bond(9, &material), 1), strength(bond(9, &material), 2));
}

#[test]
fn one_draw_serves_both_strengths() {
    let material = brittle(3.0);
    for id in 0..1000 {
        let mut bond = bond(id, &material);
        draw(&mut bond, &material, uniform(5, id));
        let ratio = bond.strength[1] / bond.strength[0] * material.tensile_strength / material.shear_strength;
        assert!((ratio - 1.0).abs() < 1e-14, "{ratio}");
    }
}

#[test]
fn without_a_modulus_every_bond_has_the_mean() {
    let material = Material { weibull_modulus: None, ..brittle(3.0) };
    let mut bond = bond(3, &material);
    draw(&mut bond, &material, 0.9);
    assert_eq!(bond.strength, [3e6, 5e6]);
}
