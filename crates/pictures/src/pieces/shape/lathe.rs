use std::f64::consts::{FRAC_PI_2, PI, TAU};

use bdem_core::geometry::Vec3;
use bdem_run::mesh::{PolygonCorner, Polygons};

/// Number of segments of a circle of `radius` (m), whose chords are at most `tolerance` (m) inside.
pub(super) fn segments(radius: f64, tolerance: f64) -> usize {
    /// Fewest segments, at which shading still looks round, and most, beyond which nobody sees a difference.
    const RANGE: [f64; 2] = [64.0, 512.0];
    // sagitta of a chord: radius (1 - cos(pi/n)) < radius (pi/n)^2/2
    let needed = PI * (0.5 * radius / tolerance).sqrt();
    // multiples of four, so that the extent along x and y is exact
    4 * (0.25 * needed.clamp(RANGE[0], RANGE[1])).ceil() as usize
}

/// Arc in the half plane of radius and height, about (`centre`, 0), of `radius` (m), between two angles (rad).
pub(super) fn arc(centre: [f64; 2], radius: f64, [from, to]: [f64; 2], segments: usize) -> Vec<[f64; 2]> {
    let count = ((to - from) / TAU * segments as f64).ceil().max(1.0) as usize;
    let angle = |k: usize| from + (to - from) * k as f64 / count as f64;
    let point = |a: f64| [centre[0] + radius * libm::cos(a), centre[1] + radius * libm::sin(a)];
    (0..=count).map(|k| point(angle(k))).collect()
}

/// Section of a ball, from its lower to its upper pole.
pub(super) fn half_circle(radius: f64, segments: usize) -> Vec<[f64; 2]> {
    poles(arc([0.0, 0.0], radius, [-FRAC_PI_2, FRAC_PI_2], segments))
}

/// Section of a capsule with ends at `height / 2` (m).
pub(super) fn capsule(radius: f64, height: f64, segments: usize) -> Vec<[f64; 2]> {
    let end = (0.5 * height - radius).max(0.0);
    let mut section = arc([0.0, -end], radius, [-FRAC_PI_2, 0.0], segments);
    let upper = arc([0.0, end], radius, [0.0, FRAC_PI_2], segments);
    section.extend(&upper[usize::from(end == 0.0)..]);
    poles(section)
}

/// The section with its ends exactly on the axis.
fn poles(mut section: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    if let [first, .., last] = &mut section[..] {
        (first[0], last[0]) = (0.0, 0.0);
    }
    section
}

/// Solid of revolution about z, of a closed section of corners (r, z), m, in either direction.
pub(super) fn revolve(section: &[[f64; 2]], segments: usize) -> Polygons {
    let next = |k: usize| (k + 1) % section.len();
    let area: f64 =
        (0..section.len()).map(|k| section[k][0] * section[next(k)][1] - section[next(k)][0] * section[k][1]).sum();
    let mut mesh = Polygons::default();
    let rings: Vec<Vec<u32>> = section.iter().map(|corner| ring(corner, segments, &mut mesh)).collect();
    let at = |ring: &[u32], turn: usize| ring[turn % ring.len()];
    for k in 0..section.len() {
        let (mut from, mut to) = (&rings[k], &rings[next(k)]);
        if area < 0.0 {
            (from, to) = (to, from);
        }
        if from.len() == 1 && to.len() == 1 {
            continue;
        }
        for turn in 0..segments {
            let mut face = vec![at(from, turn), at(from, turn + 1), at(to, turn + 1), at(to, turn)];
            face.dedup();
            mesh.push(face.into_iter().map(|point| PolygonCorner { point, ..PolygonCorner::default() }));
        }
    }
    mesh
}

/// Points of a corner of the section: one on the axis.
fn ring(&[r, z]: &[f64; 2], segments: usize, mesh: &mut Polygons) -> Vec<u32> {
    let (first, count) = (mesh.points.len() as u32, if r == 0.0 { 1 } else { segments });
    mesh.points.extend((0..count).map(|k| {
        let angle = TAU * k as f64 / count as f64;
        Vec3::new(r * libm::cos(angle), r * libm::sin(angle), z)
    }));
    (first..mesh.points.len() as u32).collect()
}
