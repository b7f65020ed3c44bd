use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use bdem_run::output::write_whole;
use clap::Args;
use clap::builder::PossibleValuesParser;

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

const TEMPLATES: [Template; 11] = [
    template!("drop"),
    template!("vase"),
    template!("mesh" with "star.obj"),
    template!("pull"),
    template!("cloth"),
    template!("impact"),
    template!("tension"),
    template!("compression"),
    template!("brazilian"),
    template!("bending3"),
    FIT,
];

pub(super) fn run(arguments: &Arguments) -> Result<(), CliError> {
    let Some(template) = TEMPLATES.iter().find(|template| arguments.template.as_deref() == Some(template.name)) else {
        return print(&list());
    };
    let scene = arguments.output.clone().unwrap_or_else(|| format!("{}.toml", template.name).into());
    let files = template.files(&scene);
    if !arguments.overwrite {
        files.iter().try_for_each(|(path, _)| is_free(path))?;
    }
    files.iter().try_for_each(|(path, text)| write_whole(path, |out| out.write_all(text.as_bytes())))?;
    let written: Vec<String> = files.iter().map(|(path, _)| path.display().to_string()).collect();
    print(&format!("wrote {}; now: bdem {} {}\n", written.join(" and "), template.command, scene.display()))
}

impl Template {
    /// Files of the template, for a scene at `scene`. The one that the scene reads comes first.
    fn files(&self, scene: &Path) -> Vec<(PathBuf, &'static str)> {
        let beside = self.beside.iter().map(|(name, text)| (scene.with_file_name(name), *text));
        beside.chain([(scene.to_owned(), self.scene)]).collect()
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

fn is_free(path: &Path) -> Result<(), CliError> {
    if !path.exists() {
        return Ok(());
    }
    let message = format!("{} exists: name another file with -o, or --overwrite it", path.display());
    Err(CliError { code: 2, message })
}
