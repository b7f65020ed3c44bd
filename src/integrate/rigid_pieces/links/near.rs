//! Which links may close within a few short steps. All others are left alone for so long, and what has no such link flies by itself.

use rayon::prelude::*;

use crate::geometry::Vec3;
use crate::model::{Pair, State, World};

use super::super::body::Body;
use super::super::touch::{PairLink, WallLink};
use super::Links;

/// Short steps of a block, if they are as long as springs allow.
const STEPS: f64 = 32.0;

impl Links {
    /// Begins a block of short steps from `now` that goes no further than `until` (s). Where nothing was near in the block before, this
    /// one is twice as long.
    pub fn begin_block(&mut self, world: &World, bodies: &mut [Body], from: &State, now: &mut State, until: f64) {
        self.end_block(bodies, &world.gravity, now.time);
        for &(i, body) in &self.linked.particles {
            let (i, body) = (i as usize, &bodies[body as usize]);
            (now.p[i], now.q[i]) = (body.place(&from.p[i]), body.turned(&from.q[i]));
        }
        self.linked.bodies.iter().for_each(|&body| bodies[body as usize].begin_block());
        let step = self.shortest_step.min(self.awake.longest_step).max(self.explicit);
        let is_calm = self.moving.bodies.is_empty() && now.time > self.began;
        self.span = if is_calm { 2.0 * self.span } else { STEPS * step };
        let left = until - now.time;
        self.end = if self.span < left { now.time + self.span } else { until };
        self.find_near(world, bodies, now, self.span.min(left));
        self.list_moving(bodies);
    }

    /// Finds the links that may close within `span`, s.
    fn find_near(&mut self, world: &World, bodies: &[Body], now: &State, span: f64) {
        // how far two may come nearer, m, besides what their velocities say
        let bend = |curve: f64| 0.5 * curve * span * span;
        let pair = |link: &PairLink| {
            let ([a, b], [i, j]) = (link.bodies.map(|body| &bodies[body]), link.pair.ends());
            let apart = a.velocity_at(&now.p[i]) - b.velocity_at(&now.p[j]);
            let gap = (now.p[i] - now.p[j]).norm() - link.pair.reach;
            gap <= apart.norm() * span + bend(a.curve + b.curve) + a.leeway() + b.leeway()
        };
        let wall = |link: &WallLink| {
            let (body, p) = (&bodies[link.body], &now.p[link.particle]);
            let gap = world.colliders[link.wall].distance(p, now.time) - link.radius;
            gap <= body.velocity_at(p).norm() * span + bend(body.curve + world.gravity.norm()) + body.leeway()
        };
        let Self { pairs, walls, near_pairs, near_walls, .. } = self;
        near_pairs.clear();
        near_pairs.extend((0..).zip(&*pairs).filter(|(_, link)| pair(link)).map(|(k, _)| k));
        near_walls.clear();
        near_walls.extend((0..).zip(&*walls).filter(|(_, link)| wall(link)).map(|(k, _)| k));
        let of_pairs = near_pairs.iter().flat_map(|&k| pairs[k as usize].held);
        self.closing = of_pairs.chain(near_walls.iter().map(|&k| walls[k as usize].held)).fold(0.0, f64::max);
        self.touching_pairs.clear();
        self.touching_pairs.extend(self.near_pairs.iter().filter(|&&k| self.pairs[k as usize].touch.push > 0.0));
        self.touching_walls.clear();
        self.touching_walls.extend(self.near_walls.iter().filter(|&&k| self.walls[k as usize].touch.push > 0.0));
    }

    /// Lists what moves by short steps, and tells it: what is near, and what is awake.
    fn list_moving(&mut self, bodies: &mut [Body]) {
        self.linked.bodies.iter().for_each(|&body| bodies[body as usize].is_moving = false);
        let near_pairs = self.near_pairs.iter().map(|&k| &self.pairs[k as usize]);
        let near_walls = self.near_walls.iter().map(|&k| &self.walls[k as usize]);
        let near = near_pairs.flat_map(PairLink::ends).chain(near_walls.map(WallLink::end));
        self.moving.set(bodies.len(), near.chain(self.awake.with_bodies()));
        self.moving.bodies.iter().for_each(|&body| bodies[body as usize].is_moving = true);
        for &body in &self.linked.bodies {
            let body = &mut bodies[body as usize];
            if !body.is_moving {
                body.unload();
            }
        }
    }

    /// Ends the block at hand at a `time` (s): moves what nothing was near, and looks how far all are off their ways.
    pub fn end_block(&mut self, bodies: &mut [Body], gravity: &Vec3, time: f64) {
        let elapsed = time - std::mem::replace(&mut self.block, time);
        if elapsed == 0.0 {
            return;
        }
        for &body in &self.linked.bodies {
            let body = &mut bodies[body as usize];
            if !body.is_moving {
                body.fly(gravity, elapsed);
            }
            body.look(gravity, elapsed);
        }
    }

    /// Does something to all bodies that move by short steps.
    pub fn each_moving(&self, bodies: &mut [Body], act: impl Fn(&mut Body) + Sync) {
        /// So many are worth a second thread; and bodies a task.
        const MANY: usize = 512;
        const CHUNK: usize = 256;
        if self.moving.bodies.len() < MANY {
            self.moving.bodies.iter().for_each(|&body| act(&mut bodies[body as usize]));
        } else {
            let moving = |bodies: &mut [Body]| bodies.iter_mut().filter(|body| body.is_moving).for_each(&act);
            bodies.par_chunks_mut(CHUNK).for_each(moving);
        }
    }
}
