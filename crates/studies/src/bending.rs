//! Three-point bending at three sizes (\[BDEM21\] section 5.1, Fig 19 and Table 3, \[IBDEM\] Fig 5 and Table 2).
//!
//! A beam of few particles is softer and weaker than one of many: its spheres fill less of the nominal section. Layers
//! lie 1.63 r apart, but the height has 2 r more than the outermost centres. Every other row ends r short of the
//! width. At these sizes that alone makes 13 % of E and of sigma between the first and the last. Measured, E differs
//! by 13 %, and sigma of the highest load by 18 %, between the two finer by 13 %. The deflection at which a beam
//! cracks differs by 5 %.
//!
//! Beams of the materials of \[BDEM21\] Tables 2 and 3 follow. Its E 1.1 and sigma 1.28 at both sizes are, within 4 %,
//! those of a beam of one layer on edge, whose thickness b counts 2 r. An infinite layer of spheres has
//! E = pi/4 sqrt(12) (1 + g)/(3 + g) = 1.12 of its bonds', g = G/E = 0.4. A hexagonal packing has 1.5 to 1.7.

use bdem_core::energy::Potential;
use bdem_core::geometry::{Quat, Vec3};
use bdem_core::model::{Gradient, State};
use bdem_core::simulate::{Progress, Simulation};
use bdem_pictures::plot::{AxisScale, Chart, Line, Panel};
use bdem_run::run::RunError;

use super::{Claim, Report, ReportTable, Setup, Study, load};

pub(super) const STUDY: Study =
    Study { name: "bending", about: "load over deflection, modulus and strength of a beam at three sizes", run };

/// Position of the supports, m from the middle.
const SUPPORT: f64 = 0.09;

/// Radii of the three sizes, m.
pub const RADII: [f64; 3] = [0.008474, 0.0057, 0.002755];

/// Frames at which the beams of \[IBDEM\] Table 2 break.
const BREAKS: [f64; 3] = [23.0, 25.0, 25.0];

/// E and sigma of \[BDEM21\] Table 3 over the bonds', equal at both of its sizes.
const TABLE_3: [f64; 2] = [1.1, 1.28];

/// Properties of a beam from its curve, by \[BDEM21\] eq 29.
#[derive(Clone, Debug)]
pub struct BentBeam {
    /// Number of particles.
    pub particles: usize,
    /// Young's modulus over its bonds'.
    pub e: f64,
    /// Strength over its bonds'.
    pub sigma: f64,
    /// Deflection under the highest load, m.
    pub deflection: f64,
    /// Load at which the first bonds broke, over the highest.
    pub first: f64,
    /// Height, m.
    pub height: f64,
    /// Deflections of the middle relative to the supports (m), and loads (N).
    pub curve: Vec<[f64; 2]>,
}

/// Beam of a study.
struct Beam {
    name: &'static str,
    /// Overrides of the scene, for a radius.
    set: fn(f64) -> Vec<String>,
    /// Whether it has one layer, and so no width to keep it upright.
    is_plane: bool,
}

const SCENE: Beam = Beam { name: "scene", set: |_| Vec::new(), is_plane: false };

/// Beams of the paper's materials, and their radii (m). Those of the material of Table 3 but a strength of 0.003 E are of
/// small strains.
const PAPERS: [(Beam, f64); 5] = [
    (Beam { name: "one layer", set: |radius| one_layer(radius, 3e4), is_plane: true }, 0.002),
    (Beam { name: "one layer", set: |radius| one_layer(radius, 3e4), is_plane: true }, 0.001),
    (Beam { name: "Table 3, one layer", set: |radius| one_layer(radius, 1.25e6), is_plane: true }, 0.002),
    (Beam { name: "Table 3", set: |_| material(2600.0, 1e7, 0.4, 1.25e6), is_plane: false }, 0.0057),
    (Beam { name: "Table 2, twice as large", set: |_| material(2710.0, 1e8, 0.3, 8e6), is_plane: false }, 0.0025),
];

/// Material of beam and supports, and a press that breaks the beam in a third of a second. Density in kg/m3, E in Pa, G
/// over E, sigma in Pa; tau is 1.25 sigma as in \[BDEM21\] Table 2.
fn material(density: f64, e: f64, ratio: f64, sigma: f64) -> Vec<String> {
    let (g, tau, speed) = (ratio * e, 1.25 * sigma, 0.32 * sigma / e);
    let elastic = format!("density = {density}, density_of = \"grains\", young_modulus = {e}, shear_modulus = {g}");
    vec![
        format!("materials.beam={{ {elastic}, tensile_strength = {sigma}, shear_strength = {tau} }}"),
        format!("materials.support={{ {elastic} }}"),
        format!("constraints.0.motion={{ velocity = [0, 0, -{speed}] }}"),
    ]
}

/// Beam of one layer on edge, with a row along it, on single balls, of the material of Table 3 but its strength, Pa.
fn one_layer(radius: f64, sigma: f64) -> Vec<String> {
    let mut set = material(2600.0, 1e7, 0.4, sigma);
    set.push(format!("bodies.beam.shape.box.size=[0.22, {}, 0.0501]", 2.1 * radius));
    set.push("bodies.beam.packing.hexagonal.rotation={ axis = [1, 0, 0], degrees = 90 }".to_owned());
    for (name, x, z) in [("left", -SUPPORT, -0.0413), ("right", SUPPORT, -0.0413), ("press", 0.0, 0.0413)] {
        set.push(format!("bodies.{name}.position=[{x}, 0, {z}]"));
        set.push(format!("bodies.{name}.shape.box.size=[0.0327, 0.0327, 0.0327]"));
    }
    set.push("colliders.0.shape.half_space.offset=-0.0576".to_owned());
    set
}

/// Report of all sizes. The finest has 17 thousand particles; the quick form leaves it out.
fn run(setup: &Setup) -> Result<Report, RunError> {
    let columns = [
        ("beam", ""),
        ("particles", ""),
        ("radius", "m"),
        ("span over height", ""),
        ("E over the bonds'", ""),
        ("sigma over the bonds'", ""),
        ("E, height between centres", ""),
        ("sigma, height between centres", ""),
        ("deflection at the highest load", "m"),
        ("load that breaks the first bonds over the highest", ""),
    ];
    let mut report = Report { table: ReportTable::new(&columns), ..Report::default() };
    let (sizes, papers) = setup.choose((3, PAPERS.len()), (2, 1));
    let scenes = RADII[..sizes].iter().map(|&radius| (&SCENE, radius));
    let mut beams = Vec::new();
    for (beam, radius) in scenes.chain(PAPERS[..papers].iter().map(|(beam, radius)| (beam, *radius))) {
        let bent = bend_beam(setup, radius, beam)?;
        let more = bent.height / (bent.height - 2.0 * radius);
        let numbers = [
            bent.particles as f64,
            radius,
            2.0 * SUPPORT / bent.height,
            bent.e,
            bent.sigma,
            bent.e * more.powi(3),
            bent.sigma * more.powi(2),
            bent.deflection,
            bent.first,
        ];
        report.table.rows.push([vec![beam.name.into()], numbers.map(Into::into).into()].concat());
        report.claims.extend(strengths(beam, &bent));
        beams.push(bent);
    }
    beams.truncate(sizes);
    report.claims.extend(deflections(&beams));
    report.charts.push(chart(&beams));
    Ok(report)
}

fn strengths(beam: &Beam, bent: &BentBeam) -> [Claim; 2] {
    let claim = |what: &str, paper: f64, ours: f64| {
        Claim::new(
            format!("{what} over the bonds', {}, {} particles", beam.name, bent.particles),
            "[BDEM21] Table 3",
            paper.to_string(),
            ours,
        )
    };
    [claim("E", TABLE_3[0], bent.e), claim("sigma", TABLE_3[1], bent.sigma)]
}

/// Claims of deflections at breakage. The press moves equally far in every frame, so that the paper's frames are
/// deflections.
fn deflections(beams: &[BentBeam]) -> impl Iterator<Item = Claim> {
    let last = beams.len() - 1;
    beams[..last].iter().zip(BREAKS).map(move |(bent, frame)| {
        Claim::new(
            format!("deflection that breaks {} particles, over that of {}", bent.particles, beams[last].particles),
            "[IBDEM] Fig 5, Table 2",
            format!("{:.2}", frame / BREAKS[last]),
            bent.deflection / beams[last].deflection,
        )
    })
}

fn chart(beams: &[BentBeam]) -> Chart {
    let line = |bent: &BentBeam| Line {
        label: format!("{} particles", bent.particles),
        points: bent.curve.iter().map(|&[deflection, load]| (1e3 * deflection, load)).collect(),
    };
    let lines = beams.iter().map(line).collect();
    let panels = vec![Panel { title: "three-point bending, up to a crack".to_owned(), lines }];
    let (x_label, y_label) = ("deflection, mm", "load, N");
    Chart { name: "bending", x_label, y_label, scale: AxisScale::Linear, panels }
}

/// Beam of particles of `radius` (m), bent until it cracks.
///
/// # Errors
/// When the solver gives up, or the run is interrupted.
pub fn bend(setup: &Setup, radius: f64) -> Result<BentBeam, RunError> {
    bend_beam(setup, radius, &SCENE)
}

fn bend_beam(setup: &Setup, radius: f64, test: &Beam) -> Result<BentBeam, RunError> {
    let mut set = (test.set)(radius);
    set.push(format!("bodies.beam.particle_radius={radius}"));
    let scene = load("three_point_bending", &set)?;
    let (world, state) = scene.build()?;
    let bond = [world.materials[0].young_modulus, world.materials[0].tensile_strength];
    let mut simulation = Simulation::new(world, state, &scene.simulation_settings());
    let particles = beam(&simulation).count();
    setup.log.note(&format!("{particles} particles"));
    let ([h, b], l) = (section(&simulation, radius), 2.0 * SUPPORT);
    let seconds = f64::from(scene.time.frames) / scene.time.frame_rate;
    // on a thread of the pool: one outside would have to wake another for every loop
    let (curve, first, peak) = rayon::scope(|_| press(&mut simulation, seconds, test.is_plane))?;
    let reaches = |share: f64| curve.iter().find(|[_, load]| *load >= share * peak).expect("on the way to the top");
    let [low, high, top] = [0.2, 0.8, 1.0].map(reaches);
    let stiffness = (high[1] - low[1]) / (high[0] - low[0]);
    let e = l * l * l / (4.0 * b * h * h * h) * stiffness / bond[0];
    let sigma = 3.0 * l * peak / (2.0 * b * h * h) / bond[1];
    Ok(BentBeam { particles, e, sigma, deflection: top[0], first: first / peak, curve, height: h })
}

/// Curve of a press for `seconds`, of a plane beam or another, or until a crack has released a tenth of the highest load; the load at which the first bonds
/// broke, and the highest, N.
fn press(simulation: &mut Simulation, seconds: f64, is_plane: bool) -> Result<(Vec<[f64; 2]>, f64, f64), RunError> {
    let rest = simulation.state.clone();
    let (mut curve, mut progress) = (vec![[0.0; 2]], Progress::default());
    let (mut now, mut first, mut top) = (0.0, 0.0, 0.0_f64);
    while simulation.state.time < seconds && (progress.broken.is_empty() || now > 0.9 * top) {
        simulation.try_step(&mut progress)?;
        if is_plane {
            flatten(&mut simulation.state);
        }
        let [left, middle, right] = [-SUPPORT, 0.0, SUPPORT].map(|x| sunk(simulation, &rest, x));
        now = load_on_press(simulation);
        curve.push([middle - 0.5 * (left + right), now]);
        top = now.max(top);
        if progress.broken.is_empty() {
            first = now;
        }
    }
    Ok((curve, first, top))
}

/// Motion of a plane beam in its plane: rounding elsewhere grows, since such a beam buckles sideways under its load.
fn flatten(state: &mut State) {
    state.p.iter_mut().chain(&mut state.v).for_each(|vector| vector.y = 0.0);
    state.w.iter_mut().for_each(|w| *w = Vec3::new(0.0, w.y, 0.0));
    state.q.iter_mut().for_each(|q| *q = Quat::new(q.w, 0.0, q.j, 0.0).normalize());
}

/// Particles of the beam, the first body.
fn beam(simulation: &Simulation) -> impl Iterator<Item = usize> + '_ {
    let body = &simulation.world.particles.body;
    (0..body.len()).filter(|&i| body[i] == 0)
}

/// Deflection at mid-height at `x`, m, by a linear fit to the particles nearby.
fn sunk(simulation: &Simulation, rest: &State, x: f64) -> f64 {
    let near = |i: &usize| (rest.p[*i].x - x).abs() < 0.02 && rest.p[*i].z.abs() < 0.02;
    let point = |i: usize| [rest.p[i].x - x, rest.p[i].z - simulation.state.p[i].z];
    let points: Vec<[f64; 2]> = beam(simulation).filter(near).map(point).collect();
    let mean = |of: &dyn Fn(&[f64; 2]) -> f64| points.iter().map(of).sum::<f64>() / points.len() as f64;
    let (place, down) = (mean(&|p| p[0]), mean(&|p| p[1]));
    let slope = mean(&|p| (p[0] - place) * (p[1] - down)) / mean(&|p| (p[0] - place).powi(2));
    down - slope * place
}

/// Force (N) that moves the press down.
fn load_on_press(simulation: &Simulation) -> f64 {
    let Simulation { world, state, contacts, .. } = simulation;
    let mut gradient = vec![Gradient::default(); state.len()];
    Potential::new(world, contacts).gradient(state, &mut gradient);
    -world.constraints[0].particles.iter().map(|&i| gradient[i as usize].p.z).sum::<f64>()
}

/// Height and width (m) of the beam, from sphere to sphere.
fn section(simulation: &Simulation, radius: f64) -> [f64; 2] {
    let far = |way: Vec3| beam(simulation).map(|i| simulation.state.p[i].dot(&way)).fold(f64::MIN, f64::max);
    [Vec3::z(), Vec3::y()].map(|way| far(way) + far(-way) + 2.0 * radius)
}
