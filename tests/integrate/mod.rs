//! Integrators against reference numbers and conservation laws.

mod accuracy;
mod bdf2;
mod beams;
mod cantilever;
mod collision;
mod floor;
mod implicit_euler;
mod linearly_implicit;
mod loads;
mod midpoint;
mod motion;
mod reports;
mod restitution;
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
