//! Steps of a world: what other programs bring, and frames.

mod auto;
mod extensions;
