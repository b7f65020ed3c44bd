//! An explicit step takes no memory from the system: it would cost as much as some thousand bonds.

use std::alloc::{GlobalAlloc, Layout, System};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use bdem::run::{Progress, Simulation};
use bdem::scene::Scene;

/// The system's allocator, which counts.
struct Counting;

static CALLS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
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
    shape = { box = { size = [0.3, 0.2, 0.1] } }
    position = [0.0, 0.0, 0.05]
    [[bodies]]
    name = "high"
    material = "rubber"
    particle_radius = 0.01
    shape = { box = { size = [0.3, 0.2, 0.1] } }
    position = [0.0, 0.0, 0.16]
    velocity = [0.0, 0.0, -3.0]
    [[colliders]]
    shape = { half_space = { normal = [0.0, 0.0, 1.0], offset = 0.0 } }
"#;

/// Two blocks on each other and on a floor: bonds that are damped and watched, contacts, walls, friction.
#[test]
fn an_explicit_step_allocates_nothing() {
    let scene = Scene::parse(Path::new("blocks.toml"), SCENE, &[]).unwrap();
    let (world, state) = scene.build().unwrap();
    let mut simulation = Simulation::new(&scene, world, state);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let mut progress = Progress::default();
    let mut excuses = 0;
    pool.install(|| {
        for step in 0..600 {
            let before = (CALLS.load(Ordering::Relaxed), simulation.contacts.searches());
            simulation.advance(&mut progress).unwrap();
            let quiet = CALLS.load(Ordering::Relaxed) == before.0;
            // the first makes its arrays, and some search for near pairs
            let excused = step == 0 || simulation.contacts.searches() != before.1;
            assert!(quiet || excused, "step {step} allocates");
            excuses += usize::from(excused);
        }
    });
    assert!(simulation.contacts.pairs().len() > 50, "the blocks touch");
    assert!(excuses < 20, "{excuses} searches for near pairs");
}
