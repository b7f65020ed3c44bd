use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::check::{At, Fault};
use super::{Material, Packing, Shape, shape};
use crate::geometry::shape::Shape as Solid;
use crate::geometry::{Quat, Vec3, rotation};
use crate::model::Particles;

/// `[[bodies]]`: particles packed into a shape or along yarns, bonded to their neighbours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    pub name: String,
    /// The name of one of the scene's materials.
    pub material: String,
    /// m. None where the packing has radii of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub particle_radius: Option<f64>,
    /// Centred on the body's origin. None where the packing is one of yarns or comes from a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shape: Option<Shape>,
    #[serde(default)]
    pub packing: Packing,
    /// Whether neighbours are bonded; if not, the body is granular.
    #[serde(default = "yes")]
    pub bonded: bool,
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

fn yes() -> bool {
    true
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

/// The solids that the bodies fill, once nothing is found wrong with single ones and all of them together that shows before
/// they are packed.
pub(super) fn load_all(
    bodies: &[Body],
    materials: &BTreeMap<String, Material>,
    folder: &Path,
    at: &At,
) -> Result<Vec<Option<Solid>>, Fault> {
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
        let solid = body.load(materials, &at)?;
        particles += body.estimate(solid.as_ref(), folder);
        if particles > MOST_PARTICLES {
            return Err(body.too_large(particles, &at));
        }
        body.check_precision(solid.as_ref(), &at)?;
        solids.push(solid);
    }
    Ok(solids)
}

impl Body {
    /// About how many particles it will have, given what it fills.
    pub(super) fn estimate(&self, solid: Option<&Solid>, folder: &Path) -> f64 {
        self.packing.estimate(solid, self.radii(), folder)
    }

    /// Smallest and largest radius of its particles, m; none where a file says it.
    pub(super) fn radii(&self) -> Option<[f64; 2]> {
        self.packing.radii(self.particle_radius)
    }

    fn load(&self, materials: &BTreeMap<String, Material>, at: &At) -> Result<Option<Solid>, Fault> {
        at.key("name").name(&self.name)?;
        let Some(material) = materials.get(&self.material) else {
            let known: Vec<&str> = materials.keys().map(String::as_str).collect();
            let help = format!("the scene has these materials: {}", known.join(", "));
            let fault = at.key("material").wrong(format!("there is no material {:?}", self.material));
            return Err(if known.is_empty() { fault.help("add it, under [materials.NAME]") } else { fault.help(help) });
        };
        self.packing.check(&at.key("packing"))?;
        self.check_radius(at)?;
        for radius in self.radii().into_iter().flatten() {
            self.check_mass(radius, material, at)?;
        }
        let solid = self.load_shape(at)?;
        if let Some([_, radius]) = self.radii() {
            solid.iter().try_for_each(|solid| self.check_fit(solid, radius, at))?;
            self.packing.check_fit(solid.as_ref(), radius, &at.key("packing"))?;
        }
        at.key("position").vector(&self.position)?;
        self.rotation.check(&at.key("rotation"))?;
        at.key("velocity").vector(&self.velocity)?;
        at.key("angular_velocity").vector(&self.angular_velocity)?;
        Ok(solid)
    }

    /// The body's one radius is given if and only if the packing has none.
    fn check_radius(&self, at: &At) -> Result<(), Fault> {
        match (self.particle_radius, self.packing.has_radii()) {
            (Some(radius), false) => at.key("particle_radius").positive(radius, " of metres"),
            (None, true) => Ok(()),
            (None, false) => Err(at.wrong("missing key `particle_radius`")),
            (Some(_), true) => {
                let fault =
                    at.key("particle_radius").wrong("the packing has radii of its own, so that the body has none");
                Err(fault.help("leave particle_radius out"))
            }
        }
    }

    /// What it fills, if its packing fills a shape.
    fn load_shape(&self, at: &At) -> Result<Option<Solid>, Fault> {
        match (&self.shape, self.packing.has_shape()) {
            (Some(shape), true) => shape::load_body(shape, &at.key("shape")).map(Some),
            (None, false) => Ok(None),
            (None, true) => Err(at.wrong("missing key `shape`")),
            (Some(_), false) => {
                let fault = at.key("shape").wrong("the packing fills no shape: it is one itself");
                Err(fault.help("leave shape out"))
            }
        }
    }

    /// Radii (m) and densities that are far off leave f64's range.
    pub(super) fn check_mass(&self, radius: f64, material: &Material, at: &At) -> Result<(), Fault> {
        let mass = Particles::sphere_mass(radius, material.density);
        let inertia = mass * radius.powi(2);
        let good = mass.is_normal() && inertia.is_normal() && (material.young_modulus * radius).is_normal();
        let expected = format!("such that a particle's mass is a sensible number (it is {mass:e} kg)");
        let key = if self.particle_radius.is_some() { "particle_radius" } else { "packing" };
        at.key(key).expect(good, radius, &expected)
    }

    /// A shape that is not thick enough for one particle of `radius` (m).
    fn check_fit(&self, solid: &Solid, radius: f64, at: &At) -> Result<(), Fault> {
        let (thickness, needed) = (solid.thickness(), 2.0 * radius);
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
    fn check_precision(&self, solid: Option<&Solid>, at: &At) -> Result<(), Fault> {
        let Some([radius, _]) = self.radii() else { return Ok(()) };
        let of_solid = |solid: &Solid| {
            let (low, high) = solid.bounds();
            low.abs().sup(&high.abs()).norm()
        };
        let reach = solid.map_or_else(|| self.packing.reach(), of_solid);
        let furthest = Vec3::from(self.position).amax() + reach;
        let limit = 1e-7 * radius / f64::EPSILON;
        let expected = format!("within {limit:.1e} m of the origin, for particles of {radius:?} m to be told apart");
        at.key("position").expect(furthest < limit, self.position, &expected)
    }

    fn too_large(&self, particles: f64, at: &At) -> Fault {
        let message = format!(
            "with body {:?} the scene has about {particles:.2e} particles, more than the limit of {MOST_PARTICLES:.0e}",
            self.name
        );
        at.key("particle_radius").wrong(message).help("a radius twice as large makes an eighth of the particles")
    }
}
