//! Friction's energy: its slopes, and what it conserves.

use bdem_core::energy::{Curvature, Potential};
use bdem_core::geometry::Vec3;
use bdem_core::internals::contact::{Contacts, FrictionForce, SurfaceMotion};
use bdem_core::internals::linalg::{Operator, PairOperator, Vec6};
use bdem_core::internals::optimize::{Assembly, Objective, PairHessian, Target};
use bdem_core::model::{Gradient, Material, State, World};

use crate::common::busy::{Busy, RADIUS, moved};
use crate::common::differences::slope_at_zero;
use crate::common::system::{noise, shaken};

/// A block with overlaps and two walls, pressed and rubbed since `start`.
struct Rubbed {
    world: World,
    start: State,
    state: State,
    contacts: Contacts,
}

impl Rubbed {
    fn new(friction: f64, turn: f64) -> Self {
        let Busy { mut world, state, .. } = Busy::new(4.0);
        world.materials =
            world.materials.iter().map(|m| Material { friction, static_friction: friction, ..m.clone() }).collect();
        world.walls.iter_mut().for_each(|c| (c.friction, c.static_friction) = (Some(friction), Some(friction)));
        let start = shaken(&state, 40, 0.05 * RADIUS, turn);
        let mut contacts = Contacts::new(&world, &state);
        contacts.update_friction_limits(&world, &state, SurfaceMotion::Since(&start), FrictionForce::Mean);
        Self { world, start, state, contacts }
    }

    fn potential(&self) -> Potential<'_> {
        Potential { motion: SurfaceMotion::Since(&self.start), ..Potential::new(&self.world, &self.contacts) }
    }

    fn gradient(&self, potential: &Potential, x: &State) -> Vec<Gradient> {
        let mut out = vec![Gradient::default(); x.len()];
        potential.gradient(x, &mut out);
        out
    }

    /// How many springs slip and how many hold.
    fn count(&self) -> [usize; 2] {
        let potential = self.potential();
        let pairs = (0..self.contacts.pairs().len()).filter_map(|k| potential.friction(k, &self.state));
        let pairs = pairs.map(|friction| friction.slides() != 0);
        let walls = potential.walls(&self.state);
        let walls = potential.wall_frictions(&walls, &self.state);
        let slips: Vec<bool> = pairs.chain(walls.map(|(_, friction)| friction.slides() != 0)).collect();
        [true, false].map(|which| slips.iter().filter(|&&slips| slips == which).count())
    }
}

fn along(gradient: &[Gradient], seed: u64) -> f64 {
    let term = |(i, g): (usize, &Gradient)| g.p.dot(&noise(seed, i)) * RADIUS + g.theta.dot(&noise(seed + 1, i));
    gradient.iter().enumerate().map(term).sum()
}

/// What friction alone adds to the slope of the whole, against differences of its value.
#[test]
fn gradient_is_the_slope_of_the_value() {
    let rubbed = Rubbed::new(0.4, 0.2);
    let [slipping, holding] = rubbed.count();
    assert!(slipping > 10 && holding > 10, "{slipping} slip, {holding} hold");
    let (with, without) = (rubbed.potential(), Rubbed::new(0.0, 0.2));
    let friction = |x: &State| with.value(x) - without.potential().value(x);
    let (all, other) = (rubbed.gradient(&with, &rubbed.state), without.gradient(&without.potential(), &rubbed.state));
    for seed in (100..120).step_by(2) {
        let slope = along(&all, seed) - along(&other, seed);
        let by_differences = slope_at_zero(|s| friction(&moved(&rubbed.state, seed, s)), 1e-5);
        assert!((slope - by_differences).abs() < 1e-6 * slope.abs(), "{slope} {by_differences}");
    }
}

/// Where nothing has turned, theta is a vector and the Hessian is exact.
#[test]
fn hessian_is_the_slope_of_the_gradient() {
    let rubbed = Rubbed::new(0.4, 0.0);
    let free = Rubbed::new(0.0, 0.0);
    let held = vec![false; rubbed.state.len()];
    let target = Target { p: rubbed.state.p.clone(), q: rubbed.state.q.clone() };
    let curvature = |rubbed: &Rubbed, seed: u64| {
        let objective = Objective { potential: rubbed.potential(), target: &target, dt: 1.0, period: 1.0, held: &held };
        let mut assembly = Assembly::<f64>::new(&objective);
        assembly.fill(&objective, &rubbed.state, Curvature::Exact);
        let x: Vec<_> = (0..rubbed.state.len()).map(|i| direction(seed, i)).collect();
        let mut y = x.clone();
        assembly.matrix.multiply(&x, &mut y);
        x.iter().zip(&y).map(|(x, y)| (0..6).map(|k| x[k] * y[k]).sum::<f64>()).sum::<f64>()
    };
    let slope = |rubbed: &Rubbed, seed: u64, s: f64| {
        along(&rubbed.gradient(&rubbed.potential(), &moved(&rubbed.state, seed, s)), seed)
    };
    for seed in (200..210).step_by(2) {
        let want = slope_at_zero(|s| slope(&rubbed, seed, s) - slope(&free, seed, s), 1e-6);
        let got = curvature(&rubbed, seed) - curvature(&free, seed);
        assert!((got / want - 1.0).abs() < 1e-4, "{got} {want}");
    }
}

/// The matrix that is a few numbers per pair resists where contacts hold, and across the way along which they slip; and its diagonal
/// blocks are its own.
#[test]
fn pairs_that_slip_resist_across_their_way_only() {
    let (rubbed, free) = (Rubbed::new(0.4, 0.0), Rubbed::new(0.0, 0.0));
    let held = vec![false; rubbed.state.len()];
    let target = Target { p: rubbed.state.p.clone(), q: rubbed.state.q.clone() };
    let filled = |rubbed: &Rubbed| {
        let objective = Objective { potential: rubbed.potential(), target: &target, dt: 1.0, period: 1.0, held: &held };
        let mut pairs = PairHessian::new(&objective);
        pairs.fill(&objective, &rubbed.state, 0.0);
        pairs.operator
    };
    let operators = [&rubbed, &free].map(filled);
    let product = |operator: &PairOperator, x: &[Vec6<f32>]| {
        let mut y = x.to_vec();
        operator.apply(x, &mut y);
        y
    };
    let dot = |x: &Vec6<f32>, y: &Vec6<f32>| (0..6).map(|k| f64::from(x[k]) * f64::from(y[k])).sum::<f64>();
    let slope = |rubbed: &Rubbed, seed: u64, s: f64| {
        along(&rubbed.gradient(&rubbed.potential(), &moved(&rubbed.state, seed, s)), seed)
    };
    for seed in (200..210).step_by(2) {
        let want = slope_at_zero(|s| slope(&rubbed, seed, s) - slope(&free, seed, s), 1e-6);
        let x: Vec<Vec6<f32>> = (0..rubbed.state.len()).map(|i| direction(seed, i).cast()).collect();
        let [with, without] = operators
            .each_ref()
            .map(|operator| product(operator, &x).iter().zip(&x).map(|(y, x)| dot(x, y)).sum::<f64>());
        assert!(((with - without) / want - 1.0).abs() < 5e-3, "{} {want}", with - without);
    }
    let mut diagonal = Vec::new();
    operators[0].diagonal(&mut diagonal);
    for node in [0, 3, 7] {
        for k in 0..6 {
            let mut x = vec![Vec6::ZERO; diagonal.len()];
            x[node] = Vec6::new(std::array::from_fn(|row| f32::from(u8::from(row == k))));
            let (column, block) = (product(&operators[0], &x)[node], diagonal[node].to_matrix());
            let off = (0..6).map(|row| (f64::from(column[row]) - block[(row, k)]).abs()).fold(0.0, f64::max);
            assert!(off < 1e-4 * block.norm(), "{node} {k}: {off}");
        }
    }
}

/// [`moved`]'s direction in the matrix's unknowns, m.
fn direction(seed: u64, i: usize) -> Vec6<f64> {
    let (u, theta) = (noise(seed, i) * RADIUS, noise(seed + 1, i) * RADIUS);
    Vec6::new([u.x, u.y, u.z, theta.x, theta.y, theta.z])
}

/// Springs that are drawn push and turn both sides alike.
#[test]
fn pairs_keep_momentum_and_angular_momentum() {
    let Rubbed { mut world, start, state, .. } = Rubbed::new(0.4, 0.2);
    (world.walls, world.gravity) = (Vec::new(), Vec3::zeros());
    let mut contacts = Contacts::new(&world, &state);
    contacts.update_friction_limits(&world, &state, SurfaceMotion::Since(&start), FrictionForce::Mean);
    contacts.commit_friction(&world, &state, SurfaceMotion::Since(&start), FrictionForce::Mean);
    let mut gradient = vec![Gradient::default(); state.len()];
    Potential::new(&world, &contacts).gradient(&state, &mut gradient);
    let force: Vec3 = gradient.iter().map(|g| g.p).sum();
    let torque: Vec3 = gradient.iter().zip(&state.p).map(|(g, p)| g.theta + p.cross(&g.p)).sum();
    let scale: f64 = gradient.iter().map(|g| g.p.norm()).sum();
    assert!(contacts.tangential_springs().pairs().any(|tangential| tangential.stretch != Vec3::zeros()));
    assert!(force.norm() < 1e-12 * scale && torque.norm() < 1e-11 * scale * RADIUS, "{force} {torque}");
}
