use bdem_core::geometry::Vec3;
use bdem_core::model::{Particles, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::{At, Fault, Quantity};
use super::{Region, SceneBody};

/// `[[bodies.start]]`: initial velocities of a part of a body, in place of the body's own.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Start")]
pub struct SceneStart {
    /// Region that chooses the body's particles by their centres.
    pub region: Region,
    /// Velocity, m/s.
    #[serde(default)]
    pub velocity: [f64; 3],
    /// Angular velocity about the mean of the chosen centres, rad/s.
    #[serde(default)]
    pub angular_velocity: [f64; 3],
}

impl SceneBody {
    pub(super) fn check_start(&self, at: &At) -> Result<(), Fault> {
        if self.rigid && !self.start.is_empty() {
            let wrong = at.wrong(format!("body {:?} is rigid, and moves as a whole", self.name));
            return Err(wrong.help("give the body its velocity and angular_velocity, or rigid = false"));
        }
        self.start.iter().enumerate().try_for_each(|(k, start)| {
            let at = at.key(k);
            start.region.check(&at.key("region"))?;
            at.key("velocity").vector_of(&start.velocity, Quantity::SPEED)?;
            at.key("angular_velocity").vector_of(&start.angular_velocity, Quantity::SPIN)
        })
    }

    /// Sets the velocities of the parts of the body with this index. Of parts that overlap the last counts.
    pub(super) fn start_parts(
        &self,
        index: usize,
        particles: &Particles,
        state: &mut State,
        at: &At,
    ) -> Result<(), Fault> {
        for (k, start) in self.start.iter().enumerate() {
            let own = (0..state.len() as u32).filter(|&i| usize::from(particles.body[i as usize]) == index);
            let chosen = start.region.choose(own.collect(), &state.p);
            if chosen.is_empty() {
                let at = at.key(k).key("region").key(start.region.name());
                let wrong = at.wrong(format!("no particle of body {:?} lies in this region", self.name));
                return Err(wrong.help("move it to where the body is when the run starts"));
            }
            let centre = chosen.iter().map(|&i| state.p[i as usize]).sum::<Vec3>() / chosen.len() as f64;
            let (velocity, spin) = (Vec3::from(start.velocity), Vec3::from(start.angular_velocity));
            for i in chosen.into_iter().map(|i| i as usize) {
                state.v[i] = velocity + spin.cross(&(state.p[i] - centre));
                state.w[i] = spin;
            }
        }
        Ok(())
    }
}
