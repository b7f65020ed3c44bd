//! What the user writes: TOML scenes, their checks, and how they become a world.
