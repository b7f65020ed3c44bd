use std::io::{self, Write};
use std::path::PathBuf;

use bdem_run::output::{OutputError, make_folder, write_whole};
use clap::{Args, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use super::{CliError, print};
use crate::version;

/// Writes the man pages: bdem.1, and one for each command
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Folder of the pages; older ones are replaced
    #[arg(short, long, value_name = "DIR", default_value = "man")]
    output: PathBuf,
}

const VERSION: &str = concat!("bdem ", env!("CARGO_PKG_VERSION"));

const EXAMPLES: &str = "Examples:
  bdem man -o ~/.local/share/man/man1               then: man bdem, man bdem-simulate";

pub(super) fn run(arguments: &Arguments) -> Result<(), CliError> {
    let folder = &arguments.output;
    make_folder(folder)?;
    // the same pages on every machine
    let mut bdem = crate::command().version(version::NUMBER).disable_help_subcommand(true);
    bdem.build();
    for command in bdem.get_subcommands().chain([&bdem]) {
        let man = Man::new(command.clone().after_help(None::<&str>)).source(VERSION).manual("bdem manual");
        let text = page(&man, command).map_err(OutputError::file("write pages in", folder))?;
        write_whole(&folder.join(man.get_filename()), |out| out.write_all(&text))?;
    }
    print(&format!("man pages are in {}\n", folder.display()))
}

/// Page of a command in roff. Its notes keep their lines, which clap_mangen would fill.
fn page(man: &Man, command: &Command) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    man.render(&mut text)?;
    if let Some(notes) = command.get_after_help() {
        let mut roff = Roff::new();
        roff.control("SH", ["NOTES"]).control("nf", []);
        for line in notes.to_string().lines() {
            roff.text([roman(line)]);
        }
        roff.control("fi", []).to_writer(&mut text)?;
    }
    Ok(text)
}
