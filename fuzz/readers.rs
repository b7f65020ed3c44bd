//! Each reader of the library as a function of bytes, which must neither panic, nor hang, nor take much memory, whatever they
//! are. The fuzz targets call these, and so do the tests in `tests/fuzz`.

use std::io::Cursor;
use std::path::Path;

use bdem_core::geometry::Vec3;
use bdem_core::geometry::mesh::Mesh;
use bdem_core::simulate::{FractureEvent, Simulation, Snapshot};
use bdem_run::mesh;
use bdem_run::output::ply::Frame;
use bdem_run::output::{Checkpoint, Columns, Metrics, RunRecord, TableRow, Timings, first_rows};
use bdem_run::scene::{Scene, attribute, bond_file, particle_file};
use sha2::{Digest, Sha256};

/// Where a scene would lie that names meshes of the corpus, seen from the repository's top.
const SCENE: &str = "fuzz/corpus/scene/scene.toml";

/// What snapshots are taken up in: two balls in contact.
const TWO: &str = "fuzz/corpus/scene/two.toml";

/// Lines that begin so, which are comments to TOML, give overrides.
const SET: &str = "# --set ";

/// A scene, with and without its overrides; written in full it is a scene again.
pub(super) fn scene(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let overrides: Vec<String> = text.lines().filter_map(|line| line.strip_prefix(SET)).map(str::to_owned).collect();
    let parse = |text: &str, overrides: &[String]| Scene::parse(Path::new(SCENE), text, overrides);
    if let Ok(scene) = parse(&text, &[]) {
        let resolved = scene.resolved_toml();
        let again = parse(&resolved, &[]).unwrap_or_else(|error| panic!("{error}\n{resolved}"));
        assert_eq!(again.resolved_toml(), resolved);
    }
    if let Ok(scene) = parse(&text, &overrides) {
        assert!(scene.estimated_particles() <= 50_000_000, "{}", scene.estimated_particles());
    }
}

/// The triangles of a mesh, as each of its formats.
pub(super) fn mesh(bytes: &[u8]) {
    for ending in ["obj", "stl", "ply"] {
        let Ok((corners, faces)) = mesh::read(ending, bytes.to_vec()) else { continue };
        assert!(corners.len().max(faces.len()) <= bytes.len());
    }
}

/// A solid: a byte that counts corners, their coordinates, and faces of three indices.
pub(super) fn solid(bytes: &[u8]) {
    let Some((&count, rest)) = bytes.split_first() else { return };
    let (places, indices) = rest.split_at(rest.len().min(12 * usize::from(count)));
    let number = |bytes: &[u8; 4]| f64::from(f32::from_le_bytes(*bytes));
    let places: Vec<f64> = places.as_chunks().0.iter().map(number).collect();
    let corners: Vec<Vec3> = places.chunks_exact(3).map(Vec3::from_column_slice).collect();
    let faces: Vec<[u32; 3]> = indices.as_chunks().0.iter().map(|face: &[u8; 3]| face.map(u32::from)).collect();
    let Ok(mesh) = Mesh::new(&corners, &faces) else { return };
    let (low, high) = mesh.bounds();
    for share in [0.0, 0.3, 0.5, 1.1] {
        let p: Vec3 = low + (high - low) * share;
        assert_eq!(mesh.distance(&p).is_sign_negative(), mesh.contains(&p), "{p} {}", mesh.distance(&p));
        assert!((mesh.normal(&p).norm() - 1.0).abs() < 1e-9, "{p} {}", mesh.normal(&p));
    }
}

/// Particles, as CSV, PLY, text and data of LAMMPS, a number of each, and bonds between four of them.
pub(super) fn particles(bytes: &[u8]) {
    for name in ["particles.csv", "particles.ply", "particles.txt", "particles.data"] {
        for values in ["x", "charge"].into_iter().flat_map(|attribute| attribute::read(name, bytes, attribute)) {
            assert!(values.len() <= bytes.len());
        }
        if let Ok(pairs) = bond_file::read(name, bytes, 4) {
            assert!(pairs.len() <= bytes.len() && pairs.iter().all(|[i, j]| i < j && *j < 4));
        }
        let Ok(spheres) = particle_file::read(name, bytes) else { continue };
        assert!(!spheres.centres.is_empty() && spheres.centres.len() == spheres.radii.len());
        assert!(spheres.radii.iter().all(|r| r.is_finite() && *r > 0.0));
    }
}

/// A frame of an earlier run.
pub(super) fn frame(bytes: &[u8]) {
    if let Ok(frame) = Frame::read(Cursor::new(bytes)) {
        assert!(frame.vertices.len() + frame.edges.map_or(0, |edges| edges.len()) < bytes.len());
    }
}

/// The record of an earlier run; written again it is the same.
pub(super) fn record(bytes: &[u8]) {
    if let Ok(record) = RunRecord::read_from(bytes) {
        let again = serde_json::to_vec(&record).expect("JSON can say it");
        assert_eq!(RunRecord::read_from(&again[..]).expect("a record"), record);
    }
}

/// A checkpoint, as it is and with the checksum that it should have, and what it holds.
pub(super) fn checkpoint(bytes: &[u8]) {
    let end = bytes.len().saturating_sub(32);
    let sealed = [&bytes[..end], &Sha256::digest(&bytes[..end])].concat();
    for bytes in [bytes.to_vec(), sealed] {
        let Ok(checkpoint) = Checkpoint::parse(bytes) else { continue };
        drop(checkpoint.payload::<Snapshot>(1 << 20));
    }
}

/// What a run goes on from, unpacked: a small simulation takes it up, or refuses it.
pub(super) fn snapshot(bytes: &[u8]) {
    let Ok(snapshot) = postcard::from_bytes::<Snapshot>(bytes) else { return };
    let scene = Scene::load(Path::new(TWO)).expect("a good scene");
    let (world, state) = scene.build().expect("a world");
    let particles = state.len();
    let mut simulation = Simulation::new(world, state, &scene.simulation_settings());
    if simulation.restore(snapshot).is_some() {
        assert_eq!(simulation.state.len(), particles);
    }
}

/// The tables of a run that goes on, with as many rows as there are lines.
pub(super) fn table(bytes: &[u8]) {
    let rows = bytes.iter().filter(|&&byte| byte == b'\n').count();
    let count = [count::<Metrics>, count::<Timings>, count::<FractureEvent>].map(|count| count(bytes, rows));
    assert!(count.iter().all(|count| *count <= rows));
    if let Ok(columns) = Columns::read_from(bytes) {
        assert!(columns.rows.len() <= rows + 1 && columns.rows.iter().all(|row| row.len() == columns.names.len()));
        let _ = columns.vectors("force");
    }
}

/// The first rows of a table that make sense.
fn count<R: TableRow>(bytes: &[u8], rows: usize) -> usize {
    first_rows::<R>(bytes, rows).map_while(Result::ok).count()
}
