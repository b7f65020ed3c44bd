use crate::geometry::Vec3;
use crate::model::{Coefficients, NormalSpring, Pair, World};

/// Two particles that are not bonded, or touch all the same, and near enough to touch soon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPair {
    /// Index of the first particle.
    pub i: u32,
    /// Index of the second particle, above `i`.
    pub j: u32,
    /// Distance at which they begin to touch, m: see [`World::reach`].
    pub reach: f64,
    /// Normal spring.
    pub spring: NormalSpring,
    /// Coefficients of friction.
    pub mu: Coefficients,
}

impl ContactPair {
    /// Pair of these particles of `world`.
    pub(crate) fn new(ends @ [i, j]: [u32; 2], world: &World) -> Self {
        Self {
            i,
            j,
            reach: world.reach(ends),
            spring: world.pair_normal_spring(ends),
            mu: Coefficients::between(world, ends.map(|i| i as usize)),
        }
    }

    /// Whether the two overlap at `p` (m).
    #[inline(always)]
    pub fn overlaps(&self, p: &[Vec3]) -> bool {
        self.is_nearer(0.0, p)
    }

    /// Whether the gap between the two at `p` (m) is less than `gap` (m).
    #[inline(always)]
    pub(crate) fn is_nearer(&self, gap: f64, p: &[Vec3]) -> bool {
        let reach = self.reach + gap;
        (p[self.j as usize] - p[self.i as usize]).norm_squared() < reach * reach
    }
}

impl Pair for ContactPair {
    #[inline(always)]
    fn ends(&self) -> [usize; 2] {
        [self.i as usize, self.j as usize]
    }
}
