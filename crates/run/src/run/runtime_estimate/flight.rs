mod strikes;

use std::ops::Range;

use bdem_core::fracture::Pieces;
use bdem_core::geometry::{Pose, Vec3, rotation};
use bdem_core::model::{Collider, Constraint, Motion, State, World};

pub use strikes::{ImpactOutcome, Strike};

/// Ballistic prediction of a scene up to its first contact, without steps. Free bodies fly, and held ones follow their motion.
pub struct Flight<'a> {
    world: &'a World,
    start: &'a State,
    flyers: Vec<Flyer>,
}

/// Body, or several that are glued, in free flight.
struct Flyer {
    particles: Vec<usize>,
    /// Centre of mass at the start, m.
    centre: Vec3,
    /// Velocity of the centre at the start, m/s.
    velocity: Vec3,
    /// rad/s.
    spin: Vec3,
    /// m/s2.
    gravity: Vec3,
    /// Prescribed motion of it, or of a part.
    held: Option<Motion>,
    /// Corners of the axis-aligned box around its spheres at the start, m.
    around: [Vec3; 2],
    /// Radius of a sphere about its centre that contains it, m.
    reach: f64,
    clusters: Vec<Cluster>,
}

/// Consecutive particles of a flyer, which are near each other in a lattice.
struct Cluster {
    /// In [`Flyer::particles`].
    particles: Range<usize>,
    /// Sphere around theirs at the start, m.
    centre: Vec3,
    radius: f64,
}

/// Minimum number of search steps: a prescribed motion may be slow now and fast later.
const MIN_SEARCH_STEPS: f64 = 64.0;

/// Number of search steps with accuracy to rounding. After these, two bodies pass at a small gap, and a tenth of a radius
/// suffices.
const EXACT_STEPS: usize = 200;

/// Gap of a contact, over the minimum radius.
const CONTACT_GAP: f64 = 1e-6;

impl<'a> Flight<'a> {
    /// Flight of `world` from `start`.
    pub fn new(world: &'a World, start: &'a State) -> Self {
        let bonds = world.whole_bonds().map(|bond| [bond.i, bond.j]);
        let body = &world.particles.body;
        let in_row = (1..start.len() as u32).filter(|&i| body[i as usize] == body[i as usize - 1]).map(|i| [i - 1, i]);
        let of_particle = Pieces::new(start.len(), bonds.chain(in_row)).of_particle;
        let mut members = vec![Vec::new(); start.len()];
        of_particle.iter().enumerate().for_each(|(i, &flyer)| members[flyer as usize].push(i));
        let flyers = members.into_iter().filter(|m| !m.is_empty()).map(|m| Flyer::new(m, world, start)).collect();
        Self { world, start, flyers }
    }

    /// End of the flight (s), if it is before `until` (s): the first contact, or the first constraint that begins to act.
    /// Bodies are represented by boxes, which may meet before the bodies do.
    pub fn end(&self, until: f64) -> Option<f64> {
        let end = self.first_touch(until).map_or(self.constrained_from(), |touch| touch.min(self.constrained_from()));
        (end < until).then_some(end)
    }

    /// Time (s) of the first load, or of the first constraint that begins after the start; infinite without one. Charges act
    /// from the start.
    fn constrained_from(&self) -> f64 {
        if !self.world.electrostatics.is_empty() {
            return self.start.time;
        }
        let constraint = |c: &&Constraint| c.motion().is_none() || c.times.start > self.start.time;
        let times = self.world.constraints.iter().filter(constraint).map(|c| c.times.start.max(self.start.time));
        times.fold(f64::INFINITY, f64::min)
    }

    /// State at `time` (s), if there is no contact before.
    pub fn at(&self, time: f64) -> State {
        let mut state = self.start.clone();
        state.time = time;
        self.flyers.iter().for_each(|flyer| flyer.carry(self.start, &mut state));
        state
    }

    fn first_touch(&self, until: f64) -> Option<f64> {
        let least = self.world.particles.radius.iter().copied().fold(f64::INFINITY, f64::min);
        let search = Search { from: self.start.time, until, least };
        let mut first: Option<f64> = None;
        for (index, flyer) in self.flyers.iter().enumerate() {
            for wall in self.world.colliders.iter().filter(|wall| flyer.held.is_none() || wall.motion != Motion::Fixed)
            {
                let search = search.before(first);
                first = search.touch(&|t| self.to_wall(flyer, wall, t), flyer.gravity.norm()).or(first);
            }
            for other in self.flyers[index + 1..].iter().filter(|other| flyer.held.is_none() || other.held.is_none()) {
                let search = search.before(first);
                let pull = (flyer.gravity - other.gravity).norm();
                first = search.touch(&|t| self.between(flyer, other, t), pull).or(first);
            }
        }
        first
    }

    /// Gap (m) between a flyer and a wall at `time` (s), and a bound on its closing speed, m/s.
    fn to_wall(&self, flyer: &Flyer, wall: &Collider, time: f64) -> [f64; 2] {
        let pose = flyer.pose(self.start.time, time);
        let placed = wall.at(time);
        let gap = |&i: &usize| placed.distance(&pose.apply(&self.start.p[i])) - self.world.particles.contact_radius[i];
        // no distance changes faster than the point moves
        let bound = |cluster: &Cluster| placed.distance(&pose.apply(&cluster.centre)) - cluster.radius;
        let mut nearest: Vec<_> = flyer.clusters.iter().map(|cluster| (bound(cluster), cluster)).collect();
        nearest.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut least = f64::INFINITY;
        for (bound, cluster) in nearest {
            if bound > least {
                break;
            }
            least = flyer.particles[cluster.particles.clone()].iter().map(gap).fold(least, f64::min);
        }
        let twist = wall.motion.twist(time);
        let at = pose.apply(&flyer.centre);
        let speed = (flyer.velocity_at(self.start.time, time) - twist.at(&at)).norm()
            + (flyer.turning(time) + twist.spin.norm()) * flyer.reach;
        [least, speed]
    }

    /// Gap (m) between the boxes of two flyers at `time` (s), and a bound on its closing speed, m/s.
    fn between(&self, a: &Flyer, b: &Flyer, time: f64) -> [f64; 2] {
        let start = self.start.time;
        let ([a_low, a_high], [b_low, b_high]) = (a.box_at(start, time), b.box_at(start, time));
        let gap = (a_low - b_high).sup(&(b_low - a_high));
        let apart = if gap.max() > 0.0 { gap.sup(&Vec3::zeros()).norm() } else { gap.max() };
        let speed = (a.velocity_at(start, time) - b.velocity_at(start, time)).norm();
        [apart, speed + a.turning(time) * a.reach + b.turning(time) * b.reach]
    }
}

impl Flyer {
    fn new(particles: Vec<usize>, world: &World, start: &State) -> Self {
        let mass = &world.particles.mass;
        let total: f64 = particles.iter().map(|&i| mass[i]).sum();
        let mean = |of: &[Vec3]| particles.iter().map(|&i| of[i] * mass[i]).sum::<Vec3>() / total;
        let (centre, velocity, spin) = (mean(&start.p), mean(&start.v), mean(&start.w));
        let held = holding(&particles, world, start.time);
        let mut around = [Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY)];
        let mut reach = 0.0_f64;
        for &i in &particles {
            let (p, radius) = (start.p[i], world.particles.contact_radius[i]);
            around = [around[0].inf(&p.add_scalar(-radius)), around[1].sup(&p.add_scalar(radius))];
            reach = reach.max((p - centre).norm() + radius);
        }
        let gravity = if held.is_some() { Vec3::zeros() } else { world.gravity };
        let starts = (0..particles.len()).step_by(Cluster::LEN);
        let clusters = starts.map(|first| Cluster::new(first, &particles, world, start)).collect();
        Self { particles, centre, velocity, spin, gravity, held, around, reach, clusters }
    }

    /// Motion from `start` to `time` (s).
    fn pose(&self, start: f64, time: f64) -> Pose {
        if let Some(motion) = &self.held {
            return motion.pose(time).after(&motion.pose(start));
        }
        let since = time - start;
        let turned = Pose::about(&self.centre, rotation::exp(&(self.spin * (0.5 * since))));
        Pose { shift: turned.shift + self.velocity * since + self.gravity * (0.5 * since * since), ..turned }
    }

    /// Velocity of its centre, m/s.
    fn velocity_at(&self, start: f64, time: f64) -> Vec3 {
        match &self.held {
            Some(motion) => motion.twist(time).at(&self.pose(start, time).apply(&self.centre)),
            None => self.velocity + self.gravity * (time - start),
        }
    }

    /// Angular speed, rad/s.
    fn turning(&self, time: f64) -> f64 {
        self.held.as_ref().map_or(self.spin, |motion| motion.twist(time).spin).norm()
    }

    /// Corners of an axis-aligned box that contains it, m. The smallest one if it does not rotate.
    fn box_at(&self, start: f64, time: f64) -> [Vec3; 2] {
        let pose = self.pose(start, time);
        if self.turning(time) == 0.0 && pose.turn.imag().norm() == 0.0 {
            return self.around.map(|corner| corner + pose.shift);
        }
        let centre = pose.apply(&self.centre);
        [-self.reach, self.reach].map(|reach| centre.add_scalar(reach))
    }

    /// Moves its particles to the time of `state`.
    fn carry(&self, start: &State, state: &mut State) {
        let pose = self.pose(start.time, state.time);
        let velocity = self.velocity_at(start.time, state.time);
        for &i in &self.particles {
            state.p[i] = pose.apply(&start.p[i]);
            state.q[i] = pose.turn * start.q[i];
            // only the held part is known to follow the motion; the rest is assumed to
            state.v[i] = velocity + pose.rotate(&(start.v[i] - self.velocity));
        }
    }
}

impl Cluster {
    /// Number of particles, some rows of a lattice.
    const LEN: usize = 64;

    /// Cluster of the `particles` of a flyer from the one at `first` on.
    fn new(first: usize, particles: &[usize], world: &World, start: &State) -> Self {
        /// Factor on its radius, so that rounding leaves no particle outside.
        const ROUNDING: f64 = 1.0 + 1e-9;
        let range = first..(first + Self::LEN).min(particles.len());
        let mine = &particles[range.clone()];
        let centre = mine.iter().map(|&i| start.p[i]).sum::<Vec3>() / mine.len() as f64;
        let farthest = mine.iter().map(|&i| (start.p[i] - centre).norm() + world.particles.contact_radius[i]);
        Self { particles: range, radius: farthest.fold(0.0, f64::max) * ROUNDING, centre }
    }
}

/// Motion that a constraint prescribes for some of the `particles` at `time` (s).
fn holding(particles: &[usize], world: &World, time: f64) -> Option<Motion> {
    let holds = |c: &&Constraint| {
        c.times.contains(&time) && c.particles.iter().any(|&i| particles.binary_search(&(i as usize)).is_ok())
    };
    world.constraints.iter().filter(holds).find_map(|c| c.motion().cloned())
}

/// Search for the time of a contact.
#[derive(Clone, Copy)]
struct Search {
    /// s.
    from: f64,
    /// s.
    until: f64,
    /// Minimum radius, m.
    least: f64,
}

impl Search {
    /// The same, limited to times before `first` (s).
    fn before(self, first: Option<f64>) -> Self {
        Self { until: first.unwrap_or(self.until), ..self }
    }

    /// Time (s) at which a gap closes, if any. `gap` returns its width (m) and a bound on its closing speed (m/s) at a time
    /// (s). The speed grows by `pull` (m/s2) at most. No search step is longer than the earliest possible closing.
    fn touch(self, gap: &dyn Fn(f64) -> [f64; 2], pull: f64) -> Option<f64> {
        let mut time = self.from;
        for look in 0.. {
            let [wide, speed] = gap(time);
            if wide <= CONTACT_GAP * self.least {
                return Some(time);
            }
            let soonest = 2.0 * wide / (speed + (speed * speed + 2.0 * pull * wide).sqrt());
            let coarse =
                if look < EXACT_STEPS { 0.0 } else { 0.1 * self.least / (speed + pull * (self.until - self.from)) };
            time += soonest.max(coarse).min((self.until - self.from) / MIN_SEARCH_STEPS);
            if time >= self.until {
                break;
            }
        }
        None
    }
}
