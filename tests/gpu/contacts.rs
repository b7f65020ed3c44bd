//! Contacts of particles and walls.

use bdem_core::energy::Reactions;
use bdem_core::geometry::{keyed, rotation};
use bdem_core::integrate::StepError;
use bdem_core::internals::contact::{ContactState, TangentialSpring};
use bdem_core::model::{BondModel, Constraint, ContactLaw, DriveLaw, Driven, FrictionModel, Motion, Ramp};
use bdem_core::prelude::*;

use bdem_core::simulate::Cause;
use bdem_gpu::block::Card;

use crate::{RADIUS, device, on_card, on_card_with, on_processor, settings, steps};

/// Material of loose spheres.
pub(crate) fn grain(friction: f64) -> Material {
    Material { friction, static_friction: friction, ..Material::elastic("grain", 2500.0, 1e7, 0.25) }
}

/// World of loose spheres of `radii` (m) about `centres` (m).
pub(crate) fn loose(material: Material, centres: &[Vec3], radii: &[f64], restitution: f64) -> (World, State) {
    let mut builder = World::builder();
    let material = builder.material(material);
    builder.restitution(restitution);
    for (centre, &radius) in centres.iter().zip(radii) {
        builder.particle(*centre, radius, material);
    }
    builder.build().expect("a world")
}

/// Half space below `height` (m) along `normal`.
pub(crate) fn floor(normal: Vec3, height: f64) -> Wall {
    Wall::new(Shape::HalfSpace(HalfSpace { normal, offset: height }))
}

/// Springs by particle and other particle or wall.
type Springs = Vec<((u32, u32), TangentialSpring)>;

/// Steps of the processor and of the card from one state.
pub(crate) struct Both {
    pub(crate) processor: Simulation,
    pub(crate) card: Simulation,
}

/// Both after `count` steps of this share of the stability limit, on the card in blocks of `block`.
pub(crate) fn both(world: World, state: State, count: u64, block: u32, share: f64) -> Both {
    let settings = SimulationSettings { step: Some(StepSize::Limit(share)), ..settings() };
    let mut processor = Simulation::new(world.clone(), state.clone(), &settings);
    let mut card = on_card_with(&settings, world, state);
    for (simulation, block) in [(&mut processor, 1), (&mut card, block)] {
        steps(simulation, count, block).unwrap_or_else(|why| panic!("{why}"));
    }
    Both { processor, card }
}

impl Both {
    /// Panics unless positions, spins and flows are those of the processor within `limit`, relative.
    fn compare(&self, name: &str, start: &State, limit: f64) {
        let ([ours, card], flows) = ([&self.processor.state, &self.card.state], self.processor.flows());
        let moved = greatest(&ours.p, &start.p);
        let [p, w] = [greatest(&ours.p, &card.p), greatest(&ours.w, &card.w)];
        assert!(p < limit * moved, "{name}: positions off by {p} of {moved}");
        let spin = ours.w.iter().map(|w| w.norm()).fold(0.0, f64::max);
        assert!(w <= 10.0 * limit * spin, "{name}: spins off by {w} of {spin}");
        let energy = Flow::ALL.iter().map(|flow| flows[*flow].abs()).fold(0.0, f64::max);
        for flow in [Flow::Damping, Flow::Friction, Flow::Walls, Flow::Fracture] {
            let (ours, card) = (flows[flow], self.card.flows()[flow]);
            assert!((ours - card).abs() < limit * energy, "{name}: {flow:?} is {card}, not {ours}");
        }
        self.compare_springs(name);
    }

    /// The same of tangential springs. One or two contacts begin or end at a rounding error's distance.
    fn compare_springs(&self, name: &str) {
        let (ours, card) = (self.processor.contacts.contact_state(), self.card.contacts.contact_state());
        let pairs = |of: &ContactState| of.pairs.iter().map(|(ends, spring)| ((ends[0], ends[1]), *spring)).collect();
        let walls = |of: &ContactState| of.walls.iter().map(|on| ((on.particle, on.wall), on.tangential)).collect();
        let both: [[Springs; 2]; 2] = [[pairs(&ours), pairs(&card)], [walls(&ours), walls(&card)]];
        for [ours, card] in both {
            let force = ours.iter().map(|(_, spring)| spring.limit).fold(0.0, f64::max);
            let stretch = ours.iter().map(|(_, spring)| spring.stretch.norm()).fold(0.0, f64::max);
            let mut others = 0;
            for (key, a) in &ours {
                let near = |(_, b): &&(_, TangentialSpring)| (a.n - b.n).norm() < 1e-3;
                let Some((_, b)) = card.iter().filter(|(other, _)| other == key).find(near) else {
                    others += 1;
                    continue;
                };
                assert!((a.limit - b.limit).abs() < 1e-3 * force, "{name}: {a:?} {b:?}");
                assert!((a.depth - b.depth).abs() < 1e-5 * RADIUS, "{name}: {a:?} {b:?}");
                assert!((a.stretch - b.stretch).norm() < 1e-3 * stretch, "{name}: {a:?} {b:?}");
                others += usize::from(a.slides != b.slides);
            }
            assert!(others <= 1 && ours.len().abs_diff(card.len()) <= 1, "{name}: {others} of {}", ours.len());
        }
    }
}

fn greatest(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
}

/// Spheres that overlap or nearly so, in a cube.
pub(crate) fn cloud(count: usize, spread: f64) -> (Vec<Vec3>, Vec<f64>) {
    let mut k = 0u64;
    let mut random = |from: f64, to: f64| {
        k += 1;
        from + (to - from) * keyed::uniform(7, k)
    };
    let edge = libm::cbrt(count as f64) * 2.0 * RADIUS * spread;
    let mut centres: Vec<Vec3> = Vec::new();
    while centres.len() < count {
        let p = Vec3::from_fn(|_, _| random(0.0, edge));
        if centres.iter().all(|q| (p - q).norm() > 1.9 * RADIUS) {
            centres.push(p);
        }
    }
    let radii = centres.iter().map(|_| RADIUS * random(0.9, 1.0)).collect();
    (centres, radii)
}

#[test]
fn a_cloud_moves_as_on_the_processor() {
    for law in [ContactLaw::Linear, ContactLaw::Hertz, ContactLaw::RodriguesHertz] {
        for (friction, restitution) in [(0.0, 1.0), (0.0, 0.5), (0.4, 1.0), (0.4, 0.5)] {
            let (centres, radii) = cloud(200, 1.3);
            let (mut world, mut state) = loose(grain(friction), &centres, &radii, restitution);
            world.contact_law = law;
            state.v.iter_mut().zip(&centres).for_each(|(v, p)| *v = -p * 2.0);
            let name = format!("{law:?} {friction} {restitution}");
            let both = both(world, state.clone(), 300, 300, 0.2);
            both.compare(&name, &state, 3e-6);
            let of = |(v, m): (&Vec3, &f64)| v * *m;
            let momentum = |v: &[Vec3]| v.iter().zip(&both.card.world.particles.mass).map(of).sum::<Vec3>();
            let [start, end] = [&state.v, &both.card.state.v].map(|v| momentum(v));
            assert!((end - start).norm() < 1e-6 * start.norm(), "{name}: {start:?} {end:?}");
        }
    }
}

/// Walls that a cloud from the origin to 0.066 m on each side falls onto, and their motions.
fn walls() -> Vec<(&'static str, Vec<Wall>)> {
    let placed = |shape: Shape, position: Vec3, theta: Vec3| Shape::Placed {
        shape: Box::new(shape),
        position,
        rotation: rotation::exp(&(theta * 0.5)),
    };
    let outside = |shape: Shape| Shape::Complement(Box::new(shape));
    let with = |shape: Shape, motion: Motion| {
        let mut wall = Wall::new(shape);
        (wall.motion, wall.friction, wall.static_friction) = (motion, Some(0.5), Some(0.6));
        wall
    };
    let middle = Vec3::repeat(0.033);
    let screw = Motion::Screw { point: middle, axis: Vec3::new(0.6, 0.0, 0.8), rate: 20.0, velocity: 0.3 };
    let container = || placed(outside(Shape::Box { size: [0.07; 3] }), middle, Vec3::zeros());
    vec![
        ("half space", vec![with(floor(Vec3::new(0.6, 0.0, 0.8), 0.0).shape().clone(), Motion::Fixed)]),
        ("rising", vec![with(floor(Vec3::z(), -0.005).shape().clone(), Motion::Velocity(Vec3::new(0.5, 0.0, 1.0)))]),
        ("container", vec![with(container(), Motion::Fixed)]),
        ("turning container", vec![with(container(), screw.clone())]),
        (
            "drum",
            vec![with(
                placed(outside(Shape::Cylinder { radius: 0.045, height: 0.07 }), middle, Vec3::zeros()),
                screw.clone(),
            )],
        ),
        ("ball", vec![with(placed(outside(Shape::Sphere { radius: 0.055 }), middle, Vec3::zeros()), screw.clone())]),
        (
            "obstacles",
            vec![
                with(
                    placed(
                        Shape::Box { size: [0.02, 0.03, 0.04] },
                        Vec3::new(-0.02, 0.03, 0.03),
                        Vec3::new(0.3, 0.2, 0.1),
                    ),
                    screw.clone(),
                ),
                with(
                    placed(
                        Shape::Cylinder { radius: 0.02, height: 0.03 },
                        Vec3::new(0.03, -0.025, 0.03),
                        Vec3::new(0.3, 0.2, 0.1),
                    ),
                    screw,
                ),
                with(
                    placed(Shape::Sphere { radius: 0.02 }, Vec3::new(0.03, 0.03, -0.03), Vec3::zeros()),
                    Motion::Fixed,
                ),
            ],
        ),
    ]
}

#[test]
fn a_cloud_hits_walls_as_on_the_processor() {
    for (name, walls) in walls() {
        for restitution in [1.0, 0.5] {
            let (centres, radii) = cloud(150, 1.2);
            let (mut world, mut state) = loose(grain(0.4), &centres, &radii, restitution);
            world.walls = walls.clone();
            state
                .v
                .iter_mut()
                .zip(&centres)
                .for_each(|(v, p)| *v = -(p - Vec3::repeat(0.02)) * 20.0 - Vec3::repeat(0.3));
            both(world, state.clone(), 200, 200, 0.2).compare(&format!("{name} {restitution}"), &state, 3e-6);
        }
    }
}

/// A bar whose bonds break in its middle while its ends are pushed together: the halves collide.
#[test]
fn broken_bonds_become_contacts() {
    let material = Material {
        tensile_strength: 2e5,
        shear_strength: 2e5,
        friction: 0.3,
        static_friction: 0.3,
        ..Material::elastic("stone", 2000.0, 1e8, 0.25)
    };
    let mut builder = World::builder();
    let material = builder.material(material);
    builder.restitution(0.5);
    let packed = Packed::equal(hexagonal(&Shape::Box { size: [0.1, 0.03, 0.03] }, RADIUS), RADIUS, 1.01);
    builder.packing(&packed, Vec3::zeros(), material);
    let (world, mut state) = builder.build().expect("a world");
    for (v, p) in state.v.iter_mut().zip(&state.p) {
        *v = Vec3::new(-40.0 * p.x * libm::cos(90.0 * p.x.abs()), 4.0 * p.x, 0.0);
    }
    let bonds = world.bonds().len();
    let both = both(world, state.clone(), 400, 400, 0.3);
    let whole = [&both.processor, &both.card].map(|simulation| simulation.world.whole_bonds().count());
    assert!(whole[0] < bonds && whole[0] > bonds / 2, "{whole:?} of {bonds}");
    assert_eq!(whole[0], whole[1]);
    assert!(both.card.contacts.contact_state().pairs.len() > 20);
    both.compare("bar", &state, 2e-5);
}

#[test]
fn the_same_run_has_the_same_bits() {
    let (centres, radii) = cloud(150, 1.2);
    let (mut world, mut state) = loose(grain(0.4), &centres, &radii, 0.5);
    world.walls = vec![floor(Vec3::z(), -0.005)];
    state.v.iter_mut().zip(&centres).for_each(|(v, p)| *v = -p * 20.0);
    let ends = [0, 1].map(|_| {
        let mut card = on_card(world.clone(), state.clone());
        steps(&mut card, 300, 150).expect("steps");
        let springs = card.contacts.contact_state();
        (card.state.clone(), springs, *card.flows())
    });
    let [(a, a_springs, a_flows), (b, b_springs, b_flows)] = &ends;
    assert!(a.p == b.p && a.v == b.v && a.q == b.q && a.w == b.w);
    assert!(a_springs == b_springs && a_flows == b_flows && !a_springs.pairs.is_empty());
}

/// Loose spheres of equal radii at `centres`, on the card after `count` steps of a twentieth of the stability limit.
pub(crate) fn after(mut card: Simulation, count: u64, block: u32) -> Simulation {
    steps(&mut card, count, block).unwrap_or_else(|why| panic!("{why}"));
    card.audit().unwrap_or_else(|why| panic!("{why}"));
    assert!(card.balance.imbalance() < 0.02, "{:?} {:?}", card.balance, card.flows());
    card
}

fn fine() -> SimulationSettings {
    SimulationSettings { step: Some(StepSize::Limit(0.1)), ..settings() }
}

#[test]
fn balls_bounce_with_their_restitution() {
    for law in [ContactLaw::Linear, ContactLaw::Hertz, ContactLaw::RodriguesHertz] {
        for restitution in [1.0, 0.8, 0.3] {
            // one on a wall, and two that collide head on
            let centres = [[0.0, 0.0, 1.001], [0.0, 0.1, 5.0], [2.001, 0.1, 5.0]].map(|p| Vec3::from(p) * RADIUS);
            let (mut world, mut state) = loose(grain(0.0), &centres, &[RADIUS; 3], restitution);
            world.contact_law = law;
            world.walls = vec![floor(Vec3::z(), 0.0)];
            (state.v[0], state.v[1]) = (Vec3::new(0.0, 0.0, -0.2), Vec3::new(0.3, 0.0, 0.0));
            let mut card = on_card_with(&fine(), world, state);
            let is_over = |p: &[Vec3]| p[0].z > 1.0005 * RADIUS && (p[2] - p[1]).norm() > 2.0005 * RADIUS;
            while card.state.v[0].z < 0.0 || !is_over(&card.state.p) {
                card = after(card, 1500, 1500);
            }
            let v = &card.state.v;
            assert!((v[0].z / 0.2 - restitution).abs() < 5e-3, "{law:?} {restitution}: {}", v[0].z / 0.2);
            let apart = (v[2].x - v[1].x) / 0.3;
            assert!((apart - restitution).abs() < 5e-3, "{law:?} {restitution}: {apart}");
            assert!((v[1].x + v[2].x - 0.3).abs() < 1e-6);
        }
    }
}

#[test]
fn a_ball_that_slides_rolls_in_the_end() {
    let (mut world, mut state) = loose(grain(0.3), &[Vec3::new(0.0, 0.0, RADIUS)], &[RADIUS], 0.5);
    world.walls = vec![floor(Vec3::z(), 0.0)];
    world.gravity = Vec3::new(0.0, 0.0, -9.81);
    state.v[0].x = 0.1;
    // it rolls after 2/7 v/(mu g)
    let time = 3.0 * 2.0 / 7.0 * 0.1 / (0.3 * 9.81);
    let card = on_card_with(&settings(), world, state);
    let dt = card.plan.step;
    let card = after(card, (time / dt) as u64, 500);
    let (v, w) = (card.state.v[0], card.state.w[0]);
    assert!((v.x / 0.1 - 5.0 / 7.0).abs() < 2e-3, "{v:?}");
    assert!((w.y * RADIUS / v.x - 1.0).abs() < 2e-3, "{w:?}");
}

/// Displacement of a bonded block along a floor in `time` (s), tilted by 20 degrees, over that of one without friction.
fn slide(friction: f64, time: f64) -> f64 {
    let mut builder = World::builder();
    let material = builder.material(grain(friction));
    builder.restitution(0.3);
    let packed = Packed::equal(hexagonal(&Shape::Box { size: [0.05, 0.05, 0.03] }, RADIUS), RADIUS, 1.01);
    builder.packing(&packed, Vec3::zeros(), material);
    let low = packed.centres.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    builder.wall(floor(Vec3::z(), low - RADIUS));
    let (sine, cosine) = (libm::sin(20f64.to_radians()), libm::cos(20f64.to_radians()));
    builder.gravity(Vec3::new(sine, 0.0, -cosine) * 9.81);
    let (world, state) = builder.build().expect("a world");
    let start = state.p.iter().sum::<Vec3>() / state.len() as f64;
    let card = on_card(world, state);
    let count = (time / card.plan.step) as u64;
    let card = after(card, count, 200);
    let end = card.state.p.iter().sum::<Vec3>() / card.state.len() as f64;
    (end - start).x / (0.5 * 9.81 * sine * card.state.time * card.state.time)
}

#[test]
fn blocks_slide_on_inclines_beyond_the_angle_of_friction() {
    let share = |friction: f64| 1.0 - friction / libm::tan(20f64.to_radians());
    let [sticks, slides] = [0.5, 0.2].map(|friction| slide(friction, 0.05));
    assert!(sticks.abs() < 0.02, "{sticks}");
    assert!((slides / share(0.2) - 1.0).abs() < 0.03, "{slides}");
}

#[test]
fn a_stack_at_rest_weighs_on_its_floor() {
    let overlap = 1e-6;
    let centres: Vec<Vec3> = (0..5).map(|k| Vec3::z() * ((2 * k + 1) as f64 * (RADIUS - overlap))).collect();
    let (mut world, state) = loose(grain(0.3), &centres, &[RADIUS; 5], 0.3);
    world.walls = vec![floor(Vec3::z(), 0.0)];
    world.gravity = Vec3::new(0.0, 0.0, -9.81);
    let weight = world.particles.mass.iter().sum::<f64>() * 9.81;
    let card = after(on_card(world, state), 4000, 1000);
    let speed = card.state.v.iter().map(|v| v.norm()).fold(0.0, f64::max);
    let reactions = Reactions::new(&card.world, &card.contacts, &card.state, card.forces());
    let force = reactions.on_wall(0, &Vec3::zeros()).force;
    assert!(speed < 1e-5, "{speed}");
    assert!((force + Vec3::z() * weight).norm() < 1e-3 * weight, "{force:?} of {weight}");
}

#[test]
fn poured_spheres_come_to_rest_as_on_the_processor() {
    let (centres, radii) = cloud(1000, 1.3);
    let (mut world, state) = loose(Material { young_modulus: 1e6, ..grain(0.4) }, &centres, &radii, 0.3);
    let edge = centres.iter().map(|p| p.x).fold(0.0, f64::max) + 2.0 * RADIUS;
    let container = Shape::Complement(Box::new(Shape::Box { size: [edge, edge, 4.0 * edge] }));
    let position = Vec3::new(0.5 * edge - RADIUS, 0.5 * edge - RADIUS, 2.0 * edge - 2.0 * RADIUS);
    world.walls = vec![Wall::new(Shape::Placed { shape: Box::new(container), position, rotation: Quat::identity() })];
    world.gravity = Vec3::new(0.0, 0.0, -9.81);
    let settings = SimulationSettings { step: Some(StepSize::Limit(0.3)), ..settings() };
    let mut processor = Simulation::new(world.clone(), state.clone(), &settings);
    let card = on_card_with(&settings, world, state);
    let count = (0.05 / card.plan.step) as u64;
    steps(&mut processor, count, 1).expect("steps");
    let card = after(card, count, 500);
    let height = |of: &Simulation| of.state.p.iter().map(|p| p.z).sum::<f64>() / of.state.len() as f64;
    let [ours, height] = [&processor, &card].map(height);
    assert!((ours - height).abs() < 0.02 * RADIUS, "{ours} {height}");
    let energy = processor.flows()[Flow::Damping];
    for flow in [Flow::Damping, Flow::Friction] {
        let [ours, card] = [&processor, &card].map(|simulation| simulation.flows()[flow]);
        assert!((ours - card).abs() < 0.01 * energy, "{flow:?}: {ours} {card}");
    }
}

/// Two materials, held particles, some without contacts, a large sphere among small ones, a fast one, and bonds shorter than the
/// radii that break.
#[test]
fn mixtures_move_as_on_the_processor() {
    // until a contact slides in one and sticks in the other
    for (law, [model, other], count) in [
        (ContactLaw::Linear, [BondModel::QUATERNION; 2], 800),
        (ContactLaw::Hertz, [BondModel::COSSERAT, BondModel::PARTICLE_BINDER], 200),
    ] {
        let mut builder = World::builder();
        let stone = Material { tensile_strength: 5e4, shear_strength: 5e4, bond: model, ..grain(0.5) };
        // whose bonds do not break
        let soft = Material {
            name: "soft".into(),
            young_modulus: 3e6,
            solid_modulus: 3e6,
            density: 900.0,
            bond: other,
            ..grain(0.2)
        };
        let [stone, soft] = [stone, soft].map(|material| builder.material(material));
        builder.restitution(0.4);
        // about a large sphere
        let near = |k: u64| keyed::uniform(5, k) - 0.5;
        let jitter = |k: usize| Vec3::from_fn(|axis, _| 0.2 * RADIUS * near((3 * k + axis) as u64));
        let lattice = hexagonal(&Shape::Box { size: [0.07; 3] }, RADIUS);
        let p: Vec<Vec3> =
            lattice.iter().enumerate().map(|(k, p)| p + jitter(k)).filter(|p| p.norm() > 0.0205).collect();
        for (k, p) in p.iter().enumerate() {
            builder.particle(*p, RADIUS * (1.0 - 0.05 * near(k as u64)), if k % 3 == 0 { soft } else { stone });
        }
        let large = builder.particle(Vec3::zeros(), 0.015, soft);
        let fast = builder.particle(Vec3::new(0.3, 0.001, 0.002), 0.006, stone);
        let (mut bonds, mut short) = (0, 0);
        for (i, j) in (0..p.len()).flat_map(|i| (0..i).map(move |j| (i, j))) {
            let gap = (p[i] - p[j]).norm() - 2.0 * RADIUS;
            if gap < 0.1 * RADIUS && (i + j) % 2 == 0 {
                builder.bond(j as u32, i as u32);
                (bonds, short) = (bonds + 1, short + usize::from(gap < 0.0));
            }
        }
        builder.without_contacts(7).without_contacts(8);
        builder.constraint(Constraint::moved(vec![3, 4, 5, 11, 200], Motion::Velocity(Vec3::new(0.2, 0.0, -0.1))));
        let (mut world, mut state) = builder.build().expect("a world");
        world.contact_law = law;
        for i in 0..state.len() {
            state.v[i] = -state.p[i] * 10.0;
            // at a gap of zero rounding decides whether a contact begins in the first step
            state.p[i] *= 1.0002;
        }
        state.v[large as usize] = Vec3::new(0.0, 0.5, 0.0);
        state.v[fast as usize] = Vec3::new(-60.0, 0.0, 0.0);
        let both = both(world, state.clone(), count, 800, 0.2);
        let whole = [&both.processor, &both.card].map(|simulation| simulation.world.whole_bonds().count());
        assert!(whole[0] == whole[1] && whole[0] < bonds - 50, "{whole:?} of {bonds}");
        assert!(short > bonds / 4, "{short} of {bonds}");
        // the processor's powers of dashpots are of the kicks before bonds break
        both.compare(&format!("{law:?}"), &state, 2e-4);
    }
}

#[test]
fn short_blocks_balance() {
    let (centres, radii) = cloud(150, 1.2);
    let (mut world, mut state) = loose(grain(0.4), &centres, &radii, 0.5);
    world.walls = vec![floor(Vec3::z(), -0.005)];
    world.walls[0].motion = Motion::Velocity(Vec3::new(0.0, 0.2, 0.5));
    state.v.iter_mut().zip(&centres).for_each(|(v, p)| *v = -p * 20.0);
    let settings = SimulationSettings { step: Some(StepSize::Limit(0.2)), ..settings() };
    let mut processor = Simulation::new(world.clone(), state.clone(), &settings);
    steps(&mut processor, 300, 1).expect("steps");
    let end = &processor.state.p;
    for block in [300, 30, 10, 1] {
        let card = after(on_card_with(&settings, world.clone(), state.clone()), 300, block);
        let off = greatest(&card.state.p, end) / greatest(&state.p, end);
        println!("{block}: {off:.1e}");
        assert!(off < 2e-6, "{block}: {off}");
    }
}

/// Two grains that meet with spins part with the same ones, wherever blocks end, and so do their energies.
#[test]
fn where_blocks_end_changes_nothing() {
    let material = Material { rolling_friction: 0.1, ..grain(0.4) };
    let (world, mut state) = loose(material, &[Vec3::zeros(), Vec3::new(0.0102, 0.002, 0.001)], &[RADIUS; 2], 0.5);
    state.v[0] = Vec3::new(5.0, 2.0, 0.0);
    state.w[0] = Vec3::new(30.0, 0.0, 100.0);
    let ends = [1, 2, 3, 100].map(|block| {
        let card = after(on_card(world.clone(), state.clone()), 100, block);
        let flows = [Flow::Friction, Flow::Damping].map(|flow| card.flows()[flow]);
        println!("{block}: {:?} {flows:?} {:.1e}", card.state.w[0], card.balance.unaccounted);
        (card.state.w[0], flows, card.balance.unaccounted)
    });
    for (w, flows, unaccounted) in ends {
        assert!((w - ends[3].0).norm() < 1e-5 * w.norm(), "{w:?} {:?}", ends[3].0);
        let off = flows.iter().zip(ends[3].1).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let off = off.max((unaccounted - ends[3].2).abs());
        assert!(off < 1e-5 * flows[1], "{flows:?} {:?}, {unaccounted}", ends[3].1);
    }
}

/// A grain that is pressed into a box by more than half its radius comes back.
#[test]
fn a_soft_grain_comes_back_from_a_box() {
    let (mut world, mut state) = loose(grain(0.0), &[Vec3::z() * (RADIUS + 0.021)], &[RADIUS], 1.0);
    world.walls = vec![Wall::new(Shape::Box { size: [0.1, 0.1, 0.04] })];
    world.gravity = Vec3::zeros();
    let speed = 0.7 * RADIUS * (world.wall_normal_spring(0).k / world.particles.mass[0]).sqrt();
    state.v[0].z = -speed;
    let card = after(on_card(world, state), 400, 400);
    assert!((card.state.v[0].z / speed - 1.0).abs() < 1e-3, "{:?} for {speed} m/s", card.state.v[0]);
}

/// A grain among hundreds of small ones keeps the momentum of all, or is refused where its neighbours are too many.
#[test]
fn large_grains_among_small_ones_keep_their_momentum() {
    for small in [500, 700] {
        let (mut centres, mut radii) = (vec![Vec3::zeros()], vec![0.05]);
        for k in 0..small {
            // a spiral over the sphere
            let z = 1.0 - (2.0 * f64::from(k) + 1.0) / f64::from(small);
            let (angle, across) = (2.399_963 * f64::from(k), (1.0 - z * z).sqrt());
            centres.push(Vec3::new(across * libm::cos(angle), across * libm::sin(angle), z) * 0.0532);
            radii.push(0.003);
        }
        let (world, mut state) = loose(grain(0.4), &centres, &radii, 1.0);
        (state.v[0], state.w[0]) = (Vec3::new(1.0, 0.5, 0.2), Vec3::new(30.0, 0.0, 100.0));
        let before = state.momentum(&world.particles).0;
        let mut card = on_card(world, state);
        match steps(&mut card, 100, 100) {
            Ok(_) => {
                let after = card.state.momentum(&card.world.particles).0;
                assert!(small == 500 && (after - before).norm() < 1e-6 * before.norm(), "{after:?} for {before:?}");
                assert!(card.flows()[Flow::Friction] > 0.0);
            }
            Err(why) => assert!(small == 700 && why.to_string().contains("700 particles are near one"), "{why}"),
        }
    }
}

#[test]
fn balls_do_not_pass_plates() {
    let (mut world, mut state) = loose(grain(0.0), &[Vec3::new(0.0, 0.0, 0.1)], &[RADIUS], 1.0);
    world.walls = vec![Wall::new(Shape::Box { size: [0.1, 0.1, 0.004] })];
    state.v[0].z = -150.0;
    for mut simulation in [on_processor(world.clone(), state.clone()), on_card(world, state)] {
        let why =
            (0..50).find_map(|_| steps(&mut simulation, 1, 100).err()).expect("it is faster than its radius in a step");
        assert!(matches!(why.cause, Cause::Step(StepError::MayPass { particle: 0 })), "{why}");
        assert!(simulation.state.p[0].z > 0.0);
    }
}

#[test]
fn contacts_that_a_card_does_not_have_are_refused() {
    let refusal = |change: &dyn Fn(&mut World)| {
        let (mut world, _) = loose(grain(0.3), &[Vec3::zeros()], &[RADIUS], 1.0);
        change(&mut world);
        Card::new(&device(), &world).err().expect("a world that a card does not have").to_string()
    };
    let drive = || Driven::new(Motion::Fixed, Vec3::x(), Ramp::constant(1.0), DriveLaw::Mass(1.0));
    let cone = Shape::Cone { radius: 0.1, top_radius: 0.05, height: 0.1 };
    let two = Shape::Union([0.0, 1.0].map(|_| Shape::Sphere { radius: 0.1 }).to_vec());
    for (why, part) in [
        (refusal(&|world| world.friction_model = FrictionModel::VelocityCorrection), "velocities"),
        (refusal(&|world| world.walls = vec![Wall::new(cone.clone())]), "collider 0: "),
        (refusal(&|world| world.walls = vec![floor(Vec3::z(), 0.0), Wall::new(two.clone())]), "collider 1: "),
        (
            refusal(&|world| {
                world.walls = vec![floor(Vec3::z(), 0.0)];
                world.walls[0].motion = Motion::Driven(Box::new(drive()));
            }),
            "under a load",
        ),
    ] {
        assert!(why.contains(part), "{why}");
    }
}

/// Bonds leave their slots when the card is set up anew, and springs go through the host.
#[test]
fn resumed_runs_have_the_same_bits() {
    let mut builder = World::builder();
    let material = builder.material(Material { tensile_strength: 5e4, shear_strength: 5e4, ..grain(0.4) });
    builder.restitution(0.5);
    let packed = Packed::equal(hexagonal(&Shape::Box { size: [0.06, 0.04, 0.04] }, RADIUS), RADIUS, 1.01);
    builder.packing(&packed, Vec3::z() * 0.021, material);
    builder.wall(floor(Vec3::z(), 0.0));
    let (world, mut state) = builder.build().expect("a world");
    state.v.iter_mut().for_each(|v| *v = Vec3::new(1.0, 0.0, -3.0));
    let bonds = world.bonds().len();
    let mut first = on_card(world.clone(), state.clone());
    steps(&mut first, 200, 100).expect("steps");
    let mut second = on_card(world, state);
    second.restore(first.snapshot()).expect("the same scene");
    for card in [&mut first, &mut second] {
        steps(card, 200, 100).expect("steps");
    }
    let whole = first.world.whole_bonds().count();
    assert!(whole < bonds - 20 && !first.contacts.contact_state().pairs.is_empty(), "{whole} of {bonds}");
    let [a, b] = [&first, &second].map(|card| &card.state);
    assert!(a.p == b.p && a.v == b.v && a.q == b.q && a.w == b.w);
    assert!(first.contacts.contact_state() == second.contacts.contact_state());
}
