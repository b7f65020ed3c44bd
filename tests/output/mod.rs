//! What a run leaves: frames, tables, the record, and the folder around them.

mod checkpoint;
mod columns;
mod folder;
mod lock;
mod parser;
mod ply;
mod read;
mod record;
mod sample;
mod series;
mod status;
mod tables;
mod vtu;
mod whole;
