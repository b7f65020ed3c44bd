//! Contacts of an explicit step, evaluated once: forces at its end, tangential springs after it, and energy flows.
//!
//! ```text
//! steps       contacts of a step, by chunks of particles
//! chunk       contacts of a chunk's particles, and the sums of their forces
//! kernel      one kernel over blocks of contacts, with particles and with walls
//! pair_list   near pairs: those in contact, and the others, which are watched
//! wall_list   particles near walls, and those in contact
//! blocks      contacts in blocks of eight, with their laws
//! drifts      powers of forces in the drifts before and after the step's end
//! ```

mod blocks;
mod chunk;
mod drifts;
mod kernel;
mod pair_list;
mod steps;
mod wall_list;

pub(super) use drifts::Drifts;
pub use steps::StepFlows;
pub(super) use steps::{StepContacts, StepInput};

/// Places of the bits of `word` that are set, ascending.
#[inline(always)]
fn set_bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = word.trailing_zeros() as usize;
        (word != 0).then(|| word &= word - 1)?;
        Some(place)
    })
}
