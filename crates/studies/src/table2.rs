//! Table 2 of \[BDEM21\]: seven of its scenes by Verlet at its steps, with its force law and the quaternion bond.
//!
//! A run starts just before its action, and a fixed number of steps is timed. The first part of a test in which a body
//! is only drawn or turned is made in steps as long as are stable.

use std::time::Instant;

use bdem_core::simulate::{Progress, Simulation};
use bdem_run::run::{RunError, advance_to, memory};
use bdem_run::scene::Scene;

use super::scenes::words;
use super::{Claim, Report, ReportTable, Setup, Study, load};

pub(super) const STUDY: Study =
    Study { name: "table2", about: "explicit steps of seven scenes of Table 2 of [BDEM21], by two bond laws", run };

/// Row of the paper's table.
struct Row {
    name: &'static str,
    scene: &'static str,
    /// Number of particles, in thousands.
    thousands: f64,
    /// Seconds a frame on its graphics card, a GTX 1080 Ti; of the bent beam on an i7-8700.
    seconds: f64,
    /// Step, s.
    step: f64,
    /// Frames a second.
    rate: f64,
    /// Radius of the particles, m.
    radius: f64,
    /// Material of the bonded body.
    material: &'static str,
    /// Density, kg/m3; E, G, tensile and shear strength, Pa, infinite where nothing breaks; friction.
    properties: [f64; 6],
    /// Overrides that make the scene the paper's, for a radius.
    set: fn(f64) -> Vec<String>,
    /// Frames before the action, in steps as long as are stable.
    before: u32,
    /// Number of timed steps.
    steps: u64,
}

/// Rows by size, so that the peak memory of the process is that of the latest.
const ROWS: [Row; 7] = [
    Row {
        name: "bending",
        scene: "three_point_bending",
        thousands: 24.0,
        seconds: 68.7,
        step: 1.22e-6,
        rate: 100.0,
        radius: 0.00125,
        material: "beam",
        properties: [2710.0, 1e8, 3e7, 8e6, 1e7, 0.5],
        set: bending,
        before: 0,
        steps: 400,
    },
    Row {
        name: "paper",
        scene: "paper",
        thousands: 46.0,
        seconds: 13.4,
        step: 1.04e-6,
        rate: 100.0,
        radius: 0.001,
        material: "paper",
        properties: [2600.0, 1e6, 3e5, 8e4, 1e5, 0.7],
        set: paper,
        before: 1,
        steps: 400,
    },
    Row {
        name: "twisting",
        scene: "beam_twisting",
        thousands: 69.0,
        seconds: 9.3,
        step: 3.01e-6,
        rate: 100.0,
        radius: 0.0025,
        material: "brittle",
        properties: [2600.0, 1e6, 4e6, 2e4, 2.5e4, 0.7],
        set: twisting,
        before: 1,
        steps: 400,
    },
    Row {
        name: "rope",
        scene: "rope",
        thousands: 78.0,
        seconds: 21.6,
        step: 6.35e-6,
        rate: 100.0,
        radius: 0.001,
        material: "fibre",
        properties: [5000.0, 1e6, 3e5, f64::INFINITY, f64::INFINITY, 0.3],
        set: rope,
        before: 1,
        steps: 400,
    },
    Row {
        name: "textile",
        scene: "textile",
        thousands: 120.0,
        seconds: 132.4,
        step: 6.39e-7,
        rate: 100.0,
        radius: 0.001,
        material: "yarn",
        properties: [50.0, 1e5, 3e4, 8e5, f64::INFINITY, 0.7],
        set: textile,
        before: 1,
        steps: 400,
    },
    Row {
        name: "window",
        scene: "window",
        thousands: 521.0,
        seconds: 734.7,
        step: 1.01e-7,
        rate: 480.0,
        radius: 0.0005,
        material: "glass",
        properties: [5000.0, 1e9, 3e8, 2.5e6, 2.5e6, 0.3],
        set: window,
        before: 0,
        steps: 200,
    },
    Row {
        name: "hourglass",
        scene: "hourglass",
        thousands: 966.0,
        seconds: 706.5,
        step: 1.01e-7,
        rate: 480.0,
        radius: 0.0005,
        material: "glass",
        properties: [5000.0, 1e9, 3e8, 2e6, 2.5e6, 0.5],
        set: hourglass,
        before: 0,
        steps: 150,
    },
];

/// Bond laws: that of \[IBDEM\], and the paper's.
const LAWS: [&str; 2] = ["quaternion", "force-2021"];

/// Steps of each run before its clock starts.
const WARM_UP: u64 = 10;

/// Half of the scene's beam in each direction. Its press is slow: no bond breaks in the timed steps.
fn bending(radius: f64) -> Vec<String> {
    let rollers = ["left", "right", "press"].map(|name| format!("bodies.{name}.particle_radius=0.00815"));
    let boxes =
        ["left", "right", "press"].map(|name| format!("bodies.{name}.shape.box.size=[0.04895, 0.01635, 0.01635]"));
    let mut set = words(&[
        "bodies.beam.shape.box.size=[0.11, 0.0509, 0.05005]",
        "bodies.left.position=[-0.045, 0, -0.033175]",
        "bodies.right.position=[0.045, 0, -0.033175]",
        "bodies.press.position=[0, 0, 0.033175]",
        "colliders.0.shape.half_space.offset=-0.041325",
        "materials.support={ density=2710, density_of=\"grains\", young_modulus=1e8, shear_modulus=3e7 }",
    ]);
    set.extend(rollers.into_iter().chain(boxes));
    set.push(format!("bodies.beam.particle_radius={radius}"));
    set
}

/// Sheet of one layer without a cut. Its edges move ten times as fast as the scene's, whose speed is not the paper's either.
fn paper(radius: f64) -> Vec<String> {
    let thickness = 2.1 * radius;
    vec![
        format!("bodies.sheet.shape={{ box = {{ size = [0.4, 0.4, {thickness}] }} }}"),
        format!("bodies.sheet.particle_radius={radius}"),
        "constraints.0.motion.velocity=[0, 0, 1]".to_owned(),
        "constraints.1.motion.velocity=[0, 0, -1]".to_owned(),
    ]
}

/// Beam that is turned eight times as fast as the scene's.
fn twisting(radius: f64) -> Vec<String> {
    vec![format!("bodies.beam.particle_radius={radius}"), "constraints.1.motion.rotation.rate=8".to_owned()]
}

/// Rope twice as long as the scene's, which has as many particles of the paper's radius.
fn rope(radius: f64) -> Vec<String> {
    let mut set = words(&[
        "bodies.rope.packing.rope.length=3.18",
        "constraints.0.region={ box = { min = [-2, -1, -1], max = [-1.53, 1, 1] } }",
        "constraints.1.region={ box = { min = [1.53, -1, -1], max = [2, 1, 1] } }",
    ]);
    set.push(format!("bodies.rope.particle_radius={radius}"));
    set
}

fn textile(radius: f64) -> Vec<String> {
    vec![format!("bodies.cloth.particle_radius={radius}")]
}

/// Pane of five layers, and a bullet of the same particles just before it: particles of several sizes take more memory.
fn window(radius: f64) -> Vec<String> {
    let thickness = 8.6 * radius;
    // the spheres of the bullet end 0.0197 m from its centre, coarser ones 0.0198 m
    let before = 0.5 * thickness + 0.0197 + 0.06 * radius;
    vec![
        "bodies.pane.packing={ hexagonal = { fit = false } }".to_owned(),
        format!("bodies.bullet.position=[0.01, -{before}, 0.015]"),
        format!("bodies.pane.shape.box.size=[0.3, 0.3, {thickness}]"),
        format!("bodies.pane.particle_radius={radius}"),
        format!("bodies.bullet.particle_radius={radius}"),
    ]
}

/// Hourglass that is about to touch the floor. Its wall is of three layers, its sand in hexagonal packing as all bodies of the paper.
fn hourglass(radius: f64) -> Vec<String> {
    let bulbs = |bulb: f64, neck: f64| {
        let sphere = |z: f64| {
            format!("{{ moved = {{ shape = {{ sphere = {{ radius = {bulb} }} }}, position = [0, 0, {z}] }} }}")
        };
        format!(
            "{{ union = [{}, {}, {{ cylinder = {{ radius = {neck}, height = 0.05 }} }}] }}",
            sphere(0.07),
            sphere(-0.07)
        )
    };
    let inner = |shell: f64| shell - 5.3 * radius;
    let mut set = words(&[
        "bodies.glass.packing={ hexagonal = { fit = false } }",
        "bodies.sand.packing={ hexagonal = { fit = false } }",
        "bodies.glass.position=[0, 0, 0.12065]",
        "bodies.sand.position=[0, 0, 0.12065]",
        "bodies.sand.shape.union.0.intersection.1.half_space.offset=-0.079",
    ]);
    let wall = [bulbs(0.06, 0.018), bulbs(inner(0.06), inner(0.018))];
    for bulb in 0..2 {
        let sphere = format!("bodies.sand.shape.union.{bulb}.intersection.0.moved.shape.sphere.radius");
        set.push(format!("{sphere}={}", inner(0.06) - radius));
    }
    set.push(format!("bodies.glass.shape={{ difference = [{}, {}] }}", wall[0], wall[1]));
    set.extend(["glass", "sand"].map(|name| format!("bodies.{name}.particle_radius={radius}")));
    set
}

fn run(setup: &Setup) -> Result<Report, RunError> {
    let columns = [
        ("scene", ""),
        ("paper: particles", "thousand"),
        ("particles", ""),
        ("bonds", ""),
        ("bond", ""),
        ("step", "T of 2021"),
        ("step over the longest stable", ""),
        ("timed steps", ""),
        ("bonds broken in them", ""),
        ("time", "ns/bond/step"),
        ("paper", "s/frame"),
        ("here", "s/frame"),
        ("peak memory", "GB"),
    ];
    let mut report = Report { table: ReportTable::new(&columns), ..Report::default() };
    for row in &ROWS {
        for law in LAWS {
            let timed = row.time(setup, law)?;
            report.table.rows.push(vec![
                row.name.into(),
                row.thousands.into(),
                timed.particles.into(),
                timed.bonds.into(),
                law.into(),
                timed.step[0].into(),
                timed.step[1].into(),
                (timed.progress.steps as f64).into(),
                timed.progress.broken.len().into(),
                (1e9 * timed.seconds / timed.bonds as f64).into(),
                row.seconds.into(),
                row.per_frame(&timed).into(),
                timed.peak.map(|bytes| bytes as f64 / 1e9).into(),
            ]);
            report.claims.push(Claim::new(
                format!("seconds a frame: {}, {law}", row.name),
                "[BDEM21] Table 2",
                row.seconds.to_string(),
                row.per_frame(&timed),
            ));
        }
    }
    Ok(report)
}

/// Timed steps of a row.
struct Timed {
    particles: usize,
    bonds: usize,
    /// Step in critical steps of \[BDEM21\], and over the longest stable one.
    step: [f64; 2],
    /// Wall-clock time of a step, s.
    seconds: f64,
    progress: Progress,
    /// Peak memory, bytes, if this row raised it.
    peak: Option<u64>,
}

impl Row {
    /// Its scene for particles of `radius`, with a bond law and a step.
    fn scene(&self, radius: f64, law: &str, step: &str) -> Result<Scene, RunError> {
        let [density, e, g, sigma, tau, friction] = self.properties;
        let strengths = [("tensile_strength", sigma), ("shear_strength", tau)];
        let finite = strengths.iter().filter(|(_, strength)| strength.is_finite());
        let strengths: String = finite.map(|(key, strength)| format!("{key}={strength}, ")).collect();
        let mut set = (self.set)(radius);
        set.push(format!(
            "materials.{}={{ density={density}, density_of=\"grains\", young_modulus={e}, shear_modulus={g}, \
             {strengths}friction={friction}, damping=0.1, bond=\"{law}\" }}",
            self.material
        ));
        set.extend([
            "fracture.axial=magnitude".to_owned(),
            "time.integrator=explicit-verlet".to_owned(),
            format!("time.frame_rate={}", self.rate),
            format!("time.step={step}"),
        ]);
        Ok(load(self.scene, &set)?)
    }

    /// Times its steps with a bond law.
    fn time(&self, setup: &Setup, law: &str) -> Result<Timed, RunError> {
        let radius = self.radius * setup.choose(1.0, 5.0);
        let (before, steps) = setup.choose((self.before, self.steps), (0, 10));
        let scene = self.scene(radius, law, "auto")?;
        setup.log.note(&format!("{}, {law}: about {} particles", self.name, scene.estimated_particles()));
        let earlier = memory::peak();
        let start = advance_to(&scene, before, true)?;
        let settings = self.scene(radius, law, &self.step.to_string())?.simulation_settings();
        let mut simulation = Simulation::new(start.world, start.state, &settings);
        advance(&mut simulation, WARM_UP)?;
        let bonds = simulation.world.whole_bond_count();
        let clock = Instant::now();
        let progress = advance(&mut simulation, steps)?;
        let seconds = (clock.elapsed().as_secs_f64() - progress.seconds.setup) / steps as f64;
        let peak = memory::peak().filter(|_| memory::peak() > earlier);
        let plan = simulation.plan;
        let step = [plan.step / simulation.world.period_2021(), plan.step / plan.limit.unwrap_or(f64::NAN)];
        Ok(Timed { particles: simulation.state.len(), bonds, step, seconds, progress, peak })
    }

    /// Seconds a frame.
    fn per_frame(&self, timed: &Timed) -> f64 {
        timed.seconds / (self.rate * self.step)
    }
}

/// Makes `steps` steps, on a thread of the pool, as a run.
fn advance(simulation: &mut Simulation, steps: u64) -> Result<Progress, RunError> {
    let mut progress = Progress::default();
    rayon::scope(|_| {
        while progress.steps < steps {
            simulation.try_step(&mut progress)?;
        }
        Ok(progress)
    })
}
