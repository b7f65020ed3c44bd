//! Times what a step is made of, on the beam that the peers were measured on, with one thread: `cargo bench --bench kernels`.
//!
//! Criterion prints the time of a call, and its throughput in bonds (particles for the search, contacts for their kernels) a
//! second. `BDEM_SIMD=avx2` or `plain` chooses the lanes of all kernels.

use bdem_core::energy::{BondSum, Curvature, Damping, Potential, Strains, Workspace, bond};
use bdem_core::geometry::shape::{HalfSpace, Shape};
use bdem_core::geometry::{Quat, Vec3};
use bdem_core::internals::contact::{Contacts, FrictionForce, SurfaceMotion};
use bdem_core::internals::linalg::amg::{Amg, AmgSettings};
use bdem_core::internals::linalg::{Operator, PairOperator, PairWorkspace, Preconditioner, Vec6};
use bdem_core::internals::optimize::{Assembly, Objective, PairHessian, Target};
use bdem_core::interrupt::Interrupt;
use bdem_core::model::{Bond, BondModel, ContactLaw, Gradient, Material, Particles, State, Wall, World};
use bdem_run::scene::requested_instructions;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime};

use beam::{Beam, noise};

#[allow(dead_code, reason = "the linear algebra's tests use the rest")]
#[path = "../tests/linalg/beam.rs"]
mod beam;

/// Pa, Pa, and kg/m3: as in the peers' runs.
const YOUNG_MODULUS: f64 = 1e7;
const SHEAR_MODULUS: f64 = 0.4 * YOUNG_MODULUS;
const DENSITY: f64 = 2600.0;

/// The step of the matrices, in periods T: long enough for multigrid.
const PERIODS: f64 = 100.0;

/// Every bond is strained by about this much, as in a loaded body: at rest kernels take shortcuts.
const STRAIN: f64 = 1e-3;

/// The beam as a world, a little deformed.
struct Setup {
    beam: Beam,
    world: World,
    state: State,
}

impl Setup {
    fn new() -> Self {
        // Fails only where the pool has been started already.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(1).build_global();
        let beam = Beam::peers();
        let world = world(&beam, BondModel::QUATERNION);
        let state = strained(&beam);
        Self { beam, world, state }
    }

    fn bonds(&self) -> Throughput {
        Throughput::Elements(self.world.bonds().len() as u64)
    }
}

fn world(beam: &Beam, model: &'static BondModel) -> World {
    let rubber = Material::elastic("rubber", DENSITY, YOUNG_MODULUS, 0.0);
    let material = Material { bond: model, shear_modulus: SHEAR_MODULUS, ..rubber };
    world_of(beam, material)
}

/// The beam of a material that is damped and can break, and does not at these strains.
fn breakable(beam: &Beam) -> World {
    let rubber = Material::elastic("rubber", DENSITY, YOUNG_MODULUS, 0.0);
    let [tensile_strength, shear_strength] = [YOUNG_MODULUS; 2];
    world_of(beam, Material { damping: 0.1, shear_modulus: SHEAR_MODULUS, tensile_strength, shear_strength, ..rubber })
}

fn world_of(beam: &Beam, material: Material) -> World {
    let mut particles = Particles::default();
    beam.positions.iter().for_each(|_| particles.push(beam.radius, DENSITY, 0, 0));
    let mass = [particles.mass[0]; 2];
    let bond = |(id, &[i, j]): (usize, &[u32; 2])| {
        let d = beam.positions[j as usize] - beam.positions[i as usize];
        Bond::new(id as u32, [i, j], d, [beam.radius; 2], mass, &material)
    };
    let bonds = beam.pairs.iter().enumerate().map(bond).collect();
    let mut world = World::new(vec![material], particles, bonds);
    world.instructions = requested_instructions();
    world
}

fn strained(beam: &Beam) -> State {
    let jitter = |k: usize| Vec3::new(noise(3 * k), noise(3 * k + 1), noise(3 * k + 2)) * STRAIN;
    let turned = |k: usize| {
        let half = jitter(k + beam.nodes());
        Quat::new(1.0, half.x, half.y, half.z).normalize()
    };
    let still = vec![Vec3::zeros(); beam.nodes()];
    State {
        time: 0.0,
        p: beam.positions.iter().enumerate().map(|(k, p)| p + jitter(k) * beam.radius).collect(),
        q: (0..beam.nodes()).map(turned).collect(),
        v: still.clone(),
        w: still,
    }
}

/// The gradient of all bonds, and the Newton matrix: assembled, as a sum over pairs, product with a vector, multigrid.
fn bonds(criterion: &mut Criterion) {
    let setup = Setup::new();
    let Setup { beam, world, state } = &setup;
    let contacts = Contacts::none(world, state);
    let potential = Potential::new(world, &contacts);
    let mut group = criterion.benchmark_group("bonds");
    group.throughput(setup.bonds());
    let (mut work, mut gradient) = (Workspace::default(), vec![Gradient::default(); state.len()]);
    group.bench_function("gradient", |b| b.iter(|| potential.gradient_with(state, &mut work, &mut gradient)));
    group.bench_function("gradient/bond by bond", |b| {
        let of = |_: usize, bond: &Bond| {
            let [on_i, on_j] = bond::gradient(bond, &bond::pose(bond, state)).by_particle();
            (0.0, on_i, on_j)
        };
        b.iter(|| world.bond_chunks().scatter(world.bonds(), &mut gradient, of));
    });
    explicit(&mut group, &setup);
    let mut strains = Strains::default();
    group.bench_function("strains", |b| b.iter(|| strains.set(world, state, &mut work)));
    for model in [BondModel::COSSERAT, BondModel::FORCE_2021] {
        let world = &self::world(beam, model);
        let potential = Potential::new(world, &contacts);
        group.bench_function(format!("gradient/{model:?}"), |b| {
            b.iter(|| potential.gradient_with(state, &mut work, &mut gradient))
        });
    }

    let target = Target { p: state.p.clone(), q: state.q.clone() };
    let period = world.period();
    let objective = Objective { potential, target: &target, dt: PERIODS * period, period, held: &beam.held };
    let mut assembly = Assembly::<f32>::new(&objective);
    group.bench_function("assembly/pattern", |b| b.iter(|| Assembly::<f32>::new(&objective)));
    for (name, curvature) in [("semidefinite", Curvature::Semidefinite), ("exact", Curvature::Exact)] {
        group.bench_function(format!("assembly/{name}"), |b| b.iter(|| assembly.fill(&objective, state, curvature)));
    }
    let mut pairs = PairHessian::new(&objective);
    group.bench_function("pairs/pattern", |b| b.iter(|| PairHessian::new(&objective)));
    group.bench_function("pairs/fill", |b| b.iter(|| pairs.fill(&objective, state, 0.0)));
    let (mut diagonal, mut work) = (Vec::new(), PairWorkspace::default());
    group.bench_function("pairs/diagonal", |b| b.iter(|| pairs.operator.diagonal_with(&mut work, &mut diagonal)));
    assembly.fill(&objective, state, Curvature::Semidefinite);
    linear(&mut group, beam, &assembly, &pairs.operator);
    group.finish();
}

/// Bonds of explicit steps: damping by velocities and the watch for breakage.
fn explicit(group: &mut BenchmarkGroup<WallTime>, Setup { beam, state, .. }: &Setup) {
    let world = &breakable(beam);
    let bonds = BondSum { world, damping: Damping::Rate, check_breakage: true };
    let (mut work, mut gradient) = (Workspace::default(), vec![Gradient::default(); state.len()]);
    let contacts = Contacts::none(world, state);
    // packs the rows of poses and velocities, which explicit steps have from their drift
    let potential = Potential { damping: Damping::Rate, ..Potential::new(world, &contacts) };
    potential.gradient_with(state, &mut work, &mut gradient);
    group.bench_function("gradient/explicit", |b| {
        b.iter(|| bonds.gradient(&mut work, |_| Default::default(), &mut gradient, false));
    });
}

/// Products with the assembled matrix and with the sum over pairs, and multigrid on the latter.
fn linear(group: &mut BenchmarkGroup<WallTime>, beam: &Beam, assembly: &Assembly<f32>, pairs: &PairOperator) {
    let x: Vec<Vec6<f32>> = beam.load().iter().map(Vec6::cast).collect();
    let (mut y, mut work) = (x.clone(), PairWorkspace::default());
    group.bench_function("assembly/product", |b| b.iter(|| assembly.matrix.multiply(&x, &mut y)));
    group.bench_function("pairs/product", |b| b.iter(|| pairs.with(&mut work).apply(&x, &mut y)));
    let (mut diagonal, lengths) = (Vec::new(), beam.lengths());
    pairs.diagonal(&mut diagonal);
    let rows = pairs.rows(&diagonal);
    let build =
        || Amg::build(&rows, &beam.positions, &lengths, &beam.held, &AmgSettings::default(), &Interrupt::default());
    let mut amg = build();
    let product = pairs.with(&mut work);
    group.bench_function("v-cycle", |b| b.iter(|| Preconditioner::<f32>::apply(&mut amg.on(&product), &x, &mut y)));
    group.sample_size(10).bench_function("multigrid setup", |b| b.iter(build));
}

/// Spheres at the beam's places, pressed into each other, over two states of a step.
struct Heap {
    world: World,
    states: [State; 2],
    list: Contacts,
}

impl Heap {
    fn new(Setup { beam, world, state }: &Setup, law: ContactLaw, friction: f64, damping: f64) -> Self {
        /// Distance of neighbours over that of touching ones.
        const PRESSED: f64 = 1.0 - 2.0 * STRAIN;
        /// Displacement in the step, over the radius.
        const MOVED: f64 = 1e-4;
        let material = Material { friction, static_friction: friction, ..world.materials[0].clone() };
        let mut world = World::new(vec![material], world.particles.clone(), Vec::new());
        (world.contact_law, world.contact_damping, world.instructions) = (law, damping, requested_instructions());
        let mut before = state.clone();
        before.p.iter_mut().for_each(|p| *p *= PRESSED);
        let mut after = State { time: 1e-6, ..before.clone() };
        let moved = |k: usize| Vec3::new(noise(5 * k), noise(5 * k + 1), noise(5 * k + 2)) * (MOVED * beam.radius);
        after.p.iter_mut().enumerate().for_each(|(k, p)| *p += moved(k));
        let mut list = Contacts::new(&world, &before);
        list.update_friction_limits(&world, &before, SurfaceMotion::None, FrictionForce::Mean);
        // explicit steps have their own list of close pairs, which the limits above do not keep
        let travels = vec![MOVED * beam.radius; list.chunks().len()];
        for state in [&before, &after] {
            list.update_after(&travels, 1e-6, &world, state);
        }
        Self { world, states: [before, after], list }
    }

    fn contacts(&self) -> u64 {
        self.list.pairs().iter().filter(|pair| pair.overlaps(&self.states[1].p)).count() as u64
    }
}

/// Pairs in contact: forces of an explicit step, and gradient and friction limits of an implicit one.
fn contacts(criterion: &mut Criterion) {
    let setup = &Setup::new();
    let mut group = criterion.benchmark_group(format!("contacts/{}", requested_instructions()));
    for law in [ContactLaw::Linear, ContactLaw::RodriguesHertz] {
        for (name, friction, damping) in
            [("elastic", 0.0, 0.0), ("damping", 0.0, 0.1), ("friction", 0.5, 0.0), ("friction and damping", 0.5, 0.1)]
        {
            let mut heap = Heap::new(setup, law, friction, damping);
            group.throughput(Throughput::Elements(heap.contacts()));
            let Heap { world, states: [before, after], list } = &mut heap;
            let id = |kernel: &str| format!("{kernel}/{law:?}/{name}");
            list.evaluate_step(world, before, after, &[]);
            group.bench_function(id("explicit"), |b| b.iter(|| list.evaluate_step(world, before, after, &[])));
            let mut gradient = vec![Gradient::default(); after.len()];
            assert!(list.step_gradient(&mut gradient), "nothing touches");
            group.bench_function(id("gradient"), |b| {
                let motion = SurfaceMotion::Since(before);
                let step = list.pairs_in(world, motion, after);
                b.iter(|| step.scatter(list.chunks(), &mut gradient));
            });
            if friction > 0.0 {
                let motion = SurfaceMotion::Since(before);
                group.bench_function(id("limits"), |b| {
                    b.iter(|| list.update_friction_limits(world, after, motion, FrictionForce::Mean))
                });
            }
        }
    }
    group.finish();
}

/// Particles on a wall of each shape with a closed form: forces of an explicit step with friction and damping.
fn walls(criterion: &mut Criterion) {
    let setup = &Setup::new();
    let mut group = criterion.benchmark_group(format!("walls/{}", requested_instructions()));
    let extent = setup.state.p.iter().fold(Vec3::zeros(), |extent, p| extent.sup(&p.abs()));
    // half of the beam's particles or so are inside
    let [radius, height] = [0.5 * extent.max(), 2.0 * extent.max()];
    let shapes = [
        ("half space", Shape::HalfSpace(HalfSpace { normal: Vec3::z(), offset: 0.5 * extent.z })),
        ("box", Shape::Box { size: (extent * 1.5).into() }),
        ("sphere", Shape::Sphere { radius }),
        ("cylinder", Shape::Cylinder { radius, height }),
        ("cone", Shape::Cone { radius, top_radius: 0.5 * radius, height }),
        ("capsule", Shape::Capsule { radius, height }),
        ("tube", Shape::Tube { radius, inner_radius: 0.5 * radius, height }),
    ];
    for (name, shape) in shapes {
        let mut heap = Heap::new(setup, ContactLaw::Linear, 0.5, 0.1);
        // spheres that do not touch each other
        heap.states.iter_mut().flat_map(|x| &mut x.p).for_each(|p| *p *= 1.1);
        heap.world.walls = vec![Wall::new(shape)];
        let Heap { world, states: [before, after], .. } = &heap;
        let mut list = Contacts::new(world, before);
        let travels = vec![0.0; list.chunks().len()];
        list.update_after(&travels, 0.0, world, after);
        let walls = world.walls_at(0.0);
        let touches = |(p, r): &(&Vec3, &f64)| walls[0].gap(p, **r).is_some();
        let contacts = after.p.iter().zip(&world.particles.contact_radius).filter(touches).count();
        group.throughput(Throughput::Elements(contacts as u64));
        group.bench_function(name, |b| b.iter(|| list.evaluate_step(world, before, after, &[])));
    }
    group.finish();
}

/// The search for near pairs, when particles have moved; and the question whether it is due.
fn contact(criterion: &mut Criterion) {
    let Setup { world, state, .. } = &Setup::new();
    let mut group = criterion.benchmark_group("contact");
    group.throughput(Throughput::Elements(state.len() as u64));
    group.bench_function("neighbour search", |b| b.iter(|| Contacts::new(world, state)));
    let mut neighbours = Contacts::new(world, state);
    group.bench_function("is the list stale", |b| b.iter(|| neighbours.is_stale(state)));
    group.finish();
}

criterion_group!(benches, bonds, contact, contacts, walls);
criterion_main!(benches);
