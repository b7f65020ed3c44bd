use std::path::Path;

use bdem_core::geometry::Vec3;

use crate::files;
use crate::output::{Columns, FORCES, OutputError, RESOLVED_SCENE, Result};
use crate::scene::{MaterialTest, Specimen};

/// Load of a specimen over its deformation, and the strength and modulus that follow.
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
            columns.vectors(&name).ok_or(name)
        };
        let loads = vectors("force")?;
        let (moved, gauge): (Vec<f64>, _) = match &specimen.gauge {
            Some(gauge) => {
                let name = format!("{gauge}.distance");
                let distances: Vec<f64> = columns.column(&name).ok_or(name)?.collect();
                let first = distances.first().copied();
                (distances.iter().map(|distance| (distance - first.unwrap_or(*distance)).abs()).collect(), first)
            }
            None => (vectors("displacement")?.into_iter().map(|moved| Vec3::from(moved).norm()).collect(), None),
        };
        let points = moved.into_iter().zip(loads.into_iter().map(|load| Vec3::from(load).norm())).collect();
        let times = columns.column("time").map_or_else(Vec::new, Iterator::collect);
        Ok(Self { test: specimen.test, points, times, gauge })
    }

    /// Load curve of a table, such as a laboratory's: time (s) or deformation (m), and load (N).
    pub fn measured(test: MaterialTest, at: Vec<f64>, loads: Vec<f64>) -> Self {
        Self { test, points: at.iter().copied().zip(loads).collect(), times: at, gauge: None }
    }

    /// Whether the load falls below half of its peak: the specimen broke.
    pub fn breaks(&self) -> bool {
        self.peak().is_some_and(|peak| self.to_break().last().is_some_and(|last| last.1 < FALL * self.points[peak].1))
    }

    /// Index of the peak load: the highest before the load first falls below half of an earlier one. Later ones are of the
    /// broken parts. Loads below a tenth of the highest do not count, as of a first touch. `None` without a load.
    fn peak(&self) -> Option<usize> {
        let load = |k: usize| self.points[k].1;
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
        let is_broken = |(_, load): &(f64, f64)| *load < FALL * self.points[peak].1;
        let end = self.points[peak..].iter().position(is_broken).map_or(self.points.len(), |k| peak + k + 1);
        &self.points[..end]
    }

    /// Peak load, N.
    pub fn peak_load(&self) -> Option<f64> {
        Some(self.points[self.peak()?].1)
    }

    /// Strength, Pa: the stress at the peak load.
    pub fn strength(&self) -> Option<f64> {
        Some(self.peak_load()? * self.test.stress_per_load())
    }

    /// Modulus, Pa.
    pub fn modulus(&self) -> Option<f64> {
        Some(self.fit()?.stiffness * self.test.modulus_per_stiffness(self.gauge)?)
    }

    /// Straight line, by least squares, through the points before the peak with loads between a tenth and a half of it.
    /// `None` with fewer than three of them, or where the load does not rise.
    pub fn fit(&self) -> Option<Fit> {
        let peak = self.peak()?;
        let [low, high] = FITTED.map(|share| share * self.points[peak].1);
        // from the last time that the load was lower
        let from = self.points[..peak].iter().rposition(|(_, load)| *load < low).map_or(0, |k| k + 1);
        let rising = self.points[from..peak].iter().take_while(|(_, load)| *load <= high);
        let points: Vec<(f64, f64)> = rising.copied().collect();
        let count = points.len() as f64;
        let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
        let (x, y) = (mean(|point| point.0), mean(|point| point.1));
        let (along, across) = points.iter().fold((0.0, 0.0), |(along, across), point| {
            (along + (point.0 - x) * (point.0 - x), across + (point.0 - x) * (point.1 - y))
        });
        let stiffness = across / along;
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
        text
    }
}
