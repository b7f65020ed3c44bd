//! What a run measures: forces on walls and constraints, stresses, probes, and the ends of runs that follow.

use std::fs;
use std::path::Path;

use bdem_core::energy::Flow;
use bdem_core::geometry::Vec3;
use bdem_run::output::{Columns, FORCES, METRICS, Metrics, RunRecord, RunState, Table, TestResults};
use bdem_run::run::{ExistingRun, LoadCurve, LogLevel, LogOptions, RunOptions, simulate};
use bdem_run::scene::{MaterialTest, Scene, Specimen};
use tempfile::TempDir;

use crate::common::scenes::{built, owned, scene};

/// A run in a folder of its own.
struct Done {
    folder: TempDir,
    record: RunRecord,
    forces: Columns,
}

fn options(folder: &Path, existing_run: ExistingRun) -> RunOptions {
    let log = LogOptions { level: LogLevel::Quiet, ..LogOptions::default() };
    RunOptions { output: folder.to_owned(), existing_run, log, ..RunOptions::default() }
}

fn run(scene: &Scene) -> Done {
    let folder = tempfile::tempdir().expect("a folder");
    let record = simulate(scene, &options(folder.path(), ExistingRun::Keep)).expect("it runs");
    let forces = Columns::read(&folder.path().join(FORCES)).expect("it measures forces");
    Done { folder, record, forces }
}

impl Done {
    fn column(&self, name: &str) -> Vec<f64> {
        self.forces.column(name).unwrap_or_else(|| panic!("no {name} in {:?}", self.forces.names)).collect()
    }

    fn last(&self, name: &str) -> f64 {
        *self.column(name).last().expect("a row")
    }

    fn metrics(&self) -> Vec<Metrics> {
        Table::read(&self.folder.path().join(METRICS)).expect("a table")
    }

    /// Work (J) of the named collider or constraint up to each row: the force on it and its displacement, by the
    /// trapezoidal rule.
    fn work_of(&self, name: &str) -> Vec<f64> {
        let [force, moved] =
            ["force", "displacement"].map(|what| self.forces.vectors(&format!("{name}.{what}")).expect("columns"));
        let mut sum = 0.0;
        let step = |k: usize| -> f64 {
            (0..3)
                .map(|axis| -0.5 * (force[k - 1][axis] + force[k][axis]) * (moved[k][axis] - moved[k - 1][axis]))
                .sum()
        };
        (0..force.len())
            .map(|k| {
                sum += if k > 0 { step(k) } else { 0.0 };
                sum
            })
            .collect()
    }
}

/// A template of material tests, with larger particles.
fn template(name: &str, settings: &[&str]) -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("crates/jobs/src/templates/{name}.toml"));
    Scene::load_with(&path, &owned(settings)).expect("a good scene")
}

const BLOCK: &str = r#"
[scene]
name = "block"
[time]
frame_rate = 20.0
frames = 20
[materials.stone]
density = 2000.0
density_of = "grains"
young_modulus = 1e7
poisson_ratio = 0.25
tensile_strength = 1e6
friction = 0.5
damping = 0.2
[[bodies]]
name = "block"
material = "stone"
particle_radius = 0.01
shape = { box = { size = [0.1, 0.08, 0.06] } }
position = [0.3, 0.0, 0.0301]
[[colliders]]
name = "floor"
position = [0.3, 0.0, 0.0]
shape = { half_space = { normal = [0.0, 0.0, 1.0], offset = 0.0 } }
[[output.probes]]
name = "all"
region = { sphere = { centre = [0.3, 0.0, 0.0], radius = 1.0 } }
"#;

/// The floor carries the weight, straight under the block, asleep or not. After a second what is left of its bounces is
/// below the tolerance. It still rocks on its tangential springs, so that nothing follows for the sideways force.
#[test]
fn a_resting_block_presses_the_floor_with_its_weight() {
    for integrator in ["auto", "implicit-euler", "implicit-bdf2", "explicit-verlet"] {
        let scene = scene(BLOCK, &[&format!("time.integrator={integrator}"), "materials.stone.young_modulus=1e6"]);
        let (world, state) = built(&scene);
        let weight = 9.81 * world.particles.mass.iter().sum::<f64>();
        let centre = state.p.iter().sum::<Vec3>() / state.len() as f64;
        let done = run(&scene);
        let [x, y, z] = ["x", "y", "z"].map(|axis| done.last(&format!("floor.force_{axis}")) / weight);
        println!("{integrator}: {x:e} {y:e} {z:.6}, {} steps asleep", done.record.asleep_steps);
        assert!((z + 1.0).abs() < 2e-3, "{integrator}: {x} {y} {z}");
        // about the floor's origin, for the weight acts at the centre of mass, which has slid in the bounces
        let slid = ["x", "y"].map(|axis| done.last(&format!("all.displacement_{axis}")));
        let arm = [-centre.y - slid[1], centre.x + slid[0] - 0.3, 0.0];
        let torque = ["x", "y", "z"].map(|axis| done.last(&format!("floor.torque_{axis}")) / weight);
        let far = arm.iter().zip(&torque).map(|(arm, torque)| (arm - torque).abs()).fold(0.0, f64::max);
        assert!(far < 2e-4, "{integrator}: {torque:?} m, and {arm:?} m");
        assert!(integrator != "auto" || done.record.asleep_steps > 0, "it sleeps");
    }
}

/// A layer of spheres that half a turn maps onto itself, as its motion: by symmetry the floor pushes it straight up. What
/// is left are roundings and the tolerance of implicit solvers.
#[test]
fn the_floor_does_not_push_a_symmetric_layer_sideways() {
    let layer = ["bodies.block.shape.box.size=[0.1,0.08,0.02]", "bodies.block.position=[0.3,0.0,0.0101]"];
    let at_rest = ["contact.restitution=0.3", "materials.stone.young_modulus=1e6", "solver.newton_tolerance=1e-9"];
    for integrator in
        ["auto", "implicit-euler", "implicit-bdf2", "implicit-midpoint", "explicit-verlet", "explicit-rodrigues"]
    {
        let integrator_set = format!("time.integrator={integrator}");
        let scene = scene(BLOCK, &[&layer[..], &at_rest, &[&integrator_set]].concat());
        let (world, _) = built(&scene);
        let weight = 9.81 * world.particles.mass.iter().sum::<f64>();
        let start = std::time::Instant::now();
        let done = run(&scene);
        let [x, y, z] = ["x", "y", "z"].map(|axis| done.last(&format!("floor.force_{axis}")) / weight);
        println!("{integrator}: {} spheres, {x:e} {y:e} {z:.6}, {:?}", world.particles.len(), start.elapsed());
        assert!((z + 1.0).abs() < 2e-3 && x.abs() < 1e-6 && y.abs() < 1e-6, "{integrator}: {x} {y} {z}");
    }
}

/// On a slope its friction and its push together are the weight.
#[test]
fn friction_is_a_part_of_the_force() {
    let slope = ["scene.gravity=[3.0,0.0,-9.0]", "materials.stone.young_modulus=1e6", "time.integrator=implicit-bdf2"];
    let scene = scene(BLOCK, &slope);
    let (world, _) = built(&scene);
    let mass: f64 = world.particles.mass.iter().sum();
    let done = run(&scene);
    let force = done.forces.vectors("floor.force").expect("columns");
    let [x, y, z] = force.last().expect("a row").map(|force| force / mass);
    assert!((x - 3.0).abs() < 0.02 && y.abs() < 0.02 && (z + 9.0).abs() < 0.02, "{x} {y} {z}");
}

const PRESSED: &str = r#"
[scene]
name = "pressed"
gravity = [0.0, 0.0, 0.0]
[time]
frame_rate = 1000.0
frames = 20
[materials.gypsum]
density = 1000.0
young_modulus = 1e9
poisson_ratio = 0.2
friction = 0.3
damping = 0.3
[[bodies]]
name = "block"
material = "gypsum"
particle_radius = 0.002
shape = { box = { size = [0.02, 0.02, 0.02687] } }
[[colliders]]
name = "bottom"
shape = { half_space = { normal = [0.0, 0.0, 1.0], offset = -0.01344 } }
[[colliders]]
name = "top"
shape = { half_space = { normal = [0.0, 0.0, -1.0], offset = -0.01344 } }
motion = { keyframes = { keys = [{ time = 0.0 }, { time = 0.01, position = [0.0, 0.0, -0.0001] }] } }
"#;

/// Newton's third law: a block at rest between two platens pushes both alike. The difference of the two is its mass times
/// its acceleration, which dampers have brought to less than a thousandth of the load 10 ms, a hundred transits of a wave,
/// after the platen came to rest.
#[test]
fn opposite_platens_at_rest_bear_the_same_load() {
    for integrator in ["auto", "implicit-euler", "explicit-verlet"] {
        let done = run(&scene(PRESSED, &[&format!("time.integrator={integrator}")]));
        let [top, bottom] = ["top", "bottom"].map(|name| done.last(&format!("{name}.force_z")));
        println!("{integrator}: {top} N, {bottom} N");
        assert!(top > 10.0 && (top + bottom).abs() < 1e-3 * top, "{integrator}: {top} {bottom}");
        assert!((done.last("top.displacement_z") + 0.0001).abs() < 1e-12);
    }
}

/// The force on a grip times its displacement is the work of the account, through loading and breaking. Rows are at every
/// step of Verlet, whose work is that of the mean force of both ends: the trapezoidal rule.
#[test]
fn the_work_of_a_grip_is_that_of_the_account() {
    let coarse = ["bodies.bar.particle_radius=0.004", "output.forces_every=1", "time.integrator=explicit-verlet"];
    let done = run(&template("tension", &coarse));
    let (ours, account) = (*done.work_of("grip").last().expect("a row"), done.metrics());
    let account = account.last().expect("a row");
    println!("{ours} J, account {} J, {} bonds broken", account.flows[Flow::Held], account.bonds_broken);
    assert!(
        account.bonds_broken > 50 && (ours / account.flows[Flow::Held] - 1.0).abs() < 0.01,
        "{ours} {}",
        account.flows[Flow::Held]
    );
}

/// The same of a platen's.
#[test]
fn the_work_of_a_platen_is_that_of_the_account() {
    // larger particles, whose layers end elsewhere
    let coarse = [
        "bodies.disc.particle_radius=0.0026",
        "bodies.disc.shape.intersection.1.box.size=[0.06,0.06,0.047658]",
        "colliders.bottom.shape.half_space.offset=-0.02383",
        "colliders.top.shape.half_space.offset=-0.02383",
        "colliders.top.motion.velocity=[0,0,-0.06]",
        "output.forces_every=1",
        "time.integrator=explicit-verlet",
    ];
    let done = run(&template("brazilian", &coarse));
    let (ours, account) = (*done.work_of("top").last().expect("a row"), done.metrics());
    let account = account.last().expect("a row");
    println!("{ours} J, account {} J, {} bonds broken", account.flows[Flow::Walls], account.bonds_broken);
    assert!(
        account.bonds_broken > 5 && (ours / account.flows[Flow::Walls] - 1.0).abs() < 0.01,
        "{ours} {}",
        account.flows[Flow::Walls]
    );
}

/// A bar that is drawn out uniformly between two grips, with a region of ten particles' length in its middle.
const BAR: &str = r#"
[scene]
name = "bar"
gravity = [0.0, 0.0, 0.0]
[time]
frame_rate = 100.0
frames = 2
integrator = "implicit-euler"
[materials.rubber]
density = 1000.0
young_modulus = 1e8
poisson_ratio = 0.2
[[bodies]]
name = "bar"
material = "rubber"
particle_radius = 0.005
shape = { box = { size = [0.4, 0.08, 0.08] } }
[[constraints]]
name = "left"
region = { box = { min = [-0.3, -1.0, -1.0], max = [-0.18, 1.0, 1.0] } }
motion = "fixed"
[[constraints]]
name = "right"
region = { box = { min = [0.18, -1.0, -1.0], max = [0.3, 1.0, 1.0] } }
motion = { velocity = [0.01, 0.0, 0.0] }
[output]
stress = ["bar"]
[[output.probes]]
name = "middle"
region = { box = { min = [-0.0525, -1.0, -1.0], max = [0.0475, 1.0, 1.0] } }
[[output.probes]]
name = "gauge"
between = [{ nearest = { point = [-0.05, 0.0, 0.0] } }, { nearest = { point = [0.05, 0.0, 0.0] } }]
"#;

/// The virial stress of the middle is F/A, with the cross-section A = V/l of the region's particles. Bonds that cross the
/// region's ends lie there in half. The rest, below 2 %, is what bars that narrow at their grips still feel in their middle.
#[test]
fn the_stress_of_a_stretched_bar_is_the_force_over_its_area() {
    let scene = scene(BAR, &[]);
    let (world, state) = built(&scene);
    let inside = state.p.iter().filter(|p| p.x > -0.0525 && p.x < 0.0475).count() as f64;
    let area = inside * scene.particle_volumes(&world)[0] / 0.1;
    let done = run(&scene);
    let expected = -done.last("right.force_x") / area;
    let stress = ["xx", "yy", "zz", "yz", "xz", "xy"].map(|k| done.last(&format!("middle.stress_{k}")) / expected);
    println!("{stress:.4?} of {expected:.4e} Pa, of the nominal {:.4e} Pa", -done.last("right.force_x") / 0.0064);
    assert!((stress[0] - 1.0).abs() < 0.02, "{stress:?}");
    assert!(stress[1..].iter().all(|other| other.abs() < 0.03), "{stress:?}");
    // the ends are at rest, and the middle moves by half
    let middle = done.last("middle.displacement_x") / done.last("right.displacement_x");
    assert!((middle - 0.5).abs() < 0.02, "{middle}");
    let strain = done.last("gauge.strain") / (done.last("right.displacement_x") / 0.36);
    assert!((strain - 1.0).abs() < 0.1, "{strain}");
    assert!((done.last("left.force_x") + done.last("right.force_x")).abs() < 1e-3 * done.last("left.force_x"));
}

/// A pull is a force with a sign, and a load shows it too.
#[test]
fn a_load_is_recorded_with_the_opposite_sign() {
    let load = ["constraints.1={name=\"right\",region={box={min=[0.18,-1,-1],max=[0.3,1,1]}},force=[8.0,0.0,0.0]}"];
    let done = run(&scene(BAR, &load));
    assert!((done.last("right.force_x") + 8.0).abs() < 1e-9, "{}", done.last("right.force_x"));
}

/// A run in two parts has the rows of one in a single part, at each number of threads' bits.
#[test]
fn a_resumed_run_has_the_same_rows() {
    let settings = ["bodies.bar.particle_radius=0.005", "output.forces_every=\"5e-5 s\"", "output.checkpoint_every=1"];
    let scene = |frames: &str| template("tension", &[&settings[..], &[frames]].concat());
    let whole = run(&scene("time.frames=12"));
    let parts = run(&scene("time.frames=3"));
    let options = options(parts.folder.path(), ExistingRun::Resume);
    for frames in ["time.frames=5", "time.frames=12"] {
        simulate(&scene(frames), &options).expect("it goes on");
    }
    let [one, other] = [&whole, &parts].map(|done| fs::read(done.folder.path().join(FORCES)).expect("a table"));
    assert!(one == other && whole.forces.rows.len() > 50, "{} rows", whole.forces.rows.len());
    let record = RunRecord::read(&parts.folder.path().join("run.json")).expect("a record");
    assert_eq!((record.ended, record.frames), (whole.record.ended, whole.record.frames));
}

#[test]
fn other_columns_are_not_resumed() {
    let settings = ["bodies.bar.particle_radius=0.005", "time.frames=2"];
    let done = run(&template("tension", &settings));
    let other = template("tension", &["bodies.bar.particle_radius=0.005", "time.frames=3", "output.stress=[]"]);
    let refused = simulate(&other, &options(done.folder.path(), ExistingRun::Resume)).expect_err("other columns");
    assert!(refused.to_string().contains("forces.csv") && refused.to_string().contains("--overwrite"), "{refused}");
}

/// The frame in which a condition is met is the last; it is written in full, and the run counts as done.
#[test]
fn conditions_end_runs() {
    let coarse = ["bodies.bar.particle_radius=0.005", "output.every=100"];
    for (until, expected) in [
        ("time.until={load_below_peak=0.5,peak_above=100.0}", "the load of grip fell to"),
        ("time.until={bonds_broken=3}", "bonds are broken, and the limit is 3"),
        ("time.until={pieces=2}", "pieces, and the limit is 2"),
    ] {
        let scene = template("tension", &[&coarse[..], &[until]].concat());
        let done = run(&scene);
        let record = &done.record;
        println!("{:?} at frame {}", record.ended, record.frames);
        assert!(record.ended.as_ref().is_some_and(|ended| ended.contains(expected)), "{:?}", record.ended);
        assert!(record.state == RunState::Done && record.frames > 1 && record.frames < 40);
        let last = format!("ply/tension.{:04}.ply", record.frames);
        assert!(done.folder.path().join(last).exists(), "the last frame is written");
        assert_eq!(done.metrics().len(), record.frames as usize + 1);
        // nothing is left to do, unless the condition goes
        let resume = options(done.folder.path(), ExistingRun::Resume);
        assert_eq!(simulate(&scene, &resume).expect("it is done").resumed, 0);
        let frames = format!("time.frames={}", record.frames + 1);
        let longer = template("tension", &[&coarse[..], &["time.until={pieces=100000}", &frames]].concat());
        let longer = simulate(&longer, &resume).expect("it goes on");
        assert_eq!((longer.frames, longer.ended), (record.frames + 1, None));
    }
}

/// A load that rises by 2 N a micrometre to 100 N, breaks, and rings higher than that.
#[test]
fn strength_and_modulus_follow_from_the_load_curve() {
    let names = ["frame", "time", "grip.force_x", "grip.force_y", "grip.force_z"];
    let moved = ["grip.displacement_x", "grip.displacement_y", "grip.displacement_z"];
    let row = |k: u32| {
        let x = 1e-6 * f64::from(k);
        let load = match k {
            0 => 20.0,
            1..=50 => 2e6 * x,
            51..=60 => 10.0,
            _ => 300.0,
        };
        vec![0.0, 0.0, 0.0, -load, 0.0, 0.0, x, 0.0]
    };
    let columns = Columns {
        names: names.iter().chain(&moved).map(|&name| name.to_owned()).collect(),
        rows: (0..70).map(row).collect(),
    };
    for (test, strength, modulus) in [
        (MaterialTest::Tension { area: 1e-4, length: Some(0.1) }, 1e6, Some(2e9)),
        (MaterialTest::Brazilian { diameter: 0.1, thickness: 0.02 }, 2.0 * 100.0 / (std::f64::consts::PI * 2e-3), None),
        (
            MaterialTest::Bending3 { span: 0.2, width: 0.01, height: 0.02 },
            3.0 * 100.0 * 0.2 / (2.0 * 0.01 * 4e-4),
            Some(2e6 * 8e-3 / (4.0 * 0.01 * 8e-6)),
        ),
    ] {
        let specimen = Specimen { load: "grip".to_owned(), gauge: None, lateral: None, body: None, test };
        let curve = LoadCurve::new(&specimen, &columns).expect("its columns are there");
        let near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-9;
        assert!(near(curve.peak_load().expect("a load"), 100.0), "{:?}", curve.peak_load());
        // the last point is the first load below half of the peak
        assert_eq!(curve.to_break(), &curve.points[..52]);
        let mut rising = curve.clone();
        rising.points = curve.points[1..51].to_vec();
        assert_eq!(rising.to_break().len(), 50, "it does not break");
        rising.points.iter_mut().for_each(|(_, load)| *load = 0.0);
        assert_eq!(rising.to_break().len(), 50, "there is no load");
        assert!(near(curve.strength().expect("a load"), strength), "{test}: {:?}", curve.strength());
        match modulus {
            Some(modulus) => assert!(near(curve.modulus().expect("one"), modulus), "{test}: {:?}", curve.modulus()),
            None => assert_eq!(curve.modulus(), None),
        }
        assert!(curve.caption().contains(test.strength_formula()), "{}", curve.caption());
    }
    let missing = Specimen {
        load: "top".to_owned(),
        gauge: None,
        lateral: None,
        body: None,
        test: MaterialTest::Brazilian { diameter: 1.0, thickness: 1.0 },
    };
    assert_eq!(LoadCurve::new(&missing, &columns), Err("top.force".to_owned()));
}

/// Rows of a part that is displaced by x along x and y, and of two probes. `row` has the force on the part along x and y (N), and the
/// strains of the gauge, whose first distance is 0.1 m, and of the lateral probe.
fn rows_of(displacements: impl Iterator<Item = f64>, row: impl Fn(f64) -> [f64; 4]) -> Columns {
    let names = [
        "frame",
        "time",
        "part.force_x",
        "part.force_y",
        "part.force_z",
        "part.displacement_x",
        "part.displacement_y",
        "part.displacement_z",
        "gauge.distance",
        "width.strain",
    ];
    let cells = |x: f64| {
        let [along, across, axial, lateral] = row(x);
        vec![0.0, 0.0, along, across, 0.0, x, 0.0, 0.0, 0.1 * (1.0 + axial), lateral]
    };
    Columns { names: names.map(str::to_owned).to_vec(), rows: displacements.map(cells).collect() }
}

fn results_of(specimen: &Specimen, columns: &Columns) -> TestResults {
    LoadCurve::new(specimen, columns).expect("its columns are there").results()
}

/// A load that rises by 2 N a micrometre to 100 N, and is gone.
fn to_100_newtons(x: f64) -> f64 {
    if x < 50.5e-6 { 2e6 * x } else { 0.0 }
}

fn near(value: Option<f64>, expected: f64) -> bool {
    matches!(value, Some(value) if (value / expected - 1.0).abs() < 1e-9)
}

/// Both by a gauge, whose distance grows in tension and falls in compression, and by the displacement of the load over a length.
#[test]
fn poissons_ratio_follows_from_the_lateral_strain() {
    for (sign, is_tension) in [(1.0, true), (-1.0, false)] {
        // beyond the fitted rows, which end at 50 N, the width is another
        let lateral = |x: f64| -sign * if x < 25.5e-6 { 0.3 * x / 0.1 } else { x };
        let columns =
            rows_of((0..60).map(|k| 1e-6 * f64::from(k)), |x| [-to_100_newtons(x), 0.0, sign * x / 0.1, lateral(x)]);
        for (gauge, length) in [(Some("gauge".to_owned()), None), (None, Some(0.1))] {
            let test = match is_tension {
                true => MaterialTest::Tension { area: 1e-4, length },
                false => MaterialTest::Compression { area: 1e-4, length, confining_pressure: 0.0 },
            };
            let specimen =
                Specimen { load: "part".to_owned(), gauge, lateral: Some("width".to_owned()), body: None, test };
            let results = results_of(&specimen, &columns);
            assert!(near(results.poisson_ratio, 0.3) && near(results.modulus, 2e9), "{results:?}");
            assert!(near(results.displacement_at_peak, 50e-6) && near(results.peak_load, 100.0), "{results:?}");
            let without = results_of(&Specimen { lateral: None, ..specimen }, &columns);
            assert_eq!(without, TestResults { poisson_ratio: None, ..results });
        }
    }
}

/// Of a triangle of 100 N and 100 micrometres, 5 mJ, over a ligament of 20 mm by 5 mm; the deflection is that of the loading part also
/// with a gauge.
#[test]
fn the_fracture_energy_is_the_work_over_the_ligament() {
    let load = |x: f64| if x < 50.5e-6 { 2e6 * x } else { 200.0 - 2e6 * x };
    let columns = rows_of((0..=100).map(|k| 1e-6 * f64::from(k)), |x| [-load(x), 0.0, 0.2 * x, 0.0]);
    let test = MaterialTest::NotchedBending { span: 0.2, width: 0.02, height: 0.008, notch: 0.003 };
    for gauge in [None, Some("gauge".to_owned())] {
        let specimen = Specimen { load: "part".to_owned(), gauge, lateral: None, body: None, test };
        let results = results_of(&specimen, &columns);
        assert!(near(results.fracture_energy, 5e-3 / 1e-4), "{results:?}");
        assert!(near(results.strength, 3.0 * 100.0 * 0.2 / (2.0 * 0.02 * 25e-6)), "{results:?}");
        assert_eq!((results.test.as_str(), results.modulus), ("notched-bending", None));
    }
}

/// 100 N along the displacement, and 1 kN across.
#[test]
fn the_shear_strength_is_of_the_force_along_the_displacement() {
    let columns = rows_of((0..60).map(|k| 1e-6 * f64::from(k)), |x| [-to_100_newtons(x), 1e3, 0.0, 0.0]);
    let specimen = Specimen {
        load: "part".to_owned(),
        gauge: None,
        lateral: None,
        body: None,
        test: MaterialTest::Shear { area: 1e-4, direction: None },
    };
    let results = results_of(&specimen, &columns);
    assert!(near(results.strength, 1e6) && near(results.peak_load, 100.0), "{results:?}");
    assert_eq!((results.modulus, results.fracture_energy), (None, None));
}

/// A platen bears 1 MPa of confinement, 100 N, before a load of 100 N more. The stress difference is that of the latter.
#[test]
fn a_confined_strength_is_a_stress_difference() {
    let columns = rows_of((0..60).map(|k| 1e-6 * f64::from(k)), |x| [-100.0 - to_100_newtons(x), 0.0, -x / 0.1, 0.0]);
    let test = MaterialTest::Compression { area: 1e-4, length: Some(0.1), confining_pressure: 1e6 };
    let specimen = Specimen { load: "part".to_owned(), gauge: None, lateral: None, body: None, test };
    let results = results_of(&specimen, &columns);
    assert!(near(results.strength, 1e6) && near(results.peak_load, 200.0) && near(results.modulus, 2e9), "{results:?}");
}

/// The record has the results of the run's own curve, and Poisson's ratio of the bar is that of its lattice along it.
#[test]
fn the_record_has_the_results_of_the_test() {
    let measured = r#"
[[output.probes]]
name = "width"
between = [
    { box = { min = [-0.05, -0.05, -1.0], max = [0.05, -0.025, 1.0] } },
    { box = { min = [-0.05, 0.025, -1.0], max = [0.05, 0.05, 1.0] } },
]
[specimen]
load = "right"
gauge = "gauge"
lateral = "width"
test = { tension = { area = 0.0064 } }
"#;
    let done = run(&scene(&format!("{BAR}{measured}"), &["output.forces_every=1", "time.step=1e-3"]));
    let curve = LoadCurve::read(done.folder.path()).expect("files").expect("a specimen");
    let results = done.record.specimen.expect("results");
    println!("{results:?}");
    assert_eq!(results, curve.results());
    let [ratio, modulus] = [results.poisson_ratio, results.modulus].map(|result| result.expect("it rises"));
    assert!((0.1..0.4).contains(&ratio) && (0.5e8..3e8).contains(&modulus), "{results:?}");
}

#[test]
fn specimens_without_a_result_are_refused() {
    let load = "constraints.1.name=right";
    for (specimen, words) in [
        (
            "{load=\"right\",lateral=\"gauge\",test={shear={area=1}}}",
            ["lateral is \"gauge\"", "tension or compression"],
        ),
        (
            "{load=\"right\",lateral=\"gouge\",test={tension={area=1,length=1}}}",
            ["no extensometer \"gouge\"", "\"gauge\""],
        ),
        (
            "{load=\"right\",test={notched-bending={span=1,width=1,height=0.1,notch=0.1}}}",
            ["notch is 0.1", "less than the height, 0.1"],
        ),
    ] {
        let settings = [load.to_owned(), format!("specimen={specimen}")];
        let wrong = Scene::parse(Path::new("bar.toml"), BAR, &settings).expect_err("it is wrong").to_string();
        assert!(words.iter().all(|word| wrong.contains(word)), "{wrong}");
    }
}
