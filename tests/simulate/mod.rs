//! Steps of a world: what other programs bring, frames, and vibrations that decay.

mod auto;
mod blocks;
mod deformation;
mod drives;
mod extensions;
mod kinks;
mod release;
mod vibration_decay;
mod winds;
