//! Steps of a world: what other programs bring, frames, and vibrations that decay.

mod extensions;
mod ring_down;
