/// Particles, ascending, with their bodies; and these bodies, ascending. Each once.
#[derive(Debug, Default)]
pub struct Members {
    pub particles: Vec<(u32, u32)>,
    pub bodies: Vec<u32>,
    /// The body of each particle of the world, and whether each body is there: nothing between two uses.
    body_of: Vec<u32>,
    is_there: Vec<bool>,
}

/// No body.
const NONE: u32 = u32::MAX;

impl Members {
    /// Makes room for so many particles, and forgets all.
    pub fn begin(&mut self, particles: usize) {
        self.particles.clear();
        self.bodies.clear();
        self.body_of.clear();
        self.body_of.resize(particles, NONE);
    }

    /// Takes these particles and their bodies, which there are so many of. They are marked and found in their order: to sort
    /// tens of thousands, most of them several times there, takes longer.
    pub fn set(&mut self, bodies: usize, of: impl Iterator<Item = (u32, u32)>) {
        let Self { particles, bodies: found, body_of, is_there } = self;
        particles.clear();
        found.clear();
        is_there.resize(bodies, false);
        let (mut first, mut last) = (u32::MAX, 0);
        for (particle, body) in of {
            body_of[particle as usize] = body;
            is_there[body as usize] = true;
            (first, last) = (first.min(particle), last.max(particle));
        }
        for particle in first..last.saturating_add(1) {
            let body = std::mem::replace(&mut body_of[particle as usize], NONE);
            if body != NONE {
                particles.push((particle, body));
            }
        }
        let there = (0..).zip(is_there).filter(|(_, is_there)| **is_there);
        found.extend(there.map(|(body, is_there)| {
            *is_there = false;
            body
        }));
    }
}
