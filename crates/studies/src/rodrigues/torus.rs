//! The torus of \[RODR\] section 4.1 that strikes a wall: Figs 3 to 7. The scene is `torus_impact`, in units of the paper. Its
//! integrators step it here without the program's bound on the step, which the paper's longest one exceeds.

use bdem_core::energy::{Energies, Energy, Potential, Reactions};
use bdem_core::geometry::{Vec3, rotation};
use bdem_core::integrate::{Integrator, Rodrigues, RodriguesMap, StepError};
use bdem_core::internals::contact::Contacts;
use bdem_core::model::{State, World};
use bdem_pictures::plot::Line;
use bdem_run::run::RunError;
use bdem_run::scene::Scene;

use super::{Findings, Statement};
use crate::Setup;
use crate::scenes::folder_with;
use crate::trajectory::{Errors, Trajectory};

const SCENE: &str = include_str!("../../../../scenes/torus_impact.toml");
const PARTICLES: &str = include_str!("../../../../scenes/torus.csv");

/// Step of the paper's Figs 3, 4 and 6, s.
const SHORT: f64 = 1e-3;

/// Step of the paper's Fig 5, s. It is unstable here.
const LONG: f64 = 1e-2;

/// Longest step of Fig 7, s. The ring's axial modes need less than 2/sqrt(4 K_a/(m l0^2)) = 8.3e-3 s, its contacts with the wall
/// some 4e-3 s; energy stays within bounds over long times up to 1e-3 s.
const LONGEST: f64 = 2e-3;

/// Time between the states that are compared, s.
const FRAME: f64 = 0.1;

/// Number of steps in Fig 7, each half of the one before.
const HALVINGS: u32 = 6;

/// Ends of Fig 7, s: before the ring's motion is chaotic, and the paper's.
const ENDS: [f64; 2] = [0.5, 10.0];

const MAPS: [RodriguesMap; 3] = [RodriguesMap::Lagrangian, RodriguesMap::Newmark, RodriguesMap::SymplecticEuler];

/// World and start of the paper's, or with the shear of its eqs 53 to 55 as printed.
fn start(as_printed: bool) -> Result<(World, State), RunError> {
    let folder = folder_with("torus.csv", PARTICLES)?;
    let printed = as_printed.then(|| "materials.filler.bond=printed-particle-binder".to_owned());
    let scene = Scene::parse(&folder.path().join("torus_impact.toml"), SCENE, printed.as_slice())?;
    Ok(scene.build()?)
}

/// Run of the torus.
struct Run {
    world: World,
    state: State,
    contacts: Contacts,
    integrator: Box<dyn Integrator>,
}

impl Run {
    fn new(map: RodriguesMap, (world, state): (World, State)) -> Self {
        let (contacts, integrator) = (Contacts::new(&world, &state), Rodrigues { map }.build(&world));
        Self { world, state, contacts, integrator }
    }

    /// Steps of `h` (s) up to `end` (s), with a look after every `every` of them. Until a step fails.
    fn advance(&mut self, [h, end]: [f64; 2], every: usize, mut look: impl FnMut(&Self)) -> Result<(), StepError> {
        look(self);
        for step in 1..=(end / h).round() as usize {
            self.integrator.step(&self.world, &mut self.contacts, &mut self.state, h)?;
            if step % every == 0 {
                look(self);
            }
        }
        Ok(())
    }

    fn energies(&self) -> Energies {
        Potential::new(&self.world, &self.contacts).energies(&self.state)
    }

    /// Force (N) on the wall, and torque (N m) on it about the origin, in the last step.
    fn on_wall(&self) -> [Vec3; 2] {
        let forces = self.integrator.forces();
        let wall = Reactions::new(&self.world, &self.contacts, &self.state, forces).on_wall(0, &Vec3::zeros());
        [wall.force, wall.torque]
    }

    fn momentum(&self) -> [Vec3; 2] {
        self.state.momentum(&self.world.particles).into()
    }
}

/// Impact in steps of [`SHORT`].
#[derive(Default)]
struct Impact {
    /// Energies at times, J.
    energies: Vec<(f64, Energies)>,
    /// Greatest change of momentum with the wall's impulse, over the momentum at the start: linear and angular.
    momentum: [f64; 2],
    /// Least width along the wall's normal, over that at the start, and its time, s.
    narrowest: [f64; 2],
    /// Time after which nothing touches the wall, s.
    leaves: f64,
}

impl Impact {
    fn of(map: RodriguesMap, end: f64, as_printed: bool) -> Result<Self, RunError> {
        let mut run = Run::new(map, start(as_printed)?);
        let mut impact = Self { narrowest: [1.0, 0.0], ..Self::default() };
        let (first, wide) = (run.momentum(), width(&run.state));
        let (mut impulse, mut before) = ([Vec3::zeros(); 2], [Vec3::zeros(); 2]);
        let outcome = run.advance([SHORT, end], 1, |at| {
            let (momentum, force) = (at.momentum(), at.on_wall());
            for k in 0..2 {
                // explicit maps kick by halves of the forces at both ends of a step
                impulse[k] += (before[k] + force[k]) * (0.5 * SHORT);
                let off = (momentum[k] + impulse[k] - first[k]).norm() / first[0].norm();
                impact.momentum[k] = impact.momentum[k].max(off);
            }
            before = force;
            let (time, share) = (at.state.time, width(&at.state) / wide);
            if force[0].norm() > 0.0 {
                impact.leaves = time;
            }
            if share < impact.narrowest[0] {
                impact.narrowest = [share, time];
            }
            impact.energies.push((time, at.energies()));
        });
        outcome.expect("steps a tenth of the limit are stable");
        Ok(impact)
    }

    /// Greatest relative error of the energy.
    fn energy_error(&self) -> f64 {
        let first = self.energies[0].1.total();
        self.energies.iter().map(|(_, at)| (at.total() / first - 1.0).abs()).fold(0.0, f64::max)
    }

    /// Energies by kind, for the chart.
    fn lines(&self) -> Vec<Line> {
        let kinds: [(&str, &[Energy]); 7] = [
            ("m v²/2", &[Energy::KineticLinear]),
            ("J w²/2", &[Energy::KineticSpin]),
            ("U^m", &[Energy::Twist, Energy::Bend]),
            ("U^s", &[Energy::Shear]),
            ("U^a", &[Energy::Stretch]),
            ("U^pp", &[Energy::Contact]),
            ("U^pw", &[Energy::Wall]),
        ];
        let every = self.energies.len().div_ceil(500);
        let of = |(label, kinds): (&str, &[Energy])| {
            let sum = |energies: &Energies| kinds.iter().map(|&kind| energies[kind]).sum();
            let points = self.energies.iter().step_by(every).map(|(time, energies)| (*time, sum(energies)));
            Line { label: label.to_owned(), points: points.collect() }
        };
        kinds.into_iter().map(of).collect()
    }
}

/// Extent along the wall's normal, m.
fn width(state: &State) -> f64 {
    let far = |sign: f64| state.p.iter().map(|p| sign * p.x).fold(f64::MIN, f64::max);
    far(1.0) + far(-1.0)
}

/// Lines of the charts of Figs 4 and 5, and the errors of Fig 7 by map.
pub(super) struct Curves {
    pub(super) energies: Vec<Line>,
    pub(super) long: Vec<Line>,
    pub(super) errors: Vec<(String, Vec<Errors>)>,
}

/// Statements of Figs 3 to 7.
pub(super) fn measure(setup: &Setup, findings: &mut Findings) -> Result<Curves, RunError> {
    let energies = measure_impact(setup, findings)?;
    let long = measure_long(setup, findings)?;
    Ok(Curves { energies, long, errors: measure_orders(setup, findings)? })
}

/// Figs 3, 4 and 6, and reversibility.
fn measure_impact(setup: &Setup, findings: &mut Findings) -> Result<Vec<Line>, RunError> {
    let end = setup.choose(25.0, 1.0);
    let mut lines = Vec::new();
    for map in [RodriguesMap::Lagrangian, RodriguesMap::Newmark] {
        let name = name(map);
        setup.log.note(&format!("{name}: impact"));
        let impact = Impact::of(map, end, false)?;
        let at = |figure, end| Statement { of: &name, figure, step: SHORT, end };
        if map == RodriguesMap::Newmark {
            let at = at("[RODR] Fig 3", end);
            findings.add(&at, "least width along the wall's normal over the first", "a picture", impact.narrowest[0]);
            findings.add(&at, "time of the least width, s", "a picture", impact.narrowest[1]);
            findings.add(&at, "last time at which it touches the wall, s", "a picture", impact.leaves);
            lines = impact.lines();
        }
        findings.add(&at("[RODR] Fig 4", end), "greatest error of the energy", "small", impact.energy_error());
        findings.add_momenta(&at("[RODR] Fig 6", end), impact.momentum);
        for back in ENDS.map(|end| end.min(setup.choose(f64::INFINITY, 1.0))) {
            let quantity = format!("distance from the start after {back} s and back, over the torus");
            findings.add(&at("[RODR] section 2.5", back), &quantity, "reversible", there_and_back(map, back)?);
        }
    }
    let printed = Impact::of(RodriguesMap::Newmark, end, true)?;
    let name = format!("{}, shear as printed", name(RodriguesMap::Newmark));
    let at = Statement { of: &name, figure: "[RODR] Fig 6, eqs 53 to 55", step: SHORT, end };
    findings.add_momenta(&at, printed.momentum);
    findings.add(&at, "greatest error of the energy", "small", printed.energy_error());
    Ok(lines)
}

/// Fig 5: at the paper's step, and at one that is stable here.
fn measure_long(setup: &Setup, findings: &mut Findings) -> Result<Vec<Line>, RunError> {
    let end = setup.choose(500.0, 20.0);
    let mut lines = Vec::new();
    for map in [RodriguesMap::SymplecticEuler, RodriguesMap::Newmark] {
        let name = name(map);
        for h in [LONG, SHORT] {
            setup.log.note(&format!("{name}: to {end} s in steps of {h} s"));
            let mut run = Run::new(map, start(false)?);
            let every = (FRAME / h).round() as usize;
            let mut trajectory = Trajectory::default();
            let look = |at: &Run| trajectory.push(at.state.clone(), at.energies().total(), &at.world.particles);
            let outcome = run.advance([h, end], every, look);
            let at = Statement { of: &name, figure: "[RODR] Fig 5", step: h, end };
            findings.add(&at, "time at which it ends, s", &end.to_string(), run.state.time);
            if outcome.is_err() {
                continue;
            }
            let [first, last] = trajectory.drift();
            findings.add(&at, "greatest error of the energy in the first tenth", "bounded", first);
            findings.add(&at, "greatest error of the energy in the last tenth", "bounded", last);
            let share = trajectory.energies().iter().map(|energy| energy / trajectory.energies()[0]);
            let points = share.enumerate().step_by(10).map(|(k, share)| (FRAME * k as f64, share)).collect();
            lines.push(Line { label: format!("{name}, h = {h}"), points });
        }
    }
    Ok(lines)
}

/// Fig 7.
fn measure_orders(setup: &Setup, findings: &mut Findings) -> Result<Vec<(String, Vec<Errors>)>, RunError> {
    let start = start(false)?;
    let length = |halving: u32| LONGEST / f64::from(1 << halving);
    let of = |map, halving: u32, end: f64| {
        let mut run = Run::new(map, start.clone());
        let mut trajectory = Trajectory::default();
        let look = |at: &Run| trajectory.push(at.state.clone(), at.energies().total(), &at.world.particles);
        let every = (FRAME / length(halving)).round() as usize;
        run.advance([length(halving), end], every, look).expect("a stable step");
        trajectory
    };
    let mut all = Vec::new();
    for end in ENDS.map(|end| end.min(setup.choose(f64::INFINITY, 1.0))) {
        let reference = of(RodriguesMap::Newmark, HALVINGS + 2, end);
        for map in MAPS {
            let name = name(map);
            setup.log.note(&format!("{name}: orders at {end} s"));
            let error = |halving| of(map, halving, end).errors(&reference, length(halving), [1.0; 2]);
            let errors: Vec<Errors> = (0..HALVINGS).map(error).collect();
            let at = Statement {
                of: &format!("{name}, to {end} s"),
                figure: "[RODR] Fig 7",
                step: length(HALVINGS - 1),
                end,
            };
            findings.add_orders(&at, if map == RodriguesMap::SymplecticEuler { "1" } else { "2" }, &errors);
            all.push((format!("map {}, to {end} s", u32::from(map)), errors));
        }
    }
    Ok(all)
}

/// Greatest distance of a particle from its start after `end` (s) and back, over the diameter of the torus, by a map.
fn there_and_back(map: RodriguesMap, end: f64) -> Result<f64, RunError> {
    let (world, start) = start(false)?;
    let mut state = start.clone();
    for _ in 0..2 {
        let mut run = Run::new(map, (world.clone(), state));
        run.advance([SHORT, end], usize::MAX, |_| {}).expect("a stable step");
        state = run.state;
        state.time = 0.0;
        state.v.iter_mut().chain(&mut state.w).for_each(|of| *of = -*of);
    }
    let apart =
        |i: usize| (state.p[i] - start.p[i]).norm() + rotation::rotation_between(&start.q[i], &state.q[i]).norm();
    Ok((0..start.len()).map(apart).fold(0.0, f64::max) / width(&start))
}

fn name(map: RodriguesMap) -> String {
    format!("torus, map {}", u32::from(map))
}
