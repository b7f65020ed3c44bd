use std::path::Path;

use bdem_run::output::TestResults;
use bdem_run::scene::{Scene, SceneError};

use super::target::{General, Target};
use super::typed::Typed;
use crate::templates::Template;

/// Material test of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Test {
    Tension,
    Compression,
    Notched,
}

/// Measurements of a test, by the names of the target.
pub(super) type Measured = Vec<(&'static str, f64)>;

impl Test {
    /// Tests that measure the properties of a target.
    pub(super) fn of(target: &Target) -> Vec<Self> {
        let mut tests = vec![Self::Tension];
        tests.extend(target.compressive_strength.map(|_| Self::Compression));
        tests.extend(target.fracture_energy.map(|_| Self::Notched));
        tests
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Tension => "tension",
            Self::Compression => "compression",
            Self::Notched => "notched",
        }
    }

    /// Radius of its particles, m: some 10 to 20 across the body.
    fn radius(self) -> f64 {
        match self {
            Self::Tension | Self::Notched => 0.002,
            Self::Compression => 0.0015,
        }
    }

    /// Sizes of the test's particles over those of the target's bodies. Bodies of one material are similar if fracture energies are
    /// in this ratio too, so that the template's size will do.
    fn similarity(self, general: &General) -> f64 {
        self.radius() / general.radius
    }

    /// The test's scene, on particles `finer` times as small.
    pub(super) fn scene(
        self,
        (general, target): (&General, &Target),
        typed: &Typed,
        seed: u64,
        finer: f64,
    ) -> Result<Scene, SceneError> {
        let similar = Typed {
            fracture_energy: typed.fracture_energy.map(|energy| energy * self.similarity(general)),
            ..typed.clone()
        };
        let keys =
            similar.keys(target).into_iter().map(|(key, value)| format!("materials.{}.{key}={value}", self.material()));
        let mut set = self.settings(&similar, target);
        set.extend(keys);
        set.push(format!("scene.seed={seed}"));
        set.push(format!("bodies.{}.particle_radius={:?}", self.body(), self.radius() / finer));
        let template = Template::named(self.name()).expect("each test has a template");
        let text = template.text.to_owned() + if self == Self::Tension { WIDTH } else { "" };
        Scene::parse(Path::new(&format!("{}.toml", self.name())), &text, &set)
    }

    fn body(self) -> &'static str {
        match self {
            Self::Tension => "bar",
            Self::Compression => "block",
            Self::Notched => "beam",
        }
    }

    fn material(self) -> &'static str {
        match self {
            Self::Tension | Self::Compression => "gypsum",
            Self::Notched => "mortar",
        }
    }

    /// Speed, duration and end of the test of a material with these keys.
    fn settings(self, typed: &Typed, target: &Target) -> Vec<String> {
        /// Share of strength/sqrt(rho E) at which a pull counts as quasi-static.
        const SLOW: f64 = 0.02;
        /// Duration over that of the expected deformation.
        const SPARE: f64 = 3.0;
        const FRAMES: f64 = 50.0;
        /// Rows of forces.csv.
        const ROWS: f64 = 4000.0;
        let (modulus, tension) = (typed.young_modulus, typed.tensile_strength);
        let compression = target.compressive_strength.map_or(tension, |strength| strength.value);
        let opening = 2.0 * typed.fracture_energy.unwrap_or(0.0) / tension;
        // strength, deformation (m), and load (N) at which it breaks, and the share of the peak that ends it
        let (strength, way, load, end) = match self {
            Self::Tension => (tension, 0.14 * tension / modulus + opening, 2.1e-3 * tension, 0.5),
            Self::Compression => (compression, 0.12 * compression / modulus, 9e-4 * compression, 0.8),
            Self::Notched => (0.5 * tension, 0.1 * tension / modulus + 2.5 * opening, 2e-5 * tension, 0.03),
        };
        let speed = SLOW * strength / (target.density * modulus).sqrt();
        let duration = SPARE * way / speed;
        let motion = match self {
            Self::Tension => format!("constraints.grip.motion.velocity=[{speed:?},0.0,0.0]"),
            Self::Compression => format!("colliders.top.motion.velocity=[0.0,0.0,{:?}]", -speed),
            Self::Notched => format!("colliders.press.motion.velocity=[0.0,0.0,{:?}]", -speed),
        };
        let mut set = vec![
            motion,
            format!("time.frame_rate={:?}", FRAMES / duration),
            format!("time.frames={FRAMES}"),
            format!("time.until={{ load_below_peak = {end}, peak_above = {:?} }}", 0.2 * load),
            format!("output.forces_every=\"{:?} s\"", duration / ROWS),
            format!("output.every={FRAMES}"),
        ];
        if self == Self::Tension {
            set.push("specimen.lateral=width".to_owned());
        }
        set
    }

    /// Measured values, as of the target's bodies.
    pub(super) fn values(self, results: &TestResults, general: &General) -> Measured {
        let energy = results.fracture_energy.map(|energy| energy / self.similarity(general));
        let all = match self {
            Self::Tension => vec![
                ("young_modulus", results.modulus),
                ("poisson_ratio", results.poisson_ratio),
                ("tensile_strength", results.strength),
            ],
            Self::Compression => vec![("compressive_strength", results.strength)],
            Self::Notched => vec![("fracture_energy", energy)],
        };
        all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }
}

/// Extensometer across the waist of the bar in tension.
const WIDTH: &str = "
[[output.probes]]
name = \"width\"
between = [
    { box = { min = [-0.012, -0.1, -0.1], max = [0.012, -0.016, 0.1] } },
    { box = { min = [-0.012, 0.016, -0.1], max = [0.012, 0.1, 0.1] } },
]
";
