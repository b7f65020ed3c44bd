//! Worlds with parameters, and losses.

use bdem_core::charge::{ExternalField, Method};
use bdem_core::geometry::packing::{self, Packed};
use bdem_core::geometry::shape::{HalfSpace, Shape};
use bdem_core::geometry::{Quat, Vec3};
use bdem_core::model::{
    Action, AxialSpring, Bond, BondModel, ChargeGroup, Constraint, Electrostatics, ExternalCharge, ImposedField,
    Material, Motion, Particles, Ramp, State, Wall, World, Wrench, damping_ratio,
};
use bdem_core::simulate::{IntegratorKind, SimulationSettings, StepSize};
use bdem_fit::run::Loss;
use bdem_fit::sweep::StateGradient;

/// Random numbers within -1 and 1.
pub(crate) struct Random(pub u64);

impl Random {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub(crate) fn vector(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next())
    }
}

/// Parameters of a random scene: a cloud of masses on springs, and a bonded bar.
#[derive(Clone, Debug)]
pub(crate) struct Theta {
    pub seed: u64,
    pub has_springs: bool,
    pub has_bar: bool,
    pub model: &'static BondModel,
    pub stiffness: f64,
    pub dashpot: f64,
    pub mass: f64,
    /// Of all charges, and of one more.
    pub charge: f64,
    pub one_charge: f64,
    pub external_charge: f64,
    pub external_place: f64,
    pub field: f64,
    pub swirl: f64,
    pub gravity: f64,
    pub velocity: f64,
    pub spin: f64,
    pub young_modulus: f64,
    pub shear_modulus: f64,
    pub density: f64,
    pub damping: f64,
    pub force: f64,
    pub torque: f64,
    /// Restitution of a floor that the bar lies on, free, and the floor's velocity upward, m/s.
    pub floor: Option<[f64; 2]>,
    /// Coefficient of friction.
    pub friction: f64,
    /// A wall, x (m) of the first of two spheres that touch it and each other, and restitution.
    pub balls: Option<(Shape, f64, f64)>,
}

impl Theta {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            seed,
            has_springs: true,
            has_bar: true,
            model: BondModel::QUATERNION,
            stiffness: 10.0,
            dashpot: 0.05,
            mass: 0.05,
            charge: 2e-6,
            one_charge: 3e-6,
            external_charge: -4e-6,
            external_place: 1.5,
            field: 2e4,
            swirl: 1e4,
            gravity: -9.81,
            velocity: 1.0,
            spin: 2.0,
            young_modulus: 1e5,
            shear_modulus: 4e4,
            density: 1000.0,
            damping: 0.05,
            force: 0.5,
            torque: 1e-2,
            floor: None,
            friction: 0.0,
            balls: None,
        }
    }
}

const RADIUS: f64 = 0.05;
const CLOUD: u32 = 7;

impl Theta {
    pub(crate) fn build(&self) -> (World, State) {
        let mut random = Random(self.seed);
        let (mut particles, mut bonds, mut state) = (Particles::default(), Vec::new(), State::default());
        let spring = AxialSpring { damping: self.dashpot, ..AxialSpring::elastic(self.stiffness) };
        let bar = Material {
            shear_modulus: self.shear_modulus,
            damping: self.damping,
            bond: self.model,
            friction: self.friction,
            static_friction: self.friction,
            ..Material::elastic("bar", self.density, self.young_modulus, 0.25)
        };
        if self.has_springs {
            self.add_cloud(&mut random, &spring, &mut particles, &mut bonds, &mut state);
        }
        let first = particles.len() as u32;
        if self.has_bar {
            add_bar(&bar, first, &mut particles, &mut bonds, &mut state);
        }
        if let Some((wall, x, _)) = &self.balls {
            state.p.extend([*x, *x - 1.96 * RADIUS].map(|x| resting(wall, x)));
            (0..2).for_each(|_| particles.push(RADIUS, bar.density, 1, 1));
        }
        for i in 0..state.p.len() {
            let place = &mut state.p[i];
            if i >= first as usize {
                *place += random.vector() * (0.01 * RADIUS);
            }
            state.q.push(Quat::identity());
            state.v.push(random.vector() * (0.3 * self.velocity));
            state.w.push(random.vector() * self.spin);
        }
        let mut world = World::new(vec![spring.material("spring", RADIUS, self.mass), bar], particles, bonds);
        world.gravity = Vec3::z() * self.gravity;
        if let Some([restitution, velocity]) = self.floor {
            let lowest = state.p.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
            let offset = lowest - RADIUS + 2e-3;
            let shape = Shape::HalfSpace(HalfSpace { normal: Vec3::z(), offset });
            let mut floor = Wall::new(shape);
            floor.motion = Motion::Velocity(Vec3::z() * velocity);
            world.walls = vec![floor];
            world.contact_damping = damping_ratio(restitution);
        } else if let Some((wall, _, restitution)) = &self.balls {
            world.walls = vec![Wall::new(wall.clone())];
            world.contact_damping = damping_ratio(*restitution);
            return (world, state);
        } else if self.has_bar {
            world.constraints = vec![
                Constraint::moved(vec![first, first + 1, first + 2], Motion::Fixed),
                Constraint {
                    times: 0.0..0.01,
                    ..Constraint::new(
                        vec![world.particles.len() as u32 - 1, world.particles.len() as u32 - 2],
                        Action::Load(Wrench {
                            force: Vec3::new(0.3, 1.0, -0.5) * self.force,
                            torque: Vec3::new(1.0, 0.2, -0.4) * self.torque,
                        }),
                    )
                },
            ];
            (first..first + 3)
                .for_each(|i| (state.v[i as usize], state.w[i as usize]) = (Vec3::zeros(), Vec3::zeros()));
        }
        self.charge(&mut world);
        (world, state)
    }

    fn add_cloud(
        &self,
        random: &mut Random,
        spring: &AxialSpring,
        particles: &mut Particles,
        bonds: &mut Vec<Bond>,
        state: &mut State,
    ) {
        for i in 0..CLOUD {
            let ring = f64::from(i) * 0.9;
            let place = Vec3::new(ring.cos(), ring.sin(), 0.3 * f64::from(i)) * 0.8;
            state.p.push(place + random.vector() * 0.1);
            particles.push_mass(RADIUS, self.mass, 0, 0);
            particles.remove_contacts(i as usize);
        }
        for i in 0..CLOUD {
            for j in (i + 1..CLOUD).filter(|j| j - i < 4) {
                let id = bonds.len() as u32;
                let rest = (state.p[j as usize] - state.p[i as usize]) * (1.0 + 0.2 * random.next());
                bonds.push(spring.bond(id, [i, j], rest, RADIUS));
            }
        }
    }

    fn charge(&self, world: &mut World) {
        let all: Vec<u32> = (0..world.particles.len() as u32).step_by(3).collect();
        let rest = all[1..].to_vec();
        let ramp = Ramp::through(vec![[0.0, self.charge], [0.02, 0.5 * self.charge]]).expect("keys");
        let mut electrostatics = Electrostatics::new(vec![
            ChargeGroup::uniform(all[..1].to_vec(), self.one_charge),
            ChargeGroup::keyed(rest, ramp),
        ]);
        electrostatics.method = Method::Exact;
        electrostatics.softening = 0.01;
        electrostatics.external_charges = vec![ExternalCharge {
            charge: Ramp::constant(self.external_charge),
            position: Vec3::new(self.external_place, 0.4, 0.1),
            motion: Motion::Velocity(Vec3::new(0.0, 1.0, 0.0)),
        }];
        let motion = Motion::Screw { point: Vec3::zeros(), axis: Vec3::y(), rate: 3.0, velocity: 0.1 };
        let imposed =
            |field, motion| ImposedField { field, factor: Ramp::default(), motion, times: 0.0..f64::INFINITY };
        electrostatics.external_fields = vec![
            imposed(ExternalField::Uniform { field: Vec3::new(1.0, -0.5, 0.2) * self.field }, motion),
            imposed(ExternalField::Vortex { strength: self.swirl, centre: Vec3::new(0.0, 0.0, -4.0) }, Motion::Fixed),
        ];
        world.electrostatics = electrostatics;
    }
}

/// Place at `x` (m) of a sphere that overlaps a wall below it by a fiftieth of its radius.
fn resting(wall: &Shape, x: f64) -> Vec3 {
    let gap = |z: f64| wall.distance(&Vec3::new(x, 0.0, z)) - 0.98 * RADIUS;
    let high = if gap(0.0) > 0.0 { 0.0 } else { 2.0 };
    let (mut low, mut high) = (high - 2.0, high);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if gap(middle) > 0.0 { high = middle } else { low = middle }
    }
    Vec3::new(x, 0.0, high)
}

fn add_bar(material: &Material, first: u32, particles: &mut Particles, bonds: &mut Vec<Bond>, state: &mut State) {
    let Packed { centres, radii, .. } =
        Packed::equal(packing::hexagonal(&Shape::Box { size: [0.55, 0.22, 0.22] }, RADIUS), RADIUS, 1e-6);
    let pairs = packing::touching_pairs(&centres, &radii, 1e-6);
    for &radius in &radii {
        particles.push(radius, material.density, 1, 1);
    }
    for [i, j] in pairs {
        let [a, b] = [i as usize, j as usize];
        let mass = [a, b].map(|i| particles.mass[first as usize + i]);
        let id = bonds.len() as u32;
        bonds.push(Bond::new(
            id,
            [first + i, first + j],
            centres[b] - centres[a],
            [radii[a], radii[b]],
            mass,
            material,
        ));
    }
    state.p.extend(centres.iter().map(|centre| centre + Vec3::new(3.0, 0.0, 0.0)));
}

/// Squares of distances to random places near the start, and of velocities and spins, over all frames. Far places would weigh the
/// solver's tolerance.
pub(crate) struct Places {
    seed: u64,
    start: Vec<Vec3>,
}

impl Places {
    pub(crate) fn new(theta: &Theta) -> Self {
        Self { seed: theta.seed, start: theta.build().1.p }
    }
}

impl Loss for Places {
    fn at(&self, frame: u32, world: &World, state: &State, mut by: Option<&mut StateGradient>) -> f64 {
        let mut random = Random(self.seed + u64::from(frame));
        let mut sum = 0.0;
        for i in 0..world.particles.len() {
            let off = state.p[i] - self.start[i] - random.vector() * 0.02;
            let speed = state.v[i] - random.vector() * 0.1;
            let spin = state.w[i] - random.vector();
            sum += off.norm_squared() + 1e-2 * speed.norm_squared() + 1e-4 * spin.norm_squared();
            if let Some(by) = &mut by {
                by.p[i] += off * 2.0;
                by.v[i] += speed * 2e-2;
                by.w[i] += spin * 2e-4;
            }
        }
        sum
    }
}

/// Steps (s) of each integrator, and steps a frame.
pub(crate) fn settings(kind: IntegratorKind) -> SimulationSettings {
    let (step, per_frame) = if kind.is_explicit() { (5e-4, 12.0) } else { (4e-3, 2.0) };
    SimulationSettings {
        integrator: kind,
        step: Some(StepSize::Seconds(step)),
        ..SimulationSettings::new(step * per_frame)
    }
}

pub(crate) const KINDS: [IntegratorKind; 3] =
    [IntegratorKind::ImplicitEuler, IntegratorKind::ImplicitBdf2, IntegratorKind::ExplicitVerlet];

/// Squares of the particles' distances from these places in every frame.
pub(crate) struct Still(pub Vec<Vec3>);

impl Loss for Still {
    fn at(&self, _: u32, _: &World, state: &State, mut by: Option<&mut StateGradient>) -> f64 {
        let mut sum = 0.0;
        for (i, place) in self.0.iter().enumerate() {
            let off = state.p[i] - place;
            sum += off.norm_squared();
            if let Some(by) = &mut by {
                by.p[i] += off * 2.0;
            }
        }
        sum
    }
}

/// A square sheet of `side` times `side` masses on springs along its edges and diagonals, that falls and is stirred.
pub(crate) fn sheet(side: u32) -> (World, State) {
    let mut random = Random(1);
    let spring = AxialSpring { damping: 0.01, ..AxialSpring::elastic(50.0) };
    let (mut particles, mut bonds, mut state) = (Particles::default(), Vec::new(), State::default());
    for i in 0..side * side {
        let (row, column) = (i / side, i % side);
        particles.push_mass(0.01, 0.01, 0, 0);
        particles.remove_contacts(i as usize);
        state.p.push(Vec3::new(f64::from(row), f64::from(column), 0.0) * 0.03);
        for (j, is_there) in [
            (i + 1, column + 1 < side),
            (i + side, row + 1 < side),
            (i + side + 1, column + 1 < side && row + 1 < side),
        ] {
            let place = Vec3::new(f64::from(j / side), f64::from(j % side), 0.0) * 0.03;
            if is_there {
                bonds.push(spring.bond(bonds.len() as u32, [i, j], place - state.p[i as usize], 0.01));
            }
        }
    }
    stirred(World::new(vec![spring.material("spring", 0.01, 0.01)], particles, bonds), state, &mut random)
}

/// A bonded block of about `side` cubed particles, that falls and is stirred.
pub(crate) fn block(side: u32) -> (World, State) {
    let radius = 0.01;
    let size = 2.0 * radius * f64::from(side);
    let centres = packing::hexagonal(&Shape::Box { size: [size, size, 0.3 * size] }, radius);
    let pairs = packing::touching_pairs(&centres, &vec![radius; centres.len()], 1e-6);
    let material = Material::elastic("block", 1000.0, 1e6, 0.25);
    let mut particles = Particles::default();
    centres.iter().for_each(|_| particles.push(radius, material.density, 0, 0));
    let mass = [particles.mass[0]; 2];
    let bond = |(id, &[i, j]): (usize, &[u32; 2])| {
        Bond::new(id as u32, [i, j], centres[j as usize] - centres[i as usize], [radius; 2], mass, &material)
    };
    let bonds = pairs.iter().enumerate().map(bond).collect();
    let state = State { p: centres.clone(), ..State::default() };
    stirred(World::new(vec![material], particles, bonds), state, &mut Random(2))
}

fn stirred(mut world: World, mut state: State, random: &mut Random) -> (World, State) {
    world.gravity = Vec3::z() * -9.81;
    for _ in 0..state.p.len() {
        state.q.push(Quat::identity());
        state.v.push(random.vector() * 0.1);
        state.w.push(random.vector());
    }
    (world, state)
}
