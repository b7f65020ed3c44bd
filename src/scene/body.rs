use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};

use super::Material;
use super::check::{At, Fault};
use crate::geometry::{Quat, Vec3, packing, rotation, shape::Shape};
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

/// What single bodies and all of them together can have wrong before they are packed.
pub(super) fn check_all(bodies: &[Body], materials: &BTreeMap<String, Material>, at: &At) -> Result<(), Fault> {
    if bodies.is_empty() {
        return Err(at.wrong("the scene has no bodies").help("add at least one, under [[bodies]]"));
    }
    let most = usize::from(u16::MAX);
    let at_most = format!("a list of at most {most}");
    at.expect(bodies.len() <= most, bodies.len(), &at_most)?;
    At::root().key("materials").expect(materials.len() <= most, materials.len(), &at_most)?;
    let mut names = HashSet::new();
    let mut particles = 0.0;
    for (i, body) in bodies.iter().enumerate() {
        let at = at.key(i);
        if !names.insert(&body.name) {
            return Err(at.key("name").wrong(format!("two bodies have the name {:?}", body.name)));
        }
        body.check(materials, &at)?;
        particles += body.estimate();
        if particles > MOST_PARTICLES {
            return Err(body.too_large(particles, &at));
        }
        body.check_precision(&at)?;
    }
    Ok(())
}

impl Body {
    /// About how many particles it will have.
    pub(super) fn estimate(&self) -> f64 {
        packing::estimate(&self.shape, self.particle_radius)
    }

    fn check(&self, materials: &BTreeMap<String, Material>, at: &At) -> Result<(), Fault> {
        at.key("name").name(&self.name)?;
        let Some(material) = materials.get(&self.material) else {
            let known: Vec<&str> = materials.keys().map(String::as_str).collect();
            let help = format!("the scene has these materials: {}", known.join(", "));
            let fault = at.key("material").wrong(format!("there is no material {:?}", self.material));
            return Err(if known.is_empty() { fault.help("add it, under [materials.NAME]") } else { fault.help(help) });
        };
        at.key("particle_radius").positive(self.particle_radius, " of metres")?;
        self.check_mass(material, at)?;
        check_shape(&self.shape, &at.key("shape"))?;
        self.check_fit(at)?;
        at.key("position").vector(&self.position)?;
        self.rotation.check(&at.key("rotation"))?;
        at.key("velocity").vector(&self.velocity)?;
        at.key("angular_velocity").vector(&self.angular_velocity)
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
    fn check_fit(&self, at: &At) -> Result<(), Fault> {
        let (thickness, needed) = (self.shape.thickness(), 2.0 * self.particle_radius);
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
    fn check_precision(&self, at: &At) -> Result<(), Fault> {
        let furthest = Vec3::from(self.position).amax() + self.shape.half_extents().norm();
        let limit = 1e-7 * self.particle_radius / f64::EPSILON;
        let r = self.particle_radius;
        let expected = format!("within {limit:.1e} m of the origin, for particles of {r:?} m to be told apart");
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

fn check_shape(shape: &Shape, at: &At) -> Result<(), Fault> {
    let positive = |name: &str, key: &str, value: f64| at.key(name).key(key).positive(value, " of metres");
    match *shape {
        Shape::Box { size } => size.iter().try_for_each(|&side| positive("box", "size", side)),
        Shape::Sphere { radius } => positive("sphere", "radius", radius),
        Shape::Ellipsoid { radii } => radii.iter().try_for_each(|&radius| positive("ellipsoid", "radii", radius)),
        Shape::Cylinder { radius, height } => {
            positive("cylinder", "radius", radius)?;
            positive("cylinder", "height", height)
        }
        Shape::Tube { radius, inner_radius, height } => {
            positive("tube", "radius", radius)?;
            positive("tube", "height", height)?;
            positive("tube", "inner_radius", inner_radius)?;
            let at = at.key("tube").key("inner_radius");
            at.expect(inner_radius < radius, inner_radius, &format!("less than radius, {radius:?}"))
        }
        Shape::Cone { radius, top_radius, height } => {
            positive("cone", "radius", radius)?;
            positive("cone", "height", height)?;
            let good = top_radius >= 0.0 && top_radius.is_finite();
            at.key("cone").key("top_radius").expect(good, top_radius, "zero or a positive number of metres")
        }
        Shape::Capsule { radius, height } => {
            positive("capsule", "radius", radius)?;
            let good = height >= 2.0 * radius && height.is_finite();
            let expected = format!("at least twice the radius, {:?}: it counts the round ends", 2.0 * radius);
            at.key("capsule").key("height").expect(good, height, &expected)
        }
        Shape::Torus { radius, tube_radius } => {
            positive("torus", "radius", radius)?;
            positive("torus", "tube_radius", tube_radius)?;
            let at = at.key("torus").key("tube_radius");
            at.expect(tube_radius <= radius, tube_radius, &format!("at most radius, {radius:?}"))
        }
    }
}
