use bdem_run::output::ply::Vertex;

use crate::surface::{Corner, Face, SurfaceMesh};

use super::Scope;

/// Limit on the looks of a page, as of its shader. Further bodies have those of earlier ones.
pub(super) const MAX_LOOKS: usize = 64;

/// Particle, or vertex of a surface, on the page.
pub(super) struct Point {
    /// Position, m.
    place: [f32; 3],
    piece: i32,
    damage: f32,
    /// Stress of a particle, Pa. Of a vertex, the maximum on cracks, and 0 elsewhere.
    stress: f32,
    /// Speed, m/s.
    pub speed: f32,
    /// Charge, C.
    charge: f32,
    /// Index of its look on the page: two a body, for outside and inside.
    look: u8,
}

impl From<&Vertex> for Point {
    fn from(v: &Vertex) -> Self {
        let (place, speed) = ([v.x, v.y, v.z], length([v.vx, v.vy, v.vz]));
        Self { place, piece: v.piece, damage: v.damage, stress: v.stress, speed, charge: v.charge, look: 0 }
    }
}

impl Point {
    /// Vertex of a surface.
    fn of_corner(c: &Corner, face: Face) -> Self {
        let (place, speed) = ([c.x, c.y, c.z], length([c.vx, c.vy, c.vz]));
        let stress = if face.is_crack { f32::INFINITY } else { 0.0 };
        let look = (2 * usize::from(face.body) + usize::from(face.is_crack)) % MAX_LOOKS;
        Self { place, piece: c.piece, damage: c.damage, stress, speed, charge: c.charge, look: look as u8 }
    }
}

fn length(v: [f32; 3]) -> f32 {
    nalgebra::Vector3::from(v).norm()
}

impl Scope {
    /// Compact form of points: all positions (16 bits each, as differences from the point before, first all low bytes), then the numbers of their pieces (16 bits), damage,
    /// stress and speed (8 bits), and charge and look (8 bits each) if there are any.
    pub(super) fn pack(&self, points: impl Iterator<Item = Point>) -> Vec<u8> {
        let points: Vec<Point> = points.collect();
        let place =
            |p: &Point| [0, 1, 2].map(|k| (65535.0 * share(p.place[k] - self.low[k], self.size[k])).round() as u16);
        let places: Vec<u16> = points.iter().flat_map(place).collect();
        let before = [0; 3].iter().chain(&places);
        let steps: Vec<[u8; 2]> = places.iter().zip(before).map(|(x, y)| x.wrapping_sub(*y).to_le_bytes()).collect();
        let mut bytes: Vec<u8> = [0, 1].into_iter().flat_map(|k| steps.iter().map(move |step| step[k])).collect();
        bytes.extend(points.iter().flat_map(|p| piece_number(p.piece.unsigned_abs()).to_le_bytes()));
        let byte = |x: f32, most: f32| (255.0 * share(x, most)).round() as u8;
        let ranges = &self.ranges;
        bytes.extend(points.iter().map(|p| byte(p.damage, ranges.damage.most)));
        bytes.extend(points.iter().map(|p| byte(p.stress, ranges.stress.most.max(f32::MIN_POSITIVE))));
        bytes.extend(points.iter().map(|p| byte(p.speed, ranges.speed.most)));
        if let Some(range) = &ranges.charge {
            bytes.extend(points.iter().map(|p| byte(p.charge - range.least, range.most - range.least)));
        }
        if !self.looks.is_empty() {
            bytes.extend(points.iter().map(|p| p.look));
        }
        bytes
    }
}

/// Number of a piece in 16 bits: modulo a prime, so that numbers with equal low bits differ.
pub(super) fn piece_number(number: u32) -> u16 {
    (number % 65521) as u16
}

fn share(x: f32, most: f32) -> f32 {
    if most > 0.0 { (x / most).clamp(0.0, 1.0) } else { 0.0 }
}

/// Encoder of surfaces, frame by frame. Triangles that do not change are written once.
#[derive(Default)]
pub(super) struct Mesher {
    triangles: Vec<[u32; 3]>,
    /// Frame that has the triangles.
    written: u32,
}

impl Mesher {
    /// Surface of frame `k`: numbers of vertices and triangles, and the frame that has the triangles (32 bits each).
    /// The vertices follow, then their normals (8 bits a part) if the page has pieces, and the triangles' indices if they changed.
    pub(super) fn pack(&mut self, scope: &Scope, k: u32, mesh: &SurfaceMesh) -> Vec<u8> {
        let faces = mesh.corner_faces();
        let SurfaceMesh { corners, triangles, .. } = mesh;
        let is_new = self.triangles.is_empty() || *triangles != self.triangles;
        if is_new {
            (self.triangles, self.written) = (triangles.clone(), k);
        }
        let head = [corners.len() as u32, self.triangles.len() as u32, self.written];
        let mut bytes: Vec<u8> = head.into_iter().flat_map(u32::to_le_bytes).collect();
        bytes.extend(scope.pack(corners.iter().zip(faces).map(|(corner, face)| Point::of_corner(corner, face))));
        if scope.rest.is_some() {
            bytes.extend(mesh.normals.as_flattened().iter().map(|x| (127.0 * x).round() as i8 as u8));
        }
        if is_new {
            write_differences(&mut bytes, self.triangles.as_flattened());
        }
        bytes
    }
}

/// Differences of consecutive numbers, with the sign in the lowest bit. Groups of seven bits, the lowest first, have
/// the eighth bit set where more follow (as in LEB128).
fn write_differences(bytes: &mut Vec<u8>, numbers: &[u32]) {
    let mut before = 0;
    for &number in numbers {
        let difference = number.wrapping_sub(before) as i32;
        let mut rest = ((difference << 1) ^ (difference >> 31)) as u32;
        while rest >= 128 {
            bytes.push(rest as u8 | 128);
            rest >>= 7;
        }
        bytes.push(rest as u8);
        before = number;
    }
}
