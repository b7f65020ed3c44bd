mod braced;
mod members;
mod near;
mod search;

use crate::contact::{Neighbours, Slip, have_springs};
use crate::geometry::Vec3;
use crate::integrate::stability;
use crate::model::{FrictionRule, Pair, State, World, Wrench, restitution_of};

use super::awake::Awake;
use super::body::Body;
use super::rest::Rest;
use super::touch::{PairLink, WallLink};

use braced::BracedParticles;
use members::Members;

/// What may touch between pieces, and on walls; and the bonds of those that are awake.
#[derive(Debug, Default)]
pub struct Links {
    pairs: Vec<PairLink>,
    walls: Vec<WallLink>,
    pub awake: Awake,
    braced: BracedParticles,
    /// Their particles and bodies.
    pub linked: Members,
    /// Links that may close in the block of short steps at hand, and those of them that touch, by the last [`Self::push`].
    near_pairs: Vec<u32>,
    near_walls: Vec<u32>,
    touching_pairs: Vec<u32>,
    touching_walls: Vec<u32>,
    /// The particles and bodies of near links and of what is awake.
    pub moving: Members,
    /// The greatest omega^2 by which a near link would hold a particle, 1/s2.
    closing: f64,
    /// When the links were found; when the block begins and ends, and how long it was meant to be, s.
    began: f64,
    block: f64,
    pub end: f64,
    span: f64,
    /// The longest step by the stiffest two links, s.
    shortest_step: f64,
    /// Where particles that move were a step before: no others are up to date in it.
    before: State,
    pub work: Work,
    /// Whether friction has springs between pairs, and on walls.
    have_springs: [bool; 2],
    /// Whether sliding is slowed as velocities.
    slides: bool,
    /// Of the limit of stability.
    share: f64,
    /// A step that is short enough whatever touches and is bonded, s.
    explicit: f64,
    /// By particle, 1/s2, nothing between two uses: see [`Self::longest_step`].
    stiffness: Vec<f64>,
}

/// What contacts took, J.
#[derive(Clone, Copy, Debug, Default)]
pub struct Work {
    pub damping: f64,
    pub friction: f64,
}

/// Share of the limit of stability of contacts that their steps take at most, and what a bounce is off by in steps of the whole limit.
const SHARE: f64 = 0.25;
const BOUNCE_OFF: f64 = 1.0;

impl Links {
    /// Begins in a world where a step of `explicit` (s) is stable whatever touches: no shorter one is needed than that, or a part of it
    /// where bounces keep nearly all of their energy.
    pub fn begin(&mut self, world: &World, explicit: f64) {
        self.work = Work::default();
        self.pairs.clear();
        self.walls.clear();
        for list in [&mut self.near_pairs, &mut self.near_walls, &mut self.touching_pairs, &mut self.touching_walls] {
            list.clear();
        }
        self.awake.clear();
        self.braced.clear(world.particles.len());
        self.have_springs = have_springs(world);
        self.share = stability::share_for_bounces(restitution_of(world.contact_damping), SHARE, BOUNCE_OFF);
        self.explicit = explicit * self.share / SHARE;
        self.slides = world.friction_rule == FrictionRule::VelocityCorrection;
    }

    /// The longest step, s, by springs that hold a particle by omega^2, 1/s2.
    fn step_by(&self, held: f64) -> f64 {
        self.share * 2.0 / held.sqrt()
    }

    /// The longest step, s, by what touches now: a particle that is held by springs of k (N/m), in a piece that is no lighter, swings by
    /// omega^2 <= sum k (1/m + 1/sqrt(m m')), m' being the masses at their other ends, and one more may close; friction's springs, with
    /// what a sphere turns by them, are no stiffer.
    /// Where nothing touches it is as long as that surely lasts. Both bounds are crude where many touch, and bonds are many: a step
    /// that is known to be stable is the least then.
    pub fn longest_step(&mut self, world: &World, bodies: &[Body], now: &State) -> f64 {
        let mut greatest = 0.0;
        let Self { pairs, walls, touching_pairs, touching_walls, stiffness, .. } = self;
        let mut hold = |i: usize, held: f64| {
            stiffness[i] += held;
            greatest = f64::max(greatest, stiffness[i]);
        };
        for link in touching_pairs.iter().map(|&k| &pairs[k as usize]) {
            let [i, j] = link.pair.ends();
            hold(i, link.held[0]);
            hold(j, link.held[1]);
        }
        for link in touching_walls.iter().map(|&k| &walls[k as usize]) {
            hold(link.particle, link.held);
        }
        let ends = touching_pairs.iter().flat_map(|&k| pairs[k as usize].pair.ends());
        let held = ends.chain(touching_walls.iter().map(|&k| walls[k as usize].particle));
        held.for_each(|i| stiffness[i] = 0.0);
        let step = self.step_by(greatest + self.closing).min(self.awake.longest_step).max(self.explicit);
        let is_free = greatest == 0.0 && self.awake.longest_step == f64::INFINITY;
        if is_free { step.max(self.free_flight(world, bodies, now)) } else { step }
    }

    /// How long, s, nothing will touch, as all that may now flies; a part of it, for ways bend.
    fn free_flight(&self, world: &World, bodies: &[Body], now: &State) -> f64 {
        const PART: f64 = 0.5;
        let velocity = |body: usize, i: usize| bodies[body].velocity_at(&now.p[i]);
        let of_pair = |PairLink { pair, bodies: [a, b], .. }: &PairLink| {
            let [i, j] = pair.ends();
            ((now.p[i] - now.p[j]).norm() - pair.reach) / (velocity(*a, i) - velocity(*b, j)).norm()
        };
        let on_wall = |link: &WallLink| {
            let gap = world.colliders[link.wall].distance(&now.p[link.particle], now.time) - link.radius;
            gap / velocity(link.body, link.particle).norm()
        };
        let pairs = self.near_pairs.iter().map(|&k| of_pair(&self.pairs[k as usize]));
        PART * pairs
            .chain(self.near_walls.iter().map(|&k| on_wall(&self.walls[k as usize])))
            .fold(f64::INFINITY, f64::min)
    }

    /// Moves the particles along with their pieces, which were at `from` when the step began.
    pub fn follow(&mut self, bodies: &[Body], from: &State, now: &mut State, time: f64) {
        self.before.time = now.time;
        for &(i, body) in &self.moving.particles {
            let (i, body) = (i as usize, &bodies[body as usize]);
            (self.before.p[i], self.before.q[i]) = (now.p[i], now.q[i]);
            (now.p[i], now.q[i]) = (body.place(&from.p[i]), body.turned(&from.q[i]));
        }
        now.time = time;
    }

    /// Finds what contacts, and bonds of pieces that are awake, do to the bodies at `now`, after a step if it `moved`. Pieces that
    /// rest and do not bear that are `struck`.
    pub fn push(
        &mut self,
        world: &World,
        bodies: &mut [Body],
        rest: &Rest,
        now: &State,
        moved: bool,
        struck: &mut Vec<usize>,
    ) {
        self.moving.bodies.iter().for_each(|&body| bodies[body as usize].unload());
        let Self { pairs, walls, near_pairs, near_walls, touching_pairs, touching_walls, .. } = self;
        let Self { awake, braced, before, work, .. } = self;
        touching_pairs.clear();
        touching_walls.clear();
        let slip = if moved { Slip::Since(before) } else { Slip::None };
        let mut load = |bodies: &mut [Body], body: usize, i: usize, slope: &Wrench, bearable: f64| {
            bodies[body].take(&now.p[i], slope);
            if braced.take(i, &slope.force) {
                return;
            }
            let force = slope.force.norm();
            if !bodies[body].bears(force) || force > bearable {
                struck.push(rest.piece_of[i] as usize);
            }
        };
        for &k in &*near_pairs {
            let link = &mut pairs[k as usize];
            if let Some(slopes) = link.push(now, slip, moved, &mut work.friction) {
                touching_pairs.push(k);
                let ends = link.pair.ends();
                (0..2).for_each(|k| load(bodies, link.bodies[k], ends[k], &slopes[k], link.bearable[k]));
            }
        }
        for &k in &*near_walls {
            let link = &mut walls[k as usize];
            let wall = &world.colliders[link.wall];
            if let Some(slope) = link.push(wall, now, slip, moved, &mut work.friction) {
                touching_walls.push(k);
                load(bodies, link.body, link.particle, &slope, link.bearable);
            }
        }
        braced.load(bodies, rest, struck);
        work.damping += awake.push(bodies, now, moved.then_some(now.time - before.time));
    }

    /// Counts what dashpots take in a step of `dt` (s), by the velocities at its end.
    pub fn damp(&mut self, bodies: &[Body], now: &State, dt: f64) {
        let velocity = |body: usize, i: usize| bodies[body].velocity_at(&now.p[i]);
        let Self { pairs, walls, touching_pairs, touching_walls, work, .. } = self;
        let pairs = touching_pairs.iter().map(|&k| &pairs[k as usize]);
        let walls = touching_walls.iter().map(|&k| &walls[k as usize]);
        for link in pairs.filter(|link| link.touch.resistance != 0.0) {
            let ([a, b], [i, j]) = (link.bodies, link.pair.ends());
            work.damping += link.touch.taken(&(velocity(a, i) - velocity(b, j)), dt);
        }
        for link in walls.filter(|link| link.touch.resistance != 0.0) {
            work.damping += link.touch.taken(&-velocity(link.body, link.particle), dt);
        }
    }

    /// Slows rolling over `dt` seconds, and sliding where it is a matter of velocities, contact after contact: between the first half kick
    /// of a step of `dt` (s) and its drift. Without that kick's part the account closes: over a drift of (v_0 + F_0 dt/2m + c) dt the
    /// forces F_0 do 1/2 F_0.c dt more, and the energy that goes is that by v_0.
    pub fn correct_velocities(&mut self, bodies: &mut [Body], gravity: &Vec3, now: &State, dt: f64) {
        let Self { pairs, walls, touching_pairs, touching_walls, slides, work, .. } = self;
        let pairs = touching_pairs.iter().map(|&k| &pairs[k as usize]);
        let walls = touching_walls.iter().map(|&k| &walls[k as usize]);
        let kicked = |body: &Body| body.kicked(gravity, 0.5 * dt);
        for link in pairs.filter(|link| link.touch.push > 0.0) {
            let sum = |bodies: &[Body]| link.bodies.iter().map(|&body| kicked(&bodies[body])).sum::<f64>();
            let before = sum(bodies);
            work.friction += link.slow(bodies, now, *slides, dt);
            work.friction += sum(bodies) - before;
        }
        for link in walls.filter(|link| link.touch.push > 0.0) {
            let body = &mut bodies[link.body];
            let before = kicked(body);
            work.friction += link.slow(body, now, *slides, dt);
            work.friction += kicked(body) - before;
        }
    }

    /// Leaves friction's springs to `contacts`.
    pub fn leave(&self, contacts: &mut Neighbours) {
        for link in &self.pairs {
            if let Some(rub) = link.rub {
                contacts.set_rub(link.pair.ends(), rub);
            }
        }
        if self.have_springs[1] {
            let on_walls = self.walls.iter().filter_map(|link| link.rub);
            contacts.set_wall_rubs(on_walls.filter(|on| on.rub.is_loaded()));
        }
    }
}
