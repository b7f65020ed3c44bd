//! Possible contacts of rigid bodies.

use nalgebra::Matrix6;

use crate::geometry::Mat3;
use crate::model::{RigidBody, State, World};

/// Free rigid bodies without bonds. Others count as loose particles, an upper bound: their motions are a subset of those of
/// loose particles.
pub(super) fn unbonded(world: &World) -> impl Iterator<Item = &RigidBody> {
    world.free_rigid().filter(|body| {
        let holds = |i: u32| body.particles.contains(&(i as usize));
        !world.whole_bonds().any(|bond| holds(bond.i) || holds(bond.j))
    })
}

/// Maximum omega^2 (1/s2) of `body`, with `blocks` (N/m, in scaled unknowns) of its particles. Each particle moves by U + Theta
/// x a:
///
/// ```text
/// K = sum P^T D P,   P = [1, -a x; 0, r],   against the body's mass and moment of inertia
/// ```
pub(super) fn greatest(body: &RigidBody, world: &World, state: &State, blocks: &[(usize, Matrix6<f64>)]) -> f64 {
    let particles = &world.particles;
    let centre = body.mean(particles, &state.p);
    let first = blocks.partition_point(|(i, _)| *i < body.particles.start);
    let own = blocks[first..].iter().take_while(|(i, _)| body.particles.contains(i));
    let stiffness: Matrix6<f64> = own
        .map(|(i, block)| {
            let mut motion = Matrix6::identity();
            motion.fixed_view_mut::<3, 3>(0, 3).copy_from(&-(state.p[*i] - centre).cross_matrix());
            motion.fixed_view_mut::<3, 3>(3, 3).copy_from(&(Mat3::identity() * particles.radius[*i]));
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
