use serde::{Deserialize, Serialize};

use crate::geometry::Vec3;
use crate::model::{Material, World};

/// Tangential stiffness over normal stiffness of a contact, k_t/k_r: \[BDEM21\] does not give k_t, and 2/7 makes a
/// sphere that bounces swing as fast along the surface as across it.
pub const TANGENTIAL: f64 = 2.0 / 7.0;

/// Friction at one contact: a spring along the surface that slips where it would pull harder than Coulomb lets it
/// (\[BDEM21\] eqs 23-27).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rub {
    /// The spring xi at the end of the last step, m: how far the surface of i (or of a particle on a wall) is drawn over the
    /// other's.
    pub stretch: Vec3,
    /// Whether it slipped in the last step.
    pub slides: bool,
    /// Unit normal, and the greatest force mu |F_r| (N): of the state that was looked at last. No force where nothing touches.
    pub n: Vec3,
    pub limit: f64,
    /// How far, m, the place where the two touch is from the centre of i (or of a particle on a wall), and of j:
    /// halfway within their overlap, for then friction neither makes nor takes angular momentum.
    pub arms: [f64; 2],
}

/// Friction's force of a step, by which its work is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrictionForce {
    /// Mean of the forces at the beginning and at the end.
    Mean,
    /// Force in the middle of the step, after half of the slip: that of rules which evaluate forces there. Limit and normal are
    /// those of the middle, and the mean would have the limit of half a step ago.
    Middle,
}

/// Where and how hard two surfaces press on each other.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// As [`Rub::n`] and [`Rub::arms`].
    pub n: Vec3,
    pub arms: [f64; 2],
    /// The normal force, N.
    pub push: f64,
    /// Normal stiffness, N/m.
    pub k: f64,
}

/// Coefficients of friction: static, mu_s, and sliding, mu_d.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coefficients {
    pub sticking: f64,
    pub sliding: f64,
}

impl Coefficients {
    /// A pair's are the geometric means of its two.
    pub fn between(world: &World, [i, j]: [usize; 2]) -> Self {
        let mean = |mu: fn(&Material) -> f64| (mu(world.material_of(i)) * mu(world.material_of(j))).sqrt();
        Self { sticking: mean(|m| m.static_friction), sliding: mean(|m| m.friction) }
    }

    /// Of particle `i` on collider `wall`.
    pub fn on_wall(world: &World, i: usize, wall: usize) -> Self {
        let (material, wall) = (world.material_of(i), &world.colliders[wall]);
        Self {
            sticking: wall.static_friction.unwrap_or(material.static_friction),
            sliding: wall.friction.unwrap_or(material.friction),
        }
    }
}

impl Rub {
    /// Whether something pushes the two surfaces together.
    pub fn is_loaded(&self) -> bool {
        self.limit > 0.0
    }

    /// Whether it is loaded, and did not slip.
    pub fn sticks(&self) -> bool {
        self.is_loaded() && !self.slides
    }

    /// The spring (m) after a slip of `u` (m), if nothing slipped: eqs 23, 24.
    #[inline]
    pub fn drawn(&self, u: &Vec3) -> Vec3 {
        let spring = self.stretch + u;
        spring - self.n * self.n.dot(&spring)
    }

    /// Takes over where the two touch. What slipped, or must slip after a slip of `u`, has the sliding coefficient.
    pub fn load(&mut self, touch: &Touch, mu: &Coefficients, u: &Vec3) {
        (self.n, self.arms) = (touch.n, touch.arms);
        let force = TANGENTIAL * touch.k * self.drawn(u).norm();
        let sticks = !self.slides && force <= mu.sticking * touch.push;
        self.limit = touch.push * if sticks { mu.sticking } else { mu.sliding };
    }

    /// The same with its two surfaces named the other way round.
    pub fn swapped(&self) -> Self {
        let [i, j] = self.arms;
        Self { stretch: -self.stretch, n: -self.n, arms: [j, i], ..*self }
    }

    /// Nothing pushes the two together now; the spring is kept until the step stands.
    pub fn unload(&mut self) {
        self.limit = 0.0;
    }

    /// Commits friction after a step with a tangential displacement `u`: eqs 26, 27. Returns the dissipated energy, J,
    ///
    /// ```text
    /// 1/2 k |xi_0|^2 + F.u - 1/2 k |xi_1|^2,    F = 1/2 k T (xi_0 + xi_1),
    /// ```
    ///
    /// where the spring changed from xi_0 to xi_1: its former energy, plus the work of `u` against the mean force F (N), less
    /// its new energy. It is zero for a sticking contact, the mean force times the sliding distance for a sliding one, and the
    /// energy of the spring for a contact that opened. Also returns F.
    pub fn settle(&mut self, k: f64, u: &Vec3) -> (f64, Vec3) {
        self.settle_by(FrictionForce::Mean, k, u)
    }

    /// [`Self::settle`] with another F.
    pub fn settle_by(&mut self, rule: FrictionForce, k: f64, u: &Vec3) -> (f64, Vec3) {
        let (before, n) = (self.stretch, self.n);
        let middle = (rule == FrictionForce::Middle).then(|| self.capped(k, &self.drawn(&(u * 0.5))).0);
        if self.is_loaded() {
            (self.stretch, self.slides) = self.capped(k, &self.drawn(u));
        } else {
            *self = Self::default();
        }
        let mean = || {
            let sum = before + self.stretch;
            (sum - n * n.dot(&sum)) * (0.5 * k)
        };
        let force = middle.map_or_else(mean, |spring| spring * k);
        (force.dot(u) + 0.5 * k * (before.norm_squared() - self.stretch.norm_squared()), force)
    }

    /// Part of a `spring` (m) within the friction limit, and whether the contact slides: eqs 26, 27.
    fn capped(&self, k: f64, spring: &Vec3) -> (Vec3, bool) {
        let force = k * spring.norm();
        let slides = force > self.limit;
        (if slides { spring * (self.limit / force) } else { *spring }, slides)
    }
}
