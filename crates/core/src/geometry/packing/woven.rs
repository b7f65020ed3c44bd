use std::iter;

use serde::{Deserialize, Serialize};

use super::Packed;
use crate::geometry::{Vec3, rising_root};

/// Cloth in plain weave in the plane of x and y: warp along y and weft along x, each yarn alternately over and under
/// the others.
///
/// A yarn is a chain of touching spheres of the particle radius r, on the wave z = r cos(pi x/s) with the spacing s of
/// the crossing yarns. So two yarns touch at their crossing, sphere on sphere, and do not overlap: within a half wave
/// the spheres of one stay on its side of the plane while the other is near.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Woven {
    /// Size of the cloth in x and y, m, rounded down to whole meshes.
    #[cfg_attr(feature = "schema", schemars(inner(range(min = 0.0))))]
    pub size: [f64; 2],
    /// Spacing of neighbouring yarns, m, rounded so that a whole number of spheres, at least two, spans a mesh. The
    /// default is the minimum, 2 sqrt(3) r.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("exclusiveMinimum" = 0.0)))]
    pub spacing: Option<f64>,
}

impl Woven {
    /// The yarns of the cloth, with spheres of `radius` (m), yarn by yarn. Empty if the size holds none.
    pub fn pack(&self, radius: f64) -> Packed {
        let wave = HalfWave::new(self.spacing, radius);
        let [across, along] = self.yarns(&wave, radius);
        let mut packed = Packed::default();
        for yarn in 0..across {
            let x = wave.crossing(yarn, across);
            packed.push_yarn(wave.yarn(along, yarn).map(|p| Vec3::new(x, p.x, p.z)), radius);
        }
        for yarn in 0..along {
            let y = wave.crossing(yarn, along);
            // opposite to the warp at each crossing
            packed.push_yarn(wave.yarn(across, yarn + 1).map(|p| Vec3::new(p.x, y, p.z)), radius);
        }
        packed
    }

    /// Number of spheres of `radius` (m).
    pub fn estimate(&self, radius: f64) -> f64 {
        let wave = HalfWave::new(self.spacing, radius);
        let [across, along] = self.yarns(&wave, radius);
        across as f64 * wave.count(along) as f64 + along as f64 * wave.count(across) as f64
    }

    /// Number of yarns that cross x, and y; zero if either has no space.
    fn yarns(&self, wave: &HalfWave, radius: f64) -> [u64; 2] {
        let ends = 2.0 * (radius + wave.overhang().x);
        let yarns = self.size.map(|side| ((side - ends) / wave.spacing + 1.0 + 1e-9).max(0.0) as u64);
        if yarns.contains(&0) { [0; 2] } else { yarns }
    }
}

/// A yarn between two crossings.
struct HalfWave {
    /// Distance between crossings, m.
    spacing: f64,
    /// Centres (m) from an upper crossing to the next crossing, which is excluded.
    points: Vec<Vec3>,
}

impl HalfWave {
    /// With the number of spheres of `radius` (m) that brings crossings nearest to `spacing` (m).
    fn new(spacing: Option<f64>, radius: f64) -> Self {
        // the chain of spheres is slightly longer than the spacing
        let wanted = spacing.map_or(0.0, |spacing| libm::hypot(spacing, 2.0 * radius) / (2.0 * radius));
        let near = (wanted as usize).max(2);
        let of = |count| Self::of(count, radius);
        let miss = |wave: &Self| (wave.spacing - spacing.unwrap_or(0.0)).abs();
        let [fewer, more] = [of(near), of(near + 1)];
        if miss(&fewer) <= miss(&more) { fewer } else { more }
    }

    /// With `count` spheres of `radius` (m): the next crossing is `count` steps of a diameter away.
    fn of(count: usize, radius: f64) -> Self {
        let longest = 2.0 * radius * count as f64;
        let walk = |spacing: f64| {
            let z = move |x: f64| radius * libm::cos(std::f64::consts::PI * x / spacing);
            iter::successors(Some(Vec3::z() * radius), move |p: &Vec3| {
                let chord = |x: f64| libm::hypot(x - p.x, z(x) - p.z) - 2.0 * radius;
                let x = rising_root(p.x, p.x + 2.0 * radius, chord);
                Some(Vec3::new(x, 0.0, z(x)))
            })
        };
        let end = |spacing: f64| walk(spacing).nth(count).expect("a walk has no end").x;
        let spacing = rising_root(radius, longest, |spacing| spacing - end(spacing));
        Self { spacing, points: walk(spacing).take(count).collect() }
    }

    /// Extension of a yarn beyond its last crossing: about half the distance to the next.
    fn overhang(&self) -> Vec3 {
        self.points[self.points.len() / 2]
    }

    /// Position of crossing `index` of `count`, m, symmetric about 0.
    fn crossing(&self, index: u64, count: u64) -> f64 {
        self.spacing * (index as f64 - 0.5 * (count as f64 - 1.0))
    }

    /// Number of spheres of a yarn with `crossings` >= 1.
    fn count(&self, crossings: u64) -> u64 {
        let per = self.points.len() as u64;
        (crossings.max(1) - 1) * per + per / 2 * 2 + 1
    }

    /// Centres of a yarn with `crossings` along x; it is above the first if `parity` is even.
    fn yarn(&self, crossings: u64, parity: u64) -> impl Iterator<Item = Vec3> {
        let per = self.points.len() as i64;
        let first = -(per / 2);
        (first..first + self.count(crossings) as i64).map(move |i| {
            let (half, k) = (i.div_euclid(per), i.rem_euclid(per));
            let p = self.points[k as usize];
            let side = if (half + parity as i64).rem_euclid(2) == 0 { 1.0 } else { -1.0 };
            let start = self.spacing * (half as f64 - 0.5 * (crossings as f64 - 1.0));
            Vec3::new(start + p.x, 0.0, side * p.z)
        })
    }
}
