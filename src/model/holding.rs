use super::{Carry, World};

/// Which particles are held in a step, and what their motions do in it.
#[derive(Clone, Debug)]
pub struct Holding {
    /// The constraint that holds each particle.
    by: Vec<Option<u32>>,
    held: Vec<bool>,
    /// What each constraint's motion does in the step.
    carries: Vec<Carry>,
}

impl Holding {
    pub fn new(world: &World) -> Self {
        let mut by = vec![None; world.particles.len()];
        for (index, constraint) in (0..).zip(&world.constraints) {
            constraint.particles.iter().for_each(|&i| by[i as usize] = Some(index));
        }
        Self { by, held: world.held(), carries: Vec::new() }
    }

    /// Sets all for a step of `world` from one time to another, s.
    pub fn set(&mut self, world: &World, from: f64, to: f64) {
        self.carries.clear();
        self.carries.extend(world.constraints.iter().map(|constraint| constraint.motion.between(from, to)));
    }

    /// Whether each particle is held.
    pub fn held(&self) -> &[bool] {
        &self.held
    }

    /// What the step does to particle `i`, if it is held.
    #[inline]
    pub fn carry(&self, i: usize) -> Option<&Carry> {
        self.by[i].map(|constraint| &self.carries[constraint as usize])
    }
}
