use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};

use super::check::{At, Fault};
use super::files::Files;
use super::{Material, Shape, shape};
use crate::geometry::shape::Shape as Solid;
use crate::geometry::{Quat, Vec3, packing, rotation};
use crate::model::Particles;

/// `[[bodies]]`: a shape filled with bonded particles of one size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    pub name: String,
    /// The name of one of the scene's materials.
    pub material: String,
    /// m.
    pub particle_radius: f64,
    /// Centred on the body's origin.
    pub shape: Shape,
    /// Of the origin, m.
    #[serde(default)]
    pub position: [f64; 3],
    /// About the origin.
    #[serde(default)]
    pub rotation: Turn,
    /// Of the origin, m/s.
    #[serde(default)]
    pub velocity: [f64; 3],
    /// About the origin, rad/s.
    #[serde(default)]
    pub angular_velocity: [f64; 3],
}

/// A rotation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// Of any length but zero.
    pub axis: [f64; 3],
    /// Counterclockwise, seen from the tip of the axis.
    pub degrees: f64,
}

impl Default for Turn {
    fn default() -> Self {
        Self { axis: [0.0, 0.0, 1.0], degrees: 0.0 }
    }
}

impl Turn {
    /// The rotation as a unit quaternion.
    pub fn quaternion(&self) -> Quat {
        rotation::exp(&(self.vector() * 0.5))
    }

    /// The rotation as a vector, rad.
    pub fn vector(&self) -> Vec3 {
        Vec3::from(self.axis).normalize() * self.degrees.to_radians()
    }

    pub(super) fn check(&self, at: &At) -> Result<(), Fault> {
        at.key("axis").direction(&self.axis)?;
        at.key("degrees").finite(self.degrees)
    }
}

/// More particles than this are taken for a slip; they would need some 100 GB.
const MOST_PARTICLES: f64 = 50e6;

/// More places for particles than this, in the box around a shape, would take hours to look through.
const MOST_PLACES: f64 = 1e9;

/// The solids that the bodies fill, once nothing is found wrong with single ones and all of them together that shows before
/// they are packed.
pub(super) fn load_all(
    bodies: &[Body],
    materials: &BTreeMap<String, Material>,
    files: &mut Files,
    at: &At,
) -> Result<Vec<Solid>, Fault> {
    if bodies.is_empty() {
        return Err(at.wrong("the scene has no bodies").help("add at least one, under [[bodies]]"));
    }
    let most = usize::from(u16::MAX);
    let at_most = format!("a list of at most {most}");
    at.expect(bodies.len() <= most, bodies.len(), &at_most)?;
    At::root().key("materials").expect(materials.len() <= most, materials.len(), &at_most)?;
    let mut names = HashSet::new();
    let mut particles = 0.0;
    let mut solids = Vec::new();
    for (i, body) in bodies.iter().enumerate() {
        let at = at.key(i);
        if !names.insert(&body.name) {
            return Err(at.key("name").wrong(format!("two bodies have the name {:?}", body.name)));
        }
        let solid = body.load(materials, files, &at)?;
        particles += body.estimate(&solid);
        if particles > MOST_PARTICLES {
            return Err(body.too_large(particles, &at));
        }
        body.check_precision(&solid, &at)?;
        body.check_places(&solid, &at)?;
        solids.push(solid);
    }
    Ok(solids)
}

impl Body {
    /// About how many particles it will have, given what it fills.
    pub(super) fn estimate(&self, solid: &Solid) -> f64 {
        packing::estimate(solid, self.particle_radius)
    }

    fn load(&self, materials: &BTreeMap<String, Material>, files: &mut Files, at: &At) -> Result<Solid, Fault> {
        at.key("name").name(&self.name)?;
        let Some(material) = materials.get(&self.material) else {
            let known: Vec<&str> = materials.keys().map(String::as_str).collect();
            let help = format!("the scene has these materials: {}", known.join(", "));
            let fault = at.key("material").wrong(format!("there is no material {:?}", self.material));
            return Err(if known.is_empty() { fault.help("add it, under [materials.NAME]") } else { fault.help(help) });
        };
        at.key("particle_radius").positive(self.particle_radius, " of metres")?;
        self.check_mass(material, at)?;
        let solid = shape::load_body(&self.shape, files, &at.key("shape"))?;
        self.check_fit(&solid, at)?;
        at.key("position").vector(&self.position)?;
        self.rotation.check(&at.key("rotation"))?;
        at.key("velocity").vector(&self.velocity)?;
        at.key("angular_velocity").vector(&self.angular_velocity)?;
        Ok(solid)
    }

    /// Radii and densities that are far off leave f64's range.
    fn check_mass(&self, material: &Material, at: &At) -> Result<(), Fault> {
        let mass = Particles::sphere_mass(self.particle_radius, material.density);
        let inertia = mass * self.particle_radius.powi(2);
        let good =
            mass.is_normal() && inertia.is_normal() && (material.young_modulus * self.particle_radius).is_normal();
        let expected = format!("such that a particle's mass is a sensible number (it is {mass:e} kg)");
        at.key("particle_radius").expect(good, self.particle_radius, &expected)
    }

    /// A shape that is not thick enough for one particle.
    fn check_fit(&self, solid: &Solid, at: &At) -> Result<(), Fault> {
        let (thickness, needed) = (solid.thickness(), 2.0 * self.particle_radius);
        if thickness >= needed * (1.0 - 1e-9) {
            return Ok(());
        }
        // to the nanometre: differences have digits that nobody wrote
        let thickness = (thickness * 1e9).round() / 1e9;
        let thin = format!("the shape is {thickness:?} m thick, thinner than one particle: no particle fits");
        let help = format!("make it at least {needed:?} m thick, or particle_radius at most {:?}", 0.5 * thickness);
        Err(at.key("shape").wrong(thin).help(help))
    }

    /// Particles so far out that an f64 cannot tell whether they touch.
    fn check_precision(&self, solid: &Solid, at: &At) -> Result<(), Fault> {
        let (low, high) = solid.bounds();
        let furthest = Vec3::from(self.position).amax() + low.abs().sup(&high.abs()).norm();
        let limit = 1e-7 * self.particle_radius / f64::EPSILON;
        let r = self.particle_radius;
        let expected = format!("within {limit:.1e} m of the origin, for particles of {r:?} m to be told apart");
        at.key("position").expect(furthest < limit, self.position, &expected)
    }

    /// Parts so far apart that there is next to nothing in the box around them.
    fn check_places(&self, solid: &Solid, at: &At) -> Result<(), Fault> {
        let (low, high) = solid.bounds();
        let places = packing::estimate(&Solid::Box { size: (high - low).into() }, self.particle_radius);
        if places <= MOST_PLACES {
            return Ok(());
        }
        let message = format!("the box around the shape has {places:.1e} places for particles, of which it fills few");
        Err(at.key("shape").wrong(message).help("make a body of each part, or place the parts nearer to one another"))
    }

    fn too_large(&self, particles: f64, at: &At) -> Fault {
        let message = format!(
            "with body {:?} the scene has about {particles:.2e} particles, more than the limit of {MOST_PARTICLES:.0e}",
            self.name
        );
        at.key("particle_radius").wrong(message).help("a radius twice as large makes an eighth of the particles")
    }
}
