use super::{Motion, RestPoseTransfer, World};

/// Held particles of a step, and their motions in it.
#[derive(Clone, Debug)]
pub struct HeldParticles {
    /// Whether each constraint acts in the step.
    acting: Vec<bool>,
    /// Constraint that holds each particle.
    by: Vec<Option<u32>>,
    held: Vec<bool>,
    /// Motion of each constraint in the step.
    transfers: Vec<RestPoseTransfer>,
}

impl HeldParticles {
    /// The held particles of a step without acting constraints: none.
    pub fn new(world: &World) -> Self {
        let particles = world.particles.len();
        Self { acting: Vec::new(), by: vec![None; particles], held: vec![false; particles], transfers: Vec::new() }
    }

    /// Sets the held particles for a step of `world` between two times, s. Returns whether other constraints act than
    /// before.
    pub fn set(&mut self, world: &World, from: f64, to: f64) -> bool {
        let acting = world.constraints.iter().map(|constraint| constraint.acts(from, to));
        let has_changed = !acting.clone().eq(self.acting.iter().copied());
        if has_changed {
            self.acting = acting.collect();
            self.find(world);
        }
        self.transfers.clear();
        let motions = world.constraints.iter().map(|constraint| constraint.motion().unwrap_or(&Motion::Fixed));
        self.transfers.extend(motions.map(|motion| motion.between(from, to)));
        has_changed
    }

    /// Whether each particle is held.
    pub fn held(&self) -> &[bool] {
        &self.held
    }

    /// Constraint that holds particle `i`, if it is held.
    #[inline]
    pub fn constraint(&self, i: usize) -> Option<usize> {
        self.by[i].map(|constraint| constraint as usize)
    }

    /// Motion of each constraint in the step.
    pub fn transfers(&self) -> &[RestPoseTransfer] {
        &self.transfers
    }

    /// Motion of particle `i` in the step, if it is held.
    #[inline]
    pub fn transfer(&self, i: usize) -> Option<&RestPoseTransfer> {
        self.constraint(i).map(|constraint| &self.transfers[constraint])
    }

    fn find(&mut self, world: &World) {
        self.by.fill(None);
        let constraints = world.constraints.iter().enumerate().zip(&self.acting);
        for ((index, constraint), _) in constraints.filter(|((_, c), acts)| **acts && c.motion().is_some()) {
            constraint.particles.iter().for_each(|&i| self.by[i as usize] = Some(index as u32));
        }
        self.held = self.by.iter().map(Option::is_some).collect();
    }
}
