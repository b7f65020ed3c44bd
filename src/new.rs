use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

use bdem_jobs::templates::{TEMPLATES, Template};
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

pub(super) fn run(arguments: &Arguments) -> Result<(), CliError> {
    let Some(template) = arguments.template.as_deref().and_then(Template::named) else {
        return print(&list());
    };
    let scene = OutputFile::new(arguments.output.as_ref(), || format!("{}.toml", template.name).into());
    check_place(template, &scene)?;
    let beside = template.beside.iter().map(|(name, text)| (scene.path.with_file_name(name), *text));
    let beside: Vec<_> = beside.map(|(path, text)| (OutputFile::new(None, || path), text)).collect();
    let files = beside.iter().map(|(file, text)| (file, *text)).chain([(&scene, template.text)]);
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

/// Check that files can be written beside the scene, if the template needs any.
fn check_place(template: &Template, scene: &OutputFile) -> Result<(), CliError> {
    let [(first, _), ..] = template.beside else { return Ok(()) };
    if scene.is_regular() {
        return Ok(());
    }
    let path = scene.path.display();
    let message = format!("{path} is a device or a pipe, and {first} has no place beside it: name a file with -o");
    Err(CliError { code: 2, message })
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
