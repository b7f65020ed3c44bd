use std::ops::AddAssign;

use bdem_core::geometry::Vec3;

/// Derivative of a loss by a state, an entry per particle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StateGradient {
    /// By positions, 1/m.
    pub p: Vec<Vec3>,
    /// By orientations: world rotation vectors, 1/rad.
    pub theta: Vec<Vec3>,
    /// By velocities, s/m.
    pub v: Vec<Vec3>,
    /// By angular velocities, s/rad.
    pub w: Vec<Vec3>,
}

impl StateGradient {
    /// Zero, of this number of particles.
    pub fn zeros(particles: usize) -> Self {
        let zeros = || vec![Vec3::zeros(); particles];
        Self { p: zeros(), theta: zeros(), v: zeros(), w: zeros() }
    }
}

impl AddAssign<&Self> for StateGradient {
    fn add_assign(&mut self, other: &Self) {
        let add = |to: &mut Vec<Vec3>, from: &Vec<Vec3>| to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
        add(&mut self.p, &other.p);
        add(&mut self.theta, &other.theta);
        add(&mut self.v, &other.v);
        add(&mut self.w, &other.w);
    }
}
