use crate::geometry::{Mat3, Quat, Vec3, rotation};
use crate::model::{Particles, State, Wrench};

/// A piece as a rigid body.
#[derive(Clone, Debug)]
pub struct Body {
    /// How many particles it has.
    members: usize,
    /// kg.
    mass: f64,
    /// The inverse of its moment of inertia about its centre when the step began, 1/(kg m2).
    inverse: Mat3,
    /// Distance of its farthest particle from its centre, m.
    reach: f64,
    /// Its centre when the step began, m.
    from: Vec3,
    /// Its centre (m), and how it has turned since the step began.
    pub centre: Vec3,
    turn: Quat,
    /// m/s.
    pub velocity: Vec3,
    /// Angular momentum about the centre, kg m2/s, of all but single particles, and the spin that belongs to it, rad/s.
    momentum: Vec3,
    pub spin: Vec3,
    /// What contacts do to it, about its centre.
    pub push: Wrench,
    /// The sum of the sizes of the forces that load it, N, and what that is at most while it rests.
    load: f64,
    pub bearable: f64,
    /// Whether anything may touch it.
    pub is_linked: bool,
    /// Radius of its largest particle, m.
    radius: f64,
    /// By how much contacts have changed the speed of its particles since it set off (m/s), and how far that may have led them off (m).
    struck: f64,
    off: f64,
    /// Of a single particle: where it would be (m) if nothing had touched it since, and at which velocity (m/s), when that was looked at
    /// last; and how far it was off when it was made, m.
    foreseen: Vec3,
    unstruck: Vec3,
    off_before: f64,
    /// Whether it was made on the way of others that were foreseen, which did not turn: how it turns leads it off that way then.
    turns_off: bool,
    /// How far the ways of its particles bend in its flight, m.
    bend: f64,
    /// Whether it goes by short steps, and is in the middle of one.
    pub is_moving: bool,
    pub is_half_way: bool,
    /// How fast the velocities of its particles may change as it turns, m/s2.
    pub curve: f64,
    /// The same as `struck` and `off` for a block of short steps: when that began, and since.
    struck_before: f64,
    swerve: f64,
    /// Whether it is a particle that no bond holds; the velocity (m/s) and the way (m) that this has gained by contacts in a block.
    pub is_loose: bool,
    gained: Vec3,
    veer: Vec3,
}

/// How far contacts may lead a piece off its foreseen way in its flight, a particle off its own, and either in a block of short steps:
/// in radii.
const SLACK: f64 = 1.0;
const SLACK_OF_ONE: f64 = 0.25;
const LEEWAY: f64 = 0.02;

impl Body {
    /// Of the particles `ids`, with their momentum and angular momentum.
    pub fn new(ids: &[u32], particles: &Particles, state: &State) -> Self {
        let of = || ids.iter().map(|&i| i as usize);
        let mass: f64 = of().map(|i| particles.mass[i]).sum();
        let mean = |x: &[Vec3]| of().map(|i| x[i] * particles.mass[i]).sum::<Vec3>() / mass;
        let (from, velocity) = (mean(&state.p), mean(&state.v));
        let (mut moment, mut momentum, mut reach) = (Mat3::zeros(), Vec3::zeros(), 0.0);
        for i in of() {
            let (m, j, arm) = (particles.mass[i], particles.inertia[i], state.p[i] - from);
            moment += (Mat3::identity() * arm.norm_squared() - arm * arm.transpose()) * m + Mat3::identity() * j;
            momentum += arm.cross(&state.v[i]) * m + state.w[i] * j;
            reach = f64::max(reach, arm.norm_squared());
        }
        let inverse = moment.try_inverse().expect("spheres have inertia about every axis");
        Self {
            members: ids.len(),
            mass,
            inverse,
            reach: reach.sqrt(),
            from,
            centre: from,
            turn: Quat::identity(),
            velocity,
            momentum,
            spin: inverse * momentum,
            push: Wrench::default(),
            load: 0.0,
            bearable: f64::INFINITY,
            is_linked: false,
            radius: of().map(|i| particles.radius[i]).fold(0.0, f64::max),
            struck: 0.0,
            off: 0.0,
            foreseen: from,
            unstruck: velocity,
            off_before: 0.0,
            turns_off: false,
            bend: 0.0,
            is_moving: false,
            is_half_way: false,
            curve: 0.0,
            struck_before: 0.0,
            swerve: 0.0,
            is_loose: false,
            gained: Vec3::zeros(),
            veer: Vec3::zeros(),
        }
    }

    /// It is made on a way that others were foreseen to go, and are `off` by so far, m. What it takes the place of may be within a step.
    pub fn begin_on_the_way(&mut self, off: f64, is_half_way: bool) {
        (self.off, self.off_before, self.turns_off) = (off, off, true);
        (self.is_linked, self.is_moving, self.is_half_way) = (true, true, is_half_way);
    }

    /// How far, m, contacts may have led it off its foreseen way.
    pub fn off(&self) -> f64 {
        self.off
    }

    /// Its particles move by themselves from now on.
    pub fn dissolve(&mut self) {
        self.unload();
        (self.is_linked, self.is_moving, self.is_half_way) = (false, false, false);
        (self.velocity, self.momentum, self.spin) = (Vec3::zeros(), Vec3::zeros(), Vec3::zeros());
    }

    fn is_single(&self) -> bool {
        self.members == 1
    }

    /// What its contacts may do in sum, N, for that a free beam with its moments of inertia bears no more than a `stress` (Pa): a force F
    /// at its end, which nothing but its inertia resists, bends it most, by 4/27 F a, sigma = 8/9 F a/(b c^2) for edges a > b > c.
    /// Forces in its middle that others at its ends resist bend it by 1/8 of a times the sum of all.
    pub fn bending_load(&self, stress: f64) -> f64 {
        if self.is_single() {
            return f64::INFINITY;
        }
        let mut moments: [f64; 3] = self.inverse.symmetric_eigenvalues().map(f64::recip).into();
        moments.sort_by(f64::total_cmp);
        let sum: f64 = moments.iter().sum();
        let [a, b, c] = moments.map(|moment| (6.0 / self.mass * (sum - 2.0 * moment)).max(0.0).sqrt());
        stress * 9.0 * b * c * c / (8.0 * a)
    }

    /// Its kinetic energy as a rigid body, J.
    pub fn kinetic_energy(&self) -> f64 {
        0.5 * (self.mass * self.velocity.norm_squared() + self.momentum.dot(&self.spin))
    }

    /// The greatest spin that it may come to as it flies, rad/s: w^2 <= 2 E/I with the least I, for E = 1/2 L.w stays.
    fn greatest_spin(&self) -> f64 {
        (self.momentum.dot(&self.spin) * self.inverse.norm()).max(0.0).sqrt()
    }

    /// Flight, s, in which the ways of its particles bend so little that straight ones can be taken for them.
    pub fn longest_flight(&self) -> f64 {
        /// How far a way may bend, in radii.
        const BEND: f64 = 3.0;
        let most = BEND * self.radius;
        if 2.0 * self.reach <= most { f64::INFINITY } else { (8.0 * most / self.reach).sqrt() / self.greatest_spin() }
    }

    /// Sets off on a flight of `dt` (s) that contacts may lead off its way.
    pub fn set_off(&mut self, dt: f64) {
        // the sagitta of an arc, whose ends are no further apart than its circle is wide
        let turn = self.greatest_spin() * dt;
        (self.bend, self.struck, self.off) = (self.reach * (turn * turn / 8.0).min(2.0), 0.0, 0.0);
        (self.foreseen, self.unstruck) = (self.centre, self.velocity);
        (self.off_before, self.turns_off) = (0.0, false);
    }

    /// How far, m, its particles may come off their straight ways while it [is not off](Self::is_off).
    pub fn clearance(&self) -> f64 {
        self.bend + self.slack()
    }

    /// Whether contacts have led it so far off its way that others may come near than those that were foreseen.
    pub fn is_off(&self) -> bool {
        self.off > self.slack()
    }

    fn slack(&self) -> f64 {
        self.radius * if self.is_single() { SLACK_OF_ONE } else { SLACK }
    }

    /// A block of short steps begins.
    pub fn begin_block(&mut self) {
        self.curve = if self.is_single() { 0.0 } else { self.greatest_spin().powi(2) * self.reach };
        (self.struck_before, self.swerve) = (self.struck, 0.0);
        (self.gained, self.veer) = (Vec3::zeros(), Vec3::zeros());
    }

    /// So long (s) after it was looked at last, finds how far a single particle is off its way: bonds push it to and fro.
    pub fn look(&mut self, gravity: &Vec3, elapsed: f64) {
        if self.is_single() {
            self.foreseen += self.unstruck * elapsed + gravity * (0.5 * elapsed * elapsed);
            self.unstruck += gravity * elapsed;
            self.off = self.off_before + (self.centre - self.foreseen).norm();
        }
    }

    /// How far, m, contacts may lead it off its way in a block.
    pub fn leeway(&self) -> f64 {
        LEEWAY * self.radius
    }

    /// Whether they have led it further, so that another block must begin. What a particle of an awake piece does in one is less: its
    /// bonds hold it.
    pub fn has_swerved(&self) -> bool {
        self.swerve > self.leeway()
    }

    /// Half of a step's kick: by its contacts for `dt` (s), and by `gravity`.
    pub fn kick(&mut self, gravity: &Vec3, dt: f64) {
        self.velocity += gravity * dt;
        if self.push != Wrench::default() {
            let by = self.push.force * (dt / self.mass);
            self.velocity += by;
            self.gained += by;
            self.twist(&(self.push.torque * dt));
            self.struck += if self.is_single() { 0.0 } else { by.norm() };
        }
    }

    /// The work (J) of what [`Self::kick`] does in `dt` (s), at the velocities as they are.
    pub fn kicked(&self, gravity: &Vec3, dt: f64) -> f64 {
        ((self.push.force + gravity * self.mass).dot(&self.velocity) + self.push.torque.dot(&self.spin)) * dt
    }

    /// The spin I^-1 L where it is turned like this, rad/s.
    fn spin_at(&self, turn: &Quat) -> Vec3 {
        let seen = rotation::rotate(&turn.conjugate(), &self.momentum);
        rotation::rotate(turn, &(self.inverse * seen))
    }

    /// Moves and turns it over `dt` (s), by the spin in the middle.
    pub fn drift(&mut self, dt: f64) {
        self.centre += self.velocity * dt;
        if self.is_loose {
            self.veer += self.gained * dt;
            self.swerve = self.veer.norm();
        }
        if self.is_single() {
            self.turn = rotation::turn_by(&self.turn, &rotation::exp(&(self.spin * (0.5 * dt))));
        } else {
            self.struck += if self.turns_off { self.curve * dt } else { 0.0 };
            self.off += self.struck * dt;
            self.swerve += (self.struck - self.struck_before) * dt;
            let spin = self.spin_at(&rotation::turn_by(&self.turn, &rotation::exp(&(self.spin * (0.25 * dt)))));
            self.turn = rotation::turn_by(&self.turn, &rotation::exp(&(spin * (0.5 * dt))));
            self.spin = self.spin_at(&self.turn);
        }
    }

    /// Flies for `dt` (s) where nothing touches it.
    pub fn fly(&mut self, gravity: &Vec3, dt: f64) {
        /// Turn of a step, rad.
        const TURN: f64 = 0.02;
        let turn = self.spin.norm() * dt;
        let steps = if self.is_single() { 1.0 } else { (turn / TURN).ceil().max(1.0) };
        let step = dt / steps;
        for _ in 0..steps as u32 {
            self.kick(gravity, 0.5 * step);
            self.drift(step);
            self.kick(gravity, 0.5 * step);
        }
    }

    /// Where a particle of it is that was at `p` (m) when the step began.
    #[inline]
    pub fn place(&self, p: &Vec3) -> Vec3 {
        if self.is_single() { self.centre } else { self.centre + rotation::rotate(&self.turn, &(p - self.from)) }
    }

    /// How a particle of it is turned that was turned by `q`.
    #[inline]
    pub fn turned(&self, q: &Quat) -> Quat {
        rotation::turn_by(q, &self.turn)
    }

    /// How it has turned since the step began.
    pub fn rotation(&self) -> &Quat {
        &self.turn
    }

    /// Its velocity at `p`, m/s.
    #[inline]
    pub fn velocity_at(&self, p: &Vec3) -> Vec3 {
        self.velocity + self.spin.cross(&(p - self.centre))
    }

    /// The change of velocity (m/s) along the unit vector `n` that an impulse of 1 N s along it makes of its point at `p` (m).
    pub fn give(&self, p: &Vec3, n: &Vec3) -> f64 {
        if self.is_single() {
            return 1.0 / self.mass;
        }
        let lever = (p - self.centre).cross(n);
        let seen = rotation::rotate(&self.turn.conjugate(), &lever);
        1.0 / self.mass + seen.dot(&(self.inverse * seen))
    }

    /// An `impulse` (N s) at `p` (m).
    pub fn strike(&mut self, p: &Vec3, impulse: &Vec3) {
        self.velocity += impulse / self.mass;
        self.gained += impulse / self.mass;
        if !self.is_single() {
            let lever = (p - self.centre).cross(impulse);
            self.momentum += lever;
            self.struck += impulse.norm() / self.mass + lever.norm() * self.inverse.norm() * self.reach;
            self.spin = self.spin_at(&self.turn);
        }
    }

    /// The change of spin (rad/s) about the unit vector `axis` that an angular impulse of 1 N m s about it makes.
    pub fn give_spin(&self, axis: &Vec3) -> f64 {
        if self.is_single() {
            return self.inverse.m11;
        }
        let seen = rotation::rotate(&self.turn.conjugate(), axis);
        seen.dot(&(self.inverse * seen))
    }

    /// An angular `impulse`, N m s.
    pub fn twist(&mut self, impulse: &Vec3) {
        if self.is_single() {
            self.spin += impulse * self.inverse.m11;
        } else {
            self.momentum += impulse;
            self.struck += impulse.norm() * self.inverse.norm() * self.reach;
            self.spin = self.spin_at(&self.turn);
        }
    }

    /// Nothing touches it.
    pub fn unload(&mut self) {
        (self.push, self.load) = (Wrench::default(), 0.0);
    }

    /// The energy slope of a particle of it at `p` (m) pushes it.
    #[inline]
    pub fn take(&mut self, p: &Vec3, slope: &Wrench) {
        self.push.force -= slope.force;
        self.push.torque -= slope.torque + (p - self.centre).cross(&slope.force);
    }

    /// Another `force` (N) loads it. Says whether it bears that.
    #[inline]
    pub fn bears(&mut self, force: f64) -> bool {
        self.load += force;
        // a NaN shows at the end of the step
        self.load <= self.bearable || self.load.is_nan()
    }
}
