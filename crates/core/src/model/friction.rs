use crate::simd::Lanes;

use super::World;

/// Coefficients of friction: static, mu_s, and sliding, mu_d.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coefficients<N = f64> {
    /// Static, mu_s.
    pub sticking: N,
    /// Sliding, mu_d.
    pub sliding: N,
}

impl<L: Lanes> Coefficients<L> {
    /// Those of a pair: the geometric means of its two.
    pub fn mean([a, b]: [Self; 2]) -> Self {
        Self { sticking: (a.sticking * b.sticking).sqrt(), sliding: (a.sliding * b.sliding).sqrt() }
    }
}

impl Coefficients {
    /// Of particle `i`'s material.
    pub(super) fn of(world: &World, i: usize) -> Self {
        let material = world.material_of(i);
        Self { sticking: material.static_friction, sliding: material.friction }
    }

    /// Of two particles.
    pub(crate) fn between(world: &World, ends: [usize; 2]) -> Self {
        Self::mean(ends.map(|i| Self::of(world, i)))
    }

    /// Of particle `i` on wall `wall`.
    pub(crate) fn on_wall(world: &World, i: usize, wall: usize) -> Self {
        let (material, wall) = (world.material_of(i), &world.walls[wall]);
        Self {
            sticking: wall.static_friction.unwrap_or(material.static_friction),
            sliding: wall.friction.unwrap_or(material.friction),
        }
    }
}
