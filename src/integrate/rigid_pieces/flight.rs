//! How the bodies fly: by themselves, or by short steps where anything may touch them.

use rayon::prelude::*;

use crate::geometry::Vec3;
use crate::integrate::StepError;
use crate::model::World;

use super::body::Body;
use super::{CHUNK, RigidPieces};

/// Short steps after which it is looked at whether pieces that are awake are calm: a wave has crossed fifty particles.
const CALM: u32 = 64;

impl RigidPieces {
    /// Finds where the pieces would be at `end` (s) if nothing touched them, or before they turn far; returns when that is, s.
    pub(super) fn foresee(&mut self, world: &World, end: f64) -> f64 {
        let (gravity, now) = (&world.gravity, self.next.time);
        let longest = self.bodies.iter().map(Body::longest_flight).fold(f64::INFINITY, f64::min);
        let until = if now + longest < end { now + longest } else { end };
        self.flown.clone_from(&self.bodies);
        self.flown.iter_mut().for_each(|body| {
            body.unload();
            body.fly(gravity, until - now);
        });
        self.bodies.iter_mut().for_each(|body| body.set_off(until - now));
        self.ahead.time = until;
        self.ahead.p.resize(self.from.len(), Vec3::zeros());
        let (rest, flown, from) = (&self.rest, &self.flown, &self.from);
        let places = self.ahead.p.par_iter_mut().enumerate().with_min_len(CHUNK);
        places.for_each(|(i, p)| *p = flown[rest.body_of[i] as usize].place(&from.p[i]));
        until
    }

    /// Flies `until` then (s), or to where a piece comes off its foreseen way, wakes, or rests again.
    pub(super) fn fly(&mut self, world: &World, until: f64) -> Result<(), StepError> {
        let began = self.next.time;
        loop {
            self.cross_block(world)?;
            let Self { bodies, links, next, from, .. } = self;
            links.end_block(bodies, &world.gravity, next.time);
            let is_off = links.linked.bodies.iter().any(|&body| bodies[body as usize].is_off());
            if is_off || std::mem::take(&mut self.breaks) || next.time >= until {
                break;
            }
            links.begin_block(world, bodies, from, next, until);
        }
        let elapsed = self.next.time - began;
        let is_whole = self.next.time == until;
        // those that woke on the way are linked, and come after these
        for (body, flown) in self.bodies.iter_mut().zip(&self.flown).filter(|(body, _)| !body.is_linked) {
            if is_whole { body.clone_from(flown) } else { body.fly(&world.gravity, elapsed) }
        }
        self.place();
        Ok(())
    }

    /// Goes to the end of a block by short steps, or to where what flies by itself is to be looked at. A block ends and another begins
    /// on the way wherever pieces wake or rest.
    ///
    /// # Errors
    /// As [`Self::press`].
    fn cross_block(&mut self, world: &World) -> Result<(), StepError> {
        if self.links.moving.bodies.is_empty() {
            self.next.time = self.links.end;
        }
        while self.next.time < self.links.end {
            if std::mem::take(&mut self.is_new) {
                self.press(world, false)?;
            }
            let end = self.links.end;
            let left = end - self.next.time;
            let steps = (left / self.links.longest_step(world, &self.bodies, &self.next)).ceil().max(1.0);
            let time = if steps > 1.0 { self.next.time + left / steps } else { end };
            let wakes = self.step(world, left / steps, time)?;
            self.steps += 1;
            let awake = self.links.awake.particles().len();
            self.awake_for += awake as f64 * left / steps;
            let may_settle = self.steps.is_multiple_of(CALM) && awake > 0;
            let has_swerved = || self.links.moving.bodies.iter().any(|&body| self.bodies[body as usize].has_swerved());
            if self.breaks || has_swerved() {
                break;
            }
            if may_settle && !wakes {
                self.settle(world);
            }
        }
        Ok(())
    }

    /// A step of `dt` (s) of what may touch, which ends at `time` (s).
    ///
    /// # Errors
    /// As [`Self::press`], as which it says whether pieces wake.
    fn step(&mut self, world: &World, dt: f64, time: f64) -> Result<bool, StepError> {
        let Self { bodies, links, next, from, .. } = self;
        links.awake.begin_step(bodies);
        links.each_moving(bodies, |body| body.kick(&world.gravity, 0.5 * dt));
        // just before they move: what friction holds would creep by half a kick each step otherwise
        links.correct_velocities(bodies, &world.gravity, next, dt);
        links.each_moving(bodies, |body| {
            body.drift(dt);
            body.is_half_way = true;
        });
        links.follow(bodies, from, next, time);
        let wakes = self.press(world, true)?;
        let Self { bodies, links, next, .. } = self;
        let go_on = |body: &mut Body| {
            if std::mem::take(&mut body.is_half_way) {
                body.kick(&world.gravity, 0.5 * dt);
            }
        };
        if wakes {
            // others may be moving now
            links.linked.bodies.iter().for_each(|&body| go_on(&mut bodies[body as usize]));
        } else {
            links.each_moving(bodies, go_on);
        }
        links.damp(bodies, next, dt);
        self.break_bonds(world);
        Ok(wakes)
    }

    /// Puts all particles where their bodies are.
    fn place(&mut self) {
        let Self { bodies, rest, next, from, .. } = self;
        let places = (&mut next.p, &mut next.q).into_par_iter().enumerate().with_min_len(CHUNK);
        places.for_each(|(i, (p, q))| {
            let body = &bodies[rest.body_of[i] as usize];
            (*p, *q) = (body.place(&from.p[i]), body.turned(&from.q[i]));
        });
    }
}
