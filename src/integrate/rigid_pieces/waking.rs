//! Pieces that wake, break and rest again.

use crate::contact::ContactPair;
use crate::energy::account;
use crate::fracture::BrokenBond;
use crate::integrate::{BrokenOnTheWay, StepError, lost_slopes};
use crate::model::{Pair, State, World};

use super::RigidPieces;
use super::body::Body;

impl RigidPieces {
    /// A piece as a rigid body, and what that loses of its kinetic energy, J: none where its particles move against each other too
    /// fast for it.
    pub(super) fn rigid(&self, world: &World, piece: usize) -> (Body, Option<f64>) {
        let (particles, State { p, v, w, .. }) = (&world.particles, &self.next);
        let ids = self.rest.members(piece);
        let mut body = Body::new(ids, particles, &self.next);
        if ids.len() == 1 {
            body.is_loose = true;
            return (body, Some(0.0));
        }
        let of = || ids.iter().map(|&i| i as usize);
        let stresses = of().map(|i| self.rest.limit_at_rest(i).stress);
        body.bearable = body.bending_load(stresses.sum::<f64>() / ids.len() as f64);
        let rests = |i: usize| {
            let off = (v[i] - body.velocity_at(&p[i])).norm() + particles.radius[i] * (w[i] - body.spin).norm();
            off <= self.rest.limit_at_rest(i).speed
        };
        let twice = |i: usize| particles.mass[i] * v[i].norm_squared() + particles.inertia[i] * w[i].norm_squared();
        let lost = of().all(rests).then(|| 0.5 * of().map(twice).sum::<f64>() - body.kinetic_energy());
        (body, lost)
    }

    /// Gives a body a number.
    fn put(&mut self, body: Body) -> u32 {
        match self.spare.pop() {
            Some(number) => {
                self.bodies[number as usize] = body;
                number
            }
            None => {
                self.bodies.push(body);
                self.bodies.len() as u32 - 1
            }
        }
    }

    /// A body is none any more.
    fn remove(&mut self, number: u32) {
        self.bodies[number as usize].dissolve();
        self.spare.push(number);
    }

    /// Parts pieces into their particles.
    ///
    /// # Errors
    /// The `cause` where too much would be awake then.
    pub(super) fn wake(&mut self, world: &World, pieces: &[usize], cause: StepError) -> Result<(), StepError> {
        /// Particles that may be awake at a time: a share of all, or so few in any world.
        const SHARE: usize = 3;
        const FEW: usize = 128;
        let most = FEW.max(world.particles.len() / SHARE);
        let many: usize = pieces.iter().map(|&piece| self.rest.members(piece).len()).sum();
        if many + self.links.awake.particles().len() > most {
            return Err(cause);
        }
        for &piece in pieces {
            let members = self.rest.members(piece).to_vec();
            let former = self.rest.body_of[members[0] as usize];
            let Body { is_half_way, .. } = self.bodies[former as usize];
            let off = self.bodies[former as usize].off();
            self.remove(former);
            let single = |&i: &u32| {
                let mut body = Body::new(&[i], &world.particles, &self.next);
                body.begin_on_the_way(off, is_half_way);
                self.put(body)
            };
            let numbers: Vec<u32> = members.iter().map(single).collect();
            self.rest.wake(piece, &numbers);
        }
        self.links.awake.find(world, &self.rest, &self.gone);
        Ok(())
    }

    /// Lets awake pieces rest that are calm again. Another block of short steps begins then.
    pub(super) fn settle(&mut self, world: &World) {
        let Self { rest, links, bodies, next, .. } = self;
        links.end_block(bodies, &world.gravity, next.time);
        for (i, body) in links.awake.with_bodies() {
            let Body { velocity, spin, .. } = &bodies[body as usize];
            (next.v[i as usize], next.w[i as usize]) = (*velocity, *spin);
        }
        if !self.gone.is_empty() {
            let part_of = links.awake.parts();
            let awake: Vec<_> = rest.awake().collect();
            awake.into_iter().for_each(|piece| rest.part(piece, &part_of));
        }
        rest.weigh_awake(world, links.awake.particles(), links.awake.bonds_of(world), next);
        let (loads, pressed) = links.loads_at_rest(world, rest, next);
        let awake: Vec<_> = rest.awake().collect();
        let mut any = false;
        for piece in awake {
            let (body, lost) = self.rigid(world, piece);
            if let Some(lost) = lost.filter(|_| loads[piece] <= body.bearable) {
                self.flows.numerical -= lost;
                self.make_one(piece, body);
                any = true;
            }
        }
        if any {
            // friction between particles of one body is what contacts know of it
            self.links.leave(self.contacts.as_mut().expect("a step is tried"));
            self.links.awake.find(world, &self.rest, &self.gone);
            self.links.change_braced(&self.rest, &pressed);
            self.is_new = true;
            self.change_bodies(world, &[]);
        }
    }

    /// The particles of an awake piece are one `body` again.
    fn make_one(&mut self, piece: usize, mut body: Body) {
        let mut off = 0.0;
        for i in self.rest.members(piece).to_vec() {
            let former = self.rest.body_of[i as usize];
            off = f64::max(off, self.bodies[former as usize].off());
            self.remove(former);
            self.set_from(i as usize);
        }
        body.begin_on_the_way(off, false);
        let number = self.put(body);
        self.rest.settle(piece, number);
    }

    /// Goes on with other bodies, some of which pieces are that have been `woken` (ascending).
    fn change_bodies(&mut self, world: &World, woken: &[usize]) {
        let Self { links, contacts, bodies, rest, next, ahead, from, .. } = self;
        links.change_bodies(world, bodies, rest, woken, next, contacts.as_ref().expect("a step is tried"));
        links.begin_block(world, bodies, from, next, ahead.time);
    }

    /// A body of this particle begins where it is.
    fn set_from(&mut self, i: usize) {
        (self.from.p[i], self.from.q[i]) = (self.next.p[i], self.next.q[i]);
    }

    /// Finds what acts on the bodies, after a step if it `moved`. Says whether pieces wake by that.
    ///
    /// # Errors
    /// When too much does.
    pub(super) fn press(&mut self, world: &World, moved: bool) -> Result<bool, StepError> {
        let Self { links, bodies, rest, next, struck, .. } = self;
        struck.clear();
        links.push(world, bodies, rest, next, moved, struck);
        if struck.is_empty() {
            return Ok(false);
        }
        let cause = if moved { StepError::Struck(next.time - self.start.time) } else { StepError::Strained };
        links.end_block(bodies, &world.gravity, next.time);
        let mut struck = std::mem::take(&mut self.struck);
        struck.sort_unstable();
        struck.dedup();
        let members = self.rest.members_of(&struck);
        self.turn_rubs(&members);
        for i in members.into_iter().map(|i| i as usize) {
            let body = &self.bodies[self.rest.body_of[i] as usize];
            (self.next.p[i], self.next.q[i]) = (body.place(&self.from.p[i]), body.turned(&self.from.q[i]));
            (self.next.v[i], self.next.w[i]) = (body.velocity_at(&self.next.p[i]), body.spin);
            self.set_from(i);
        }
        self.wake(world, &struck, cause)?;
        self.change_bodies(world, &struck);
        struck.clear();
        self.links.push(world, &mut self.bodies, &self.rest, &self.next, false, &mut struck);
        self.struck = struck;
        Ok(true)
    }

    /// Turns friction inside pieces that rest, of these particles (ascending), along with them.
    pub(super) fn turn_rubs(&mut self, particles: &[u32]) {
        let Self { rest, bodies, contacts, .. } = self;
        contacts.as_mut().expect("a step is tried").turn_rubs(particles, |[i, j]| {
            let [a, b] = [i, j].map(|i| rest.body_of[i]);
            (a == b).then(|| bodies[a as usize].rotation())
        });
    }

    /// Breaks the bonds of awake pieces that bear more than they can.
    pub(super) fn break_bonds(&mut self, world: &World) {
        let Self { rest, bodies, links, next, flows, broken, gone, .. } = self;
        for index in links.awake.break_bonds(world, next) {
            let bond = &world.bonds()[index];
            let pair = ContactPair::new([bond.i, bond.j], world);
            let becomes = Some(&pair).filter(|_| !bond.model.keeps_contact());
            flows.fracture += account::by_fracture(bond, becomes, next);
            for (i, lost) in bond.ends().into_iter().zip(lost_slopes(bond, becomes, next)) {
                bodies[rest.body_of[i] as usize].take(&next.p[i], &-lost);
            }
            if becomes.is_some() {
                links.admit(world, rest, [bond.i, bond.j], next);
            }
            broken.push(BrokenOnTheWay { index, time: next.time, broken: BrokenBond::new(bond, next, world.axial) });
            gone.insert(gone.partition_point(|&other| other < index), index);
            self.breaks = true;
        }
    }
}
