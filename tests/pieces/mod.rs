//! Tests of `crates/pictures/src/pieces`.

mod cut;
mod formats;
mod lips;
mod motion;
mod shapes;

use std::collections::HashMap;

use bdem_core::geometry::{Pose, Vec3};
use bdem_pictures::pieces::{BodyMesh, CrackSettings, Cracks, Piece, PieceError, Pieces, RestBond, RestParticles};
use bdem_run::mesh::Polygons;

use crate::common::scenes::scene;

/// Particle radius, m.
const RADIUS: f64 = 0.01;

/// Mesh of a body with this shape.
fn body(shape: &str) -> Result<BodyMesh, PieceError> {
    let text = format!(
        "scene.name = 'a'\ntime = {{ frame_rate = 100.0, frames = 1 }}\n\
         materials.m = {{ density = 1e3, young_modulus = 1e7, poisson_ratio = 0.2 }}\n\
         [[bodies]]\nname = 'a'\nmaterial = 'm'\nparticle_radius = {RADIUS}\nshape = {shape}\n"
    );
    Ok(BodyMesh::all(&scene(&text, &[]), &[RADIUS])?.remove(0).expect("a body with a shape"))
}

/// Particles on a grid in a box of these sides (m) about the origin.
fn grid(size: [f64; 3]) -> Vec<Vec3> {
    let count = size.map(|side| (side / (2.0 * RADIUS)).round() as usize);
    let place = |k: usize| {
        let cell = [k % count[0], k / count[0] % count[1], k / count[0] / count[1]];
        Vec3::from([0, 1, 2].map(|axis| (cell[axis] as f64 + 0.5) * 2.0 * RADIUS - 0.5 * size[axis]))
    };
    (0..count.iter().product()).map(place).collect()
}

/// Pieces of a body whose particles at `places` (m, in the mesh's frame) belong to the pieces of these numbers.
fn cut(body: &BodyMesh, places: &[Vec3], piece: &[u32], settings: &CrackSettings) -> Result<Pieces, PieceError> {
    let places: Vec<Vec3> = places.iter().map(|place| body.pose.apply(place)).collect();
    let particles =
        RestParticles { places: &places, radius: &vec![RADIUS; places.len()], body: &vec![0; places.len()], piece };
    Pieces::cut(vec![Some(body.clone())], &particles, &Cracks::between(piece), settings)
}

/// The same of a body that was whole, and broke at time 0.
fn broken(body: &BodyMesh, places: &[Vec3], piece: &[u32]) -> Result<Pieces, PieceError> {
    let places: Vec<Vec3> = places.iter().map(|place| body.pose.apply(place)).collect();
    let (radius, of) = (vec![RADIUS; places.len()], vec![0; places.len()]);
    let particles = RestParticles { places: &places, radius: &radius, body: &of, piece };
    let bond = |i: u32| RestBond { ends: [i - 1, i], broke: 0.0 };
    let bonds: Vec<RestBond> = (1..places.len() as u32).map(bond).collect();
    Pieces::cut(vec![Some(body.clone())], &particles, &Cracks::new(&particles, &bonds, 1), &CrackSettings::default())
}

/// Index of the nearest of some seeds to each place, as the number of its piece.
fn nearest(places: &[Vec3], seeds: &[[f64; 3]]) -> Vec<u32> {
    let distance = |place: &Vec3, seed: usize| (place - Vec3::from(seeds[seed])).norm();
    let nearest = |place: &Vec3| {
        (0..seeds.len()).min_by(|&a, &b| distance(place, a).total_cmp(&distance(place, b))).expect("a seed") as u32
    };
    places.iter().map(nearest).collect()
}

/// Checks that each edge of a mesh has two faces, in opposite directions.
fn expect_closed(mesh: &Polygons) {
    let mut edges: HashMap<[u32; 2], i32> = HashMap::new();
    for face in mesh.faces() {
        for (k, corner) in face.iter().enumerate() {
            let ends = [corner.point, face[(k + 1) % face.len()].point];
            *edges.entry(ends).or_default() += 1;
        }
    }
    let open = edges.iter().filter(|([a, b], count)| edges.get(&[*b, *a]) != Some(count)).count();
    assert_eq!(open, 0, "of {} edges", edges.len());
}

/// Volume of a mesh, m3.
fn volume(mesh: &Polygons) -> f64 {
    let point = |k: u32| mesh.points[k as usize];
    let fan = |face: &[bdem_run::mesh::PolygonCorner]| -> f64 {
        let a = point(face[0].point);
        face[1..].windows(2).map(|pair| a.dot(&point(pair[0].point).cross(&point(pair[1].point))) / 6.0).sum()
    };
    mesh.faces().map(fan).sum()
}

/// Points of the outside or the crack faces of a piece, as bits.
fn points(piece: &Piece, outside: bool) -> Vec<[u64; 3]> {
    let faces = piece.mesh.faces().enumerate().filter(|(index, _)| (*index < piece.outside) == outside);
    let corners = faces.flat_map(|(_, face)| face.iter().map(|corner| piece.mesh.points[corner.point as usize]));
    corners.map(|p| [p.x, p.y, p.z].map(f64::to_bits)).collect()
}

/// Identity pose.
fn at_rest() -> Pose {
    Pose::default()
}
