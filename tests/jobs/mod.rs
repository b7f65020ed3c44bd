//! Tests of the crate `bdem-jobs` as another program calls it. What the program prints of it is tested with the program.

mod check;
mod fit;
mod sweep;

/// A ball that flies without gravity: its kinetic energy is proportional to its density.
const BALL: &str = r#"
[scene]
name = "ball"
gravity = [0.0, 0.0, 0.0]

[time]
frame_rate = 100.0
frames = 1
step = 0.01

[materials.rubber]
density = 1100.0
young_modulus = 1e7
poisson_ratio = 0.25

[[bodies]]
name = "ball"
material = "rubber"
particle_radius = 0.01
shape = { sphere = { radius = 0.03 } }
velocity = [2.0, 0.0, 0.0]
"#;
