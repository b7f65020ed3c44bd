use bdem_core::geometry::{Quat, Vec3};
use bdem_core::integrate::TimeRule;
use bdem_core::internals::contact::ContactState;
use bdem_core::model::{Gradient, State};

use super::Run;

/// A step's start: all that the steps from there depend on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    /// Number of steps before it.
    pub step: u32,
    pub state: State,
    /// Whether the step to it continued the history of BDF2.
    pub continues: bool,
    /// dV/dx there, of explicit steps; empty before the first.
    pub gradient: Vec<Gradient>,
    /// Tangential springs there.
    pub contacts: ContactState,
}

impl Record {
    /// The start of a run.
    pub(crate) fn first(run: &Run) -> Self {
        Self { step: 0, state: run.start.clone(), continues: false, ..Self::default() }
    }

    /// Numbers of a particle in a record.
    pub(crate) fn numbers(rule: Option<TimeRule>) -> usize {
        const STATE: usize = 13;
        const GRADIENT: usize = 6;
        if rule.is_none() { STATE + GRADIENT } else { STATE }
    }

    /// The record as bytes.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.clear();
        let mut put = |x: f64| out.extend_from_slice(&x.to_le_bytes());
        put(self.state.time);
        put(f64::from(u8::from(self.continues)));
        put(f64::from(u8::from(!self.gradient.is_empty())));
        let State { p, q, v, w, .. } = &self.state;
        for i in 0..p.len() {
            [&p[i], &v[i], &w[i]].into_iter().flat_map(Vec3::iter).for_each(|x| put(*x));
            q[i].coords.iter().for_each(|x| put(*x));
            let gradient = self.gradient.get(i).copied().unwrap_or_default();
            gradient
                .p
                .iter()
                .chain(&gradient.theta)
                .take(if self.gradient.is_empty() { 0 } else { 6 })
                .for_each(|x| put(*x));
        }
        let contacts = postcard::to_allocvec(&self.contacts).expect("lists of numbers");
        out.extend_from_slice(&contacts);
    }

    /// The record of `step` in bytes of `particles` particles.
    pub(crate) fn read(step: u32, bytes: &[u8], particles: usize) -> Self {
        let mut numbers = bytes.chunks_exact(8).map(|x| f64::from_le_bytes(x.try_into().expect("eight bytes")));
        let mut next = || numbers.next().unwrap_or_default();
        let mut state = State { time: next(), ..State::default() };
        let continues = next() != 0.0;
        let mut gradient = Vec::new();
        let has_gradient = next() != 0.0;
        for _ in 0..particles {
            let mut vector = || Vec3::new(next(), next(), next());
            state.p.push(vector());
            state.v.push(vector());
            state.w.push(vector());
            let [x, y, z, w] = [next(), next(), next(), next()];
            state.q.push(Quat::new(w, x, y, z));
            if has_gradient {
                let mut vector = || Vec3::new(next(), next(), next());
                gradient.push(Gradient { p: vector(), theta: vector() });
            }
        }
        let numbers = 3 + particles * if has_gradient { 19 } else { 13 };
        let contacts = postcard::from_bytes(&bytes[8 * numbers..]).expect("lists that were written");
        Self { step, state, continues, gradient, contacts }
    }
}
