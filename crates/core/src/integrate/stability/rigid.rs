//! Possible contacts of rigid bodies.

use nalgebra::Matrix6;

use crate::geometry::Mat3;
use crate::model::{Pair, RigidBody, State, World};

use super::possible_contacts::PossibleContacts;

/// Free rigid bodies without bonds. Others count as loose particles, an upper bound: their motions are a subset of those of
/// loose particles.
pub(super) fn unbonded(world: &World) -> impl Iterator<Item = &RigidBody> {
    let mut is_bonded = vec![false; world.particles.len()];
    world.whole_bonds().flat_map(Pair::ends).for_each(|i| is_bonded[i] = true);
    world.free_rigid().filter(move |body| !is_bonded[body.particles.clone()].contains(&true))
}

/// Maximum omega^2 (1/s2) of `body`, from the `possible` contacts of its particles. Each particle moves by U + Theta
/// x a:
///
/// ```text
/// K = sum P^T D P,   P = [1, -a x; 0, r],   against the body's mass and moment of inertia
/// ```
pub(super) fn greatest(body: &RigidBody, world: &World, state: &State, possible: &PossibleContacts) -> f64 {
    let particles = &world.particles;
    let centre = body.mean(particles, &state.p);
    let own = body.particles.clone().filter_map(|i| Some((i, possible.block(i)?)));
    let stiffness: Matrix6<f64> = own
        .map(|(i, block)| {
            let mut motion = Matrix6::identity();
            motion.fixed_view_mut::<3, 3>(0, 3).copy_from(&-(state.p[i] - centre).cross_matrix());
            motion.fixed_view_mut::<3, 3>(3, 3).copy_from(&(Mat3::identity() * particles.radius[i]));
            motion.transpose() * block * motion
        })
        .sum();
    let mut mass = Matrix6::identity() * body.mass;
    mass.fixed_view_mut::<3, 3>(3, 3).copy_from(&body.inertia(particles, &state.p, &centre));
    // L^-1 K L^-T, with mass L L^T, is symmetric: iterations on M^-1 K may never end
    let root = mass.cholesky().expect("spheres have inertia about every axis").l();
    let solve = |of: &Matrix6<f64>| root.solve_lower_triangular(of).expect("its diagonal is positive");
    let symmetric = solve(&solve(&stiffness).transpose());
    symmetric.symmetric_eigenvalues().max().max(0.0)
}
