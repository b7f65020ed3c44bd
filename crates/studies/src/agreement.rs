//! \[IBDEM\] Fig 10: explicit and implicit runs of a stretched and of a twisted beam.

use bdem_core::geometry::Vec3;
use bdem_pictures::plot::{AxisScale, Chart, Line, Panel};
use bdem_run::run::compare::{Contender, STABLE_SHARE};
use bdem_run::run::{RunError, advance_with};
use bdem_run::scene::Scene;

use super::{Cell, Claim, Report, ReportTable, Setup, Study, load};

pub(super) const STUDY: Study = Study {
    name: "agreement",
    about: "distances between implicit and explicit runs, of a stretched and a twisted beam",
    run,
};

/// Reference run.
const REFERENCE: &str = "explicit-verlet@0.2";

/// Runs compared with it. The first is the paper's.
const RUNS: [&str; 2] = ["implicit-euler", "implicit-bdf2"];

/// Positions of all particles (m), frame by frame from the start.
type Path = Vec<Vec<Vec3>>;

fn run(setup: &Setup) -> Result<Report, RunError> {
    let columns = [
        ("scene", ""),
        ("particles", ""),
        ("run", ""),
        ("step", "T"),
        ("mean distance at the end", "radii"),
        ("greatest at the end", "radii"),
        ("greatest at any time", "radii"),
        ("greatest over the beam's displacement", ""),
    ];
    let mut report = Report { table: ReportTable::new(&columns), ..Report::default() };
    let panels = ["beam_stretch", "beam_twist"].map(|name| beam(setup, name, &mut report));
    let panels = panels.into_iter().collect::<Result<_, _>>()?;
    let (x_label, y_label) = ("time, s", "greatest distance from explicit, radii");
    report.charts.push(Chart { name: "agreement", x_label, y_label, scale: AxisScale::Upright, panels });
    Ok(report)
}

/// Panel of one scene. Its rows and claims go into `report`.
fn beam(setup: &Setup, name: &'static str, report: &mut Report) -> Result<Panel, RunError> {
    let radius = setup.choose(0.0099, 0.04);
    let mut scene = load(name, &[format!("bodies.beam.particle_radius={radius}")])?;
    scene.time.frames = setup.choose(scene.time.frames, 3);
    let (explicit, _) = path(setup, &scene, REFERENCE)?;
    let moved = greatest(&explicit[0], explicit.last().expect("the start at least"));
    let mut panel = Panel { title: name.to_owned(), lines: Vec::new() };
    for run in RUNS {
        let (implicit, periods) = path(setup, &scene, run)?;
        let apart = apart(&implicit, &explicit, radius, scene.time.frame_rate);
        let [_, mean, at_end] = *apart.last().expect("a frame at least");
        let most = apart.iter().map(|[.., greatest]| *greatest).fold(0.0, f64::max);
        let share = most * radius / moved;
        let particles = explicit[0].len();
        report.table.rows.push(vec![
            name.into(),
            particles.into(),
            run.into(),
            periods.into(),
            mean.into(),
            at_end.into(),
            most.into(),
            Cell::from(share),
        ]);
        if run == RUNS[0] {
            report.claims.push(claim(name, mean));
        }
        let points = apart.iter().map(|[time, _, greatest]| (*time, *greatest)).collect();
        panel.lines.push(Line { label: format!("{run}: {periods:.1} T"), points });
    }
    Ok(panel)
}

fn claim(name: &str, mean: f64) -> Claim {
    Claim::new(
        format!("{name}: mean distance of implicit Euler at the paper's step from explicit, radii, at the end"),
        "[IBDEM] Fig 10, section 6.4",
        "identical",
        mean,
    )
}

/// Positions of `scene` under the integrator and step of `run`, and the step in periods T.
fn path(setup: &Setup, scene: &Scene, run: &str) -> Result<(Path, f64), RunError> {
    setup.log.note(&format!("{}: {run}", scene.name()));
    let contender: Contender = run.parse().expect("a contender");
    let scene = contender.scene(scene, STABLE_SHARE);
    let mut path = Path::new();
    let keep = |at: &bdem_core::simulate::Simulation| path.push(at.state.p.clone());
    let end = advance_with(&scene, scene.time.frames, setup.log.is_silent(), keep)?;
    Ok((path, end.plan.step / end.world.period()))
}

/// Time of each frame, s, and mean and greatest distance between the particles of two runs, radii.
fn apart(a: &Path, b: &Path, radius: f64, frame_rate: f64) -> Vec<[f64; 3]> {
    let at = |frame: usize| {
        let mean = distances(&a[frame], &b[frame]).sum::<f64>() / a[frame].len() as f64 / radius;
        [frame as f64 / frame_rate, mean, greatest(&a[frame], &b[frame]) / radius]
    };
    (1..a.len()).map(at).collect()
}

fn distances<'a>(a: &'a [Vec3], b: &'a [Vec3]) -> impl Iterator<Item = f64> + 'a {
    a.iter().zip(b).map(|(a, b)| (a - b).norm())
}

fn greatest(a: &[Vec3], b: &[Vec3]) -> f64 {
    distances(a, b).fold(0.0, f64::max)
}
