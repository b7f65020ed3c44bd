//! A grain in a groove, and in an inside edge.

use bdem_core::geometry::Vec3;
use bdem_run::run::RunError;

use crate::cases::{Ball, Case, Conditions, Finding, RADIUS, Setting, Target, find_all, half_space, never, wall};

pub(super) const CASES: [Case; 4] = [
    Case {
        name: "grain at rest in a V groove of two walls",
        source: "forces of the faces balance its weight",
        weakness: "the split of the load between friction and faces, which is not determined",
        has_friction: true,
        cannot: never,
        run: two_walls,
    },
    Case {
        name: "grain at rest in a V groove of one wall",
        source: "forces of the faces balance its weight",
        weakness: "the split of the load between friction and faces, which is not determined",
        has_friction: true,
        cannot: never,
        run: one_wall,
    },
    Case {
        name: "grain thrown into an edge of planes",
        source: "(v_x', v_z') = -e (v_x, v_z): faces at a right angle do not couple",
        weakness: "friction, and faces struck one after another",
        has_friction: false,
        cannot: never,
        run: planes,
    },
    Case {
        name: "grain thrown into an edge of a box",
        source: "(v_x', v_z') = -e (v_x, v_z): faces at a right angle do not couple",
        weakness: "friction, and faces struck one after another",
        has_friction: false,
        cannot: never,
        run: inside_box,
    },
];

/// Normals of the faces of the groove, at a right angle.
const FACES: [[f64; 3]; 2] = [[1.0, 0.0, 1.0], [-1.0, 0.0, 1.0]];

fn two_walls(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    groove(setting, &FACES.map(|n| wall(&half_space(&n.into()), "")).concat())
}

fn one_wall(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let faces = FACES.map(|n| half_space(&n.into())).join(", ");
    groove(setting, &wall(&format!("{{ union = [ {faces} ] }}"), ""))
}

/// Grain that touches both faces, after a second. Its weight presses it in by 1e-4 radii by the linear law, and by 1e-3 by
/// Hertz's: the tolerance is several times that.
fn groove(setting: &Setting, walls: &str) -> Result<Vec<Finding>, RunError> {
    let start = Vec3::z() * (RADIUS * std::f64::consts::SQRT_2);
    let conditions = Conditions { friction: 0.5, frame_rate: 48.0, ..Conditions::level() }.lasting(1.0);
    let objects = Ball::new(start, Vec3::zeros()).text("ball") + walls;
    let end = conditions.run(setting, &objects, |_| ()).map(|end| (end.state.p[0], end.state.v[0]));
    let targets = [Target::of("displacement", "radii", 0.0, 0.005), Target::of("speed", "m/s", 0.0, 1e-4)];
    find_all(targets, end.map(|(p, v)| [(p - start).norm() / RADIUS, v.norm()]))
}

fn planes(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    edge(setting, &[Vec3::x(), Vec3::z()].map(|n| wall(&half_space(&n), "")).concat())
}

fn inside_box(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let middle = [0.5 * SIZE; 3];
    let shape = format!("{{ box = {{ size = {:?} }} }}", [SIZE; 3]);
    edge(setting, &wall(&shape, &format!("inside = true\nposition = {middle:?}")))
}

/// Side of the box, m: far larger than the grain's path.
const SIZE: f64 = 0.5;
/// Speed towards each face, m/s.
const SPEED: f64 = 1.0;

/// Grain thrown into the edge x = z = 0 from a gap of two radii, with restitution 0.5.
fn edge(setting: &Setting, walls: &str) -> Result<Vec<Finding>, RunError> {
    let start = Vec3::new(3.0 * RADIUS, 0.5 * SIZE, 3.0 * RADIUS);
    let ball = Ball::new(start, Vec3::new(-SPEED, 0.0, -SPEED));
    let conditions = Conditions { restitution: 0.5, ..Conditions::default() }.lasting(0.05);
    let end = conditions.run(setting, &(ball.text("ball") + walls), |_| ()).map(|end| end.state.v[0] / SPEED);
    let targets = ["v_x'/v", "v_z'/v"].map(|quantity| Target::ratio(quantity, 0.5, 0.01));
    find_all(targets, end.map(|v| [v.x, v.z]))
}
