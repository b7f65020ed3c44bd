//! Normal impacts, and a grain at rest.

use bdem_core::geometry::Vec3;
use bdem_run::run::RunError;

use super::law::{duration_factor, greatest_overlap, pair_factor, resting_overlap, wall_factor};
use crate::cases::{
    Ball, Case, Conditions, Finding, RADIUS, Setting, Stop, Target, find_all, floor, mass, never, rod,
    without_rigid_bodies,
};

pub(super) const CASES: [Case; 8] = [
    Case {
        name: "grain on a floor, restitution",
        source: "v'/v = e; Chung and Ooi 2011, test 3",
        weakness: "the force within the contact, which may have any form",
        has_friction: false,
        cannot: never,
        run: restitution,
    },
    Case {
        name: "two grains, restitution",
        source: "v'/v = e, relative velocities; Schwager and Poschel 2007",
        weakness: "the force within the contact",
        has_friction: false,
        cannot: never,
        run: pairs,
    },
    Case {
        name: "rigid dumbbell on a floor, restitution",
        source: "v'/v = e, both ends strike at once",
        weakness: "an impact of one end, where the effective mass is not the particle's",
        has_friction: false,
        cannot: without_rigid_bodies,
        run: dumbbells,
    },
    Case {
        name: "rigid rod that hits by one grain, restitution",
        source: "v'/v = e at the contact; effective mass 1/(1/M + (r x n).I^-1 (r x n)), Stronge 2000",
        weakness: "bodies that touch at several places at once",
        has_friction: false,
        cannot: without_rigid_bodies,
        run: rods,
    },
    Case {
        name: "grain on a held grain, restitution",
        source: "v'/v = e: a held grain has no end of mass",
        weakness: "the force within the contact",
        has_friction: false,
        cannot: never,
        run: held,
    },
    Case {
        name: "elastic grain on a floor, resolved",
        source: "energy: K o^(p+1)/(p+1) = m v^2/2; Chung and Ooi 2011, test 2",
        weakness: "restitution, and steps longer than a contact",
        has_friction: false,
        cannot: never,
        run: on_floor,
    },
    Case {
        name: "two elastic grains, resolved",
        source: "energy: K o^(p+1)/(p+1) = m v^2/4; Chung and Ooi 2011, test 1",
        weakness: "restitution, and steps longer than a contact",
        has_friction: false,
        cannot: never,
        run: two_elastic,
    },
    Case {
        name: "grain at rest on a floor",
        source: "K o^p = m g",
        weakness: "the way to rest",
        has_friction: false,
        cannot: never,
        run: at_rest,
    },
];

/// Speed of an impact, m/s.
const SPEED: f64 = 1.0;
/// Time after which an impact from a gap of 0.05 radii is over, s: the gap takes 0.5 ms, the contact about 1 ms.
const OVER: f64 = 0.025;
/// Tolerance of a restitution.
const TOLERANCE: f64 = 0.01;

/// Impact of a grain on a floor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Impact {
    /// Coefficient e.
    pub(super) restitution: f64,
    /// Gap at the start, radii.
    pub(super) gap: f64,
    /// Frames a second.
    pub(super) frame_rate: f64,
}

/// Impacts of the table.
const IMPACTS: [Impact; 8] = [
    Impact { restitution: 0.3, gap: 0.05, frame_rate: 240.0 },
    Impact { restitution: 0.5, gap: 0.05, frame_rate: 240.0 },
    Impact { restitution: 0.9, gap: 0.05, frame_rate: 240.0 },
    Impact { restitution: 1.0, gap: 0.05, frame_rate: 240.0 },
    Impact { restitution: 0.5, gap: 0.003, frame_rate: 240.0 },
    Impact { restitution: 0.5, gap: 0.4, frame_rate: 240.0 },
    Impact { restitution: 0.5, gap: 0.05, frame_rate: 24.0 },
    Impact { restitution: 0.5, gap: 0.05, frame_rate: 4000.0 },
];

impl Impact {
    /// Speed after the impact over that before it.
    pub(super) fn measure(&self, setting: &Setting) -> Result<f64, Stop> {
        let Self { restitution, gap, frame_rate } = *self;
        let conditions = Conditions { restitution, frame_rate, ..Conditions::default() }.lasting(OVER);
        let ball = Ball::new(Vec3::z() * (1.0 + gap) * RADIUS, Vec3::z() * -SPEED);
        Ok(conditions.run(setting, &(ball.text("ball") + &floor()), |_| ())?.state.v[0].z / SPEED)
    }

    fn find(&self, setting: &Setting) -> Result<Finding, RunError> {
        let Self { restitution, gap, frame_rate } = self;
        let quantity = format!("v'/v, e {restitution}, gap {gap} r, {frame_rate} frames/s");
        Target::ratio(quantity, *restitution, TOLERANCE).find(self.measure(setting))
    }
}

fn restitution(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    IMPACTS.iter().map(|impact| impact.find(setting)).collect()
}

fn pairs(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let pair = |size: f64| {
        let quantity = format!("v'/v, e 0.5, radii 1 to {size}");
        Target::ratio(quantity, 0.5, TOLERANCE).find(pair_restitution(setting, size))
    };
    [1.0, 2.0].map(pair).into_iter().collect()
}

/// Ratio of relative speeds of two grains, the upper one `size` times as large.
fn pair_restitution(setting: &Setting, size: f64) -> Result<f64, Stop> {
    let conditions = Conditions { restitution: 0.5, ..Conditions::default() }.lasting(OVER);
    let [low, high] = two_balls(size, 0.05 * RADIUS, SPEED);
    let state = conditions.run(setting, &(low.text("low") + &high.text("high")), |_| ())?.state;
    Ok((state.v[1].z - state.v[0].z) / SPEED)
}

/// Two grains above each other that approach at `speed` (m/s), with a `gap` (m).
fn two_balls(size: f64, gap: f64, speed: f64) -> [Ball; 2] {
    let [down, up] = [-0.5, 0.5].map(|share| Vec3::z() * share * speed);
    let high = Vec3::z() * (RADIUS * (1.0 + size) + gap);
    [Ball::new(Vec3::zeros(), up), Ball { radius: size * RADIUS, ..Ball::new(high, down) }]
}

fn dumbbells(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let conditions = Conditions { restitution: 0.3, ..Conditions::default() }.lasting(OVER);
    let objects = rod(2, 0.0, &(Vec3::z() * 1.05 * RADIUS), &(Vec3::z() * -SPEED)) + &floor();
    let found = conditions.run(setting, &objects, |_| ()).map(|end| [0, 1].map(|i| end.state.v[i].z / SPEED));
    let end = |which: &str| Target::ratio(format!("v'/v of the {which} grain, e 0.3"), 0.3, TOLERANCE);
    find_all(["first", "second"].map(end), found)
}

/// Restitution of impacts of rods.
const ROD_RESTITUTION: f64 = 0.3;

fn rods(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let conditions = Conditions { restitution: ROD_RESTITUTION, ..Conditions::default() }.lasting(OVER);
    let target = |quantity: String| Target::ratio(quantity, ROD_RESTITUTION, 0.03);
    let mut findings = Vec::new();
    for (grains, degrees) in [(2, 90.0), (11, 90.0), (4, 45.0)] {
        let found = on_its_end(&conditions, setting, grains, degrees);
        findings.push(target(format!("v'/v of a rod of {grains} grains at {degrees} degrees to a floor")).find(found)?);
    }
    for (place, x) in [("middle", 0.0), ("end", 4.0 * RADIUS)] {
        findings.push(target(format!("v'/v of a grain on the {place} of a rod of five")).find(on_rod(
            &conditions,
            setting,
            x,
        ))?);
    }
    Ok(findings)
}

/// Ratio of the speeds, normal to a floor, of a rod's lowest point after an impact and before it.
fn on_its_end(conditions: &Conditions, setting: &Setting, grains: u32, degrees: f64) -> Result<f64, Stop> {
    let half = RADIUS * f64::from(grains - 1) * libm::sin(degrees.to_radians());
    let objects = rod(grains, degrees, &(Vec3::z() * (half + 1.01 * RADIUS)), &(Vec3::z() * -SLOW)) + &floor();
    let mut arm = None;
    let end = conditions.run(setting, &objects, |at| {
        let low = at.state.p.iter().copied().min_by(|a, b| a.z.total_cmp(&b.z)).expect("a grain");
        arm.get_or_insert(low - centre(&at.state.p));
    })?;
    let (v, w) = (centre(&end.state.v), end.state.w[0]);
    Ok((v + w.cross(&arm.expect("the start"))).z / SLOW)
}

/// Mean of vectors of equal grains.
fn centre(of: &[Vec3]) -> Vec3 {
    of.iter().sum::<Vec3>() / of.len() as f64
}

/// Ratio of relative speeds of a grain and the grain at `x` (m) of a rod of five that it hits from above.
fn on_rod(conditions: &Conditions, setting: &Setting, x: f64) -> Result<f64, Stop> {
    let ball = Ball::new(Vec3::new(x, 0.0, 2.01 * RADIUS), Vec3::z() * -SLOW);
    let objects = rod(5, 0.0, &Vec3::zeros(), &Vec3::zeros()) + &ball.text("ball");
    let state = conditions.run(setting, &objects, |_| ())?.state;
    let (rod, v) = (&state.v[..5], state.v[5]);
    Ok((v - centre(rod) - state.w[0].cross(&(Vec3::x() * x))).z / SLOW)
}

fn held(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let conditions = Conditions { restitution: 0.5, ..Conditions::default() }.lasting(OVER);
    let [low, high] = two_balls(1.0, 0.05 * RADIUS, SPEED);
    let low = Ball { v: Vec3::zeros(), ..low };
    let high = Ball { v: Vec3::z() * -SPEED, ..high };
    let hold = "[[constraints]]\nbody = \"low\"\nmotion = \"fixed\"\n";
    let found = conditions.run(setting, &(low.text("low") + &high.text("high") + hold), |_| ());
    let quantity = "v'/v, e 0.5, a grain on one that a constraint holds";
    Ok(vec![Target::ratio(quantity, 0.5, TOLERANCE).find(found.map(|end| end.state.v[1].z / SPEED))?])
}

/// Speed of impacts whose frames resolve the contact, m/s.
const SLOW: f64 = 0.1;
/// Frames a second of such an impact: some hundred in a contact.
const RESOLVED: f64 = 1e5;
/// Its gap, m: a hundredth of the greatest overlap.
const SMALL_GAP: f64 = 1e-6;

fn on_floor(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let ball = Ball::new(Vec3::z() * (RADIUS + SMALL_GAP), Vec3::z() * -SLOW);
    let overlaps = resolved().trace(setting, &(ball.text("ball") + &floor()), |at| RADIUS - at.state.p[0].z);
    compare_contact(setting, overlaps, wall_factor(setting.law), mass(RADIUS))
}

fn two_elastic(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let [low, high] = two_balls(1.0, SMALL_GAP, SLOW);
    let overlap = |p: &[Vec3]| 2.0 * RADIUS - (p[1] - p[0]).norm();
    let overlaps = resolved().trace(setting, &(low.text("low") + &high.text("high")), |at| overlap(&at.state.p));
    compare_contact(setting, overlaps, pair_factor(setting.law, [RADIUS; 2]), 0.5 * mass(RADIUS))
}

fn resolved() -> Conditions {
    Conditions { frame_rate: RESOLVED, ..Conditions::default() }.lasting(0.004)
}

/// Greatest overlap and duration of a contact P = `factor` o^p of the reduced mass `m` (kg), from the `overlaps` (m) of
/// all frames.
fn compare_contact(
    setting: &Setting,
    overlaps: Result<Vec<f64>, Stop>,
    factor: f64,
    m: f64,
) -> Result<Vec<Finding>, RunError> {
    let greatest = greatest_overlap(setting.law, factor, m, SLOW);
    let duration = duration_factor(setting.law) * greatest / SLOW;
    let measure = |overlaps: Vec<f64>| {
        let frames = overlaps.iter().filter(|overlap| **overlap > 0.0).count();
        [overlaps.iter().copied().fold(0.0, f64::max), frames as f64 / RESOLVED]
    };
    let targets = [
        Target::of("greatest overlap", "m", greatest, 0.01 * greatest),
        Target::of("duration", "s", duration, 0.02 * duration),
    ];
    find_all(targets, overlaps.map(measure))
}

fn at_rest(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let ball = Ball::new(Vec3::z() * RADIUS, Vec3::zeros());
    let found = Conditions::level().lasting(0.5).run(setting, &(ball.text("ball") + &floor()), |_| ());
    let right = resting_overlap(setting.law);
    let overlap = found.map(|end| RADIUS - end.state.p[0].z);
    Ok(vec![Target::of("overlap", "m", right, 0.01 * right).find(overlap)?])
}
