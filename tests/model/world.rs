use bdem_core::geometry::{Quat, Vec3};
use bdem_core::model::{Bond, Constraint, HeldParticles, Motion, Pair, Particles, World};
use proptest::prelude::*;

use crate::common::system::{block, bonded, chain, material};

const RADIUS: f64 = 0.01;

fn ids(world: &World) -> Vec<u32> {
    world.bonds().iter().map(|b| b.id).collect()
}

proptest! {
    #[test]
    fn removing_bonds_keeps_the_order_of_the_rest(gone in prop::collection::btree_set(0usize..200, 0..200)) {
        let (mut world, _) = chain(material(1e7, 4e6, 1000.0), 201, RADIUS);
        let gone: Vec<usize> = gone.into_iter().collect();
        world.remove_bonds(&gone);
        let left: Vec<u32> = (0..200).filter(|k| !gone.contains(&(*k as usize))).collect();
        prop_assert_eq!(ids(&world), left);
        let count = world.bond_chunks().sum(world.bonds(), |_, _| 1.0);
        prop_assert_eq!(count, world.bonds().len() as f64);
    }
}

/// Broken bonds stay in the list until they are many; a world restored from bond statuses has them where they were.
#[test]
fn a_world_is_restored_from_bond_statuses() {
    let fresh = || chain(material(1e7, 4e6, 1000.0), 201, RADIUS).0;
    let mut world = fresh();
    let many: Vec<usize> = (10..40).collect();
    for broken in [&many[..], &[3], &[7, 9]] {
        world.mark_broken(broken);
    }
    assert_eq!(
        (world.bonds().len(), world.whole_bond_count()),
        (170, 167),
        "thirty have gone, three lie among the rest"
    );
    let mut again = fresh();
    again.restore(&world.bond_statuses()).expect("as many bonds");
    assert_eq!(ids(&again), ids(&world));
    assert_eq!(again.whole_bond_count(), 167);
    assert!(again.bonds().iter().zip(world.bonds()).all(|(a, b)| a.is_broken() == b.is_broken()));
    assert_eq!(again.bond_statuses(), world.bond_statuses());
    assert!(chain(material(1e7, 4e6, 1000.0), 200, RADIUS).0.restore(&world.bond_statuses()).is_none());
}

#[test]
fn bonds_are_sorted_by_their_particles_and_counted() {
    let material = material(1e7, 4e6, 1000.0);
    let mut particles = Particles::default();
    for _ in 0..4 {
        particles.push(RADIUS, 1000.0, 0, 0);
    }
    let ends = [[2, 3], [0, 2], [1, 2], [0, 1]];
    let bond =
        |(id, &ends): (usize, &[u32; 2])| Bond::new(id as u32, ends, Vec3::x(), [RADIUS; 2], [1.0; 2], &material);
    let bonds = ends.iter().enumerate().map(bond).collect();
    let mut world = World::new(vec![material.clone()], particles, bonds);
    assert_eq!(world.bonds().iter().map(Pair::ends).collect::<Vec<_>>(), [[0, 1], [0, 2], [1, 2], [2, 3]]);
    assert_eq!(ids(&world), [3, 1, 2, 0]);
    assert_eq!(world.first_bonds, [2, 2, 3, 1]);
    world.remove_bonds(&[0, 2]);
    assert_eq!((ids(&world), world.first_bonds.clone()), (vec![1, 0], vec![2, 2, 3, 1]), "first bonds stay the first");
}

/// T = 2 sqrt(m/(16 k)), or with 293 for 16, the smallest of all particles', and k = pi/2 E r with the world's factor.
#[test]
fn period_and_contact_stiffness_follow_from_material_and_radius() {
    let radii = [0.01, 0.004, 0.02];
    let mut world = bonded(material(1e7, 4e6, 2600.0), &[Vec3::zeros(); 3], &radii, &[]);
    let k = std::f64::consts::FRAC_PI_2 * 1e7 * radii[1];
    assert!((world.contact_stiffness_of(1) / k - 1.0).abs() < 1e-15);
    let period = 2.0 * (world.particles.mass[1] / (16.0 * k)).sqrt();
    assert!((world.period() / period - 1.0).abs() < 1e-14);
    let critical = 2.0 / (k / world.particles.mass[1] * 293.0).sqrt();
    assert!((world.period_2021() / critical - 1.0).abs() < 1e-14);
    world.contact_stiffness = 3.0;
    assert!((world.contact_stiffness_of(1) / (3.0 * k) - 1.0).abs() < 1e-15);
}

#[test]
fn a_later_constraint_overrules_an_earlier_one() {
    let (mut world, _) = block(material(1e7, 4e6, 1000.0), [0.05; 3], RADIUS);
    let up = Motion::Velocity(Vec3::z());
    world.constraints = vec![Constraint::moved(vec![0, 3], Motion::Fixed), Constraint::moved(vec![3, 5], up)];
    let mut holding = HeldParticles::new(&world);
    holding.set(&world, 0.0, 0.5);
    let moved = |i: usize| holding.transfer(i).map(|transfer| transfer.apply(&Vec3::x(), &Quat::identity()).0);
    assert_eq!([0, 3, 5].map(moved), [Vec3::x(), Vec3::x() + Vec3::z() * 0.5, Vec3::x() + Vec3::z() * 0.5].map(Some));
    assert_eq!(holding.held()[..7], [true, false, false, true, false, true, false]);
    assert!(
        holding.held() == world.always_held() && holding.transfer(1).is_none() && !holding.held()[6..].contains(&true)
    );
}

#[test]
fn a_sphere_has_the_mass_and_inertia_of_its_volume() {
    let mut particles = Particles::default();
    particles.push(0.5, 6.0 / std::f64::consts::PI, 2, 3);
    assert!((particles.mass[0] - 1.0).abs() < 1e-15 && (particles.inertia[0] - 0.1).abs() < 1e-16);
    assert_eq!((particles.material[0], particles.body[0], particles.len()), (2, 3, 1));
}
