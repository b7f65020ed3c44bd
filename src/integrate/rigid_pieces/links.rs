use crate::contact::{Neighbours, Rub, Slip, WallRub, Ways, have_springs};
use crate::integrate::stability;
use crate::model::{FrictionRule, Pair, State, World, Wrench, restitution_of};

use super::awake::Awake;
use super::body::Body;
use super::rest::Rest;
use super::touch::{PairLink, WallLink};

/// What may touch between pieces, and on walls; and the bonds of those that are awake.
#[derive(Debug, Default)]
pub struct Links {
    pub(super) pairs: Vec<PairLink>,
    pub(super) walls: Vec<WallLink>,
    pub awake: Awake,
    /// The particles of these, sorted, with their bodies; and these bodies.
    pub(super) particles: Vec<(u32, u32)>,
    pub(super) bodies: Vec<u32>,
    /// Links that may close in the block of short steps at hand; the particles of these and of what is awake, sorted, with their
    /// bodies; and these bodies.
    pub(super) near_pairs: Vec<u32>,
    pub(super) near_walls: Vec<u32>,
    /// The greatest omega^2 by which one of these would hold a particle, 1/s2.
    pub(super) closing: f64,
    /// Those of them that touch, by the last [`Self::push`].
    pub(super) touching_pairs: Vec<u32>,
    pub(super) touching_walls: Vec<u32>,
    pub(super) moving_particles: Vec<(u32, u32)>,
    pub moving: Vec<u32>,
    /// When the links were found; when the block begins and ends, and how long it was meant to be, s.
    pub(super) began: f64,
    pub(super) block: f64,
    pub end: f64,
    pub(super) span: f64,
    /// The longest step by the stiffest two links, s.
    pub(super) shortest_step: f64,
    /// Where particles that move were a step before: no others are up to date in it.
    before: State,
    pub work: Work,
    /// Whether friction has springs between pairs, and on walls.
    have_springs: [bool; 2],
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
    /// Begins in a world.
    pub fn begin(&mut self, world: &World) {
        self.work = Work::default();
        self.pairs.clear();
        self.walls.clear();
        for list in [&mut self.near_pairs, &mut self.near_walls, &mut self.touching_pairs, &mut self.touching_walls] {
            list.clear();
        }
        self.awake.clear();
        self.have_springs = have_springs(world);
        self.share = stability::share_for_bounces(restitution_of(world.contact_damping), SHARE, BOUNCE_OFF);
        self.slides = world.friction_rule == FrictionRule::VelocityCorrection;
    }

    /// Finds what may touch on the way from `now` to where all would be `ahead`, with the friction that `contacts` have; tells the
    /// bodies whether anything may.
    pub fn find(
        &mut self,
        world: &World,
        bodies: &mut [Body],
        rest: &Rest,
        [now, ahead]: [&State; 2],
        contacts: &Neighbours,
    ) {
        bodies.iter_mut().for_each(|body| body.is_linked = false);
        self.find_pairs(world, bodies, rest, [now, ahead], contacts);
        self.find_walls(world, bodies, rest, [now, ahead], contacts);
        self.tell(bodies);
        bodies.iter_mut().filter(|body| !body.is_linked).for_each(Body::unload);
        self.stiffness.resize(now.len(), 0.0);
        self.before.clone_from(now);
        self.moving.clear();
        (self.began, self.block) = (now.time, now.time);
        let of_pairs = self.pairs.iter().flat_map(|link| link.held);
        let held = of_pairs.chain(self.walls.iter().map(|link| link.held)).fold(0.0, f64::max);
        self.shortest_step = self.step_by(2.0 * held);
    }

    /// The longest step, s, by springs that hold a particle by omega^2, 1/s2.
    fn step_by(&self, held: f64) -> f64 {
        self.share * 2.0 / held.sqrt()
    }

    /// Lists the particles, and tells their bodies.
    fn tell(&mut self, bodies: &mut [Body]) {
        self.particles.clear();
        let of_pairs = self.pairs.iter().flat_map(|link| link.pair.ends().into_iter().zip(link.bodies));
        let of_walls = self.walls.iter().map(|link| (link.particle, link.body));
        self.particles.extend(of_pairs.chain(of_walls).map(|(i, body)| (i as u32, body as u32)));
        self.particles.extend(self.awake.with_bodies());
        self.particles.sort_unstable();
        self.particles.dedup();
        self.bodies.clear();
        self.bodies.extend(self.particles.iter().map(|&(_, body)| body));
        self.bodies.sort_unstable();
        self.bodies.dedup();
        self.bodies.iter().for_each(|&body| bodies[body as usize].is_linked = true);
    }

    fn find_pairs(
        &mut self,
        world: &World,
        bodies: &[Body],
        rest: &Rest,
        [now, ahead]: [&State; 2],
        contacts: &Neighbours,
    ) {
        let mut off = vec![0.0; rest.count()];
        for (&piece, &body) in rest.piece_of.iter().zip(&rest.body_of) {
            off[piece as usize] = f64::max(off[piece as usize], bodies[body as usize].clearance());
        }
        let ways = Ways { radius: &world.particles.radius, from: &now.p, to: &ahead.p, pieces: &rest.piece_of };
        self.pairs.clear();
        self.add_pairs(world, rest, ways.meetings(|piece| off[piece as usize]), now, contacts);
        self.add_inner(world, rest, |piece| rest.is_awake(piece), now, contacts);
    }

    /// Adds near pairs inside awake pieces that are asked for.
    fn add_inner(
        &mut self,
        world: &World,
        rest: &Rest,
        asked: impl Fn(usize) -> bool,
        now: &State,
        contacts: &Neighbours,
    ) {
        let inner = contacts.pairs().iter().map(|pair| [pair.i, pair.j]).filter(|&[i, j]| {
            let [a, b] = [i, j].map(|i| rest.piece_of[i as usize]);
            a == b && asked(a as usize) && !self.awake.hold([i as usize, j as usize])
        });
        let inner = inner.collect();
        self.add_pairs(world, rest, inner, now, contacts);
    }

    /// Adds pairs, with the friction that `contacts` have.
    fn add_pairs(&mut self, world: &World, rest: &Rest, new: Vec<[u32; 2]>, now: &State, contacts: &Neighbours) {
        let rub = |[i, j]: [u32; 2]| self.have_springs[0].then(|| contacts.rub_of([i as usize, j as usize]));
        self.pairs.extend(new.into_iter().map(|ids| PairLink::new(world, rest, ids, rub(ids), now)));
        self.pairs.sort_by_key(|link| [link.pair.i, link.pair.j]);
    }

    fn find_walls(
        &mut self,
        world: &World,
        bodies: &[Body],
        rest: &Rest,
        [now, ahead]: [&State; 2],
        contacts: &Neighbours,
    ) {
        let Self { walls, have_springs, .. } = self;
        let rubs: Vec<WallRub> = contacts.rubs().on_walls().copied().collect();
        let rub = |particle: u32, wall: u32| {
            let known = rubs.binary_search_by_key(&(particle, wall), |rub| (rub.particle, rub.wall));
            known.map_or_else(|_| WallRub { particle, wall, rub: Rub::default() }, |at| rubs[at])
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
        let step = self.step_by(greatest + self.closing).min(self.awake.longest_step);
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
        for &(i, body) in &self.moving_particles {
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
        self.moving.iter().for_each(|&body| bodies[body as usize].unload());
        let Self { pairs, walls, near_pairs, near_walls, touching_pairs, touching_walls, awake, before, work, .. } =
            self;
        touching_pairs.clear();
        touching_walls.clear();
        let slip = if moved { Slip::Since(before) } else { Slip::None };
        let mut load = |bodies: &mut [Body], body: usize, i: usize, slope: &Wrench, bearable: f64| {
            let rests = bodies[body].take(&now.p[i], slope);
            if !rests || slope.force.norm() > bearable {
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
        work.damping += awake.push(bodies, now, moved.then_some(now.time - before.time));
    }

    /// Pieces rest again, or `woken` ones do not any more: their particles have other bodies. A block of short steps has to begin.
    pub fn change_bodies(
        &mut self,
        world: &World,
        bodies: &mut [Body],
        rest: &Rest,
        woken: &[usize],
        now: &State,
        contacts: &Neighbours,
    ) {
        for link in &mut self.pairs {
            for (k, i) in link.pair.ends().into_iter().enumerate() {
                (link.bodies[k], link.bearable[k]) = (rest.body_of[i] as usize, rest.limit(i).force);
            }
        }
        for link in &mut self.walls {
            let i = link.particle;
            (link.body, link.bearable) = (rest.body_of[i] as usize, rest.limit(i).force);
        }
        self.pairs.retain(|link| link.bodies[0] != link.bodies[1]);
        self.add_inner(world, rest, |piece| woken.binary_search(&piece).is_ok(), now, contacts);
        self.tell(bodies);
    }

    /// Lets two particles touch at `now` whose bond has broken.
    pub fn admit(&mut self, world: &World, rest: &Rest, ids: [u32; 2], now: &State) {
        if let Err(at) = self.pairs.binary_search_by_key(&ids, |link| [link.pair.i, link.pair.j]) {
            let rub = self.have_springs[0].then(Rub::default);
            self.pairs.insert(at, PairLink::new(world, rest, ids, rub, now));
            let moved = self.near_pairs.iter_mut().chain(&mut self.touching_pairs).filter(|k| **k as usize >= at);
            moved.for_each(|k| *k += 1);
            self.near_pairs.insert(self.near_pairs.partition_point(|&k| (k as usize) < at), at as u32);
        }
    }

    /// Adds the sizes of the forces (N) of contacts with others to what loads the awake pieces; infinite where one is more than a
    /// resting piece bears.
    pub fn add_loads(&self, rest: &Rest, loads: &mut [f64]) {
        let mut load = |i: usize, other: Option<usize>, force: f64| {
            let piece = rest.piece_of[i] as usize;
            let is_inner = other.is_some_and(|j| rest.piece_of[j] as usize == piece);
            if force != 0.0 && !is_inner && rest.is_awake(piece) {
                loads[piece] += if force <= rest.limit_at_rest(i).force { force } else { f64::INFINITY };
            }
        };
        for link in &self.pairs {
            let [i, j] = link.pair.ends();
            load(i, Some(j), link.touch.force());
            load(j, Some(i), link.touch.force());
        }
        self.walls.iter().for_each(|link| load(link.particle, None, link.touch.force()));
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

    /// Slows rolling over `dt` seconds, and sliding where it is a matter of velocities, contact after contact.
    pub fn correct_velocities(&mut self, bodies: &mut [Body], now: &State, dt: f64) {
        let Self { pairs, walls, touching_pairs, touching_walls, slides, work, .. } = self;
        let pairs = touching_pairs.iter().map(|&k| &pairs[k as usize]);
        let walls = touching_walls.iter().map(|&k| &walls[k as usize]);
        for link in pairs.filter(|link| link.touch.push > 0.0) {
            work.friction += link.slow(bodies, now, *slides, dt);
        }
        for link in walls.filter(|link| link.touch.push > 0.0) {
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
