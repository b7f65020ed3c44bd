//! Pieces cut from meshes: time of the cut and of a frame change, size, and how exact they are: `cargo bench --bench pieces`.
//! Without runs it cuts a box of 10 thousand particles into 300 pieces.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

use bdem_core::geometry::{Quat, Vec3};
use bdem_pictures::pieces::{BodyMesh, CrackSettings, Cracks, CutRun, Motion, Piece, Pieces, RestParticles};
use bdem_run::mesh::Polygons;
use bdem_run::output::ply::{Vertex, read_frame};
use bdem_run::output::{FrameRanges, frames_of};
use bdem_run::scene::Scene;
use clap::Parser;

use support::start_threads;

mod support;

/// Cuts of runs, and of a box
#[derive(Debug, Parser)]
struct Arguments {
    /// Folders of runs that have ended
    runs: Vec<PathBuf>,
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Cargo says this to benches
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() {
    let arguments = Arguments::parse();
    start_threads(Some(arguments.threads));
    println!(
        "| | particles | pieces | seconds | triangles outside | on cracks | volumes' sum over the mesh's, less 1 | outside off \
         the mesh, m | open edges | crack points without a twin | cracks in frame 0 | ms a frame |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    if arguments.runs.is_empty() {
        box_of_pieces();
    }
    arguments.runs.iter().for_each(|run| of_run(run));
}

/// A box of 10 thousand particles, whose pieces are the cells of 300 points.
fn box_of_pieces() {
    const RADIUS: f64 = 0.005;
    const COUNT: [usize; 3] = [40, 25, 10];
    let size = COUNT.map(|count| 2.0 * RADIUS * count as f64);
    let text = format!(
        "scene.name = 'a'\ntime = {{ frame_rate = 100.0, frames = 1 }}\n\
         materials.m = {{ density = 1e3, young_modulus = 1e7, poisson_ratio = 0.2 }}\n\
         [[bodies]]\nname = 'a'\nmaterial = 'm'\nparticle_radius = {RADIUS}\nshape = {{ box = {{ size = {size:?} }} }}\n"
    );
    let scene = Scene::parse(Path::new("a.toml"), &text, &[]).expect("a good scene");
    let places: Vec<Vec3> = (0..COUNT.iter().product())
        .map(|k: usize| {
            let cell = [k % COUNT[0], k / COUNT[0] % COUNT[1], k / COUNT[0] / COUNT[1]];
            Vec3::from([0, 1, 2].map(|axis| (cell[axis] as f64 + 0.5) * 2.0 * RADIUS - 0.5 * size[axis]))
        })
        .collect();
    let uniform = |k: u64| bdem_core::geometry::keyed::uniform(7, k) - 0.5;
    let seed = |k: u64| Vec3::from([0, 1, 2].map(|axis| uniform(3 * k + axis as u64) * size[axis]));
    let seeds: Vec<Vec3> = (0..300).map(seed).collect();
    let distance = |p: &Vec3, k: u32| (p - seeds[k as usize]).norm_squared();
    let nearest = |p: &Vec3| (0..300).min_by(|&a, &b| distance(p, a).total_cmp(&distance(p, b))).expect("a point");
    let piece: Vec<u32> = places.iter().map(nearest).collect();
    let (radius, body) = (vec![RADIUS; places.len()], vec![0; places.len()]);
    let particles = RestParticles { places: &places, radius: &radius, body: &body, piece: &piece };
    let start = Instant::now();
    let meshes = BodyMesh::all(&scene, &[RADIUS]).expect("a box has a mesh");
    let pieces =
        Pieces::cut(meshes, &particles, &Cracks::between(&piece), &CrackSettings::default()).expect("it is cut");
    let seconds = start.elapsed().as_secs_f64();
    let (turns, mass) = (vec![Quat::identity(); places.len()], vec![1.0; places.len()]);
    let (radii, cracks) = ([RADIUS], Cracks::default());
    let motion = Motion {
        pieces: &pieces,
        places: &places,
        turns: &turns,
        body: &body,
        mass: &mass,
        radii: &radii,
        cracks: &cracks,
    };
    let vertex = |(p, &piece): (&Vec3, &u32)| Vertex {
        x: p.x as f32,
        y: p.y as f32,
        z: p.z as f32 + 0.001 * piece as f32,
        piece: piece as i32,
        ..Vertex::default()
    };
    let frame: Vec<Vertex> = places.iter().zip(&piece).map(vertex).collect();
    report("box", places.len(), seconds, &motion, None, &frame);
}

/// Row of a run.
fn of_run(run: &Path) {
    let files = frames_of(run, &FrameRanges::default()).expect("frames");
    // kept pieces would take no time
    std::fs::remove_dir_all(run.join("pieces")).ok();
    let start = Instant::now();
    let cut = CutRun::load(run, &CrackSettings::default(), None).unwrap_or_else(|e| panic!("{e}"));
    let seconds = start.elapsed().as_secs_f64();
    let read = |k: usize| read_frame(&files[k].path).expect("a frame").vertices;
    let (first, last) = (read(0), read(files.len() - 1));
    report(&run.display().to_string(), last.len(), seconds, &cut.motion(), Some(&first), &last);
}

fn report(name: &str, particles: usize, seconds: f64, motion: &Motion, first: Option<&[Vertex]>, last: &[Vertex]) {
    const FRAMES: u32 = 10;
    let Pieces { bodies, pieces, .. } = motion.pieces;
    let triangles = |range: fn(&Piece) -> std::ops::Range<usize>| -> usize {
        pieces
            .iter()
            .map(|piece| piece.mesh.sizes[range(piece)].iter().map(|&size| size as usize - 2).sum::<usize>())
            .sum()
    };
    let start = Instant::now();
    (0..FRAMES).for_each(|_| assert!(!motion.at(last, f64::MAX).is_empty()));
    let frame = start.elapsed().as_secs_f64() / f64::from(FRAMES);
    let whole: f64 = bodies.iter().flatten().map(|body| volume(&body.mesh)).sum();
    let last_pieces = pieces.iter().filter(|piece| !piece.is_whole());
    let sum: f64 = last_pieces.map(|piece| volume(&piece.mesh)).sum();
    let open: usize = pieces.iter().map(|piece| open_edges(&piece.mesh)).sum();
    let cracks = first.map_or(0, |first| {
        let numbers: HashSet<(u16, u32)> =
            pieces.iter().zip(motion.at(first, 0.0)).map(|(piece, at)| (piece.body, at.number)).collect();
        numbers.len() - pieces.iter().map(|piece| piece.body).collect::<HashSet<u16>>().len()
    });
    println!(
        "| {name} | {particles} | {} | {seconds:.2} | {} | {} | {:.1e} | {:.1e} | {open} | {} | {cracks} | {:.2} |",
        pieces.len(),
        triangles(|piece| 0..piece.outside),
        triangles(|piece| piece.outside..piece.mesh.sizes.len()),
        sum / whole - 1.0,
        outside_off(motion.pieces),
        lonely(pieces),
        1e3 * frame
    );
}

fn volume(mesh: &Polygons) -> f64 {
    let (points, triangles) = mesh.clone().into_triangles();
    let part = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|k| points[k as usize] - points[0]);
        a.dot(&b.cross(&c)) / 6.0
    };
    triangles.iter().map(part).sum()
}

fn open_edges(mesh: &Polygons) -> usize {
    let mut edges: HashMap<[u32; 2], i32> = HashMap::new();
    for face in mesh.faces() {
        for (k, corner) in face.iter().enumerate() {
            *edges.entry([corner.point, face[(k + 1) % face.len()].point]).or_default() += 1;
        }
    }
    edges.iter().filter(|([a, b], count)| edges.get(&[*b, *a]) != Some(count)).count()
}

/// Largest distance (m) of the outside's points from the triangles of their body.
fn outside_off(pieces: &Pieces) -> f64 {
    let mut worst = 0.0_f64;
    for (index, body) in (0..).zip(&pieces.bodies) {
        let Some(body) = body else { continue };
        let (points, triangles) = body.mesh.clone().into_triangles();
        for piece in pieces.pieces.iter().filter(|piece| piece.body == index) {
            let outside: HashSet<u32> =
                piece.mesh.faces().take(piece.outside).flatten().map(|corner| corner.point).collect();
            // some hundred tell
            for &k in outside.iter().step_by(outside.len() / 100 + 1) {
                let place = &piece.mesh.points[k as usize];
                let near = triangles.iter().map(|t| off(place, &t.map(|k| points[k as usize])));
                worst = worst.max(near.fold(f64::INFINITY, f64::min));
            }
        }
    }
    worst
}

/// Distance (m) of a point from a triangle (C. Ericson, Real-Time Collision Detection, 5.1.5).
fn off(p: &Vec3, [a, b, c]: &[Vec3; 3]) -> f64 {
    let normal = (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_default();
    let is_above =
        [(a, b), (b, c), (c, a)].iter().all(|(from, to)| (*to - *from).cross(&(p - *from)).dot(&normal) >= 0.0);
    if is_above {
        return (p - a).dot(&normal).abs();
    }
    let to_edge = |from: &Vec3, to: &Vec3| {
        let side = to - from;
        let share = ((p - from).dot(&side) / side.norm_squared()).clamp(0.0, 1.0);
        (p - from - side * share).norm()
    };
    to_edge(a, b).min(to_edge(b, c)).min(to_edge(c, a))
}

/// Number of points of cracks that no other piece has within rounding.
fn lonely(pieces: &[Piece]) -> usize {
    /// Rounding, m.
    const ROUNDING: f64 = 1e-12;
    let key = |p: &Vec3| [p.x, p.y, p.z].map(|x| (x / (10.0 * ROUNDING)).round() as i64);
    let mut owners: HashMap<[i64; 3], HashSet<usize>> = HashMap::new();
    let mut cracks = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        let points: HashSet<u32> =
            piece.mesh.faces().skip(piece.outside).flatten().map(|corner| corner.point).collect();
        for point in points {
            let place = piece.mesh.points[point as usize];
            owners.entry(key(&place)).or_default().insert(index);
            cracks.push((index, place));
        }
    }
    let has_twin = |index: usize, place: &Vec3| {
        let [x, y, z] = key(place);
        let mut near = (-1..=1).flat_map(|i| (-1..=1).flat_map(move |j| (-1..=1).map(move |k| [x + i, y + j, z + k])));
        near.any(|key| owners.get(&key).is_some_and(|owners| owners.iter().any(|&other| other != index)))
    };
    cracks.iter().filter(|(index, place)| !has_twin(*index, place)).count()
}
