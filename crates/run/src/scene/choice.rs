//! Choice of particles by a body, a region, or both.

use bdem_core::model::{Particles, State};

use super::check::{At, Fault};
use super::{Region, Scene, SceneBody};

/// Particles of a body, in a region, or those of the body that lie in the region.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice<'a> {
    pub region: Option<&'a Region>,
    pub body: Option<&'a str>,
}

impl Choice<'_> {
    /// Check that it chooses something for `what`.
    pub(super) fn check(&self, what: &str, bodies: &[SceneBody], at: &At) -> Result<(), Fault> {
        if self.region.is_none() && self.body.is_none() {
            return Err(at.wrong(format!("missing region or body: the {what} chooses no particles")));
        }
        if let Some(region) = self.region {
            region.check(&at.key("region"))?;
        }
        if let Some(name) = self.body
            && !bodies.iter().any(|body| body.name == *name)
        {
            let known: Vec<&str> = bodies.iter().map(|body| body.name.as_str()).collect();
            let help = format!("the scene has these bodies: {}", known.join(", "));
            return Err(at.key("body").wrong(format!("there is no body {name:?}")).help(help));
        }
        Ok(())
    }

    /// Chosen particles, at least one. `nothing` is the message where there is none.
    pub(super) fn particles(
        &self,
        scene: &Scene,
        particles: &Particles,
        state: &State,
        nothing: &str,
        at: &At,
    ) -> Result<Vec<u32>, Fault> {
        let is_candidate =
            |i: usize| self.body.is_none_or(|name| scene.bodies[particles.body[i] as usize].name == name);
        let candidates = (0..state.len()).filter(|&i| is_candidate(i)).map(|i| i as u32).collect();
        let chosen = match self.region {
            Some(region) => region.choose(candidates, &state.p),
            None => candidates,
        };
        if chosen.is_empty() {
            return Err(self.place(at).wrong(nothing).help(extent(state)));
        }
        Ok(chosen)
    }

    /// Place in the scene that chooses the particles, for errors.
    pub(super) fn place(&self, at: &At) -> At {
        match self.region {
            Some(region) => at.key("region").key(region.name()),
            None => at.key("body"),
        }
    }
}

/// Bounds of the particles' centres, as text.
fn extent(state: &State) -> String {
    let (low, high) = state.p.iter().fold((state.p[0], state.p[0]), |(low, high), p| (low.inf(p), high.sup(p)));
    let [low, high] = [low, high].map(|p| format!("[{:.4}, {:.4}, {:.4}]", p.x, p.y, p.z));
    format!("centres lie between {low} and {high}")
}
