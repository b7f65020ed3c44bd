//! A step allocates no memory from the system, which would take as long as some thousand bonds. And a run takes no more than is
//! estimated.

mod memory;
#[path = "../common/scenes.rs"]
#[expect(dead_code, reason = "other tests ask more of it")]
mod scenes;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use bdem_core::energy::Potential;
use bdem_core::internals::contact::Contacts;
use bdem_core::internals::linalg::PairWorkspace;
use bdem_core::internals::optimize::{Objective, PairHessian, Target};
use bdem_core::simulate::Progress;
use scenes::{built, scene, simulated};

/// The system's allocator, which counts.
struct Counting;

thread_local! {
    static CALLS: Cell<usize> = const { Cell::new(0) };
    /// Bytes that this thread holds, and the most since [`watch_held`].
    static HELD: Cell<isize> = const { Cell::new(0) };
    static MOST_HELD: Cell<isize> = const { Cell::new(0) };
}

/// How often this thread has asked for memory.
fn calls() -> usize {
    CALLS.get()
}

/// How many bytes this thread holds.
fn held() -> isize {
    HELD.get()
}

/// Begins to look for the most bytes that this thread holds.
fn watch_held() {
    MOST_HELD.set(held());
}

/// The most since then.
fn most_held() -> isize {
    MOST_HELD.get()
}

// SAFETY: all is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.set(CALLS.get() + 1);
        HELD.set(HELD.get() + layout.size() as isize);
        MOST_HELD.set(MOST_HELD.get().max(HELD.get()));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.set(HELD.get() - layout.size() as isize);
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

const SCENE: &str = r#"
    [scene]
    name = "blocks"
    [time]
    frame_rate = 1e4
    frames = 1
    integrator = "explicit-verlet"
    [materials.rubber]
    density = 2600.0
density_of = "grains"
    young_modulus = 1e7
    poisson_ratio = 0.25
    damping = 0.05
    tensile_strength = 1e9
    shear_strength = 1e9
    friction = 0.3
    [[bodies]]
    name = "low"
    material = "rubber"
    particle_radius = 0.01
packing = { hexagonal = { fit = false } }
    shape = { box = { size = [0.3, 0.2, 0.1] } }
    position = [0.0, 0.0, 0.05]
    [[bodies]]
    name = "high"
    material = "rubber"
    particle_radius = 0.01
packing = { hexagonal = { fit = false } }
    shape = { box = { size = [0.3, 0.2, 0.1] } }
    position = [0.0, 0.0, 0.16]
    velocity = [0.0, 0.0, -3.0]
    [[colliders]]
    shape = { half_space = { normal = [0.0, 0.0, 1.0], offset = 0.0 } }
"#;

/// Charges of one block, and a field that changes with the place.
const CHARGES: &str = r#"
    [[charges]]
    body = "low"
    total = 1e-6
    [[external_fields]]
    field = { vortex = { strength = 1e3, centre = [0.0, 0.0, 5.0] } }
    [field]
    method = "exact"
"#;

/// The field's arrays are kept, and those of the limit on steps, until charges have moved far.
#[test]
fn an_explicit_step_of_charges_allocates_little() {
    let mut simulation = simulated(&scene(&format!("{SCENE}{CHARGES}"), &[]));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let mut progress = Progress::default();
    let quiet = pool.install(|| {
        let step = |_| {
            let before = calls();
            simulation.advance(&mut progress).unwrap();
            usize::from(calls() == before)
        };
        (0..100).map(step).sum::<usize>()
    });
    assert!(quiet > 80, "{quiet} of 100 steps allocate nothing");
}

/// Two blocks on each other and on a floor: bonds that are damped and watched, contacts, walls, friction.
#[test]
fn an_explicit_step_allocates_nothing() {
    let mut simulation = simulated(&scene(SCENE, &[]));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let mut progress = Progress::default();
    let (mut excuses, mut most) = (0, 0);
    pool.install(|| {
        for step in 0..600 {
            let before = (calls(), simulation.contacts.searches());
            simulation.advance(&mut progress).unwrap();
            let quiet = calls() == before.0;
            // the first makes its arrays, some search for near pairs, and in some more touch a wall than ever before
            let touching = simulation.contacts.tangential_springs().on_walls().count();
            let excused = step == 0 || simulation.contacts.searches() != before.1 || touching > most;
            most = most.max(touching);
            assert!(quiet || excused, "step {step} allocates");
            excuses += usize::from(excused);
        }
    });
    assert!(simulation.contacts.pairs().len() > 50, "the blocks touch");
    assert!(excuses < 20, "{excuses} searches for near pairs");
}

/// The same under implicit steps, but for those that search for near pairs, after which the matrix has another pattern.
#[test]
fn an_implicit_step_allocates_nothing() {
    for integrator in ["implicit-euler", "implicit-bdf2", "implicit-midpoint"] {
        let settings = [&format!("time.integrator={integrator}"), "time.step.periods=5"];
        let mut simulation = simulated(&scene(SCENE, &settings));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let (mut progress, mut searching) = (Progress::default(), 0);
        pool.install(|| {
            for step in 0..60 {
                let before = (calls(), simulation.contacts.searches());
                simulation.advance(&mut progress).unwrap();
                let excused = step < 2 || simulation.contacts.searches() != before.1;
                assert!(excused || calls() == before.0, "{integrator}, step {step} allocates {}", calls() - before.0);
                searching += usize::from(excused);
            }
        });
        assert!(searching < 12, "{integrator}: {searching} searches for near pairs");
    }
}

#[test]
fn filling_the_matrix_again_allocates_nothing() {
    let (world, state) = built(&scene(SCENE, &[]));
    let contacts = Contacts::new(&world, &state);
    let potential = Potential::new(&world, &contacts);
    let target = Target { p: state.p.clone(), q: state.q.clone() };
    let held: Vec<bool> = (0..state.len()).map(|i| i % 5 == 1).collect();
    let objective = Objective { potential, target: &target, dt: 1e-4, period: world.period(), held: &held };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        let (mut pairs, mut work, mut diagonal) = (PairHessian::new(&objective), PairWorkspace::default(), Vec::new());
        let mut fill = || {
            let before = calls();
            pairs.fill(&objective, &state, 0.0);
            pairs.operator.diagonal_with(&mut work, &mut diagonal);
            calls() - before
        };
        assert!(fill() > 0, "the first makes its arrays");
        assert_eq!(fill(), 0);
    });
}
