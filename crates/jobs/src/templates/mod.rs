//! Scenes, fits and targets to start from.

/// Scene, fit or target to start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Template {
    /// Its name, of the file NAME.toml.
    pub name: &'static str,
    /// Text of the file (TOML).
    pub text: &'static str,
    /// Files that it reads from its folder: names and texts.
    pub beside: &'static [(&'static str, &'static str)],
    /// Command of `bdem` that runs it.
    pub command: &'static str,
}

macro_rules! template {
    ($name:literal) => {
        Template { name: $name, text: include_str!(concat!($name, ".toml")), beside: &[], command: "simulate" }
    };
    ($name:literal with $beside:literal) => {
        Template { beside: &[($beside, include_str!($beside))], ..template!($name) }
    };
}

/// A fit with its scene and a track.
const FIT: Template = Template {
    name: "fit",
    text: include_str!("fit/fit.toml"),
    beside: &[
        ("fit_scene.toml", include_str!("fit/fit_scene.toml")),
        ("fit_track.csv", include_str!("fit/fit_track.csv")),
    ],
    command: "fit",
};

/// A target of a calibration.
const CALIBRATE: Template =
    Template { name: "calibrate", text: include_str!("calibrate/calibrate.toml"), beside: &[], command: "calibrate" };

/// All templates.
pub const TEMPLATES: [Template; 16] = [
    template!("drop"),
    template!("vase"),
    template!("mesh" with "star.obj"),
    template!("pull"),
    template!("cloth"),
    template!("impact"),
    template!("tension"),
    template!("compression"),
    template!("triaxial"),
    template!("shear"),
    template!("brazilian"),
    template!("bending3"),
    template!("notched"),
    template!("wave"),
    FIT,
    CALIBRATE,
];

impl Template {
    /// Template of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        TEMPLATES.iter().find(|template| template.name == name)
    }

    /// Summary: its first comment up to the first full stop or colon, without the line for editors.
    pub fn summary(&self) -> String {
        let lines = self.text.lines().skip(1).map_while(|line| line.strip_prefix("# "));
        let comment: Vec<&str> = lines.collect();
        comment.join(" ").split_once(['.', ':']).map_or_else(String::new, |(summary, _)| summary.to_owned())
    }
}
