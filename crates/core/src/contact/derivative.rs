//! Derivatives of one contact in a step: the kernel of [`Contact`] over numbers with derivatives. For adjoints.

use crate::geometry::{Mat3, Quat, Vec3};
use crate::model::{Coefficients, Displacement, Gradient, KeptFace, NormalSpring, State, WallContact, WallStep, World};
use crate::simd::{Lanes, Tangent, vectors};

use super::evaluate::{Contact, Frictional, Response};
use super::lanes::{self, Turn};
use super::normal::StepDamping;
use super::springs::TangentialSpring;

/// Normal forces of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepLaw {
    /// None: forces of the springs at a state.
    Rest,
    /// Of an explicit step, with the corrections of its dashpots.
    Explicit,
    /// Of an implicit step, whose friction limits are those of its end.
    Implicit,
}

/// Contact of `N` particles in a step, i and j, or i and a wall, and all that its forces depend on.
#[derive(Clone, Debug)]
pub struct SingleContact<'a, const N: usize> {
    /// The particles.
    pub particles: [usize; N],
    /// Tangential spring at the start.
    pub from: TangentialSpring,
    law: StepLaw,
    states: [&'a State; 2],
    damping: StepDamping,
    spring: NormalSpring,
    mu: Coefficients,
    radii: [f64; N],
    surface: Surface,
}

/// Surface of the other in a contact.
#[derive(Clone, Debug)]
enum Surface {
    /// Of a sphere. Distance of first contact, m.
    Sphere { reach: f64 },
    /// Of a wall.
    Wall(Box<WallSurface>),
}

/// Surface of a wall near a sphere, to first order in its positions p_0 and p_1 at the start and at the end of a step.
#[derive(Clone, Copy, Debug)]
struct WallSurface {
    /// Index of the wall.
    wall: usize,
    /// Gaps, m, each with its derivative by its position.
    gaps: [f64; 2],
    by_place: [Vec3; 2],
    /// Unit normal to the wall, and its derivatives by both positions, 1/m.
    n: Vec3,
    turn: [Mat3; 2],
    /// Unit normal at the start, and its derivative by p_0. `None` for a contact that begins: it has that of the end.
    start: Option<(Vec3, Mat3)>,
    /// Displacement of the wall at the contact point, m, and its derivative by p_1.
    carried: Vec3,
    carried_by: Mat3,
}

/// Derivatives by the particles of a contact at the start and at the end of a step, and by its spring at the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactAdjoint<const N: usize> {
    /// At the start.
    pub before: [Gradient; N],
    /// At the end.
    pub after: [Gradient; N],
    /// By the spring's stretch.
    pub stretch: Vec3,
}

/// Direction of a derivative: displacements (m) and rotations of the particles at the start and at the end, and the stretch (m).
#[derive(Clone, Copy, Debug)]
struct Direction<const N: usize> {
    p: [[Vec3; 2]; N],
    q: [[Quat; 2]; N],
    stretch: Vec3,
}

impl<const N: usize> Direction<N> {
    const NONE: Self = Self {
        p: [[Vec3::new(0.0, 0.0, 0.0); 2]; N],
        q: [[Quat::new(0.0, 0.0, 0.0, 0.0); 2]; N],
        stretch: Vec3::new(0.0, 0.0, 0.0),
    };
}

impl<'a> SingleContact<'a, 2> {
    /// Contact of two particles between two states; `None` where they touch at neither.
    pub(super) fn pair(
        world: &World,
        law: StepLaw,
        states: [&'a State; 2],
        ends: [usize; 2],
        from: TangentialSpring,
    ) -> Option<Self> {
        let [i, j] = ends;
        let reach = world.reach(ends.map(|i| i as u32));
        let touches = |state: &&State| (state.p[j] - state.p[i]).norm_squared() < reach * reach;
        let contact = || Self {
            law,
            states,
            particles: ends,
            damping: StepDamping::new(world, states.map(|state| state.time)),
            spring: world.pair_normal_spring(ends.map(|i| i as u32)),
            mu: Coefficients::between(world, ends),
            radii: ends.map(|i| world.particles.radius[i]),
            surface: Surface::Sphere { reach },
            from,
        };
        states.iter().any(touches).then(contact)
    }
}

impl<'a> SingleContact<'a, 1> {
    /// Contacts of particle `i` with a `wall` between two states. Its centre was behind the faces `held`. `spring` chooses the
    /// spring at the start, by the normals (to the wall) of all contacts and the place of one among them.
    pub(super) fn on_wall(
        (world, law): (&World, StepLaw),
        states: [&'a State; 2],
        (i, k, wall): (usize, usize, &WallStep),
        held: &[KeptFace],
        spring: impl Fn(&[Vec3], usize) -> TangentialSpring,
    ) -> Vec<Self> {
        let (radius, ends) = (world.particles.contact_radius[i], states.map(|state| state.p[i]));
        let found = wall.contacts_in_step([&ends[0], &ends[1]], radius, held);
        let normals: Vec<Vec3> = found.iter().map(|contact| -contact.n).collect();
        let contact = |(place, contact): (usize, &WallContact)| Self {
            law,
            states,
            particles: [i],
            damping: StepDamping::new(world, states.map(|state| state.time)),
            spring: world.wall_normal_spring(i),
            mu: Coefficients::on_wall(world, i, k),
            radii: [world.particles.radius[i]],
            surface: Surface::Wall(Box::new(WallSurface::new(
                wall,
                k,
                (ends, radius),
                held,
                (contact, &spring(&normals, place)),
            ))),
            from: spring(&normals, place),
        };
        found.iter().enumerate().map(contact).collect()
    }
}

impl WallSurface {
    /// The surface at a `contact`, by central differences: the faces of composed shapes have no common formula.
    fn new(
        wall: &WallStep,
        k: usize,
        (ends, radius): ([Vec3; 2], f64),
        held: &[KeptFace],
        (contact, spring): (&WallContact, &TangentialSpring),
    ) -> Self {
        /// Displacement over the radius.
        const DIFFERENCE: f64 = 1e-5;
        /// Growth of the sphere, so that a displaced one still touches; over the radius.
        const MARGIN: f64 = 1e-3;
        let h = DIFFERENCE * radius;
        let near = |time: usize, axis: usize, by: f64| {
            let mut ends = ends;
            ends[time][axis] += by;
            let contacts = wall.contacts_in_step([&ends[0], &ends[1]], radius * (1.0 + MARGIN), held);
            let nearness = |other: &WallContact| other.n.dot(&contact.n);
            contacts.into_iter().max_by(|a, b| nearness(a).total_cmp(&nearness(b))).unwrap_or(*contact)
        };
        let (mut by_place, mut turn) = ([Vec3::zeros(); 2], [Mat3::zeros(); 2]);
        for (time, (by_place, turn)) in by_place.iter_mut().zip(&mut turn).enumerate() {
            for axis in 0..3 {
                let [low, high] = [-h, h].map(|by| near(time, axis, by));
                by_place[axis] = (high.gaps[time] - low.gaps[time]) / (2.0 * h);
                turn.set_column(axis, &((low.n - high.n) / (2.0 * h)));
            }
        }
        let normal_at_start = |axis: usize, by: f64| {
            let contacts = wall.start.contacts(&(ends[0] + Vec3::ith(axis, by)), radius * (1.0 + MARGIN), held);
            let normals = contacts.iter().map(|contact| -contact.n);
            normals.max_by(|a, b| a.dot(&spring.n).total_cmp(&b.dot(&spring.n))).unwrap_or(spring.n)
        };
        let start = (spring.n != Vec3::zeros()).then(|| {
            let column = |axis: usize| (normal_at_start(axis, h) - normal_at_start(axis, -h)) / (2.0 * h);
            (spring.n, Mat3::from_columns(&[0, 1, 2].map(column)))
        });
        let gap = if contact.gaps[1] < 0.0 { contact.gaps[1] } else { contact.gaps[0] };
        let at = ends[1] - contact.n * (radius + gap);
        let carried = wall.moved(&at);
        // a rigid motion is affine
        let column = |axis: usize| wall.moved(&(at + Vec3::ith(axis, 1.0))) - carried;
        let carried_by = Mat3::from_columns(&[0, 1, 2].map(column));
        let (gaps, n) = (contact.gaps, -contact.n);
        Self { wall: k, gaps, by_place, n, turn, start, carried, carried_by }
    }
}

impl<'a, const N: usize> SingleContact<'a, N> {
    /// The same in another world, whose particles and walls are at the same places.
    pub fn in_world(&self, world: &World) -> Self {
        let i = self.particles[0];
        let damping = StepDamping { zeta: world.contact_damping, ..self.damping };
        let contact = Self { damping, ..self.clone() };
        match &self.surface {
            Surface::Sphere { .. } => {
                let ends = [i, self.particles[N - 1]];
                let (spring, mu) =
                    (world.pair_normal_spring(ends.map(|i| i as u32)), Coefficients::between(world, ends));
                Self { spring, mu, ..contact }
            }
            Surface::Wall(surface) => {
                let (spring, mu) = (world.wall_normal_spring(i), Coefficients::on_wall(world, i, surface.wall));
                Self { spring, mu, ..contact }
            }
        }
    }

    /// Whether it has a tangential spring.
    pub fn rubs(&self) -> bool {
        self.mu.sticking > 0.0 || self.mu.sliding > 0.0
    }

    /// Index of the wall.
    pub fn wall(&self) -> Option<usize> {
        match &self.surface {
            Surface::Sphere { .. } => None,
            Surface::Wall(surface) => Some(surface.wall),
        }
    }

    /// Unit normal from i to the other at the end.
    pub fn normal(&self) -> Vec3 {
        self.contact::<f64>(&Direction::NONE).n[1].into()
    }

    /// Whether it opens or closes in the step, or begins or ends to slide.
    pub fn changes(&self) -> bool {
        let (contact, response) = self.evaluate::<f64>(&Direction::NONE);
        let [before, after] = contact.overlaps.map(|overlap| overlap > 0.0);
        before != after || before && self.from.slides != (response.slides & 1 == 1)
    }

    /// dV/dtheta of the particles, N m.
    pub fn torques(&self) -> [Vec3; N] {
        self.evaluate::<f64>(&Direction::NONE).1.torques.map(Vec3::from)
    }

    /// Sum of `y` times dV/dx, and of `by_stretch` times the tangential spring's stretch at the end.
    pub fn product(&self, y: [&Displacement; N], by_stretch: &Vec3) -> f64 {
        weighted(&self.evaluate::<f64>(&Direction::NONE).1, y, by_stretch)
    }

    /// Derivatives of [`Self::product`].
    pub fn adjoint(&self, y: [&Displacement; N], by_stretch: &Vec3) -> ContactAdjoint<N> {
        let along = |direction: &Direction<N>| {
            let response = self.evaluate::<Tangent<f64>>(direction).1;
            weighted(&response, y, by_stretch).tangent()
        };
        let mut by = [[Gradient::default(); N]; 2];
        let mut stretch = Vec3::zeros();
        for axis in 0..3 {
            let unit = Vec3::ith(axis, 1.0);
            for (time, by) in by.iter_mut().enumerate() {
                let mut direction = Direction::NONE;
                direction.p[0][time] = unit;
                by[0].p[axis] = along(&direction);
                let turned = if self.rubs() { N } else { 0 };
                for (k, by) in by.iter_mut().enumerate().take(turned) {
                    let mut direction = Direction::NONE;
                    let q = &self.states[time].q[self.particles[k]];
                    direction.q[k][time] = Quat::from_parts(0.0, unit * 0.5) * q;
                    by.theta[axis] = along(&direction);
                }
            }
            if self.rubs() {
                stretch[axis] = along(&Direction { stretch: unit, ..Direction::NONE });
            }
        }
        // forces depend on the distance of two spheres
        if N == 2 {
            by.iter_mut().for_each(|by| by[N - 1].p = -by[0].p);
        }
        let [before, after] = by;
        ContactAdjoint { before, after, stretch }
    }

    /// The contact, with derivatives along `direction` for lanes that have them, and its forces.
    fn evaluate<L: Lanes>(&self, direction: &Direction<N>) -> (Contact<L, N>, Response<L, N>) {
        let contact = self.contact::<L>(direction);
        let response = match self.law {
            StepLaw::Explicit => contact.evaluate::<true, true>(self.damping),
            StepLaw::Implicit => contact.in_implicit_step(self.damping),
            StepLaw::Rest => contact.in_implicit_step(StepDamping { zeta: 0.0, rate: 0.0 }),
        };
        (contact, response)
    }

    fn contact<L: Lanes>(&self, direction: &Direction<N>) -> Contact<L, N> {
        let (number, [before, after]) = (L::splat, self.states);
        let place = |k: usize, time: usize| {
            let p = &[before, after][time].p[self.particles[k]];
            vectors::<L>(&[*p, direction.p[k][time]], &[0])
        };
        let turn = |k: usize| {
            let i = self.particles[k];
            let [before, after] = [[before.q[i], direction.q[k][0]], [after.q[i], direction.q[k][1]]];
            Turn::load([&before, &after], &[0])
        };
        let moved = place(0, 1) - place(0, 0);
        let (n, overlaps, moved) = match &self.surface {
            Surface::Sphere { reach } => {
                let branch = [0, 1].map(|time| place(N - 1, time) - place(0, time));
                let [(n_0, l_0), (n, l)] = branch.map(lanes::direction);
                ([n_0, n], [number(*reach) - l_0, number(*reach) - l], moved - (place(N - 1, 1) - place(N - 1, 0)))
            }
            Surface::Wall(wall) => {
                let [d_0, d_1] = direction.p[0];
                let overlap = |time: usize, by: Vec3| {
                    vectors::<L>(&[-Vec3::x() * wall.gaps[time], -Vec3::x() * wall.by_place[time].dot(&by)], &[0]).x
                };
                let n = vectors::<L>(&[wall.n, wall.turn[0] * d_0 + wall.turn[1] * d_1], &[0]);
                let carried = vectors::<L>(&[wall.carried, wall.carried_by * d_1], &[0]);
                let n_0 = wall.start.map_or(n, |(n, turn)| vectors::<L>(&[n, turn * d_0], &[0]));
                ([n_0, n], [overlap(0, d_0), overlap(1, d_1)], moved - carried)
            }
        };
        let stretch = vectors::<L>(&[self.from.stretch, direction.stretch], &[0]);
        let mu = Coefficients { sticking: number(self.mu.sticking), sliding: number(self.mu.sliding) };
        let slid = number(f64::from(u8::from(self.from.slides)));
        let frictional = Frictional { radii: self.radii.map(number), mu, stretch, slid };
        let NormalSpring { law, k, size, softening, damping, tangential } = self.spring;
        let [k, size, softening, damping, tangential] = [k, size, softening, damping, tangential].map(number);
        let spring = NormalSpring { law, k, size, softening, damping, tangential };
        Contact { n, overlaps, moved, turns: std::array::from_fn(turn), spring, frictional }
    }
}

/// See [`SingleContact::product`].
fn weighted<L: Lanes, const N: usize>(response: &Response<L, N>, y: [&Displacement; N], by_stretch: &Vec3) -> L {
    let constant = |v: &Vec3| vectors::<L>(&[*v, Vec3::zeros()], &[0]);
    let apart = if N == 2 { y[0].translation - y[N - 1].translation } else { y[0].translation };
    let mut sum = response.force.dot(constant(&apart)) + response.stretch.dot(constant(by_stretch));
    for (torque, y) in response.torques.iter().zip(y) {
        sum += torque.dot(constant(&y.rotation));
    }
    sum
}
