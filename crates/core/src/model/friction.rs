use super::{Material, World};

/// Coefficients of friction: static, mu_s, and sliding, mu_d.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coefficients<N = f64> {
    /// Static, mu_s.
    pub sticking: N,
    /// Sliding, mu_d.
    pub sliding: N,
}

impl Coefficients {
    /// A pair's are the geometric means of its two.
    pub(crate) fn between(world: &World, [i, j]: [usize; 2]) -> Self {
        let mean = |mu: fn(&Material) -> f64| (mu(world.material_of(i)) * mu(world.material_of(j))).sqrt();
        Self { sticking: mean(|m| m.static_friction), sliding: mean(|m| m.friction) }
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
