use crate::geometry::{Mat3, Quat, Vec3, rotation};
use crate::model::{Particles, State, Wrench};

/// A piece as a rigid body.
#[derive(Clone, Debug)]
pub struct Body {
    /// How many particles it has.
    members: usize,
    /// kg.
    mass: f64,
    /// Its moment of inertia about its centre when the step began, and the inverse: kg m2.
    moment: Mat3,
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
    /// Angular momentum about the centre, kg m2/s, and the spin that belongs to it, rad/s.
    momentum: Vec3,
    pub spin: Vec3,
    /// What contacts do to it, about its centre.
    pub push: Wrench,
    /// The sum of the sizes of its contacts' forces, N, and what that is at most while it rests.
    load: f64,
    pub bearable: f64,
    /// Whether anything may touch it.
    pub is_linked: bool,
    /// Radius of its largest particle, m.
    radius: f64,
    /// By how much contacts have changed the speed of its particles since it set off (m/s), and how far that may have led them off (m).
    struck: f64,
    off: f64,
    /// How far the ways of its particles bend in its flight, m.
    bend: f64,
}

/// How far contacts may lead a piece off its foreseen way, in radii.
const SLACK: f64 = 0.25;

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
            moment,
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
            bend: 0.0,
        }
    }

    /// One of its particles as a body of its own.
    pub fn part(&self, i: usize, particles: &Particles, p: &Vec3, [v, w]: [&Vec3; 2]) -> Self {
        let (mass, inertia) = (particles.mass[i], particles.inertia[i]);
        Self {
            members: 1,
            mass,
            moment: Mat3::identity() * inertia,
            inverse: Mat3::identity() / inertia,
            reach: 0.0,
            from: *p,
            centre: *p,
            turn: self.turn,
            velocity: *v,
            momentum: w * inertia,
            spin: *w,
            push: Wrench::default(),
            load: 0.0,
            bearable: f64::INFINITY,
            is_linked: true,
            radius: particles.radius[i],
            struck: 0.0,
            off: 0.0,
            bend: 0.0,
        }
    }

    /// Its particles move by themselves from now on.
    pub fn dissolve(&mut self) {
        self.unload();
        (self.is_linked, self.velocity, self.momentum, self.spin) =
            (false, Vec3::zeros(), Vec3::zeros(), Vec3::zeros());
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
        let mut moments: [f64; 3] = self.moment.symmetric_eigenvalues().into();
        moments.sort_by(f64::total_cmp);
        let sum: f64 = moments.iter().sum();
        let [a, b, c] = moments.map(|moment| (6.0 / self.mass * (sum - 2.0 * moment)).max(0.0).sqrt());
        stress * 9.0 * b * c * c / (8.0 * a)
    }

    /// Its kinetic energy as a rigid body, J.
    pub fn kinetic_energy(&self) -> f64 {
        0.5 * (self.mass * self.velocity.norm_squared() + self.momentum.dot(&self.spin))
    }

    /// The greatest spin that it may come to as it flies, rad/s.
    fn greatest_spin(&self) -> f64 {
        self.momentum.norm() * self.inverse.norm()
    }

    /// Flight, s, in which the ways of its particles bend so little that straight ones can be taken for them.
    pub fn longest_flight(&self) -> f64 {
        /// How far a way may bend, in radii.
        const BEND: f64 = 1.5;
        let most = BEND * self.radius;
        if 2.0 * self.reach <= most { f64::INFINITY } else { (8.0 * most / self.reach).sqrt() / self.greatest_spin() }
    }

    /// Sets off on a flight of `dt` (s) that contacts may lead off its way.
    pub fn set_off(&mut self, dt: f64) {
        // the sagitta of an arc, whose ends are no further apart than its circle is wide
        let turn = self.greatest_spin() * dt;
        (self.bend, self.struck, self.off) = (self.reach * (turn * turn / 8.0).min(2.0), 0.0, 0.0);
    }

    /// How far, m, its particles may come off their straight ways while it [is not off](Self::is_off).
    pub fn clearance(&self) -> f64 {
        self.bend + SLACK * self.radius
    }

    /// Whether contacts have led it so far off its way that others may come near than those that were foreseen.
    pub fn is_off(&self) -> bool {
        self.off > SLACK * self.radius
    }

    /// Half of a step's kick: by its contacts for `dt` (s), and by `gravity`.
    pub fn kick(&mut self, gravity: &Vec3, dt: f64) {
        self.velocity += gravity * dt;
        if self.load > 0.0 {
            self.strike(&self.centre.clone(), &(self.push.force * dt));
            self.twist(&(self.push.torque * dt));
        }
    }

    /// The spin I^-1 L where it is turned like this, rad/s.
    fn spin_at(&self, turn: &Quat) -> Vec3 {
        if self.is_single() {
            return self.momentum * self.inverse.m11;
        }
        let seen = rotation::rotate(&turn.conjugate(), &self.momentum);
        rotation::rotate(turn, &(self.inverse * seen))
    }

    /// Moves and turns it over `dt` (s), by the spin in the middle.
    pub fn drift(&mut self, dt: f64) {
        self.centre += self.velocity * dt;
        self.off += self.struck * dt;
        let mut spin = self.spin;
        if !self.is_single() {
            spin = self.spin_at(&rotation::turn_by(&self.turn, &rotation::exp(&(spin * (0.25 * dt)))));
        }
        self.turn = rotation::turn_by(&self.turn, &rotation::exp(&(spin * (0.5 * dt))));
        self.spin = self.spin_at(&self.turn);
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
        let lever = (p - self.centre).cross(n);
        let seen = rotation::rotate(&self.turn.conjugate(), &lever);
        1.0 / self.mass + seen.dot(&(self.inverse * seen))
    }

    /// An `impulse` (N s) at `p` (m).
    pub fn strike(&mut self, p: &Vec3, impulse: &Vec3) {
        let lever = (p - self.centre).cross(impulse);
        self.velocity += impulse / self.mass;
        self.momentum += lever;
        self.struck += impulse.norm() / self.mass + lever.norm() * self.inverse.norm() * self.reach;
        self.spin = self.spin_at(&self.turn);
    }

    /// The change of spin (rad/s) about the unit vector `axis` that an angular impulse of 1 N m s about it makes.
    pub fn give_spin(&self, axis: &Vec3) -> f64 {
        let seen = rotation::rotate(&self.turn.conjugate(), axis);
        seen.dot(&(self.inverse * seen))
    }

    /// An angular `impulse`, N m s.
    pub fn twist(&mut self, impulse: &Vec3) {
        self.momentum += impulse;
        self.struck += impulse.norm() * self.inverse.norm() * self.reach;
        self.spin = self.spin_at(&self.turn);
    }

    /// Nothing touches it.
    pub fn unload(&mut self) {
        (self.push, self.load) = (Wrench::default(), 0.0);
    }

    /// The energy slope of a particle of it at `p` (m) pushes it. Says whether it bears that.
    #[inline]
    pub fn take(&mut self, p: &Vec3, slope: &Wrench) -> bool {
        self.push.force -= slope.force;
        self.push.torque -= slope.torque + (p - self.centre).cross(&slope.force);
        self.load += slope.force.norm();
        // a NaN shows at the end of the step
        self.load <= self.bearable || self.load.is_nan()
    }
}
