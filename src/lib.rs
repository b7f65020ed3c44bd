//! Batch fracture simulation by the Bonded Discrete Element Method.

pub mod cli;
pub mod contact;
pub mod energy;
pub mod fracture;
pub mod geometry;
pub mod integrate;
pub mod linalg;
pub mod model;
pub mod optimize;
pub mod output;
pub mod run;
pub mod scene;
