use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, OnceLock};

use bdem_core::geometry::mesh::Edges;
use bdem_core::geometry::shape::{Shape as Solid, Thicknesses};
use bdem_core::geometry::{Quat, Vec3, packing, rotation};
use bdem_core::model::Particles;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::{At, Fault, Quantity};
use super::files::Files;
use super::particle_file::{self, Spheres};
use super::schema::NAME;
use super::usual::short;
use super::{
    DensityOf, Moduli, Mortar, Packing, PackingModuli, PackingStore, SceneCuts, SceneGrainMap, SceneMaterial,
    SceneShape, SceneSprings, SceneStart, SceneStrengthMap, material_presets, shape, slips, springs,
};

/// `[[bodies]]`: particles packed into a shape, along yarns or at the vertices of a mesh, bonded to their neighbours.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Body", extend("oneOf" = [{ "required": ["material"] }, { "required": ["springs"] }]))]
pub struct SceneBody {
    /// Name of the body, unlike any other body's: letters, digits, `-` and `_`.
    #[schemars(regex(pattern = NAME))]
    pub name: String,
    /// Name of one of the scene's materials. Give either this or `springs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
    /// Springs in place of bonds: they resist stretch alone. Give either this or `material`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub springs: Option<SceneSprings>,
    /// Radius of the particles, m. Leave it out where the packing has radii of its own. At the vertices of a mesh it may be
    /// left out: then it is half of the shortest edge.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub particle_radius: Option<f64>,
    /// Thickness of the bonds over that of the particles.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub bond_thickness: f64,
    /// Moment of inertia of each particle about any axis, kg m2. By default that of a solid sphere, 2/5 m r^2.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub inertia: Option<f64>,
    /// Solid that the particles fill, centred on the body's origin. Leave it out for yarns, for particles from a file, and
    /// for the vertices of a mesh.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shape: Option<SceneShape>,
    /// Glue between the bodies that the objects or groups of one mesh are, with `bodies` in the mesh.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mortar: Option<Mortar>,
    /// Arrangement of the particles and of their bonds. `hexagonal`, `random` and `shell` fill the body's shape, the others have
    /// none. Where every key has a default the name alone will do.
    #[serde(default)]
    pub packing: Packing,
    /// Bonds between neighbours. Without them the body is granular.
    #[serde(default = "yes")]
    pub bonded: bool,
    /// Rigid motion: the body keeps its form and cannot break. A constraint that moves all of it prescribes its
    /// motion. Otherwise forces and torques move it.
    #[serde(default)]
    pub rigid: bool,
    /// Position of the origin, m.
    #[serde(default)]
    pub position: [f64; 3],
    /// Rotation about the origin.
    #[serde(default)]
    pub rotation: AxisAngle,
    /// Velocity of the origin, m/s.
    #[serde(default)]
    pub velocity: [f64; 3],
    /// Angular velocity about the origin, rad/s.
    #[serde(default)]
    pub angular_velocity: [f64; 3],
    /// Surfaces that weaken the bonds across them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cuts: Option<SceneCuts>,
    /// Factors on the strengths of bonds, painted on the body's mesh.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strength_map: Option<SceneStrengthMap>,
    /// Directions of the material's grain, painted on the body's mesh.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grain_map: Option<SceneGrainMap>,
    /// Initial velocities of parts of the body, in place of these. Of parts that overlap the last counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub start: Vec<SceneStart>,
}

fn yes() -> bool {
    true
}

fn one() -> f64 {
    1.0
}

/// Rotation by an angle about an axis.
#[derive(Clone, Copy, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Rotation")]
pub struct AxisAngle {
    /// Axis, of any length but zero.
    pub axis: [f64; 3],
    /// Angle, degrees, counterclockwise as seen from the tip of the axis.
    pub degrees: f64,
}

impl Default for AxisAngle {
    fn default() -> Self {
        Self { axis: [0.0, 0.0, 1.0], degrees: 0.0 }
    }
}

impl AxisAngle {
    /// Unit quaternion of the rotation.
    pub fn quaternion(&self) -> Quat {
        rotation::exp(&(self.vector() * 0.5))
    }

    /// Rotation vector, rad.
    pub fn vector(&self) -> Vec3 {
        Vec3::from(self.axis).normalize() * self.degrees.to_radians()
    }

    pub(super) fn check(&self, at: &At) -> Result<(), Fault> {
        at.key("axis").direction(&self.axis)?;
        at.key("degrees").quantity(self.degrees, Quantity::ANGLE)
    }
}

/// Limit on the particles of a scene. More need some 100 GB of memory, and are most likely a wrong radius.
const MAX_PARTICLES: f64 = 50e6;

/// Limit on lattice sites in the box around a shape. Searching more takes hours.
const MAX_PLACES: f64 = 1e9;

/// Checked content of every body, and the approximate number of all particles. Only errors that show before packing are
/// found here.
pub(super) fn load_all(
    bodies: &[SceneBody],
    materials: &BTreeMap<String, SceneMaterial>,
    files: &mut Files,
    at: &At,
) -> Result<(Vec<Matter>, f64), Fault> {
    if bodies.is_empty() {
        return Err(at.wrong("the scene has no bodies").help("add at least one, under [[bodies]]"));
    }
    let most = usize::from(u16::MAX);
    let at_most = format!("a list of at most {most}");
    at.expect(bodies.len() <= most, bodies.len(), &at_most)?;
    let count = materials.len() + springs::count(bodies);
    At::root().key("materials").expect(count <= most, count, &at_most)?;
    let mut names = HashSet::new();
    let mut particles = 0.0;
    let mut matters = Vec::new();
    for (i, body) in bodies.iter().enumerate() {
        let at = at.key(i);
        if !names.insert(&body.name) {
            return Err(at.key("name").wrong(format!("two bodies have the name {:?}", body.name)));
        }
        let matter = body.load(materials, files, &at)?;
        particles += body.estimate(&matter);
        if particles > MAX_PARTICLES {
            return Err(body.too_large(particles, &matter, &at));
        }
        body.check_precision(&matter, &at)?;
        body.check_places(&matter, &at)?;
        matters.push(matter);
    }
    Ok((matters, particles))
}

/// Content of a body before packing.
#[derive(Clone, Debug)]
pub(super) enum Matter {
    /// Solid that the particles fill.
    Solid(Filled),
    /// Yarns, which have a form of their own.
    Yarns,
    /// Spheres from a file.
    Spheres(Arc<Spheres>),
    /// Vertices and edges of a mesh.
    Edges(Arc<Edges>),
}

impl Matter {
    /// Row or vertex in the file of each particle; none for particles that are not from a file.
    pub(super) fn rows(&self) -> &[u32] {
        match self {
            Self::Spheres(spheres) => &spheres.rows,
            Self::Edges(edges) => &edges.corners,
            Self::Solid(_) | Self::Yarns => &[],
        }
    }
}

/// Solid that particles fill, with its volume.
#[derive(Clone, Debug)]
pub(super) struct Filled {
    pub shape: Solid,
    volume: OnceLock<f64>,
    thicknesses: OnceLock<Thicknesses>,
}

impl Filled {
    fn new(shape: Solid) -> Self {
        Self { shape, volume: OnceLock::new(), thicknesses: OnceLock::new() }
    }

    /// Volume of the shape, m3, as computed at the first call: that of a combination takes long.
    pub(super) fn volume(&self) -> f64 {
        *self.volume.get_or_init(|| self.shape.volume())
    }

    /// Thicknesses of the shape, as measured at the first call.
    pub(super) fn thicknesses(&self) -> &Thicknesses {
        self.thicknesses.get_or_init(|| self.shape.thicknesses())
    }
}

impl SceneBody {
    /// Approximate number of particles.
    pub(super) fn estimate(&self, matter: &Matter) -> f64 {
        self.packing.estimate(matter, self.radii())
    }

    /// Smallest and largest radius of the particles, m. None where a file has the radii.
    pub(super) fn radii(&self) -> Option<[f64; 2]> {
        self.packing.radii(self.particle_radius)
    }

    fn load(&self, materials: &BTreeMap<String, SceneMaterial>, files: &mut Files, at: &At) -> Result<Matter, Fault> {
        at.key("name").name(&self.name)?;
        if self.mortar.is_some() {
            let alone = at.key("mortar").wrong("mortar joins the bodies of one mesh, and this is a single body");
            return Err(alone.help("let each object of the mesh be a body, with mesh = { ..., bodies = \"objects\" }"));
        }
        self.packing.check(&at.key("packing"))?;
        match &self.springs {
            Some(springs) => springs.check(self, at)?,
            None => self.check_material(materials, at)?,
        }
        self.check_radius(at)?;
        at.key("bond_thickness").positive(self.bond_thickness, "")?;
        self.inertia.map_or(Ok(()), |inertia| at.key("inertia").positive(inertia, " (kg m2)"))?;
        let matter = self.load_matter(files, at)?;
        if let Matter::Spheres(spheres) = &matter {
            self.check_spheres(spheres, &at.key("packing").key("particles"))?;
        }
        if let Some([_, radius]) = self.radii() {
            if let Matter::Solid(solid) = &matter {
                self.check_fit(solid.thicknesses(), radius, at)?;
            }
            self.packing.check_fit(&matter, radius, &at.key("packing"))?;
        }
        at.key("position").vector_of(&self.position, Quantity::LENGTH)?;
        self.rotation.check(&at.key("rotation"))?;
        at.key("velocity").vector_of(&self.velocity, Quantity::SPEED)?;
        at.key("angular_velocity").vector_of(&self.angular_velocity, Quantity::SPIN)?;
        self.check_start(&at.key("start"))?;
        self.check_strengths(at)?;
        self.check_grain_map(self.material.as_ref().and_then(|name| materials.get(name)), at)?;
        Ok(matter)
    }

    /// Check that spheres from a file are bonded as listed, and that no others fly apart at the start.
    fn check_spheres(&self, spheres: &Spheres, at: &At) -> Result<(), Fault> {
        let at_file = at.key("file");
        for velocity in spheres.velocities.iter().filter(|velocity| **velocity != <[Vec3; 2]>::default()) {
            if self.rigid {
                let fault =
                    at_file.wrong(format!("body {:?} is rigid, but its file has velocities of particles", self.name));
                return Err(
                    fault.help("leave out its section Velocities, and give the body its velocity and angular_velocity")
                );
            }
            let [v, w] = velocity.map(Into::into);
            at_file.vector_of(&v, Quantity::SPEED)?;
            at_file.vector_of(&w, Quantity::SPIN)?;
        }
        if spheres.bonds.is_some() && (self.rigid || !self.bonded) {
            let wrong = format!("body {:?} has a list of bonds, but is not bonded", self.name);
            let is_named = matches!(&self.packing, Packing::Particles(file) if file.bonds.is_some());
            return Err(match is_named {
                true => at.key("bonds").wrong(wrong).help("leave bonds out, or rigid = true and bonded = false"),
                false => at_file.wrong(wrong).help("leave out its section Bonds, or rigid = true and bonded = false"),
            });
        }
        let touches = self.springs.as_ref().is_none_or(|springs| springs.contact);
        if self.rigid || !touches || self.bonded && spheres.bonds.is_none() {
            return Ok(());
        }
        let help = "bond them, let them relax in the program that made them, or make the radii smaller";
        particle_file::check_grains(spheres).map_err(|why| at.key("file").wrong(why).help(help))
    }

    /// Check of the material of a body without springs.
    fn check_material(&self, materials: &BTreeMap<String, SceneMaterial>, at: &At) -> Result<(), Fault> {
        let Some(name) = &self.material else {
            return Err(at.wrong("missing key `material`, or in its place `springs`"));
        };
        let Some(material) = materials.get(name) else {
            let known: Vec<&str> = materials.keys().map(String::as_str).collect();
            let presets: Vec<&str> = material_presets().iter().map(|(name, _)| name.as_str()).collect();
            let help =
                format!("the scene has these materials: {}; presets are {}", known.join(", "), presets.join(", "));
            let fault = at.key("material").wrong(format!("there is no material {name:?}"));
            return Err(if known.is_empty() { fault.help("add it, under [materials.NAME]") } else { fault.help(help) });
        };
        if matches!(self.packing, Packing::Edges(_)) {
            let fault = at.key("packing").wrong("the edges of a mesh are springs, and this body has a material");
            return Err(fault.help("give it springs in place of the material, or a shape of the mesh to fill"));
        }
        if material.density_of == Some(DensityOf::Solid) && !self.packing.has_shape() {
            let fault = at
                .key("packing")
                .wrong(format!("material {name:?} has density_of = \"solid\", but this packing fills no shape"));
            return Err(fault.help("give another material to it, with density_of = \"grains\""));
        }
        self.check_moduli(name, material, at)?;
        self.radii().into_iter().flatten().try_for_each(|radius| self.check_mass(radius, material, at))
    }

    /// Check that a solid of the body can have macroscopic moduli: by the bounds of the lattice, and otherwise when they are
    /// [measured](PackingModuli).
    fn check_moduli(&self, name: &str, material: &SceneMaterial, at: &At) -> Result<(), Fault> {
        if !self.bonded || !material.is_macroscopic() && material.fracture_energy.is_none() {
            return Ok(());
        }
        if self.bond_thickness != 1.0 {
            let message = format!(
                "material {name:?} has macroscopic moduli or strengths, or a fracture energy, which are those of bonds as thick \
                 as their particles"
            );
            let help =
                "leave bond_thickness out, or give the material moduli, strengths and no fracture_energy of its bonds";
            return Err(at.key("bond_thickness").wrong(message).help(help));
        }
        if self.packing.is_lattice() && material.moduli == Moduli::Macroscopic {
            return material.check_macroscopic(&At::root().key("materials").key(name));
        }
        if self.packing.has_shape() {
            return Ok(());
        }
        let message = format!(
            "material {name:?} has macroscopic moduli or strengths, or a fracture energy, but this packing fills no shape"
        );
        let help = "give those of its bonds, with moduli = \"bond\" and strengths = \"bond\", and no fracture_energy";
        Err(at.key("packing").wrong(message).help(help))
    }

    /// Moduli of the body's packing, where its bonds depend on them.
    pub(super) fn packing_moduli(
        &self,
        material: &SceneMaterial,
        store: &mut dyn PackingStore,
    ) -> Option<PackingModuli> {
        let is_needed = material.is_macroscopic() && self.bonded && self.packing.has_shape();
        is_needed.then(|| PackingModuli::of(&self.packing, store))
    }

    /// Check that the radius is given by the body or by the packing, and not by both.
    fn check_radius(&self, at: &At) -> Result<(), Fault> {
        match (self.particle_radius, self.packing.has_radii()) {
            (None, false) if matches!(self.packing, Packing::Edges(_)) => Ok(()),
            (Some(radius), false) => at.key("particle_radius").positive(radius, " of metres"),
            (None, true) => Ok(()),
            (None, false) => Err(at.wrong("missing key `particle_radius`")),
            (Some(_), true) => {
                let fault = at
                    .key("particle_radius")
                    .wrong("the packing has radii of its own, and the body cannot have another");
                Err(fault.help("leave particle_radius out"))
            }
        }
    }

    fn load_matter(&self, files: &mut Files, at: &At) -> Result<Matter, Fault> {
        match (&self.shape, self.packing.has_shape()) {
            (Some(shape), true) => {
                shape::load_body(shape, files, &at.key("shape")).map(|shape| Matter::Solid(Filled::new(shape)))
            }
            (None, false) => self.packing.load(files, &at.key("packing")),
            (None, true) => Err(at.wrong("missing key `shape`")),
            (Some(_), false) => {
                let fault =
                    at.key("shape").wrong("this packing fills no shape: its particles have places of their own");
                Err(fault.help("leave shape out"))
            }
        }
    }

    /// Check that mass, inertia and stiffness of a particle stay within the range of f64.
    pub(super) fn check_mass(&self, radius: f64, material: &SceneMaterial, at: &At) -> Result<(), Fault> {
        let mass = Particles::sphere_mass(radius, material.density);
        let inertia = mass * radius.powi(2);
        let good = mass.is_normal() && inertia.is_normal() && (material.young_modulus * radius).is_normal();
        let expected = format!("such that a particle's mass is a sensible number (it is {mass:e} kg)");
        let key = if self.particle_radius.is_some() { "particle_radius" } else { "packing" };
        at.key(key).expect(good, radius, &expected)
    }

    /// Check that half of the shape is thick enough for one particle of `radius` (m).
    fn check_fit(&self, thicknesses: &Thicknesses, radius: f64, at: &At) -> Result<(), Fault> {
        let (thickness, needed) = (thicknesses.thinner(0.5), 2.0 * radius);
        if thickness >= needed * (1.0 - 1e-9) {
            return Ok(());
        }
        // rounded to the nanometre, without the digits of rounding
        let [thickest, thickness, thinnest] =
            [thicknesses.thinner(1.0), thickness, thicknesses.thinnest()].map(|length| (length * 1e9).round() / 1e9);
        let (what, thickness, all) = if thickest < needed {
            ("the shape is", thickest, "no particle fits")
        } else {
            ("most of the shape is at most", thickness, "few particles fit")
        };
        let thin = format!("{what} {thickness:?} m thick, thinner than one particle: {all}");
        let question = if needed < 10.0 * thickness {
            String::new()
        } else if 1e-3 * needed <= thickness {
            format!("; {} for millimetres?", short(1e-3 * radius))
        } else {
            "; are both in metres?".to_owned()
        };
        let help =
            format!("make it at least {needed:?} m thick, or particle_radius at most {:?}{question}", 0.5 * thinnest);
        Err(at.key("shape").wrong(thin).help(help))
    }

    /// Check that the body is near enough to the origin for f64 to resolve contacts.
    fn check_precision(&self, matter: &Matter, at: &At) -> Result<(), Fault> {
        let Some([radius, _]) = self.radii() else { return Ok(()) };
        let reach = match matter {
            Matter::Solid(solid) => {
                let (low, high) = solid.shape.bounds();
                low.abs().sup(&high.abs()).norm()
            }
            Matter::Yarns | Matter::Spheres(_) | Matter::Edges(_) => self.packing.reach(),
        };
        let furthest = Vec3::from(self.position).amax() + reach;
        let limit = 1e-7 * radius / f64::EPSILON;
        let expected = format!("within {limit:.1e} m of the origin, for particles of {radius:?} m to be told apart");
        at.key("position").expect(furthest < limit, self.position, &expected)
    }

    /// Check that the parts of the shape are not so far apart that its bounding box is nearly empty.
    fn check_places(&self, matter: &Matter, at: &At) -> Result<(), Fault> {
        let (Matter::Solid(solid), Some([radius, _])) = (matter, self.radii()) else { return Ok(()) };
        let (low, high) = solid.shape.bounds();
        let places = packing::estimate((high - low).product(), radius);
        if places <= MAX_PLACES {
            return Ok(());
        }
        let message = format!("the box around the shape has {places:.1e} places for particles, of which it fills few");
        Err(at.key("shape").wrong(message).help("make a body of each part, or place the parts nearer to one another"))
    }

    fn too_large(&self, particles: f64, matter: &Matter, at: &At) -> Fault {
        let message = format!(
            "with body {:?} the scene has about {particles:.2e} particles, more than the limit of {MAX_PARTICLES:.0e}",
            self.name
        );
        let width = match matter {
            Matter::Solid(solid) => solid.shape.width(),
            Matter::Yarns | Matter::Spheres(_) | Matter::Edges(_) => 0.0,
        };
        let is_mesh = self.shape.as_ref().is_some_and(|shape| shape.mesh(at).is_some());
        let help = slips::unit_of(width, is_mesh)
            .unwrap_or_else(|| "a radius twice as large makes an eighth of the particles".to_owned());
        at.key("particle_radius").wrong(message).help(help)
    }
}
