use std::f64::consts::{PI, TAU};

use nalgebra::Vector2;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Packed, rising_root};
use crate::geometry::Vec3;

/// A rope about the x axis, twisted as a whole: strands side by side, each a bundle of yarns, and a yarn a single file of
/// spheres that touch. Strands and yarns lie in their bundles as spheres in a hexagonal plane, spread as far as the
/// twist asks: of a strong one the outermost yarns touch and those within have a little room.
#[derive(Clone, Copy, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rope {
    /// Along x, m.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub length: f64,
    /// Side by side in the rope.
    #[serde(default = "three")]
    #[schemars(range(min = 1))]
    pub strands: u32,
    /// In each strand.
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    pub yarns: u32,
    /// Whole turns a metre; to the other side if negative.
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
    /// The greatest [`slope`](Self::slope): its yarns are spread until they rise at some 45 degrees.
    pub const STEEPEST: f64 = 0.7;

    /// Tangent of the angle to the axis at which the outermost yarn, of spheres of `radius` (m), would wind if no yarn gave
    /// way to another.
    pub fn slope(&self, radius: f64) -> f64 {
        let furthest = self.section(radius).iter().map(Vector2::norm).fold(0.0, f64::max);
        TAU * self.turns.abs() * furthest
    }

    /// The yarns of the rope, of spheres of `radius` (m), each yarn's spheres in their order. No more than touch, which
    /// takes a slope of at most [`STEEPEST`](Self::STEEPEST); empty where the rope is shorter than a sphere.
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

    /// About how many spheres of `radius` (m) there are.
    pub fn estimate(&self, radius: f64) -> f64 {
        let slope = self.slope(radius).min(Self::STEEPEST);
        let along = 0.5 * self.length / radius / (1.0 - slope * slope).sqrt();
        f64::from(self.strands) * f64::from(self.yarns) * along
    }

    /// Where the yarns cross the plane x = 0 as long as none is twisted, m.
    fn section(&self, radius: f64) -> Vec<Vector2<f64>> {
        let yarns: Vec<_> = bundle(self.yarns).iter().map(|p| p * (2.0 * radius)).collect();
        let strand = yarns.iter().map(Vector2::norm).fold(0.0, f64::max) + radius;
        bundle(self.strands).iter().flat_map(|p| yarns.iter().map(move |yarn| p * (2.0 * strand) + yarn)).collect()
    }
}

/// The points of a hexagonal lattice of unit pitch that are nearest to one of them, `count` in all, about their mean.
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

/// How much wider than a section of parallel yarns that of yarns that turn by `turn` (rad/m) must be, so that none of spheres
/// of `radius` (m) overlap.
fn spread(section: &[Vector2<f64>], turn: f64, radius: f64) -> f64 {
    /// Yarns further apart than so many diameters never come to touch.
    const REACH: f64 = 2.0;
    /// More than any that a slope below the steepest takes, 1/sqrt(1 - 0.7^2).
    const WIDEST: f64 = 1.5;
    let ahead = |i: usize| section[i + 1..].iter().map(move |q| (section[i], *q));
    let near = |(p, q): &(Vector2<f64>, Vector2<f64>)| (p - q).norm() < REACH * 2.0 * radius;
    let pairs: Vec<_> = (0..section.len()).flat_map(ahead).filter(near).collect();
    if turn == 0.0 || pairs.is_empty() {
        return 1.0;
    }
    let clear = |spread: f64| pairs.iter().all(|(p, q)| distance(&(p * spread), &(q * spread), turn) >= 2.0 * radius);
    rising_root(1.0, WIDEST, |spread| if clear(spread) { 1.0 } else { -1.0 })
}

/// Distance (m) between two helices about x that turn by `turn` (rad/m) and go through `p` and `q` at x = 0: the least of
/// |p - R(a) q|^2 + (a/turn)^2, which is convex in the angle a where turn^2 |p| |q| <= 1.
fn distance(p: &Vector2<f64>, q: &Vector2<f64>, turn: f64) -> f64 {
    let (along, across) = (p.dot(q), p.perp(q));
    let slope = |a: f64| along * libm::sin(a) + across * libm::cos(a) + a / (turn * turn);
    let a = rising_root(-PI, PI, slope);
    let squared =
        p.norm_squared() + q.norm_squared() - 2.0 * (along * libm::cos(a) - across * libm::sin(a)) + (a / turn).powi(2);
    squared.sqrt()
}

/// The way along x (m) between spheres of `radius` (m) that touch on a helix of `helix` (m) that turns by `turn` (rad/m).
fn pitch(helix: f64, turn: f64, radius: f64) -> f64 {
    let chord = |x: f64| libm::hypot(x, 2.0 * helix * libm::sin(0.5 * turn * x)) - 2.0 * radius;
    rising_root(0.0, 2.0 * radius, chord)
}

fn on_helix(start: &Vector2<f64>, turn: f64, x: f64) -> Vec3 {
    let (sin, cos) = libm::sincos(turn * x);
    Vec3::new(x, start.x * cos - start.y * sin, start.x * sin + start.y * cos)
}
