//! Explicit steps where waves and cracks decide, implicit ones elsewhere; see [`Way`] for who says which.

use std::borrow::Cow;

use crate::contact::Neighbours;
use crate::energy::account::Flows;
use crate::fracture::BrokenBond;
use crate::model::{Bond, State, World};
use crate::optimize::SolverSettings;

use super::deviation::deviation;
use super::explicit::Verlet;
use super::implicit::{Implicit, Past, TimeRule};
use super::made::touches;
use super::{History, Integrator, RigidPieces, Step, StepError, Trial, Way};

/// Verlet and BDF2 by turns. Either goes on from the state alone; BDF2 also from a past, which is that of the last stretch of
/// explicit steps as if it had been one step.
#[derive(Debug)]
pub struct Hybrid {
    explicit: Verlet,
    implicit: Implicit,
    rigid: RigidPieces,
    /// The way of the step that was tried last, and of the last that was taken.
    tried: Way,
    way: Way,
    /// Where the stretch of explicit steps at hand began, or the step of rigid bodies; and whether a bond has broken in it.
    entry: Option<State>,
    breaks: bool,
}

/// Newton iterations and rounds of friction at most: what is harder is left to shorter steps, or to explicit ones.
const PATIENCE: [u32; 2] = [12, 3];

/// How much looser Newton's tolerance is: where bonds are loaded near their strength explicit steps have their turn soon, so that
/// a small share of the strain at which they break does for implicit ones. Not too small a share: what Newton leaves undone works, and
/// where it looks like energy from nothing a step is done again, four times as often at five times the tolerance. Where nothing can
/// break it is tighter: a ball that spins would lose 2 % of its energy in eight frames.
fn leniency(world: &World) -> f64 {
    const SHARE: f64 = 1.5e-3;
    const MOST: f64 = 3.0;
    /// The tolerance that is enough for any strain.
    const STRICT: f64 = 1e-6;
    const UNBREAKABLE: f64 = 0.1;
    let strain = |bond: &Bond| bond.strength[0].min(bond.strength[1]) * bond.area() / (bond.k.n * bond.l0);
    let strains = world.whole_bonds().map(strain).filter(|strain| strain.is_finite());
    let (sum, count) = strains.fold((0.0, 0), |(sum, count), strain| (sum + strain, count + 1));
    if count == 0 { UNBREAKABLE } else { (SHARE * sum / f64::from(count) / STRICT).clamp(1.0, MOST) }
}

impl Hybrid {
    /// With pieces as rigid bodies where their bonds bear less than the share `rigid_below` of what they can.
    pub fn new(world: &World, settings: &SolverSettings, rigid_below: f64) -> Self {
        let settings = SolverSettings {
            newton_iterations: settings.newton_iterations.min(PATIENCE[0]),
            friction_rounds: settings.friction_rounds.min(PATIENCE[1]),
            newton_tolerance: settings.newton_tolerance * leniency(world),
            ..settings.clone()
        };
        Self {
            explicit: Verlet::new(world),
            implicit: Implicit::new(TimeRule::Bdf2, world, &settings),
            rigid: RigidPieces::new(rigid_below),
            tried: Way::Implicit,
            way: Way::Implicit,
            entry: None,
            breaks: false,
        }
    }

    /// Makes ready for a step of this `way` from `state`, after one of another way was tried. All that it changes follows from
    /// the state and from the last step that was taken.
    fn turn_to(&mut self, way: Way, world: &World, contacts: &mut Neighbours, state: &State) {
        let tried = std::mem::replace(&mut self.tried, way);
        match way {
            Way::Implicit if self.way != Way::Implicit => self.implicit.begin(self.past(world, contacts, state)),
            Way::Explicit { .. } => {
                if !is_explicit(tried) {
                    // these do not tell how far particles have moved
                    contacts.look_again(state);
                }
                if !is_explicit(self.way) {
                    self.explicit.forget();
                }
            }
            _ => {}
        }
    }

    /// The stretch that ends at `state`, as the step before an implicit one.
    fn past(&self, world: &World, contacts: &Neighbours, state: &State) -> Option<Past> {
        let former = self.entry.clone()?;
        let (v, w, touching) = (state.v.clone(), state.w.clone(), touches(world, contacts));
        Some(Past { dt: state.time - former.time, former, v, w, jumped: self.breaks, touching })
    }
}

fn is_explicit(way: Way) -> bool {
    matches!(way, Way::Explicit { .. })
}

impl Integrator for Hybrid {
    fn trial(
        &mut self,
        world: &World,
        contacts: &mut Neighbours,
        state: &State,
        step: Step,
    ) -> Result<Trial<'_>, StepError> {
        self.turn_to(step.way, world, contacts, state);
        let (first, last) = match step.way {
            Way::Implicit => return self.implicit.trial(world, contacts, state, step),
            Way::Rigid => {
                let report = self.rigid.trial(world, contacts, state, step)?;
                return Ok(self.rigid.tried(report));
            }
            Way::Explicit { first, last } => (first, last),
        };
        let report = self.explicit.trial(world, contacts, state, step)?.report;
        let mut trial = self.explicit.tried(report);
        let entry = if first { Some(state) } else { self.entry.as_ref() };
        if let Some(entry) = entry.filter(|_| last) {
            let dt = trial.end.time - entry.time;
            let fall = world.gravity * (0.5 * dt * dt);
            let free = |i: usize| entry.p[i] + entry.v[i] * dt + fall;
            trial.report.deviation = deviation(world, self.explicit.held(), trial.end, free);
        }
        Ok(trial)
    }

    fn commit(&mut self, world: &World, contacts: &mut Neighbours, state: &mut State) -> Flows {
        self.way = self.tried;
        match self.way {
            Way::Implicit => self.implicit.commit(world, contacts, state),
            Way::Rigid => {
                self.entry.get_or_insert_default().clone_from(self.rigid.began());
                self.breaks = self.rigid.broke();
                self.rigid.commit(contacts, state)
            }
            Way::Explicit { first, .. } => {
                if first {
                    self.entry.get_or_insert_default().clone_from(state);
                    self.breaks = false;
                }
                self.explicit.commit(world, contacts, state)
            }
        }
    }

    fn after_breakage(&mut self, world: &World, contacts: &Neighbours, state: &State, broken: &[BrokenBond]) {
        if let Way::Explicit { .. } = self.way {
            self.breaks = true;
            return self.explicit.after_breakage(world, contacts, state, broken);
        }
        self.implicit.after_breakage(world, contacts, state, broken);
    }

    fn held(&self) -> &[bool] {
        match self.tried {
            Way::Explicit { .. } => self.explicit.held(),
            // nothing is held where pieces move as rigid bodies
            Way::Implicit | Way::Rigid => self.implicit.held(),
        }
    }

    /// Neither way goes by what it knew before the other had its turn.
    fn history(&self) -> History<'_> {
        let explicit = if is_explicit(self.way) {
            self.explicit.history()
        } else {
            History::Explicit { gradient: Cow::default() }
        };
        let implicit = match self.implicit.history() {
            History::Implicit { newton, .. } if self.way != Way::Implicit => {
                History::Implicit { past: None, potential: None, newton }
            }
            history => history,
        };
        History::Hybrid {
            explicit: Box::new(explicit),
            implicit: Box::new(implicit),
            way: self.way,
            entry: self.entry.as_ref().map(Cow::Borrowed),
            breaks: self.breaks,
        }
    }

    fn restore(&mut self, history: History, particles: usize) -> Option<()> {
        let History::Hybrid { explicit, implicit, way, entry, breaks } = history else { return None };
        if entry.as_ref().is_some_and(|entry| !entry.is_of(particles)) {
            return None;
        }
        self.explicit.restore(*explicit, particles)?;
        self.implicit.restore(*implicit, particles)?;
        (self.tried, self.way, self.entry, self.breaks) = (way, way, entry.map(Cow::into_owned), breaks);
        Some(())
    }
}
