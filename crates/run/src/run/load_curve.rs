use std::ops::Range;
use std::path::Path;

use bdem_core::geometry::Vec3;

use crate::files;
use crate::output::{Columns, FORCES, OutputError, RESOLVED_SCENE, Result, TestResults};
use crate::scene::{MaterialTest, Specimen};

/// Load of a specimen over its deformation, and the results that follow.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadCurve {
    /// Material test, with the dimensions of the specimen.
    pub test: MaterialTest,
    /// Deformation (m), of the gauge or of the loading part, and load (N), a row of `forces.csv` each.
    pub points: Vec<(f64, f64)>,
    /// Time of each row, s.
    pub times: Vec<f64>,
    /// First distance of the gauge, m.
    gauge: Option<f64>,
    /// Lateral strain of each row, where it is measured.
    lateral: Option<Vec<f64>>,
    /// Work of the load on the specimen up to the last row, J, where it is measured.
    work: Option<f64>,
}

/// Straight line through the rising part of a load curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// N/m.
    pub stiffness: f64,
    /// Deformation without load, m.
    pub start: f64,
}

/// Share of the peak load between which the stiffness is measured. The first contact and the last cracks are outside.
const FITTED: [f64; 2] = [0.1, 0.5];

/// Share of the peak below which the specimen is broken.
const FALL: f64 = 0.5;

impl LoadCurve {
    /// Load curve of the run in the folder `run`; `None` if its scene has no specimen.
    ///
    /// # Errors
    /// When its files cannot be read.
    pub fn read(run: &Path) -> Result<Option<Self>> {
        let path = run.join(RESOLVED_SCENE);
        let Some(text) = files::read_of_run(&path).ok().and_then(|text| String::from_utf8(text).ok()) else {
            return Ok(None);
        };
        let Some(specimen) = Specimen::of_resolved(&text) else { return Ok(None) };
        let path = run.join(FORCES);
        let columns = Columns::read(&path)?;
        let curve = Self::new(&specimen, &columns).map_err(|name| {
            let why = format!("it has no columns {name}, which the specimen of the scene needs");
            OutputError::file("use", &path)(std::io::Error::new(std::io::ErrorKind::InvalidData, why))
        })?;
        Ok(Some(curve))
    }

    /// Load curve of `specimen` in the `columns` of forces.
    ///
    /// # Errors
    /// The name of columns that are missing.
    pub fn new(specimen: &Specimen, columns: &Columns) -> std::result::Result<Self, String> {
        let vectors = |what: &str| {
            let name = format!("{}.{what}", specimen.load);
            let vectors = columns.vectors(&name).ok_or(name)?;
            Ok::<Vec<Vec3>, String>(vectors.into_iter().map(Vec3::from).collect())
        };
        let (forces, displacements) = (vectors("force")?, vectors("displacement")?);
        let (moved, gauge): (Vec<f64>, _) = match &specimen.gauge {
            Some(gauge) => {
                let name = format!("{gauge}.distance");
                let distances: Vec<f64> = columns.column(&name).ok_or(name)?.collect();
                let first = distances.first().copied();
                (distances.iter().map(|distance| (distance - first.unwrap_or(*distance)).abs()).collect(), first)
            }
            None => (displacements.iter().map(Vec3::norm).collect(), None),
        };
        let lateral = specimen.lateral.as_ref().map(|lateral| {
            let name = format!("{lateral}.strain");
            columns.column(&name).map(Iterator::collect).ok_or(name)
        });
        let points = moved.into_iter().zip(loads(&specimen.test, &forces, &displacements)).collect();
        let times = columns.column("time").map_or_else(Vec::new, Iterator::collect);
        let work = Some(work(&forces, &displacements));
        Ok(Self { test: specimen.test, points, times, gauge, lateral: lateral.transpose()?, work })
    }

    /// Load curve of a table, such as a laboratory's: time (s) or deformation (m), and load (N).
    pub fn measured(test: MaterialTest, at: Vec<f64>, loads: Vec<f64>) -> Self {
        let points = at.iter().copied().zip(loads).collect();
        Self { test, points, times: at, gauge: None, lateral: None, work: None }
    }

    /// Load (N) of a row beyond that of the confining pressure.
    fn load(&self, row: usize) -> f64 {
        self.points[row].1 - self.test.confining_load()
    }

    /// Whether the load falls below half of its peak: the specimen broke.
    pub fn breaks(&self) -> bool {
        self.peak().is_some_and(|peak| self.load(self.to_break().len() - 1) < FALL * self.load(peak))
    }

    /// Index of the peak load: the highest before the load first falls below half of an earlier one. Later ones are of the
    /// broken parts. Loads below a tenth of the highest do not count, as of a first touch. `None` without a load.
    fn peak(&self) -> Option<usize> {
        let load = |k: usize| self.load(k);
        let highest = (0..self.points.len()).map(load).fold(0.0, f64::max);
        let mut peak: Option<usize> = None;
        for k in (0..self.points.len()).filter(|&k| load(k).is_finite()) {
            let before = peak.map_or(0.0, load);
            if before >= FITTED[0] * highest && load(k) < FALL * before {
                break;
            }
            if load(k) > before {
                peak = Some(k);
            }
        }
        peak
    }

    /// Points up to the break: the first load below half of the peak. Later ones are of the broken parts.
    pub fn to_break(&self) -> &[(f64, f64)] {
        let Some(peak) = self.peak() else { return &self.points };
        let is_broken = |&k: &usize| self.load(k) < FALL * self.load(peak);
        let end = (peak..self.points.len()).find(is_broken).map_or(self.points.len(), |k| k + 1);
        &self.points[..end]
    }

    /// Peak load, N.
    pub fn peak_load(&self) -> Option<f64> {
        Some(self.points[self.peak()?].1)
    }

    /// Strength, Pa: the stress at the peak load, less the confining pressure.
    pub fn strength(&self) -> Option<f64> {
        Some(self.load(self.peak()?) * self.test.stress_per_load())
    }

    /// Modulus, Pa.
    pub fn modulus(&self) -> Option<f64> {
        Some(self.fit()?.stiffness * self.test.modulus_per_stiffness(self.gauge)?)
    }

    /// Poisson's ratio: minus the lateral over the axial strain, by least squares through the rows of [`Self::fit`].
    pub fn poisson_ratio(&self) -> Option<f64> {
        let lateral = self.lateral.as_ref()?;
        self.fit()?;
        let strains: Vec<(f64, f64)> = self.rising()?.map(|k| (self.points[k].0, lateral[k])).collect();
        let (_, lateral_per_metre) = line(&strains);
        let axial_per_metre = self.test.axial_sign()? / self.test.strained_length(self.gauge)?;
        Some(-lateral_per_metre / axial_per_metre)
    }

    /// Fracture energy, J/m2: the work of the load up to the last row over the area of the crack, without that of
    /// self-weight (RILEM 50-FMC).
    pub fn fracture_energy(&self) -> Option<f64> {
        Some(self.work? / self.test.crack_area()?)
    }

    /// All results.
    pub fn results(&self) -> TestResults {
        TestResults {
            test: self.test.name().to_owned(),
            peak_load: self.peak_load(),
            displacement_at_peak: self.peak().map(|peak| self.points[peak].0),
            strength: self.strength(),
            modulus: self.modulus(),
            poisson_ratio: self.poisson_ratio(),
            fracture_energy: self.fracture_energy(),
        }
    }

    /// Rows before the peak with loads between a tenth and a half of it, from the last time that the load was lower.
    fn rising(&self) -> Option<Range<usize>> {
        let peak = self.peak()?;
        let [low, high] = FITTED.map(|share| share * self.load(peak));
        let from = (0..peak).rev().find(|&k| self.load(k) < low).map_or(0, |k| k + 1);
        let end = (from..peak).find(|&k| self.load(k) > high).unwrap_or(peak);
        Some(from..end)
    }

    /// Straight line, by least squares, through the points before the peak with loads between a tenth and a half of it.
    /// `None` with fewer than three of them, or where the load does not rise.
    pub fn fit(&self) -> Option<Fit> {
        let points = &self.points[self.rising()?];
        let ([x, y], stiffness) = line(points);
        (points.len() >= 3 && stiffness > 0.0).then_some(Fit { stiffness, start: x - y / stiffness })
    }

    /// Results with their formulas, in words.
    pub fn caption(&self) -> String {
        let strength = self.strength().map_or("none".to_owned(), |strength| format!("{strength:.3e} Pa"));
        let mut text = format!("{}: strength {} = {strength}", self.test, self.test.strength_formula());
        if let Some(formula) = self.test.modulus_formula() {
            let modulus = self.modulus().map_or("none".to_owned(), |modulus| format!("{modulus:.3e} Pa"));
            text += &format!(", modulus {formula} = {modulus}");
        }
        if let Some(energy) = self.fracture_energy() {
            text += &format!(", fracture energy {} = {energy:.3e} J/m2", MaterialTest::FRACTURE_ENERGY_FORMULA);
        }
        text
    }
}

/// Load (N) of each row: the magnitude of the force. In direct shear that of its component along the shearing, or without its
/// direction along the displacement of the loading part from the first row to the last: a part that also presses has a force
/// across.
fn loads(test: &MaterialTest, forces: &[Vec3], displacements: &[Vec3]) -> Vec<f64> {
    match (test, displacements.first(), displacements.last()) {
        (MaterialTest::Shear { direction, .. }, Some(first), Some(last)) => {
            let direction = direction.map_or(last - first, Vec3::from).try_normalize(0.0).unwrap_or_default();
            forces.iter().map(|force| force.dot(&direction).abs()).collect()
        }
        _ => forces.iter().map(Vec3::norm).collect(),
    }
}

/// Work (J) of the loading part, by the trapezoidal rule. `forces` are those on it, and it exerts the opposite.
fn work(forces: &[Vec3], displacements: &[Vec3]) -> f64 {
    let steps = forces.windows(2).zip(displacements.windows(2));
    steps.map(|(force, place)| -0.5 * (force[0] + force[1]).dot(&(place[1] - place[0]))).sum()
}

/// Straight line through `points` by least squares: a point on it, and its slope.
fn line(points: &[(f64, f64)]) -> ([f64; 2], f64) {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let (along, across) = points.iter().fold((0.0, 0.0), |(along, across), point| {
        (along + (point.0 - x) * (point.0 - x), across + (point.0 - x) * (point.1 - y))
    });
    ([x, y], across / along)
}
