//! Properties of frames that a scene asks for.

use std::path::Path;

use bdem_core::geometry::Vec3;
use bdem_run::output::ply::{Edge, Frame, Vertex, read_frame};
use bdem_run::output::{Columns, FORCES};
use bdem_run::run::{ExistingRun, LogLevel, LogOptions, RunOptions, simulate};
use tempfile::TempDir;

use crate::common::scenes::scene;

/// A bar that is drawn and sheared between two grips.
const BAR: &str = r#"
[scene]
name = "bar"
gravity = [0.0, 0.0, 0.0]
[time]
frame_rate = 100.0
frames = 4
integrator = "implicit-euler"
[materials.rubber]
density = 1000.0
young_modulus = 1e8
poisson_ratio = 0.2
tensile_strength = 1e9
[[bodies]]
name = "bar"
material = "rubber"
particle_radius = 0.01
shape = { box = { size = [0.4, 0.08, 0.08] } }
[[constraints]]
region = { box = { min = [-0.3, -1.0, -1.0], max = [-0.17, 1.0, 1.0] } }
motion = "fixed"
[[constraints]]
region = { box = { min = [0.17, -1.0, -1.0], max = [0.3, 1.0, 1.0] } }
motion = { velocity = [0.01, 0.0, 0.02] }
[output]
particles = ["displacement", "stress"]
bonds = ["force", "moment", "stress"]
[[output.probes]]
name = "middle"
region = { box = { min = [-0.0537, -1.0, -1.0], max = [0.0537, 1.0, 1.0] } }
"#;

fn run(settings: &[&str], folder: &Path, existing_run: ExistingRun) {
    let log = LogOptions { level: LogLevel::Quiet, ..LogOptions::default() };
    let options = RunOptions { output: folder.to_owned(), existing_run, log, ..RunOptions::default() };
    simulate(&scene(BAR, settings), &options).expect("it runs");
}

fn done(settings: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    run(settings, folder.path(), ExistingRun::Keep);
    folder
}

fn frame(folder: &TempDir, number: u32) -> Frame {
    read_frame(&folder.path().join(format!("ply/bar.{number:04}.ply"))).expect("a frame")
}

fn force(edge: &Edge) -> Vec3 {
    Vec3::new(edge.force_x.into(), edge.force_y.into(), edge.force_z.into())
}

fn moment(edge: &Edge) -> Vec3 {
    Vec3::new(edge.moment_x.into(), edge.moment_y.into(), edge.moment_z.into())
}

/// Name of a component of the stress, and its property.
type Property = (&'static str, fn(&Vertex) -> f32);

/// Frame 0 has no displacement, and later ones the differences of positions. Stresses have the mean of the probe, since all particles
/// are as large.
#[test]
fn displacements_and_stresses_of_particles_are_those_of_the_run() {
    let folder = done(&[]);
    let (first, last) = (frame(&folder, 0), frame(&folder, 4));
    assert!(first.vertices.iter().all(|v| v.displacement() == Vec3::zeros()));
    for (v, from) in last.vertices.iter().zip(&first.vertices) {
        assert!((v.place() - from.place() - v.displacement()).norm() < 1e-7, "{v:?}");
    }
    let middle: Vec<&Vertex> =
        first.vertices.iter().zip(&last.vertices).filter(|(v, _)| v.x.abs() < 0.0537).map(|(_, v)| v).collect();
    let columns = Columns::read(&folder.path().join(FORCES)).expect("forces");
    let properties: [Property; 3] = [("xx", |v| v.stress_xx), ("xz", |v| v.stress_xz), ("yy", |v| v.stress_yy)];
    let scale = columns.column("middle.stress_xx").expect("a column").last().expect("a row");
    assert!(scale > 1e4, "{scale}");
    for (name, of) in properties {
        let mean = middle.iter().map(|v| f64::from(of(v))).sum::<f64>() / middle.len() as f64;
        let probe = columns.column(&format!("middle.stress_{name}")).expect("a column").last().expect("a row");
        assert!((mean - probe).abs() < 1e-5 * scale, "{name}: {mean} {probe}");
    }
}

/// A free particle between its bonds is in balance, about its centre too: each bond pulls its second particle with the opposite force
/// and moment. The largest sigma of its bonds is the particle's `stress`.
#[test]
fn bonds_balance_at_every_particle() {
    let folder = done(&[]);
    let Frame { vertices, edges, .. } = frame(&folder, 4);
    let edges = edges.expect("edges");
    let mut sums = vec![(Vec3::zeros(), Vec3::zeros(), 0f32); vertices.len()];
    for edge in &edges {
        let ends = [edge.vertex1, edge.vertex2].map(|k| k as usize);
        let [one, other] = ends.map(|k| vertices[k].place());
        for (k, sign) in ends.into_iter().zip([1.0, -1.0]) {
            let arm = 0.5 * (one + other) - vertices[k].place();
            let (force, torque, sigma) = &mut sums[k];
            *force += self::force(edge) * sign;
            *torque += (moment(edge) + arm.cross(&self::force(edge))) * sign;
            *sigma = sigma.max(edge.sigma);
        }
    }
    let greatest = |of: fn(&Edge) -> Vec3| edges.iter().map(|edge| of(edge).norm()).fold(0.0, f64::max);
    let (force, torque) = (greatest(force), greatest(moment));
    assert!(torque > 1e-3 * force * 0.01, "bonds bend: {torque} N m and {force} N");
    for (v, sum) in vertices.iter().zip(&sums).filter(|(v, _)| v.x.abs() < 0.15) {
        assert!(sum.0.norm() < 1e-2 * force && sum.1.norm() < 1e-2 * (torque + 0.01 * force), "{v:?}: {sum:?}");
        assert_eq!(sum.2, v.stress);
    }
}

/// A tension pulls the first particle towards the second one.
#[test]
fn the_force_of_a_stretched_bond_is_towards_the_second_particle() {
    let folder = done(&["constraints.1.motion.velocity=[0.05,0,0]"]);
    let Frame { vertices, edges, .. } = frame(&folder, 4);
    let along = edges.expect("edges").into_iter().filter_map(|edge| {
        let [one, other] = [edge.vertex1, edge.vertex2].map(|k| vertices[k as usize].place());
        let direction = (other - one).normalize();
        (direction.x.abs() > 0.99 && one.x.abs() < 0.1).then(|| force(&edge).dot(&direction))
    });
    let along: Vec<f64> = along.collect();
    assert!(along.len() > 50 && along.iter().all(|force| *force > 0.0), "{along:?}");
}

/// Bonds keep their ids while others break, and a run in two parts has the frames of one.
#[test]
fn a_resumed_run_has_the_same_frames() {
    let settings =
        ["materials.rubber.tensile_strength=3e5", "materials.rubber.shear_strength=3e5", "output.checkpoint_every=1"];
    let with = |frames: &'static str| [&settings[..], &[frames]].concat();
    let whole = done(&with("time.frames=6"));
    let parts = done(&with("time.frames=3"));
    run(&with("time.frames=6"), parts.path(), ExistingRun::Resume);
    for number in 0..=6 {
        let [one, other] = [&whole, &parts].map(|folder| frame(folder, number));
        assert!(one.vertices == other.vertices && one.edges == other.edges, "frame {number}");
    }
    let bonds = |number| frame(&whole, number).edges.expect("edges");
    let (first, last) = (bonds(0), bonds(6));
    println!("{} of {} bonds are left", last.len(), first.len());
    assert!(!last.is_empty() && last.len() < first.len());
    let ends = |edge: &Edge| [edge.vertex1, edge.vertex2];
    for edge in last {
        let before = first.iter().find(|bond| bond.id == edge.id).expect("it was there");
        assert_eq!(ends(before), ends(&edge));
    }
}
