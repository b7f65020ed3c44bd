use bdem_core::geometry::packing::Packed;
use bdem_core::model::{AxialSpring, Bond, Material, Particles};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::body::Matter;
use super::check::{At, Fault, Quantity};
use super::{Packing, SceneBody};

/// Springs in place of bonds: masses at the particles' centres, and springs that resist stretch alone.
#[derive(Clone, Copy, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [{ "required": ["mass"] }, { "required": ["density"] }]))]
#[schemars(rename = "Springs")]
pub struct SceneSprings {
    /// Stiffness of each spring, N/m.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub stiffness: f64,
    /// Damping coefficient of each spring, N s/m.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub damping: f64,
    /// Strain in tension beyond which a spring breaks. `inf` for springs that do not break.
    #[serde(default = "unbreakable")]
    #[schemars(with = "Option<f64>", extend("exclusiveMinimum" = 0.0))]
    pub breaking_strain: f64,
    /// Mass of each particle, kg. Give either this or `density`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub mass: Option<f64>,
    /// Density. With the packing `edges` that of the area, kg/m2: a vertex has a third of its triangles' mass. With others
    /// that of the particles, kg/m3.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub density: Option<f64>,
    /// Whether the particles touch others and colliders. Contacts are as stiff as springs.
    #[serde(default)]
    pub contact: bool,
    /// Coefficient of friction of contacts.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub friction: f64,
}

fn unbreakable() -> f64 {
    f64::INFINITY
}

impl SceneSprings {
    /// Checks of the springs of `body`.
    pub(super) fn check(&self, body: &SceneBody, at: &At) -> Result<(), Fault> {
        self.check_body(body, at)?;
        let at = at.key("springs");
        at.key("stiffness").positive(self.stiffness, " (N/m)")?;
        at.key("stiffness").no_more_than(self.stiffness, Quantity::STIFFNESS)?;
        at.key("damping").not_negative(self.damping)?;
        let strain = self.breaking_strain;
        at.key("breaking_strain").expect(
            strain > 0.0,
            strain,
            "a positive number, or inf for springs that never break",
        )?;
        self.check_mass(body, &at)?;
        at.key("friction").not_negative(self.friction)?;
        let needless = self.friction > 0.0 && !self.contact;
        let fault = || at.key("friction").wrong("friction acts in contacts, and this body has none");
        if needless { Err(fault().help("add contact = true, or leave friction out")) } else { Ok(()) }
    }

    /// Check that the body has nothing that only bonds have.
    fn check_body(&self, body: &SceneBody, at: &At) -> Result<(), Fault> {
        if body.material.is_some() {
            let fault = at.key("material").wrong("a body of springs has no material: that is of bonds");
            return Err(fault.help("leave material out; stiffness, mass and friction are keys of springs"));
        }
        if body.rigid {
            let fault = at.key("rigid").wrong("a body of springs cannot be rigid");
            return Err(fault.help("leave springs out and give it a material, or hold it by a constraint"));
        }
        if body.inertia.is_some() || body.bond_thickness != 1.0 {
            let key = if body.inertia.is_some() { "inertia" } else { "bond_thickness" };
            let fault = at.key(key).wrong("springs turn no particle, and have no radius");
            return Err(fault.help("leave it out, or leave springs out and give the body a material"));
        }
        if !body.bonded {
            let fault = at.key("bonded").wrong("a body of springs cannot be granular: springs are its bonds");
            return Err(fault.help("leave bonded out, or leave springs out and give it a material"));
        }
        Ok(())
    }

    fn check_mass(&self, body: &SceneBody, at: &At) -> Result<(), Fault> {
        let (key, value, unit) = match (self.mass, self.density) {
            (Some(mass), None) => ("mass", mass, " (kg)"),
            (None, Some(density)) if matches!(body.packing, Packing::Edges(_)) => ("density", density, " (kg/m2)"),
            (None, Some(density)) => ("density", density, " (kg/m3)"),
            (None, None) => return Err(at.wrong("missing mass, or in its place density")),
            (Some(mass), Some(density)) => {
                let both =
                    format!("mass ({mass:?}) and density ({density:?}) are both given, but one follows from the other");
                return Err(at.key("density").wrong(both).help("leave one of them out"));
            }
        };
        at.key(key).positive(value, unit)?;
        at.key(key).no_more_than(value, Quantity::DENSITY)
    }

    /// Mass of each of the particles `packed`, kg.
    pub(super) fn masses(&self, matter: &Matter, packed: &Packed) -> Vec<f64> {
        match (self.mass, self.density.unwrap_or_default(), matter) {
            (Some(mass), ..) => vec![mass; packed.radii.len()],
            (None, density, Matter::Edges(edges)) => edges.areas.iter().map(|area| density * area).collect(),
            (None, density, _) => packed.radii.iter().map(|&r| Particles::sphere_mass(r, density)).collect(),
        }
    }

    /// Check that each of the `masses` (kg) and moments of inertia of the particles `packed` is within the range of f64.
    pub(super) fn check_masses(&self, masses: &[f64], packed: &Packed, at: &At) -> Result<(), Fault> {
        let is_wrong = |&i: &usize| !(masses[i].is_normal() && (masses[i] * packed.radii[i].powi(2)).is_normal());
        let Some(i) = (0..masses.len()).find(is_wrong) else { return Ok(()) };
        let key = if self.mass.is_some() { "mass" } else { "density" };
        let message = format!("particle {i} of the body would have a mass of {:e} kg", masses[i]);
        let help = "give a mass; a vertex whose triangles have no area gets none from a density";
        Err(at.key("springs").key(key).wrong(message).help(help))
    }

    /// Adds the particles `packed` of these `masses` (kg), of the material and the body of these indices.
    pub(super) fn add_particles(
        &self,
        to: &mut Particles,
        packed: &Packed,
        masses: &[f64],
        [material, body]: [usize; 2],
    ) {
        for (&radius, &mass) in packed.radii.iter().zip(masses) {
            to.push_mass(radius, mass, material as u16, body as u16);
            if !self.contact {
                to.remove_contacts(to.len() - 1);
            }
        }
    }

    /// Adds the springs to `bonds`. The particles count from `first` and are at rest as `packed`.
    pub(super) fn join(&self, bonds: &mut Vec<Bond>, first: u32, packed: &Packed) {
        let (spring, id) = (self.spring(), bonds.len() as u32);
        let Packed { centres, radii, .. } = packed;
        bonds.extend((id..).zip(&packed.bonds).map(|(id, ends)| {
            let [i, j] = ends.map(|i| i as usize);
            spring.bond(id, ends.map(|i| first + i), centres[j] - centres[i], 0.5 * (radii[i] + radii[j]))
        }));
    }

    /// Each of the springs.
    fn spring(&self) -> AxialSpring {
        let Self { stiffness, damping, breaking_strain, .. } = *self;
        AxialSpring { stiffness, damping, breaking_strain }
    }

    /// Material of the particles `packed` of the body called `name`, for their contacts.
    pub(super) fn material(&self, name: &str, packed: &Packed, masses: &[f64]) -> Material {
        let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
        let material = self.spring().material(&format!("springs of {name}"), mean(&packed.radii), mean(masses));
        Material { friction: self.friction, static_friction: self.friction, ..material }
    }
}

/// Number of bodies with springs.
pub(super) fn count(bodies: &[SceneBody]) -> usize {
    bodies.iter().filter(|body| body.springs.is_some()).count()
}
