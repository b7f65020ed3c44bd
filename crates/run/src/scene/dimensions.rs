//! Dimensions of a specimen, as its body and supports show them.

use bdem_core::geometry::shape::Shape;
use bdem_core::geometry::{Vec3, rotation};
use rayon::prelude::*;

use super::body::Matter;
use super::check::{At, Fault};
use super::loading::Loading;
use super::usual::short;
use super::{MaterialTest, Scene, Specimen};

/// Shape of a specimen's body, with the axes of its bounding box.
struct Shown<'a> {
    shape: &'a Shape,
    low: Vec3,
    size: Vec3,
    /// Axis along the load.
    along: usize,
    /// From one support to the other, m, where there are two.
    supports: Option<Vec3>,
    /// Whether a collider loads it, so that all its length is strained.
    is_between_platens: bool,
}

impl Scene {
    /// Fills in the dimensions that the specimen leaves out. Returns warnings of those that are not the body's, and of a load
    /// that is too fast.
    pub(super) fn complete_specimen(&mut self) -> Result<Vec<Fault>, Fault> {
        let Some(mut specimen) = self.specimen.take() else { return Ok(Vec::new()) };
        let warnings = self.complete(&mut specimen);
        self.specimen = Some(specimen);
        warnings
    }

    fn complete(&self, specimen: &mut Specimen) -> Result<Vec<Fault>, Fault> {
        let given = specimen.clone();
        let loading = Loading::of(self, &given);
        let shown = loading.as_ref().and_then(|loading| Shown::of(self, loading));
        let at = At::root().key("specimen").key("test").key(given.test.name());
        let mut warnings: Vec<Fault> = loading.iter().filter_map(|loading| loading.too_fast(self)).collect();
        for (key, value) in specimen.test.dimensions(given.gauge.is_some()) {
            let shown = shown.as_ref().and_then(|shown| shown.dimension(key, &given.test));
            if value.is_nan() {
                *value = shown.ok_or_else(|| missing(key, &at))?;
                continue;
            }
            at.key(key).positive(*value, "")?;
            warnings.extend(shown.and_then(|shown| differs(*value, shown, &at.key(key))));
        }
        if let MaterialTest::Shear { direction: direction @ None, .. } = &mut specimen.test {
            *direction = loading.as_ref().and_then(Loading::shearing).map(Into::into);
        }
        specimen.test.check(&at)?;
        Ok(warnings)
    }
}

fn missing(key: &str, at: &At) -> Fault {
    let (what, help) = match key {
        "length" => ("the length that is strained", "or name an extensometer as the specimen's gauge"),
        _ => ("the scene does not show it", "give it, in metres (area: m2); or name the specimen's body"),
    };
    at.wrong(format!("missing key `{key}`: {what}")).help(help)
}

/// Warning of a dimension that is not the body's.
fn differs(value: f64, shown: f64, at: &At) -> Option<Fault> {
    /// Relative difference of both that needs no warning.
    const TOLERANCE: f64 = 0.05;
    if (value / shown - 1.0).abs() <= TOLERANCE {
        return None;
    }
    let key = at.last();
    let message = format!("{key} is {value:?}, but {} by the shape of the body", short(shown));
    Some(at.wrong(message).help(format!("leave {key} out: it then is the body's")))
}

impl<'a> Shown<'a> {
    /// `None` without a body that fills a shape, or with a load that is not along an axis of the body.
    fn of(scene: &'a Scene, loading: &Loading) -> Option<Self> {
        /// Cosine of the angle between them that counts as along.
        const ALONG: f64 = 0.99;
        let index = loading.body(scene)?;
        let Matter::Solid(solid) = &scene.matters[index] else { return None };
        let turn = scene.bodies[index].rotation.quaternion();
        let inward = |v: Vec3| rotation::rotate(&turn.conjugate(), &v);
        let direction = inward(loading.direction()?);
        let along = (0..3).find(|&axis| direction[axis].abs() > ALONG)?;
        let (low, high) = solid.shape.bounds();
        let others = scene.colliders.iter().enumerate().filter(|(k, _)| Some(*k) != loading.collider);
        let places: Vec<Vec3> = others.map(|(_, collider)| collider.position.into()).collect();
        let supports = <[Vec3; 2]>::try_from(places).ok().map(|[a, b]| {
            let mut apart = inward(b - a);
            apart[along] = 0.0;
            apart
        });
        let is_between_platens = loading.collider.is_some();
        let shown = Self { shape: &solid.shape, low, size: high - low, along, supports, is_between_platens };
        shown.size.iter().all(|side| side.is_finite()).then_some(shown)
    }

    /// Dimension of a test, m or m2.
    fn dimension(&self, key: &str, test: &MaterialTest) -> Option<f64> {
        let [first, second] = others(self.along);
        let height = self.size[self.along];
        match (key, test) {
            ("area", _) => Some(self.section(self.along)),
            ("length", _) => self.is_between_platens.then_some(height),
            ("height", _) => Some(height),
            // a disc is as wide as it is high
            ("diameter" | "thickness", _) => {
                let off = |axis: usize| (self.size[axis] - height).abs();
                let [across, thick] = if off(first) <= off(second) { [first, second] } else { [second, first] };
                Some(self.size[if key == "diameter" { across } else { thick }])
            }
            ("span", _) => self.supports.map(|apart| apart.norm()).filter(|span| *span > 0.0),
            ("width", _) => Some(self.width()),
            ("notch", _) => {
                /// Share of the height below which there is no notch.
                const LEAST: f64 = 0.01;
                let notch = height - self.section(self.lengthwise()) / self.width();
                (notch > LEAST * height).then_some(notch)
            }
            _ => None,
        }
    }

    /// Axis of a beam.
    fn lengthwise(&self) -> usize {
        let [first, second] = others(self.along);
        let length = self.supports.filter(|apart| apart.norm() > 0.0).map_or(self.size, |apart| apart.abs());
        if length[first] > length[second] { first } else { second }
    }

    /// Width of a beam, across its length and the load.
    fn width(&self) -> f64 {
        self.size[3 - self.along - self.lengthwise()]
    }

    /// Cross-section (m2) at the middle, across an axis.
    fn section(&self, axis: usize) -> f64 {
        /// Points of a lattice by the golden ratio: the error of a rectangle's area is of the order of a point's.
        const POINTS: usize = 250_000;
        const GOLDEN: f64 = 0.618_033_988_749_894_9;
        let [first, second] = others(axis);
        let is_in = |k: &usize| {
            let mut p = self.low + 0.5 * self.size;
            p[first] = self.low[first] + self.size[first] * (*k as f64 + 0.5) / POINTS as f64;
            p[second] = self.low[second] + self.size[second] * ((*k as f64 + 0.5) * GOLDEN).fract();
            self.shape.contains(&p)
        };
        let inside = (0..POINTS).into_par_iter().filter(is_in).count();
        self.size[first] * self.size[second] * inside as f64 / POINTS as f64
    }
}

/// The two other axes.
fn others(axis: usize) -> [usize; 2] {
    [(axis + 1) % 3, (axis + 2) % 3]
}
