use bdem_core::model::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::{At, Fault};
use super::files::Files;
use super::schema::NAME;
use super::{Region, SceneBody};

/// `[[output.probes]]`: a measurement of particles that are chosen once, when the run starts: the means of a `region`,
/// or the distance `between` two.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    /// Name, unlike any other of a collider, constraint or probe.
    #[schemars(regex(pattern = NAME))]
    pub name: String,
    /// Region whose mean displacement, velocity and stress are measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
    /// Regions of an extensometer, which measures the distance between the means of their particles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub between: Option<[Region; 2]>,
}

impl Probe {
    pub(super) fn check(&self, at: &At) -> Result<(), Fault> {
        match (&self.region, &self.between) {
            (Some(region), None) => region.check(&at.key("region")),
            (None, Some(ends)) => ends.iter().enumerate().try_for_each(|(k, end)| end.check(&at.key("between").key(k))),
            (None, None) => Err(at.wrong("missing region or between: the probe measures nothing")),
            (Some(_), Some(_)) => {
                let both = at.key("between").wrong("a probe measures a region, or between two, and not both");
                Err(both.help("make two probes of it"))
            }
        }
    }

    /// Reads what its regions need of the mesh files of the `bodies`.
    pub(super) fn read(&mut self, bodies: &[SceneBody], files: &mut Files, at: &At) -> Result<(), Fault> {
        self.region.iter_mut().try_for_each(|region| region.read(bodies, None, files, &at.key("region")))?;
        let mut ends = self.between.iter_mut().flatten().enumerate();
        ends.try_for_each(|(k, end)| end.read(bodies, None, files, &at.key("between").key(k)))
    }

    /// Regions of the probe, one or two.
    pub fn regions(&self) -> &[Region] {
        match (&self.region, &self.between) {
            (Some(region), _) => std::slice::from_ref(region),
            (None, Some(ends)) => ends,
            (None, None) => &[],
        }
    }

    /// Check that every region has particles, and that those of an extensometer are apart.
    pub(super) fn check_particles(&self, state: &State, at: &At) -> Result<(), Fault> {
        let all = || (0..state.len() as u32).collect::<Vec<_>>();
        let chosen: Vec<_> = self.regions().iter().map(|region| region.choose(all(), &state.p)).collect();
        let key = |k: usize| if self.region.is_some() { at.key("region") } else { at.key("between").key(k) };
        if let Some(empty) = chosen.iter().position(Vec::is_empty) {
            let place = key(empty).key(self.regions()[empty].name());
            return Err(place.wrong(format!("no particle's centre lies in this region of probe {:?}", self.name)));
        }
        match &chosen[..] {
            [one, other] if one == other => {
                let same =
                    at.key("between").wrong(format!("both ends of probe {:?} are the same particles", self.name));
                Err(same.help("move the two further apart"))
            }
            _ => Ok(()),
        }
    }
}
