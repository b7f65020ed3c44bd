//! Contacts of an explicit step, evaluated once by a vector kernel, beside the plain law, contact by contact.

use bdem_core::energy::Potential;
use bdem_core::geometry::shape::{Profile, Shape};
use bdem_core::geometry::{Quat, Vec3, rotation};
use bdem_core::internals::contact::{
    ContactPair, Contacts, FrictionWork, SurfaceMotion, TangentialSpring, WallTangentialSpring,
};
use bdem_core::model::{ContactLaw, Gradient, Material, Motion, State, Wall, WallStep, World};

use super::law::{Contact, Response};
use crate::common::system::{block, floor, material, noise, shaken};

const RADIUS: f64 = 0.01;

/// Length of a step, s.
const DT: f64 = 1e-5;

/// Loose spheres that overlap each other, a floor, and a wall that moves.
fn heap(law: ContactLaw, damping: f64, friction: f64) -> (World, State) {
    let rough = Material { friction: 0.6 * friction, static_friction: friction, ..material(1e7, 4e6, 2600.0) };
    let (mut world, mut state) = block(rough, [0.3, 0.2, 0.2], RADIUS);
    let all: Vec<usize> = (0..world.bonds().len()).collect();
    world.remove_bonds(&all);
    (world.contact_law, world.contact_damping, world.contact_softening) = (law, damping, 0.0);
    world.gravity = Vec3::zeros();
    state.p.iter_mut().for_each(|p| *p *= 0.99);
    let low = state.p.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    world.walls = vec![floor(low - 0.97 * RADIUS, friction), floor(low - 0.95 * RADIUS, friction)];
    world.walls[1].motion = Motion::Velocity(Vec3::new(0.7, 0.2, 0.3));
    (world, state)
}

/// The state after one more step, `seed` says which.
fn next(state: &State, seed: u64) -> State {
    let mut next = shaken(state, seed, 0.01 * RADIUS, 0.01);
    next.time += DT;
    for i in 0..next.len() {
        next.v[i] = noise(seed + 50, i);
    }
    next
}

fn assert_near(what: &str, got: f64, want: f64, scale: f64) {
    assert!((got - want).abs() <= 1e-12 * scale, "{what}: {got} for {want}, scale {scale}");
}

/// Rotation of a particle in a step: q conj(q_0), with a real part >= 0.
fn turn(before: &State, after: &State, i: usize) -> Quat {
    let turn = after.q[i] * before.q[i].conjugate();
    if turn.w < 0.0 { -turn } else { turn }
}

/// What the plain law says of all contacts of a step.
struct Expected {
    gradient: Vec<Gradient>,
    pairs: Vec<Response>,
    /// By particle and wall.
    walls: Vec<([usize; 2], Response)>,
    flows: FrictionWork,
}

impl Expected {
    /// The step of `world` with the springs of `contacts` at its start.
    fn new(world: &World, contacts: &Contacts, before: &State, after: &State) -> Self {
        let none = vec![Gradient::default(); after.len()];
        let mut expected =
            Self { gradient: none, pairs: Vec::new(), walls: Vec::new(), flows: FrictionWork::default() };
        let springs: Vec<_> = contacts.tangential_springs().pairs().collect();
        for (k, pair) in contacts.pairs().iter().enumerate() {
            let spring = springs.get(k).copied().unwrap_or_default();
            expected.add_pair(world, pair, &spring, [before, after]);
        }
        let walls = Potential { motion: SurfaceMotion::Since(before), ..Potential::new(world, contacts) }.walls(after);
        for i in 0..after.len() {
            let radius = world.particles.contact_radius[i];
            for (k, wall) in walls.iter().enumerate() {
                for face in faces(wall, radius, [before, after], i) {
                    let known = contacts.tangential_springs().on_walls();
                    let own = known.filter(|on| [on.particle as usize, on.wall as usize] == [i, k]);
                    let along = |on: &&WallTangentialSpring| -on.tangential.n.dot(&face.1);
                    let spring = own.max_by(|a, b| along(a).total_cmp(&along(b))).filter(|on| along(on) > SAME_FACE);
                    let spring = spring.map(|on| on.tangential).unwrap_or_default();
                    expected.add_wall(world, (i, k), (wall, &face), &spring, [before, after]);
                }
            }
        }
        expected
    }

    fn add_pair(&mut self, world: &World, pair: &ContactPair, spring: &TangentialSpring, [before, after]: [&State; 2]) {
        let [i, j] = [pair.i as usize, pair.j as usize];
        let branch = |x: &State| x.p[j] - x.p[i];
        let overlaps = [before, after].map(|x| pair.reach - branch(x).norm());
        let n = branch(if overlaps[1] > 0.0 { after } else { before }).normalize();
        let half = 0.5 * overlaps[if overlaps[1] > 0.0 { 1 } else { 0 }].max(0.0);
        let arms = [i, j].map(|k| world.particles.radius[k] - half);
        let turns = [i, j].map(|k| turn(before, after, k));
        let turned = turns[0].imag() * (2.0 * arms[0]) + turns[1].imag() * (2.0 * arms[1]);
        let middle = (branch(before).normalize() + n) * 0.5;
        let slip = branch(before) - branch(after) + turned.cross(&middle);
        let [m_i, m_j] = [i, j].map(|k| world.particles.mass[k]);
        let mass = m_i * m_j / (m_i + m_j);
        let response = Contact {
            law: world.contact_law,
            dt: DT,
            zeta: world.contact_damping,
            mass,
            k: pair.spring.k,
            size: pair.spring.size,
            shear_k: pair.spring.k,
            overlaps,
            n,
            slip,
            stretch: spring.stretch,
            slid: spring.slides,
            mu: [pair.mu.sticking, pair.mu.sliding],
        }
        .evaluate();
        // a pair that parted is pulled along its normal at the end
        let normal = branch(after).normalize() * response.normal.dot(&n);
        let response = Response { normal, ..response };
        self.add(i, &response, n, arms[0]);
        self.gradient[j].p -= response.normal + response.friction;
        self.gradient[j].theta += n.cross(&response.friction) * arms[1];
        self.flows.by_sliding += response.lost;
        self.pairs.push(response);
    }

    fn add_wall(
        &mut self,
        world: &World,
        (i, k): (usize, usize),
        (wall, (gaps, out)): (&WallStep, &([f64; 2], Vec3)),
        spring: &TangentialSpring,
        [before, after]: [&State; 2],
    ) {
        let radius = world.particles.contact_radius[i];
        let gap = if gaps[1] < 0.0 { gaps[1] } else { gaps[0] };
        let (n, arm, turn) = (-out, radius + gap, turn(before, after, i));
        let carried = wall.moved(&(after.p[i] - out * arm));
        let elastic = world.wall_normal_spring(i);
        let n_0 = if spring.n == Vec3::zeros() { n } else { spring.n };
        let middle = (n_0 + n) * 0.5;
        let mu = |mu: Option<f64>| mu.expect("a wall with friction of its own");
        let response = Contact {
            law: world.contact_law,
            dt: DT,
            zeta: world.contact_damping,
            mass: world.particles.mass[i],
            k: elastic.k,
            size: elastic.size,
            shear_k: world.contact_stiffness_of(i),
            overlaps: gaps.map(|gap| -gap),
            n,
            slip: after.p[i] - before.p[i] - carried + (turn.imag() * (2.0 * arm)).cross(&middle),
            stretch: spring.stretch,
            slid: spring.slides,
            mu: [mu(wall.end.wall.static_friction), mu(wall.end.wall.friction)],
        }
        .evaluate();
        self.add(i, &response, n, arm);
        self.flows.by_sliding += response.lost;
        self.flows.walls -= response.mean.dot(&carried);
        self.walls.push(([i, k], response));
    }

    fn add(&mut self, i: usize, response: &Response, n: Vec3, arm: f64) {
        self.gradient[i].p += response.normal + response.friction;
        self.gradient[i].theta += n.cross(&response.friction) * arm;
    }
}

/// Cosine of the angle (60 degrees) between the normals of different faces.
const SAME_FACE: f64 = 0.5;

/// Gaps (m) at the start and at the end of a sphere of particle `i` and each face of a wall that it touches, and the outward
/// normals.
fn faces(wall: &WallStep, radius: f64, states: [&State; 2], i: usize) -> Vec<([f64; 2], Vec3)> {
    let [from, to] = states.map(|x| x.p[i]);
    let solid = wall.end.wall;
    if !matches!(solid.surface(), Shape::Union(_) | Shape::Intersection(_)) {
        let gaps = [wall.start.distance(&from) - radius, wall.end.distance(&to) - radius];
        let touch = wall.end.touch(&to, radius).or_else(|| wall.start.touch(&from, radius));
        return touch.map(|(_, out)| (gaps, out)).into_iter().collect();
    }
    // in the frame of the wall
    let local = |x: &State| x.p[i] - solid.during([0.0, x.time]).moved(&x.p[i]);
    let [p_0, p] = states.map(local);
    let reach = radius + (p - p_0).norm();
    let [start, end] = [p_0, p].map(|p| solid.surface().touches(&p, reach));
    let mut is_kept = vec![false; start.len()];
    let mut found = Vec::new();
    for touch in &end {
        let along = |k: &usize| start[*k].normal.dot(&touch.normal);
        let before = (0..start.len()).max_by(|a, b| along(a).total_cmp(&along(b))).filter(|k| along(k) > SAME_FACE);
        before.into_iter().for_each(|k| is_kept[k] = true);
        let gap = touch.distance - radius;
        let from = before.map_or(gap - touch.normal.dot(&(p - p_0)), |k| start[k].distance - radius);
        let n = before.filter(|_| gap >= 0.0).map_or(touch.normal, |k| start[k].normal);
        found.push(([from, gap], n));
    }
    for (touch, _) in start.iter().zip(&is_kept).filter(|(_, is_kept)| !**is_kept) {
        let gap = touch.distance - radius;
        found.push(([gap, (gap + touch.normal.dot(&(p - p_0))).max(0.0)], touch.normal));
    }
    found.retain(|(gaps, _)| gaps.iter().any(|gap| *gap < 0.0));
    let turn = |time: f64| match &solid.motion {
        Motion::Screw { axis, rate, .. } => rotation::exp(&(axis * (0.5 * rate * time))),
        _ => Quat::identity(),
    };
    for (gaps, n) in &mut found {
        *n = rotation::rotate(&turn(states[usize::from(gaps[1] < 0.0)].time), n);
    }
    found
}

/// Follows steps of a heap. Forces, springs and dissipated energies are those of the plain law.
fn follow(law: ContactLaw, damping: f64, friction: f64) {
    let (world, state) = heap(law, damping, friction);
    follow_world(&world, state, friction);
}

fn follow_world(world: &World, mut state: State, friction: f64) {
    let damping = world.contact_damping;
    let mut contacts = Contacts::new(world, &state);
    contacts.invalidate(&state);
    let mut slid = 0;
    for step in 0..6 {
        let after = next(&state, step);
        contacts.update_after(&vec![0.02 * RADIUS; contacts.chunks().len()], DT, world, &after);
        let want = Expected::new(world, &contacts, &state, &after);

        let mut got = vec![Gradient::default(); after.len()];
        contacts.evaluate_step(world, &state, &after, &[]);
        assert!(contacts.step_gradient(&mut got));
        let scale = want.gradient.iter().map(|g| g.p.norm()).fold(0.0, f64::max);
        assert!(scale > 0.0);
        for (got, want) in got.iter().zip(&want.gradient) {
            assert_near("force", (got.p - want.p).norm(), 0.0, scale);
            assert_near("torque", (got.theta - want.theta).norm(), 0.0, scale * RADIUS);
        }

        let flows = contacts.commit_step([&state, &after]);
        let work = scale * 0.01 * RADIUS * after.len() as f64;
        let (lost, walls) = if friction > 0.0 { (want.flows.by_sliding, want.flows.walls) } else { (0.0, 0.0) };
        assert_near("dissipation", flows.friction.by_sliding, lost, work);
        assert_near("work of walls", flows.friction.walls, walls, work);
        assert!((damping > 0.0) == (flows.dashpots != [0.0; 2]));
        let springs = contacts.tangential_springs();
        for (got, want) in springs.pairs().zip(&want.pairs) {
            assert_near("spring", (got.stretch - want.stretch).norm(), 0.0, RADIUS);
            assert_near("limit", got.limit, want.limit, scale);
            assert_eq!(got.slides, want.slides);
            slid += usize::from(got.slides);
        }
        let loaded = want.walls.iter().filter(|(_, want)| want.limit > 0.0);
        assert_eq!(springs.on_walls().count(), if friction > 0.0 { loaded.clone().count() } else { 0 });
        for (got, (ends, want)) in springs.on_walls().zip(loaded) {
            assert_eq!([got.particle as usize, got.wall as usize], *ends);
            assert_near("spring on a wall", (got.tangential.stretch - want.stretch).norm(), 0.0, RADIUS);
        }
        state = after;
    }
    assert!((friction > 0.0) == (slid > 0));
}

#[test]
fn a_step_is_evaluated_as_the_plain_law_says() {
    for law in [ContactLaw::Linear, ContactLaw::RodriguesHertz] {
        for damping in [0.0, 0.3] {
            for friction in [0.0, 0.4] {
                follow(law, damping, friction);
            }
        }
    }
}

/// Solids of a closed form and others, at an edge of the heap.
fn solids() -> Vec<Shape> {
    let (radius, height) = (0.05, 0.12);
    let profile = Profile::new(vec![[0.0, -0.06], [0.05, -0.06], [0.02, 0.06], [0.0, 0.06]]).expect("a solid");
    let single = vec![
        Shape::Box { size: [0.1, 0.08, 0.12] },
        Shape::Sphere { radius },
        Shape::Ellipsoid { radii: [0.05, 0.03, 0.06] },
        Shape::Cylinder { radius, height },
        Shape::Tube { radius, inner_radius: 0.03, height },
        Shape::Cone { radius, top_radius: 0.0, height },
        Shape::Cone { radius: 0.02, top_radius: radius, height },
        Shape::Capsule { radius: 0.03, height },
        Shape::Torus { radius, tube_radius: 0.02 },
        Shape::Revolve(profile),
    ];
    let inside = |shape| Shape::Complement(Box::new(shape));
    let drum = inside(Shape::Cylinder { radius: 0.14, height: 0.5 });
    let around = inside(Shape::Sphere { radius: 0.17 });
    let cut = Shape::difference(single[0].clone(), [single[1].clone()]);
    let both = Shape::Union(vec![single[3].clone(), single[8].clone()]);
    single.into_iter().chain([drum, around, cut, both]).collect()
}

#[test]
fn a_step_on_a_wall_of_any_shape_is_evaluated_as_the_plain_law_says() {
    let screw = Motion::Screw { point: Vec3::x() * 0.1, axis: Vec3::y(), rate: 20.0, velocity: 0.3 };
    for law in [ContactLaw::Linear, ContactLaw::RodriguesHertz] {
        let (mut world, state) = heap(law, 0.3, 0.4);
        let rotation = rotation::exp(&Vec3::new(0.3, -0.2, 0.1));
        for shape in solids() {
            // on the edge of the heap, so that the deepest particle is some radii deep
            let is_around = matches!(shape, Shape::Complement(_));
            let position = if is_around { Vec3::zeros() } else { Vec3::new(0.17, 0.01, 0.11) };
            let mut wall = Wall::new(Shape::Placed { shape: Box::new(shape), position, rotation });
            (wall.friction, wall.static_friction) = (Some(0.4), Some(0.4));
            for motion in [Motion::Fixed, screw.clone()] {
                wall.motion = motion;
                world.walls = vec![wall.clone()];
                let placed = world.walls[0].at(0.0);
                assert!(state.p.iter().any(|p| placed.touch(p, RADIUS).is_some()), "{wall:?} is not reached");
                // the faces that centres are behind have tests of their own
                let is_deep = |p: &Vec3| placed.distance(p) < 0.6 * RADIUS;
                let mut shallow = state.clone();
                shallow.p.iter_mut().filter(|p| is_deep(p)).for_each(|p| p.z += 1.0);
                follow_world(&world, shallow, 0.4);
            }
        }
    }
}

/// Zero for a quadratic energy, the dissipation of a closing contact, and the gain of one that opens, which a force undoes.
#[test]
fn the_trapezoidal_rule_errs_where_contacts_open_and_close() {
    let (world, _) = heap(ContactLaw::Linear, 0.0, 0.0);
    let spring = bdem_core::model::NormalSpring { softening: 0.0, ..world.pair_normal_spring([0, 1]) };
    let h = 1e-3 * RADIUS;
    let k = 0.5 * spring.k * h * h;
    let of = |overlaps| spring.trapezoid_error(overlaps);
    assert_eq!(of([h, 3.0 * h])[1], 0.0);
    assert_near("closed", of([h, 3.0 * h])[0], 0.0, k);
    // given back by a force over the step, not accounted
    assert_near("closing", of([-h, h])[1] * 2.0 * h, -k, k);
    assert_near("opening", of([h, -h])[1] * -2.0 * h, k, k);
    assert_near("closing", of([-h, h])[0], -k, k);
    assert_near("opening", of([h, -h])[0], k, k);
}
