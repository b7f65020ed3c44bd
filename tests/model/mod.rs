//! The plain data of the model, and sums over its pairs.

mod bond;
mod builder;
mod collider;
mod contact_spring;
mod lattice;
mod motion;
mod pairs;
mod world;
