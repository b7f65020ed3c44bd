//! Bonds of all laws.

use bdem_core::model::BondModel;
use bdem_core::prelude::*;

use crate::{RADIUS, both, cantilever, error, on_card_with, settings, steps};

#[test]
fn cantilevers_swing_as_in_double_precision() {
    for model in [BondModel::QUATERNION, BondModel::COSSERAT, BondModel::PARTICLE_BINDER, BondModel::FORCE_2021] {
        for damping in [0.0, 0.05] {
            let material = Material { bond: model, damping, ..Material::elastic("rubber", 1000.0, 1e7, 0.25) };
            let (world, start) = cantilever(material);
            let (ends, _) = both(world, start.clone(), 500, 500);
            let error = error(&start, &ends);
            println!("{} {damping}: {error:.1e}", model.name);
            assert!(error < 5e-6, "{} {damping}: {error}", model.name);
        }
    }
}

/// Rods of different laws and stiffnesses in one world.
#[test]
fn laws_share_a_world() {
    let mut builder = World::builder();
    let models = [BondModel::COSSERAT, BondModel::QUATERNION, BondModel::COSSERAT];
    for (k, bond) in models.into_iter().enumerate() {
        let modulus = 1e7 * (k + 1) as f64;
        let material = builder.material(Material { bond, ..Material::elastic("rubber", 1000.0, modulus, 0.25) });
        let places = (0..10).map(|n| Vec3::new(f64::from(n) * 2.0 * RADIUS, 0.0, k as f64));
        let chain: Vec<u32> = places.map(|p| builder.particle(p, RADIUS * (1.0 - 0.05 * p.x), material)).collect();
        for pair in chain.windows(2) {
            builder.bond(pair[0], pair[1]);
        }
    }
    let (mut world, mut start) = builder.build().expect("a world");
    (0..start.len()).for_each(|i| world.particles.remove_contacts(i));
    for i in 0..start.len() {
        start.v[i].z = 20.0 * start.p[i].x;
        start.w[i].x = 100.0 * start.p[i].x;
    }
    let (ends, _) = both(world, start.clone(), 500, 500);
    let error = error(&start, &ends);
    assert!(error < 5e-6, "{error}");
}

/// Free flight is exact but for rounding.
#[test]
fn particles_without_bonds_fly() {
    let mut builder = World::builder();
    let material = builder.material(Material::elastic("stone", 1000.0, 1e9, 0.25));
    for k in 0..3 {
        builder.particle(Vec3::x() * f64::from(k), RADIUS, material);
    }
    builder.gravity(Vec3::new(0.0, 0.0, -9.81));
    let (mut world, mut start) = builder.build().expect("a world");
    (0..start.len()).for_each(|i| world.particles.remove_contacts(i));
    let (v, w) = (Vec3::new(1.0, 2.0, 3.0), Vec3::new(0.0, 20.0, 0.0));
    (start.v, start.w) = (vec![v; 3], vec![w; 3]);
    let g = world.gravity;
    let settings = SimulationSettings { step: Some(StepSize::Seconds(1e-3)), ..settings() };
    let mut card = on_card_with(&settings, world, start.clone());
    steps(&mut card, 1000, 300).expect("steps");
    let State { time, p, q, v: speeds, .. } = &card.state;
    for i in 0..3 {
        let exact = start.p[i] + v * *time + g * (0.5 * time * time);
        let way = (exact - start.p[i]).norm();
        assert!((p[i] - exact).norm() < 1e-6 * way, "{} {exact}", p[i]);
        assert!((speeds[i] - v - g * *time).norm() < 1e-6 * v.norm());
        let half = 0.5 * 20.0 * time;
        assert!((q[i].j - libm::sin(half)).abs() < 1e-6 * half.abs(), "{} {half}", q[i].j);
    }
}
