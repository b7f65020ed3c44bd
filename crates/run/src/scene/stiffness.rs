//! Elastic moduli of a packing, as a pull on a bar of it measures them.

use std::collections::BTreeMap;
use std::f64::consts::SQRT_2;
use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use bdem_core::energy::Potential;
use bdem_core::geometry::{Vec3, rising_root};
use bdem_core::integrate::{Implicit, Integrator, TimeRule};
use bdem_core::internals::contact::Contacts;
use bdem_core::model::{Bond, Gradient, Modes, State, World, lattice, youngs_by_direction};
use bdem_core::simulate::{CgTolerance, SolverSettings};
use rayon::prelude::*;

use super::body::Matter;
use super::{Packing, PackingStore, Scene, SceneBody};

/// Moduli of a solid of bonded spheres over Young's modulus of its bonds, for values of g, the bonds' G/E.
#[derive(Clone, Debug, PartialEq)]
pub struct PackingModuli {
    /// Empty for the lattice, which has [closed forms](lattice).
    rows: Vec<Row>,
    /// Bonds in a cube of the mean radius.
    bonds: f64,
}

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

/// Moduli of `packing = "random"` for each of [`RATIOS`], as [`PackingModuli::measure`] gives them: Young's modulus of the
/// solid over that of the bonds, and Poisson's ratio.
const RANDOM: [[f64; 2]; 5] =
    [[0.39173, 0.30752], [0.53936, 0.24978], [0.71924, 0.17636], [0.95812, 0.07690], [1.28321, -0.05877]];

/// Bonds of the same in a cube of the radius.
const RANDOM_BONDS: f64 = 0.55679;

impl PackingModuli {
    /// Those of `packing`: in closed form for the lattice, from a table for the usual random one, and else measured at the
    /// first call by a bar 16 particles wide.
    pub fn of(packing: &Packing, store: &mut dyn PackingStore) -> Self {
        static MEASURED: Mutex<BTreeMap<String, PackingModuli>> = Mutex::new(BTreeMap::new());
        if packing.is_lattice() {
            // six bonds in each cell of 4 sqrt(2) r^3
            return Self { rows: Vec::new(), bonds: 6.0 / (4.0 * SQRT_2) };
        }
        if packing.is_usual_random() {
            let row = |(g, [young, poisson]): (f64, [f64; 2])| Row { g, young, poisson };
            return Self { rows: RATIOS.into_iter().zip(RANDOM).map(row).collect(), bonds: RANDOM_BONDS };
        }
        let mut measured = MEASURED.lock().unwrap_or_else(PoisonError::into_inner);
        let scaled = packing.scaled_to(RADIUS);
        measured.entry(format!("{scaled:?}")).or_insert_with(|| Self::measure(&scaled, store)).clone()
    }

    /// Those of `packing`, of spheres of the mean radius of a bar's, by pulls.
    pub fn measure(packing: &Packing, store: &mut dyn PackingStore) -> Self {
        let bar = Bar::new(packing, store);
        Self { rows: RATIOS.par_iter().map(|&g| bar.pull(g)).collect(), bonds: bar.bond_density() * RADIUS.powi(3) }
    }

    /// Least and greatest Poisson's ratio. The greatest is that of bonds without resistance to shear.
    pub(super) fn poisson_ratios(&self) -> [f64; 2] {
        match &self.rows[..] {
            [first, .., last] => [last.poisson, first.poisson],
            _ => [-1.0, lattice::MAX_POISSON_RATIO],
        }
    }

    /// Young's modulus (Pa) and Poisson's ratio of the solid, of the bonds' moduli `e` and `g` (Pa).
    pub fn of_solid(&self, e: f64, g: f64) -> (f64, f64) {
        if self.rows.is_empty() {
            return lattice::solid_moduli(e, g);
        }
        let along = |of: fn(&Row) -> f64| interpolate(self.rows.iter().map(|row| (row.g, of(row))), g / e);
        (e * along(|row| row.young), along(|row| row.poisson))
    }

    /// Young's modulus and shear modulus (Pa) of the bonds of a solid of Young's modulus `e` (Pa) and Poisson's ratio
    /// `nu`, which is between the least and the greatest one.
    pub(super) fn of_bonds(&self, e: f64, nu: f64) -> [f64; 2] {
        if self.rows.is_empty() {
            return lattice::bond_moduli(e, nu);
        }
        let g = rising_root(RATIOS[0], RATIOS[RATIOS.len() - 1], |g| nu - self.of_solid(1.0, g).1);
        let bond = e / self.of_solid(1.0, g).0;
        [bond, g * bond]
    }
}

impl PackingModuli {
    /// Strength of a body over that of the bar: its bonds a volume over the bar's. Spheres at faces have fewer bonds, so a
    /// body of few spheres is weaker, and its bonds are made stronger by as much. 1 for the lattice, whose closed forms are
    /// those of bars 16 particles wide.
    pub(super) fn strength_share(&self, body: &Bonding) -> f64 {
        /// Bounds: thin walls are not bars of few spheres.
        const BOUNDS: [f64; 2] = [0.5, 1.25];
        if self.rows.is_empty() { 1.0 } else { (body.density / self.bonds).clamp(BOUNDS[0], BOUNDS[1]) }
    }

    /// The same of Young's modulus, which falls by less: `bdem study material` measures this power for bars of 5 to 10
    /// spheres.
    pub(super) fn stiffness_share(&self, body: &Bonding) -> f64 {
        libm::pow(self.strength_share(body), 0.75)
    }
}

/// Bonds of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bonding {
    /// Bonds in a cube of the mean radius, on average over the body's volume. 0 without a shape.
    density: f64,
    /// Mean radius of the particles, m.
    radius: f64,
}

impl Bonding {
    /// Those of `body`, of particles of these `radii` (m).
    pub(super) fn of(body: &SceneBody, matter: &Matter, bonds: usize, radii: &[f64]) -> Self {
        let radius = radii.iter().sum::<f64>() / radii.len() as f64;
        let Matter::Solid(solid) = matter else { return Self { density: 0.0, radius } };
        Self { density: bonds as f64 * radius.powi(3) / body.filled_volume(solid), radius }
    }

    /// Area of a crack (m2) for each bond across its plane, of length `l0` (m): with n bonds a volume, in all directions alike,
    /// n l0/2 cross a unit of area.
    pub(super) fn area_of_bond(&self, l0: f64) -> f64 {
        /// Energy of a crack over that of the bonds that a plane crosses, as `bdem study material` measures it: bonds
        /// beside the crack soften too.
        const CRACK: f64 = 1.35;
        2.0 * self.radius.powi(3) / (CRACK * self.density * l0)
    }

    /// Radius of particles (m) below which half of `bonds` soften, with the energy of a crack per area (J/m2). None without bonds.
    ///
    /// A bond softens where its share of that energy is more than its own at its strength. Shares are as the square of the radius,
    /// and energies at the strength as its cube, so that the ratio of both is as 1/radius.
    fn softens_below<'a>(&self, energy: f64, bonds: impl Iterator<Item = &'a Bond>) -> Option<f64> {
        let mut ratios: Vec<f64> =
            bonds.map(|bond| bond.softening_limit(energy * self.area_of_bond(bond.l0))).collect();
        let middle = ratios.len() / 2;
        let (_, median, _) = (middle < ratios.len()).then(|| ratios.select_nth_unstable_by(middle, f64::total_cmp))?;
        Some(self.radius * *median)
    }

    /// Stress at which bonds along a pull must break, in uniform strain, for a bar to have a tensile `strength` (Pa), over that
    /// strength.
    ///
    /// The first bonds that break load others. The more brittle they are, the sooner a crack runs: it takes a process zone
    /// of the length E G/strength^2 (Irwin 1958; Bazant 1984), counted in diameters, to have the strength of all. The curve is
    /// that of pulled random bars, 8 to 16 particles thick. Their radius and shear strength do not change it.
    ///
    /// `energy` is that of a crack, J/m2, 0 for brittle bonds; `young` the solid's modulus, Pa; `moment_share` the criterion's.
    pub(super) fn stress_at_break(&self, strength: f64, energy: f64, young: f64, moment_share: f64) -> f64 {
        /// Strength of the bar over that stress: of brittle bonds, and what long process zones add to it.
        const SHARES: [f64; 2] = [0.76, 0.94];
        /// Process zone, in diameters, below which bonds break before they soften, and what adds half of it beyond.
        const ZONES: [f64; 2] = [1.0, 7.0];
        /// Share by which a bar is stronger whose bonds break by tension alone, with a moment share of 0.
        const MOMENTS: f64 = 0.2;
        let zone = young * energy / (strength * strength * 2.0 * self.radius);
        let reached = |stress: f64| {
            let zone = (zone / ((SHARES[0] + SHARES[1]) * stress).powi(2) - ZONES[0]).max(0.0);
            let share = SHARES[0] + SHARES[1] * zone / (zone + ZONES[1]);
            stress * share * (1.0 + MOMENTS * (1.0 - moment_share))
        };
        rising_root(0.0, 2.0, |stress| reached(stress) - 1.0)
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
    /// Least and greatest of its Young's modulus by direction, over that along the axes. None for shells.
    pub by_direction: Option<[f64; 2]>,
    /// Its bonds, by which faces weaken it.
    bonding: Bonding,
    /// Strain without stress over that at the strength, of its first bond that softens.
    pub softening: Option<f64>,
    /// Radius of particles (m) below which half of its bonds soften. None without a fracture energy.
    pub softens_below: Option<f64>,
}

impl Scene {
    /// Moduli of the bodies that bonds hold together, as built in `world`. Those of solids are left to
    /// [`Self::measure_solids`].
    pub fn body_moduli(&self, world: &World) -> Vec<BodyModuli> {
        let mut all = Vec::new();
        for (index, body) in self.bodies.iter().enumerate().filter(|(_, body)| body.bonded && !body.rigid) {
            let Some(material) = &body.material else { continue };
            let first = world.particles.body.partition_point(|&b| usize::from(b) < index);
            let model = world.material_of(first);
            let of_body = |bond: &&Bond| usize::from(world.particles.body[bond.i as usize]) == index;
            let bonds = || world.bonds().iter().filter(of_body);
            let is_solid = body.packing.has_shape() && !matches!(body.packing, Packing::Shell(_));
            let bonding = self.bonding(index, world);
            let energy = model.fracture_energy;
            all.push(BodyModuli {
                body: body.name.clone(),
                material: material.clone(),
                bonds: [model.young_modulus, model.shear_modulus],
                solid: None,
                by_direction: if is_solid { youngs_by_direction(bonds()) } else { None },
                softening: bonds().find_map(|bond| bond.softening.as_ref()).map(|softening| softening.limit),
                softens_below: energy.and_then(|energy| bonding.softens_below(energy, bonds())),
                bonding,
            });
        }
        all
    }

    /// Bonds of the body at `index`, as built in `world`.
    fn bonding(&self, index: usize, world: &World) -> Bonding {
        let is_mine = |i: usize| usize::from(world.particles.body[i]) == index;
        let radii: Vec<f64> =
            (0..world.particles.len()).filter(|&i| is_mine(i)).map(|i| world.particles.radius[i]).collect();
        let bonds = world.bonds().iter().filter(|bond| is_mine(bond.i as usize)).count();
        Bonding::of(&self.bodies[index], &self.matters[index], bonds, &radii)
    }

    /// Sets the moduli of the solids, by their packings.
    pub fn measure_solids(&self, all: &mut [BodyModuli], store: &mut dyn PackingStore) {
        for BodyModuli { body, material, bonds: [e, g], bonding, solid, .. } in all {
            let Some(body) = self.bodies.iter().find(|other| other.name == *body) else { continue };
            if self.materials[material].grain.is_none() && body.packing.has_shape() {
                let moduli = PackingModuli::of(&body.packing, store);
                let (young, poisson) = moduli.of_solid(*e, *g);
                *solid = Some((moduli.stiffness_share(bonding) * young, poisson));
            }
        }
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

    /// Bonds per volume of its middle half, 1/m3.
    fn bond_density(&self) -> f64 {
        let is_middle = |bond: &&Bond| {
            let [i, j] = [bond.i as usize, bond.j as usize];
            0.5 * (self.rest.p[i].y + self.rest.p[j].y).abs() < self.reach
        };
        self.world.bonds().iter().filter(is_middle).count() as f64 / (self.section * 2.0 * self.reach)
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
            cg_tolerance: CgTolerance::Fixed(1e-3),
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
