use crate::contact::{Neighbours, Rub, Slip, WallRub, Ways, have_springs};
use crate::integrate::stability;
use crate::model::{FrictionRule, Pair, State, World, Wrench, restitution_of};

use super::awake::AwakeBonds;
use super::body::Body;
use super::rest::Rest;
use super::touch::{PairLink, WallLink};

/// What may touch between pieces, and on walls; and the bonds of those that are awake.
#[derive(Debug, Default)]
pub struct Links {
    pairs: Vec<PairLink>,
    walls: Vec<WallLink>,
    bonds: AwakeBonds,
    /// The particles of these, sorted, with their bodies.
    particles: Vec<(u32, u32)>,
    /// Where these were a step before: no others are up to date in it.
    before: State,
    pub work: Work,
    /// Friction's springs before the links at hand, sorted; whether pairs and walls have such; and whether these links are still
    /// those of the step before.
    rubs: Vec<([usize; 2], Rub)>,
    wall_rubs: Vec<WallRub>,
    have_springs: [bool; 2],
    is_new: bool,
    /// Whether sliding is slowed as velocities.
    slides: bool,
    /// Of the limit of stability.
    share: f64,
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
    /// Begins with the friction that `contacts` have.
    pub fn begin(&mut self, world: &World, contacts: &Neighbours) {
        self.work = Work::default();
        self.have_springs = have_springs(world);
        self.share = stability::share_for_bounces(restitution_of(world.contact_damping), SHARE, BOUNCE_OFF);
        self.slides = world.friction_rule == FrictionRule::VelocityCorrection;
        let touched = contacts.pairs().iter().zip(&contacts.rubs().pairs).filter(|(_, rub)| **rub != Rub::default());
        self.rubs.clear();
        self.rubs.extend(touched.map(|(pair, rub)| (pair.ends(), *rub)));
        self.wall_rubs.clear();
        self.wall_rubs.extend(contacts.rubs().on_walls());
        self.is_new = true;
    }

    /// Finds what may touch on the way from `now` to where all would be `ahead`; tells the bodies whether anything may.
    pub fn find(&mut self, world: &World, bodies: &mut [Body], rest: &Rest, now: &State, ahead: &State) {
        if !std::mem::replace(&mut self.is_new, false) {
            self.keep_rubs();
        }
        bodies.iter_mut().for_each(|body| body.is_linked = false);
        self.bonds.find(world, bodies, rest, now);
        self.find_pairs(world, bodies, rest, now, ahead);
        self.find_walls(world, bodies, rest, now, ahead);
        self.particles.clear();
        let of_pairs = self.pairs.iter().flat_map(|link| link.pair.ends().into_iter().zip(link.bodies));
        let of_walls = self.walls.iter().map(|link| (link.particle, link.body));
        self.particles.extend(of_pairs.chain(of_walls).map(|(i, body)| (i as u32, body as u32)));
        self.particles.extend(self.bonds.particles(world));
        self.particles.sort_unstable();
        self.particles.dedup();
        self.particles.iter().for_each(|&(_, body)| bodies[body as usize].is_linked = true);
        bodies.iter_mut().filter(|body| !body.is_linked).for_each(Body::unload);
        self.stiffness.resize(now.len(), 0.0);
        self.before.clone_from(now);
    }

    /// Friction's springs of the links at hand, for those that come after them.
    fn keep_rubs(&mut self) {
        self.rubs.clear();
        let drawn = self.pairs.iter().filter(|link| link.rub.is_some_and(|rub| rub != Rub::default()));
        self.rubs.extend(drawn.filter_map(|link| Some((link.pair.ends(), link.rub?))));
        self.wall_rubs.clear();
        self.wall_rubs.extend(self.walls.iter().filter_map(|link| link.rub).filter(|on| on.rub != Rub::default()));
    }

    fn find_pairs(&mut self, world: &World, bodies: &[Body], rest: &Rest, now: &State, ahead: &State) {
        let Self { pairs, rubs, have_springs, bonds, .. } = self;
        let off = |body: u32| bodies[body as usize].clearance();
        let rub = |ends: [usize; 2]| {
            let known = rubs.binary_search_by_key(&ends, |(ends, _)| *ends);
            known.map_or_else(|_| Rub::default(), |at| rubs[at].1)
        };
        pairs.clear();
        let ways = Ways { radius: &world.particles.radius, from: &now.p, to: &ahead.p, pieces: &rest.body_of };
        for ids in ways.meetings(off) {
            let ends = ids.map(|i| i as usize);
            if !bonds.hold(world, ends) {
                pairs.push(PairLink::new(world, rest, ids, have_springs[0].then(|| rub(ends)), now));
            }
        }
    }

    fn find_walls(&mut self, world: &World, bodies: &[Body], rest: &Rest, now: &State, ahead: &State) {
        let Self { walls, wall_rubs, have_springs, .. } = self;
        let rub = |particle: u32, wall: u32| {
            let known = wall_rubs.binary_search_by_key(&(particle, wall), |rub| (rub.particle, rub.wall));
            known.map_or_else(|_| WallRub { particle, wall, rub: Rub::default() }, |at| wall_rubs[at])
        };
        walls.clear();
        for (i, (from, to)) in now.p.iter().zip(&ahead.p).enumerate() {
            let way = (to - from).norm() + bodies[rest.body_of[i] as usize].clearance();
            for (wall, collider) in world.colliders.iter().enumerate() {
                if collider.touch(from, world.particles.radius[i] + way, now.time).is_some() {
                    let rub = have_springs[1].then(|| rub(i as u32, wall as u32));
                    walls.push(WallLink::new(world, rest, [i, wall], rub));
                }
            }
        }
    }

    /// The longest step, s, by what touches now: a particle that is held by springs of k (N/m), in a piece that is no lighter, swings by
    /// omega^2 <= sum k (1/m + 1/sqrt(m m')), m' being the masses at their other ends, and one more may close; friction's springs, with
    /// what a sphere turns by them, are no stiffer.
    /// Where nothing touches it is as long as that surely lasts.
    pub fn longest_step(&mut self, world: &World, bodies: &[Body], now: &State) -> f64 {
        let (mut greatest, mut closing) = (0.0, 0.0);
        let Self { pairs, walls, particles, stiffness, .. } = self;
        let mut hold = |i: usize, held: f64, touches: bool| {
            closing = f64::max(closing, held);
            if touches {
                stiffness[i] += held;
                greatest = f64::max(greatest, stiffness[i]);
            }
        };
        for link in pairs {
            let ([i, j], touches) = (link.pair.ends(), link.touch.push > 0.0);
            hold(i, link.held[0], touches);
            hold(j, link.held[1], touches);
        }
        for link in walls {
            hold(link.particle, link.held, link.touch.push > 0.0);
        }
        particles.iter().for_each(|&(i, _)| stiffness[i as usize] = 0.0);
        let step = (self.share * 2.0 / (greatest + closing).sqrt()).min(self.bonds.longest_step);
        let is_free = greatest == 0.0 && self.bonds.longest_step == f64::INFINITY;
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
        let times = self.pairs.iter().map(of_pair).chain(self.walls.iter().map(on_wall));
        PART * times.fold(f64::INFINITY, f64::min)
    }

    /// Moves the particles along with their pieces, which were at `from` when the step began.
    pub fn follow(&mut self, bodies: &[Body], from: &State, now: &mut State, time: f64) {
        self.before.time = now.time;
        for &(i, body) in &self.particles {
            let (i, body) = (i as usize, &bodies[body as usize]);
            (self.before.p[i], self.before.q[i]) = (now.p[i], now.q[i]);
            (now.p[i], now.q[i]) = (body.place(&from.p[i]), body.turned(&from.q[i]));
        }
        now.time = time;
    }

    /// Finds what contacts, and bonds of pieces that are awake, do to the bodies at `now`, after a step if it `moved`. Bodies that do
    /// not bear that are `struck`. Says whether all bonds hold.
    pub fn push(
        &mut self,
        world: &World,
        bodies: &mut [Body],
        now: &State,
        moved: bool,
        struck: &mut Vec<usize>,
    ) -> bool {
        let Self { pairs, walls, bonds, particles, before, work, .. } = self;
        for &(_, body) in &*particles {
            bodies[body as usize].unload();
        }
        let slip = if moved { Slip::Since(before) } else { Slip::None };
        let mut load = |bodies: &mut [Body], body: usize, i: usize, slope: &Wrench, bearable: f64| {
            let rests = bodies[body].take(&now.p[i], slope);
            if !rests || slope.force.norm() > bearable {
                struck.push(body);
            }
        };
        for link in pairs {
            if let Some(slopes) = link.push(now, slip, moved, &mut work.friction) {
                let ends = link.pair.ends();
                (0..2).for_each(|k| load(bodies, link.bodies[k], ends[k], &slopes[k], link.bearable[k]));
            }
        }
        for link in walls {
            let wall = &world.colliders[link.wall];
            if let Some(slope) = link.push(wall, now, slip, moved, &mut work.friction) {
                load(bodies, link.body, link.particle, &slope, link.bearable);
            }
        }
        let damped = bonds.push(world, bodies, now, moved.then_some(now.time - before.time));
        work.damping += damped.unwrap_or(0.0);
        damped.is_some()
    }

    /// Bodies have been parted into their particles, whose own they are from now on.
    pub fn part(&mut self, world: &World, bodies: &mut [Body], rest: &Rest, now: &State) {
        for link in &mut self.pairs {
            for (k, i) in link.pair.ends().into_iter().enumerate() {
                (link.bodies[k], link.bearable[k]) = (rest.body_of[i] as usize, rest.limit(i).force);
            }
        }
        for link in &mut self.walls {
            let i = link.particle;
            (link.body, link.bearable) = (rest.body_of[i] as usize, rest.limit(i).force);
        }
        self.bonds.find(world, bodies, rest, now);
        self.particles.iter_mut().for_each(|(i, body)| *body = rest.body_of[*i as usize]);
        self.particles.extend(self.bonds.particles(world));
        self.particles.sort_unstable();
        self.particles.dedup();
        self.particles.iter().for_each(|&(_, body)| bodies[body as usize].is_linked = true);
    }

    /// Counts what dashpots take in a step of `dt` (s), by the velocities at its end.
    pub fn damp(&mut self, bodies: &[Body], now: &State, dt: f64) {
        let velocity = |body: usize, i: usize| bodies[body].velocity_at(&now.p[i]);
        for link in self.pairs.iter().filter(|link| link.touch.resistance != 0.0) {
            let ([a, b], [i, j]) = (link.bodies, link.pair.ends());
            self.work.damping += link.touch.taken(&(velocity(a, i) - velocity(b, j)), dt);
        }
        for link in self.walls.iter().filter(|link| link.touch.resistance != 0.0) {
            self.work.damping += link.touch.taken(&-velocity(link.body, link.particle), dt);
        }
    }

    /// Slows rolling over `dt` seconds, and sliding where it is a matter of velocities, contact after contact.
    pub fn correct_velocities(&mut self, bodies: &mut [Body], now: &State, dt: f64) {
        let Self { pairs, walls, slides, work, .. } = self;
        for link in pairs.iter().filter(|link| link.touch.push > 0.0) {
            work.friction += link.slow(bodies, now, *slides, dt);
        }
        for link in walls.iter().filter(|link| link.touch.push > 0.0) {
            work.friction += link.slow(&mut bodies[link.body], now, *slides, dt);
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
