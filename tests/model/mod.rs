//! The plain data of the model, and sums over its pairs.

mod bond;
mod builder;
mod hertz;
mod lattice;
mod motion;
mod normal_spring;
mod pairs;
mod wall;
mod world;
