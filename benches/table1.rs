//! Table 1 of \[IBDEM\], whose figures are printed beside those measured here: `cargo bench --bench table1`.
//!
//! Each row is a comparison by the library's own `compare`: the implicit integrator at the paper's step, Verlet at 0.2 T and at
//! its longest stable step, in turns, on the same threads. A run is timed for a while, not to its end.

use clap::Parser;

use bdem::run::compare::{CompareOptions, Comparison, Contender, RunRow, compare};
use support::{load, print_markdown, short, start_threads};

mod support;

/// The seven scenes of Table 1, explicit beside implicit
#[derive(Debug, Parser)]
struct Arguments {
    /// Rows: stretch, twist, drape, drape-soft, chocolate, plate, cloth [default: all]
    rows: Vec<String>,
    /// Seconds on the wall for each of a row's runs
    #[arg(long, default_value_t = 20.0)]
    seconds: f64,
    /// Steps of each run before its clock starts
    #[arg(long, default_value_t = 2)]
    warm_up: u32,
    /// Frame to start from, to which implicit Euler brings the runs
    #[arg(long, default_value_t = 0)]
    from_frame: u32,
    /// The runs, as in `bdem compare --integrators`
    #[arg(long, value_delimiter = ',', default_value = "implicit-euler,explicit-verlet")]
    integrators: Vec<String>,
    /// Times the radius of the particles: 2 makes an eighth of them, for a trial
    #[arg(long, default_value_t = 1.0)]
    coarser: f64,
    #[arg(long)]
    threads: Option<usize>,
    /// Writes all comparisons to FILE, as a list
    #[arg(long, value_name = "FILE")]
    json: Option<std::path::PathBuf>,
    /// Cargo says this to benches
    #[arg(long, hide = true)]
    bench: bool,
}

/// A row of the paper's table.
struct Row {
    name: &'static str,
    scene: &'static str,
    /// Particles' radius, m.
    radius: f64,
    /// What makes the scene the paper's, for a radius.
    set: fn(f64) -> Vec<String>,
    /// The paper's seconds per frame, explicit at 0.2 T and implicit.
    paper: [f64; 2],
}

const ROWS: [Row; 7] = [
    Row { name: "stretch", scene: "beam_stretch", radius: 0.0099, set: beam, paper: [34.6, 3.52] },
    Row { name: "twist", scene: "beam_twist", radius: 0.0099, set: beam, paper: [34.6, 14.76] },
    Row { name: "drape", scene: "beam_drape", radius: 0.0066, set: beam, paper: [2230.9, 711.7] },
    Row { name: "drape-soft", scene: "beam_drape_soft", radius: 0.0053, set: beam, paper: [255.2, 121.9] },
    Row { name: "chocolate", scene: "chocolate", radius: 0.00236, set: chocolate, paper: [857.8, 343.8] },
    Row { name: "plate", scene: "plate", radius: 0.00133, set: plate, paper: [4564.6, 1911.8] },
    Row { name: "cloth", scene: "cloth", radius: 0.00215, set: cloth, paper: [1299.6, 394.2] },
];

fn words(set: &[&str]) -> Vec<String> {
    set.iter().map(|&word| word.to_owned()).collect()
}

fn beam(radius: f64) -> Vec<String> {
    vec![format!("bodies.beam.particle_radius={radius}")]
}

/// As large as the paper's, about to hit the floor; damped no more than explicit steps bear well.
fn chocolate(radius: f64) -> Vec<String> {
    let mut set = words(&[
        "bodies.bar.shape={ box = { size = [0.405, 0.2, 0.0585] } }",
        "bodies.bar.position=[0, 0, 0.139]",
        "materials.chocolate.damping=0.02",
        "time.frame_rate=480",
        "time.step=4.4e-5",
    ]);
    set.push(format!("bodies.bar.particle_radius={radius}"));
    set
}

fn plate(radius: f64) -> Vec<String> {
    let mut set = words(&[
        "bodies.plate.shape={ cylinder = { radius = 0.17, height = 0.035 } }",
        "bodies.plate.position=[0, 0, 0.0613]",
        "materials.ceramic.damping=0.02",
        "time.frame_rate=480",
        "time.step=3.5e-5",
    ]);
    set.push(format!("bodies.plate.particle_radius={radius}"));
    set
}

fn cloth(radius: f64) -> Vec<String> {
    let mut set = words(&[
        "constraints.0.region={ box = { min = [-1, -1, -0.1], max = [-0.79, 1, 0.1] } }",
        "constraints.1.region={ box = { min = [0.79, -1, -0.1], max = [1, 1, 0.1] } }",
        "constraints.1.motion.rotation.point=[0.8, -0.8, 0]",
    ]);
    let thickness = 2.1 * radius;
    set.push(format!("bodies.sheet.shape={{ box = {{ size = [1.62, 1.62, {thickness}] }} }}"));
    set.push(format!("bodies.sheet.particle_radius={radius}"));
    set
}

fn main() {
    let arguments = Arguments::parse();
    start_threads(arguments.threads);
    let wanted = |row: &&Row| arguments.rows.is_empty() || arguments.rows.iter().any(|name| name == row.name);
    let rows: Vec<&Row> = ROWS.iter().filter(wanted).collect();
    let known = |name: &&String| !ROWS.iter().any(|row| row.name == *name);
    assert!(arguments.rows.iter().find(known).is_none(), "the rows are: {:?}", ROWS.map(|row| row.name));
    let contenders = Contender::parse_all(&arguments.integrators).unwrap_or_else(|error| panic!("{error}"));
    let mut found = Vec::new();
    for row in &rows {
        let scene = load(row.scene, &(row.set)(row.radius * arguments.coarser));
        let options = CompareOptions {
            most_seconds: Some(arguments.seconds),
            warm_up: arguments.warm_up,
            from_frame: arguments.from_frame,
            ..CompareOptions::new(contenders.clone())
        };
        let comparison = compare(&scene, &options).unwrap_or_else(|error| panic!("{}: {error}", row.name));
        println!("{comparison}");
        found.push(comparison);
    }
    if let Some(path) = &arguments.json {
        let text = serde_json::to_string_pretty(&found).expect("comparisons are JSON");
        std::fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    print(&rows, &found);
}

/// The table: a line for each implicit run of each row.
fn print(rows: &[&Row], found: &[Comparison]) {
    let headings = [
        "scene",
        "particles",
        "implicit run",
        "step, T",
        "paper: s/frame explicit",
        "implicit",
        "speedup",
        "here: s/frame 0.2 T",
        "stable",
        "implicit",
        "speedup over 0.2 T",
        "over stable",
        "ns/bond/step explicit",
    ];
    let mut lines = Vec::new();
    for (row, comparison) in rows.iter().zip(found) {
        let explicit = |step: &str| comparison.runs.iter().find(|run| run.name == format!("explicit-verlet@{step}"));
        let seconds = |run: Option<&RunRow>| run.and_then(|run| run.seconds_per_frame);
        let (papers, stable) = (explicit("0.2"), explicit("stable"));
        for run in comparison.runs.iter().filter(|run| run.integrator.starts_with("implicit")) {
            let over = |other: Option<&RunRow>| Some(seconds(other)? / run.seconds_per_frame?);
            let [explicit, implicit] = row.paper;
            lines.push(vec![
                row.name.to_owned(),
                comparison.particles.to_string(),
                run.name.clone(),
                short(Some(run.step_in_periods)),
                explicit.to_string(),
                implicit.to_string(),
                format!("{:.1}", explicit / implicit),
                short(seconds(papers)),
                short(seconds(stable)),
                short(run.seconds_per_frame),
                short(over(papers)),
                short(over(stable)),
                short(papers.and_then(|run| run.nanoseconds_per_bond_step)),
            ]);
        }
    }
    print_markdown(&headings, &lines);
}
