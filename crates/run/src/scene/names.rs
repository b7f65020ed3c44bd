//! Names of measured objects, and references to them.

use std::collections::HashSet;

use super::Scene;
use super::check::{At, Fault};

impl Scene {
    /// Names of the objects that may have a load: colliders and constraints.
    fn loads(&self) -> Vec<&str> {
        let colliders = self.colliders.iter().filter_map(|collider| collider.name.as_deref());
        colliders.chain(self.constraints.iter().filter_map(|constraint| constraint.name.as_deref())).collect()
    }

    /// Check that names differ, and that those which are referred to exist.
    pub(super) fn check_names(&self, root: &At) -> Result<(), Fault> {
        let colliders =
            self.colliders.iter().map(|c| c.name.as_ref()).enumerate().map(|(i, name)| ("colliders", i, name));
        let constraints = self.constraints.iter().map(|c| c.name.as_ref());
        let constraints = constraints.enumerate().map(|(i, name)| ("constraints", i, name));
        let mut names = HashSet::new();
        for (list, i, name) in colliders.chain(constraints) {
            let at = root.key(list).key(i).key("name");
            name.map_or(Ok(()), |name| unlike(&mut names, name, &at))?;
        }
        let output = root.key("output");
        for (i, probe) in self.output.probes.iter().enumerate() {
            unlike(&mut names, &probe.name, &output.key("probes").key(i).key("name"))?;
        }
        let bodies: Vec<&str> = self.bodies.iter().map(|body| body.name.as_str()).collect();
        for (i, body) in self.output.stress.iter().enumerate() {
            let at = output.key("stress").key(i);
            at.known("body", body, &bodies)?;
            unlike(&mut names, body, &at)?;
        }
        self.check_references(root)
    }

    fn check_references(&self, root: &At) -> Result<(), Fault> {
        const LOAD: &str = "collider or constraint with the name";
        if let Some(specimen) = &self.specimen {
            let at = root.key("specimen");
            specimen.check(&at)?;
            at.key("load").known(LOAD, &specimen.load, &self.loads())?;
            let gauges = self.output.probes.iter().filter(|probe| probe.between.is_some());
            let gauges: Vec<&str> = gauges.map(|probe| probe.name.as_str()).collect();
            let known = |key: &str, name: &Option<String>| {
                name.iter().try_for_each(|name| at.key(key).known("extensometer", name, &gauges))
            };
            let bodies: Vec<&str> = self.bodies.iter().map(|body| body.name.as_str()).collect();
            specimen.body.iter().try_for_each(|body| at.key("body").known("body", body, &bodies))?;
            known("gauge", &specimen.gauge)?;
            known("lateral", &specimen.lateral)?;
        }
        let Some(until) = self.time.until.as_ref().filter(|until| until.load_below_peak.is_some()) else {
            return Ok(());
        };
        let at = root.key("time").key("until");
        match &until.of {
            Some(name) => at.key("of").known(LOAD, name, &self.loads()),
            None if self.specimen.is_some() => Ok(()),
            None => {
                let missing =
                    at.key("load_below_peak").wrong("missing key `of`: the load of which collider or constraint");
                Err(missing.help("give one a name, and write it here as of = \"NAME\""))
            }
        }
    }

    /// Name of the collider or constraint whose load may end the run.
    pub fn load_until(&self) -> Option<&str> {
        let until = self.time.until.as_ref().filter(|until| until.load_below_peak.is_some())?;
        until.of.as_deref().or_else(|| self.specimen.as_ref().map(|specimen| specimen.load.as_str()))
    }
}

/// Check that `name` is well formed and not among `names`, which it joins.
fn unlike<'a>(names: &mut HashSet<&'a str>, name: &'a str, at: &At) -> Result<(), Fault> {
    at.name(name)?;
    if names.insert(name) {
        return Ok(());
    }
    let twice = at.wrong(format!("two columns of forces.csv would have the name {name:?}"));
    Err(twice.help("colliders, constraints, probes and the bodies of output.stress need different names"))
}
