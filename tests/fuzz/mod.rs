//! What the fuzz targets do at length, in short: readers meet files of their corpus, whole and mangled.

mod mangle;
#[path = "../../fuzz/readers.rs"]
mod readers;

use mangle::read_mangled;

#[test]
fn scenes() {
    read_mangled(&["scenes", "fuzz/corpus/scene"], readers::scene);
}

#[test]
fn meshes() {
    read_mangled(&["fuzz/corpus/mesh"], readers::mesh);
}

#[test]
fn solids() {
    read_mangled(&["fuzz/corpus/solid"], readers::solid);
}

#[test]
fn particles() {
    read_mangled(&["fuzz/corpus/particles"], readers::particles);
}

#[test]
fn frames() {
    read_mangled(&["fuzz/corpus/frame"], readers::frame);
}

#[test]
fn records() {
    read_mangled(&["fuzz/corpus/record"], readers::record);
}

#[test]
fn checkpoints() {
    read_mangled(&["fuzz/corpus/checkpoint"], readers::checkpoint);
}

#[test]
fn snapshots() {
    read_mangled(&["fuzz/corpus/snapshot"], readers::snapshot);
}

#[test]
fn tables() {
    read_mangled(&["fuzz/corpus/table"], readers::table);
}
