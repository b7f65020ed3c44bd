//! Integrators against reference numbers and conservation laws.

mod accuracy;
mod bdf2;
mod beams;
mod bouncing;
mod cantilever;
mod collision;
mod floor;
mod implicit_euler;
mod linearly_implicit;
mod loads;
mod midpoint;
mod motion;
mod rigid;
mod rodrigues;
mod sleep;
mod spin;
mod springs;
mod stability;
mod stable_scenes;
mod step_error;
mod tilted_plane;
mod torus;
mod trial;
mod verlet;
mod walls;
