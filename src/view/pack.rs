use crate::output::ply::Vertex;
use crate::surface::{Corner, SurfaceMesh};

use super::Scope;

/// What the page knows of a particle, or of a surface's corner.
pub(super) struct Point {
    /// m.
    place: [f32; 3],
    piece: i32,
    damage: f32,
    /// Pa; of a corner, the most there is on a crack, and else 0.
    stress: f32,
    /// m/s.
    pub speed: f32,
}

impl From<&Vertex> for Point {
    fn from(v: &Vertex) -> Self {
        let (place, speed) = ([v.x, v.y, v.z], length([v.vx, v.vy, v.vz]));
        Self { place, piece: v.piece, damage: v.damage, stress: v.stress, speed }
    }
}

impl From<&Corner> for Point {
    fn from(c: &Corner) -> Self {
        let (place, speed) = ([c.x, c.y, c.z], length([c.vx, c.vy, c.vz]));
        let stress = if c.fracture == 0 { 0.0 } else { f32::INFINITY };
        Self { place, piece: c.piece, damage: c.damage, stress, speed }
    }
}

fn length(v: [f32; 3]) -> f32 {
    nalgebra::Vector3::from(v).norm()
}

impl Scope {
    /// Points in few bytes: for all of them the places (16 bits each), then the numbers of their pieces (16 bits), damage,
    /// stress and speed (8 bits).
    pub(super) fn pack(&self, points: impl Iterator<Item = Point>) -> Vec<u8> {
        let points: Vec<Point> = points.collect();
        let place =
            |p: &Point| [0, 1, 2].map(|k| (65535.0 * share(p.place[k] - self.low[k], self.size[k])).round() as u16);
        let mut bytes: Vec<u8> = points.iter().flat_map(place).flat_map(u16::to_le_bytes).collect();
        // a prime, so that numbers which are alike in their last bits are not alike here
        bytes.extend(points.iter().flat_map(|p| ((p.piece.unsigned_abs() % 65521) as u16).to_le_bytes()));
        let byte = |x: f32, most: f32| (255.0 * share(x, most)).round() as u8;
        let ranges = &self.ranges;
        bytes.extend(points.iter().map(|p| byte(p.damage, ranges.damage.most)));
        bytes.extend(points.iter().map(|p| byte(p.stress, ranges.stress.most.max(f32::MIN_POSITIVE))));
        bytes.extend(points.iter().map(|p| byte(p.speed, ranges.speed.most)));
        bytes
    }
}

fn share(x: f32, most: f32) -> f32 {
    if most > 0.0 { (x / most).clamp(0.0, 1.0) } else { 0.0 }
}

/// Packs surfaces frame by frame. While nothing breaks the same triangles are carried along, and are written once.
#[derive(Default)]
pub(super) struct Mesher {
    triangles: Vec<[u32; 3]>,
    /// Which frame has them.
    written: u32,
}

impl Mesher {
    /// Frame `k`: how many corners it has, how many triangles, and which frame has these (32 bits each); the corners; and if
    /// the triangles are its own, their corners' numbers.
    pub fn pack(&mut self, scope: &Scope, k: u32, mesh: SurfaceMesh) -> Vec<u8> {
        let SurfaceMesh { corners, triangles } = mesh;
        let is_new = k == 0 || triangles != self.triangles;
        if is_new {
            (self.triangles, self.written) = (triangles, k);
        }
        let head = [corners.len() as u32, self.triangles.len() as u32, self.written];
        let mut bytes: Vec<u8> = head.into_iter().flat_map(u32::to_le_bytes).collect();
        bytes.extend(scope.pack(corners.iter().map(Point::from)));
        if is_new {
            write_differences(&mut bytes, self.triangles.as_flattened());
        }
        bytes
    }
}

/// Numbers by how much they differ from the one before, the sign in the lowest bit; in groups of seven bits, the lowest first,
/// with the eighth where more follow (as in LEB128).
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
