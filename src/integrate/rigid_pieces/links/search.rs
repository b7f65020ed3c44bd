//! Which particles may touch each other, and walls.

use crate::contact::{Neighbours, Rub, WallRub, Ways};
use crate::model::{Pair, State, World, pairs_of};

use super::super::body::Body;
use super::super::rest::Rest;
use super::super::touch::{PairLink, WallLink};
use super::Links;

impl Links {
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
        self.linked.begin(now.len());
        self.moving.begin(now.len());
        self.find_pairs(world, bodies, rest, [now, ahead], contacts);
        self.find_walls(world, bodies, rest, [now, ahead], contacts);
        self.tell(bodies);
        bodies.iter_mut().filter(|body| !body.is_linked).for_each(Body::unload);
        self.stiffness.resize(now.len(), 0.0);
        self.before.clone_from(now);
        (self.began, self.block) = (now.time, now.time);
        let of_pairs = self.pairs.iter().flat_map(|link| link.held);
        let held = of_pairs.chain(self.walls.iter().map(|link| link.held)).fold(0.0, f64::max);
        self.shortest_step = self.step_by(2.0 * held);
    }

    /// Lists the particles, and tells their bodies.
    fn tell(&mut self, bodies: &mut [Body]) {
        let linked = self.pairs.iter().flat_map(PairLink::ends).chain(self.walls.iter().map(WallLink::end));
        self.linked.set(bodies.len(), linked.chain(self.awake.with_bodies()));
        self.linked.bodies.iter().for_each(|&body| bodies[body as usize].is_linked = true);
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
        let awake = self.awake.particles().to_vec();
        self.add_inner(world, rest, &awake, now, contacts);
    }

    /// Adds near pairs inside awake pieces, whose `particles` (ascending) are given.
    fn add_inner(&mut self, world: &World, rest: &Rest, particles: &[u32], now: &State, contacts: &Neighbours) {
        let inner = pairs_of(contacts.pairs(), particles).map(|(_, pair)| [pair.i, pair.j]).filter(|&[i, j]| {
            let [a, b] = [i, j].map(|i| rest.piece_of[i as usize]);
            a == b && !self.awake.hold([i as usize, j as usize])
        });
        let inner = inner.collect();
        self.add_pairs(world, rest, inner, now, contacts);
    }

    /// Adds pairs, with the friction that `contacts` have.
    fn add_pairs(&mut self, world: &World, rest: &Rest, new: Vec<[u32; 2]>, now: &State, contacts: &Neighbours) {
        if new.is_empty() {
            return;
        }
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
        if !woken.is_empty() {
            self.change_braced(rest, &[]);
        }
        self.pairs.retain(|link| link.bodies[0] != link.bodies[1]);
        self.add_inner(world, rest, &rest.members_of(woken), now, contacts);
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
}
