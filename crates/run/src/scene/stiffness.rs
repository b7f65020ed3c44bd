//! Elastic moduli of a packing, as a pull on a bar of it measures them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use bdem_core::energy::Potential;
use bdem_core::geometry::Vec3;
use bdem_core::integrate::{Implicit, Integrator, TimeRule};
use bdem_core::internals::contact::Contacts;
use bdem_core::model::{Bond, Gradient, Modes, State, World, lattice};
use bdem_core::simulate::SolverSettings;
use rayon::prelude::*;

use super::{Packing, PackingStore, Scene};

/// Moduli of a solid of bonded spheres over Young's modulus of its bonds, for values of g, the bonds' G/E.
#[derive(Clone, Debug, PartialEq)]
pub struct PackingModuli(Vec<Row>);

/// Moduli for one value of g.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Row {
    /// G/E of the bonds.
    g: f64,
    /// Young's modulus of the solid over that of the bonds.
    young: f64,
    /// Poisson's ratio of the solid.
    poisson: f64,
}

/// Values of g. Between them moduli are interpolated, by polynomials of g through all.
const RATIOS: [f64; 5] = [0.01, 0.1, 0.3, 0.7, 1.5];

impl PackingModuli {
    /// Those of `packing`, measured at the first call by bars 16 particles wide.
    pub fn of(packing: &Packing, store: &mut dyn PackingStore) -> Self {
        static MEASURED: Mutex<BTreeMap<String, PackingModuli>> = Mutex::new(BTreeMap::new());
        let scaled = packing.scaled_to(RADIUS);
        let mut measured = MEASURED.lock().unwrap_or_else(PoisonError::into_inner);
        let measure = || {
            let bar = Bar::new(&scaled, store);
            Self(RATIOS.par_iter().map(|&g| bar.pull(g)).collect())
        };
        measured.entry(format!("{scaled:?}")).or_insert_with(measure).clone()
    }

    /// Least and greatest Poisson's ratio. The greatest is that of bonds without resistance to shear.
    pub(super) fn poisson_ratios(&self) -> [f64; 2] {
        [self.0[self.0.len() - 1].poisson, self.0[0].poisson]
    }

    /// Young's modulus (Pa) and Poisson's ratio of the solid, of the bonds' moduli `e` and `g` (Pa).
    pub fn of_solid(&self, e: f64, g: f64) -> (f64, f64) {
        let along = |of: fn(&Row) -> f64| interpolate(self.0.iter().map(|row| (row.g, of(row))), g / e);
        (e * along(|row| row.young), along(|row| row.poisson))
    }

    /// Young's modulus and shear modulus (Pa) of the bonds of a solid of Young's modulus `e` (Pa) and Poisson's ratio
    /// `nu`, which is between the least and the greatest one.
    pub(super) fn of_bonds(&self, e: f64, nu: f64) -> [f64; 2] {
        /// Number of halvings: the bits of an f64.
        const HALVINGS: usize = 60;
        let bounds = (RATIOS[0], RATIOS[RATIOS.len() - 1]);
        let (low, _) = (0..HALVINGS).fold(bounds, |(low, high), _| {
            let middle = 0.5 * (low + high);
            if self.of_solid(1.0, middle).1 > nu { (middle, high) } else { (low, middle) }
        });
        let bond = e / self.of_solid(1.0, low).0;
        [bond, low * bond]
    }
}

/// Moduli of a bonded body.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyModuli {
    /// Name of the body.
    pub body: String,
    /// Name of its material.
    pub material: String,
    /// Young's modulus and shear modulus of its bonds, Pa.
    pub bonds: [f64; 2],
    /// Young's modulus (Pa) and Poisson's ratio of a bar of its packing, 16 particles wide. None without a shape, and where
    /// bonds along a grain are stiffer.
    pub solid: Option<(f64, f64)>,
}

impl Scene {
    /// Moduli of the bodies that bonds hold together, as built in `world`.
    pub fn body_moduli(&self, world: &World, store: &mut dyn PackingStore) -> Vec<BodyModuli> {
        let mut all = Vec::new();
        for (index, body) in self.bodies.iter().enumerate().filter(|(_, body)| body.bonded && !body.rigid) {
            let first = world.particles.body.partition_point(|&b| usize::from(b) < index);
            let Some(name) = &body.material else { continue };
            let model = world.material_of(first);
            let (e, g) = (model.young_modulus, model.shear_modulus);
            let solid = if model.grain.is_some() || !body.packing.has_shape() {
                None
            } else if body.packing.is_lattice() {
                Some(lattice::solid_moduli(e, g))
            } else {
                Some(PackingModuli::of(&body.packing, store).of_solid(e, g))
            };
            all.push(BodyModuli { body: body.name.clone(), material: name.clone(), bonds: [e, g], solid });
        }
        all
    }
}

/// Value at `x` of the polynomial through `points` (Lagrange).
fn interpolate(points: impl Iterator<Item = (f64, f64)> + Clone, x: f64) -> f64 {
    let weight = |own: f64| {
        let others = points.clone().filter(move |(other, _)| *other != own);
        others.map(|(other, _)| (x - other) / (own - other)).product::<f64>()
    };
    points.clone().map(|(own, value)| value * weight(own)).sum()
}

/// Radius of the spheres of a bar, m, or the mean one.
const RADIUS: f64 = 0.01;

/// s: long enough for inertia not to matter.
const FOREVER: f64 = 1e4;

/// Bar along y of a packing, drawn apart.
struct Bar {
    world: World,
    rest: State,
    /// Cross section, m2.
    section: f64,
    /// Distance from the middle within which strains are measured, m.
    reach: f64,
    /// Axes across the bar that are wide enough to measure.
    across: Range<usize>,
}

impl Bar {
    /// Bar of a packing. That of a shell is a plate as thick as its layers.
    fn new(packing: &Packing, store: &mut dyn PackingStore) -> Self {
        /// Width and height in diameters, and depth of the grips.
        const SIDES: [f64; 3] = [16.0, 32.0, 2.0];
        /// Mean strain.
        const STRAIN: f64 = 1e-4;
        let [width, height, grip] = SIDES.map(|side| 2.0 * RADIUS * side);
        let (thickness, across) = match packing {
            Packing::Shell(shell) => (2.0 * RADIUS * f64::from(2 * shell.layers + 1), 0..1),
            _ => (width, 0..2),
        };
        let (low, speed) = (0.5 * height - grip, 0.5 * STRAIN * height / FOREVER);
        let text = format!(
            "[scene]\nname = \"bar\"\ngravity = [0, 0, 0]\n[time]\nframe_rate = 1\nframes = 1\n\
             [materials.bonds]\ndensity = 1000.0\nyoung_modulus = {YOUNG:?}\npoisson_ratio = 0.0\n\
             [[bodies]]\nname = \"bar\"\nmaterial = \"bonds\"\nparticle_radius = {RADIUS:?}\n\
             shape = {{ box = {{ size = [{width:?}, {height:?}, {thickness:?}] }} }}\n\
             [[constraints]]\nregion = {{ box = {{ min = [-9, {low:?}, -9], max = [9, 9, 9] }} }}\n\
             motion = {{ velocity = [0.0, {speed:?}, 0.0] }}\n\
             [[constraints]]\nregion = {{ box = {{ min = [-9, -9, -9], max = [9, -{low:?}, 9] }} }}\n\
             motion = {{ velocity = [0.0, -{speed:?}, 0.0] }}\n"
        );
        let mut scene = Scene::parse(Path::new("bar.toml"), &text, &[]).expect("a scene of one bar");
        let body = &mut scene.bodies[0];
        (body.packing, body.particle_radius) = (packing.clone(), Some(RADIUS).filter(|_| !packing.has_radii()));
        let (world, rest) = scene.build_with(store).expect("a bar of a packing");
        Self { world, rest, section: thickness * width, reach: 0.25 * height, across }
    }

    /// World of the bar whose bonds have this G/E. Without it they have 1/2.
    fn world_of(&self, g: f64) -> World {
        let bond = |bond: &Bond| {
            let Modes { n, s, t, b } = bond.k;
            Bond { k: Modes { n, s: 2.0 * g * s, t: 2.0 * g * t, b }, ..bond.clone() }
        };
        let World { materials, particles, .. } = self.world.clone();
        let mut world = World::new(materials, particles, self.world.bonds().iter().map(bond).collect());
        world.instructions = self.world.instructions;
        world.gravity = Vec3::zeros();
        world.constraints.clone_from(&self.world.constraints);
        world
    }

    /// Moduli for bonds of this G/E, by the force in a grip and the slopes of displacements over places.
    fn pull(&self, g: f64) -> Row {
        let settings = SolverSettings {
            newton_tolerance: 1e-7,
            newton_relative_tolerance: 1e-3,
            cg_tolerance: 1e-3,
            cg_iterations: 5000,
            ..SolverSettings::default()
        };
        let world = self.world_of(g);
        let (rest, mut pulled) = (&self.rest, self.rest.clone());
        let mut contacts = Contacts::none(&world, rest);
        let mut euler = Implicit::new(TimeRule::Euler, &world, &settings);
        euler.step(&world, &mut contacts, &mut pulled, FOREVER).expect("a state of rest");
        let mut gradient = vec![Gradient::default(); rest.len()];
        Potential::new(&world, &contacts).gradient(&pulled, &mut gradient);
        let force: f64 = world.constraints[0].particles.iter().map(|&i| gradient[i as usize].p.y).sum();
        let strain = self.slope(&pulled, 1);
        let lateral: f64 = self.across.clone().map(|axis| self.slope(&pulled, 2 * axis)).sum::<f64>();
        let poisson = -lateral / (strain * self.across.len() as f64);
        Row { g, young: force / self.section / strain / YOUNG, poisson }
    }

    /// Slope of displacements over places along an axis.
    fn slope(&self, pulled: &State, axis: usize) -> f64 {
        let all = self.rest.p.iter().zip(&pulled.p).filter(|(p, _)| p.y.abs() < self.reach);
        let middle: Vec<(f64, f64)> = all.map(|(p, x)| (p[axis], x[axis] - p[axis])).collect();
        let (place, shift) = middle.iter().fold((0.0, 0.0), |(p, u), point| (p + point.0, u + point.1));
        let (place, shift) = (place / middle.len() as f64, shift / middle.len() as f64);
        let covariance: f64 = middle.iter().map(|point| (point.0 - place) * (point.1 - shift)).sum();
        covariance / middle.iter().map(|point| (point.0 - place).powi(2)).sum::<f64>()
    }
}

/// Young's modulus of the bonds of a bar, Pa.
const YOUNG: f64 = 1e7;
