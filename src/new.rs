use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::output::OutputFile;
use super::{CliError, print};

/// Writes a commented scene to start from. Without a name it lists the templates
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Name of the template
    #[arg(value_parser = PossibleValuesParser::new(TEMPLATES.map(|template| template.name)))]
    template: Option<String>,
    /// Scene file. A mesh that it needs is written beside it [default: TEMPLATE.toml]
    #[arg(short, long, value_name = "FILE", requires = "template")]
    output: Option<PathBuf>,
    /// Replace existing files
    #[arg(long)]
    overwrite: bool,
}

const EXAMPLES: &str = "Examples:
  bdem new                                          lists the templates
  bdem new drop                                     writes drop.toml
  bdem new impact -o shots/sh010.toml
  bdem simulate drop.toml                           runs it";

/// Scene, or fit, to start from.
struct Template {
    name: &'static str,
    scene: &'static str,
    /// Files that the scene reads from its folder: names and texts.
    beside: &'static [(&'static str, &'static str)],
    /// Command that runs it.
    command: &'static str,
}

macro_rules! template {
    ($name:literal) => {
        Template {
            name: $name,
            scene: include_str!(concat!("templates/", $name, ".toml")),
            beside: &[],
            command: "simulate",
        }
    };
    ($name:literal with $beside:literal) => {
        Template { beside: &[($beside, include_str!(concat!("templates/", $beside)))], ..template!($name) }
    };
}

/// A fit with its scene and a track.
const FIT: Template = Template {
    name: "fit",
    scene: include_str!("fit/template/fit.toml"),
    beside: &[
        ("fit_scene.toml", include_str!("fit/template/fit_scene.toml")),
        ("fit_track.csv", include_str!("fit/template/fit_track.csv")),
    ],
    command: "fit",
};

/// A target of a calibration.
const CALIBRATE: Template =
    Template { name: "calibrate", scene: include_str!("calibrate/template.toml"), beside: &[], command: "calibrate" };

const TEMPLATES: [Template; 16] = [
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

pub(super) fn run(arguments: &Arguments) -> Result<(), CliError> {
    let Some(template) = TEMPLATES.iter().find(|template| arguments.template.as_deref() == Some(template.name)) else {
        return print(&list());
    };
    let scene = OutputFile::new(arguments.output.as_ref(), || format!("{}.toml", template.name).into());
    template.check(&scene)?;
    let beside = template.beside.iter().map(|(name, text)| (scene.path.with_file_name(name), *text));
    let beside: Vec<_> = beside.map(|(path, text)| (OutputFile::new(None, || path), text)).collect();
    let files = beside.iter().map(|(file, text)| (file, *text)).chain([(&scene, template.scene)]);
    if !arguments.overwrite {
        files.clone().try_for_each(|(file, _)| is_free(file))?;
    }
    files.clone().try_for_each(|(file, text)| file.write(|out| out.write_all(text.as_bytes())))?;
    if !scene.is_regular() {
        // the scene itself may be on standard output
        return Ok(());
    }
    let written: Vec<String> = files.map(|(file, _)| file.path.display().to_string()).collect();
    print(&format!("wrote {}; now: bdem {} {}\n", written.join(" and "), template.command, scene.path.display()))
}

/// Text of the template of this name.
pub(super) fn scene_of(name: &str) -> &'static str {
    TEMPLATES.iter().find(|template| template.name == name).map_or("", |template| template.scene)
}

impl Template {
    /// Check that files can be written beside the scene, if it needs any.
    fn check(&self, scene: &OutputFile) -> Result<(), CliError> {
        let [(first, _), ..] = self.beside else { return Ok(()) };
        if scene.is_regular() {
            return Ok(());
        }
        let path = scene.path.display();
        let message = format!("{path} is a device or a pipe, and {first} has no place beside it: name a file with -o");
        Err(CliError { code: 2, message })
    }

    /// Summary of the scene: its first comment up to the first full stop, without the line for editors.
    fn summary(&self) -> String {
        let lines = self.scene.lines().skip(1).map_while(|line| line.strip_prefix("# "));
        let comment: Vec<&str> = lines.collect();
        comment.join(" ").split_once(['.', ':']).map_or_else(String::new, |(summary, _)| summary.to_owned())
    }
}

fn list() -> String {
    TEMPLATES.iter().fold(String::new(), |mut text, template| {
        // writing to a string cannot fail
        let _ = writeln!(text, "{:<13}{}", template.name, template.summary());
        text
    })
}

fn is_free(file: &OutputFile) -> Result<(), CliError> {
    if !file.exists() {
        return Ok(());
    }
    let message = format!("{} exists: name another file with -o, or --overwrite it", file.path.display());
    Err(CliError { code: 2, message })
}
