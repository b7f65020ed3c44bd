use std::f64::consts::{PI, TAU};

use nalgebra::Vector2;
use serde::{Deserialize, Serialize};

use super::Packed;
use crate::geometry::{Vec3, rising_root};

/// A rope about the x axis, twisted as a whole: strands side by side, each a bundle of yarns, each a chain of touching
/// spheres. Strands and yarns are arranged in a hexagonal lattice, spread as the twist requires. Under strong twist the
/// outermost yarns touch, and the inner ones have gaps.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rope {
    /// Length along x, m.
    #[cfg_attr(feature = "schema", schemars(extend("exclusiveMinimum" = 0.0)))]
    pub length: f64,
    /// Number of strands.
    #[serde(default = "three")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub strands: u32,
    /// Number of yarns in each strand.
    #[serde(default = "one")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub yarns: u32,
    /// Turns per metre; negative for the opposite hand.
    #[serde(default)]
    pub turns: f64,
}

fn three() -> u32 {
    3
}

fn one() -> u32 {
    1
}

impl Rope {
    /// Maximum [`slope`](Self::slope): the spread yarns wind at some 45 degrees.
    pub const MAX_SLOPE: f64 = 0.7;

    /// Tangent of the helix angle to the axis of the outermost yarn, with spheres of `radius` (m), before the spread.
    pub fn slope(&self, radius: f64) -> f64 {
        let furthest = self.section(radius).iter().map(Vector2::norm).fold(0.0, f64::max);
        TAU * self.turns.abs() * furthest
    }

    /// The yarns of the rope, with spheres of `radius` (m), yarn by yarn. Spheres do not overlap for slopes up to
    /// [`MAX_SLOPE`](Self::MAX_SLOPE). Empty if the rope is shorter than a sphere.
    pub fn pack(&self, radius: f64) -> Packed {
        let turn = TAU * self.turns;
        let section = self.section(radius);
        let spread = spread(&section, turn, radius);
        let mut packed = Packed::default();
        for start in section.iter().map(|p| p * spread) {
            let pitch = pitch(start.norm(), turn, radius);
            let count = ((self.length - 2.0 * radius) / pitch + 1.0 + 1e-9).max(0.0) as u32;
            let at = |i: u32| pitch * (f64::from(i) - 0.5 * (f64::from(count) - 1.0));
            packed.push_yarn((0..count).map(|i| on_helix(&start, turn, at(i))), radius);
        }
        packed
    }

    /// Estimated number of spheres of `radius` (m).
    pub fn estimate(&self, radius: f64) -> f64 {
        let slope = self.slope(radius).min(Self::MAX_SLOPE);
        let along = 0.5 * self.length / radius / (1.0 - slope * slope).sqrt();
        f64::from(self.strands) * f64::from(self.yarns) * along
    }

    /// Positions of the untwisted yarns in the plane x = 0, m.
    fn section(&self, radius: f64) -> Vec<Vector2<f64>> {
        let yarns: Vec<_> = bundle(self.yarns).iter().map(|p| p * (2.0 * radius)).collect();
        let strand = yarns.iter().map(Vector2::norm).fold(0.0, f64::max) + radius;
        bundle(self.strands).iter().flat_map(|p| yarns.iter().map(move |yarn| p * (2.0 * strand) + yarn)).collect()
    }
}

/// The `count` points of a hexagonal lattice of unit pitch nearest to one of them, relative to their mean.
fn bundle(count: u32) -> Vec<Vector2<f64>> {
    let rings = f64::from(count).sqrt() as i32 + 1;
    let lattice = |i: i32, j: i32| {
        (i * i + i * j + j * j, Vector2::new(f64::from(i) + 0.5 * f64::from(j), 0.75f64.sqrt() * f64::from(j)))
    };
    let mut points: Vec<_> = (-rings..=rings).flat_map(|i| (-rings..=rings).map(move |j| lattice(i, j))).collect();
    points.sort_by(|(a, p), (b, q)| a.cmp(b).then(libm::atan2(p.y, p.x).total_cmp(&libm::atan2(q.y, q.x))));
    points.truncate(count as usize);
    let mean = points.iter().map(|(_, p)| p).sum::<Vector2<f64>>() / f64::from(count);
    points.into_iter().map(|(_, p)| p - mean).collect()
}

/// Factor on the section of parallel yarns that prevents overlaps of spheres of `radius` (m) after a twist by `turn`
/// (rad/m).
fn spread(section: &[Vector2<f64>], turn: f64, radius: f64) -> f64 {
    /// Distance in diameters beyond which yarns never touch.
    const REACH: f64 = 2.0;
    /// Bound on the factor: above 1/sqrt(1 - 0.7^2), its value at the maximum slope.
    const MAX_SPREAD: f64 = 1.5;
    let ahead = |i: usize| section[i + 1..].iter().map(move |q| (section[i], *q));
    let near = |(p, q): &(Vector2<f64>, Vector2<f64>)| (p - q).norm() < REACH * 2.0 * radius;
    let pairs: Vec<_> = (0..section.len()).flat_map(ahead).filter(near).collect();
    if turn == 0.0 || pairs.is_empty() {
        return 1.0;
    }
    let clear = |spread: f64| pairs.iter().all(|(p, q)| distance(&(p * spread), &(q * spread), turn) >= 2.0 * radius);
    rising_root(1.0, MAX_SPREAD, |spread| if clear(spread) { 1.0 } else { -1.0 })
}

/// Distance (m) between two helices about x that twist by `turn` (rad/m) and pass through `p` and `q` at x = 0. It is
/// the minimum of |p - R(a) q|^2 + (a/turn)^2, which is convex in the angle a where turn^2 |p| |q| <= 1.
fn distance(p: &Vector2<f64>, q: &Vector2<f64>, turn: f64) -> f64 {
    let (along, across) = (p.dot(q), p.perp(q));
    let slope = |a: f64| along * libm::sin(a) + across * libm::cos(a) + a / (turn * turn);
    let a = rising_root(-PI, PI, slope);
    let squared =
        p.norm_squared() + q.norm_squared() - 2.0 * (along * libm::cos(a) - across * libm::sin(a)) + (a / turn).powi(2);
    squared.sqrt()
}

/// Spacing along x (m) of touching spheres of `radius` (m) on a helix of radius `helix` (m) and twist `turn` (rad/m).
fn pitch(helix: f64, turn: f64, radius: f64) -> f64 {
    let chord = |x: f64| libm::hypot(x, 2.0 * helix * libm::sin(0.5 * turn * x)) - 2.0 * radius;
    rising_root(0.0, 2.0 * radius, chord)
}

fn on_helix(start: &Vector2<f64>, turn: f64, x: f64) -> Vec3 {
    let (sin, cos) = libm::sincos(turn * x);
    Vec3::new(x, start.x * cos - start.y * sin, start.x * sin + start.y * cos)
}
