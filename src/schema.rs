use bdem_run::scene::schema;
use clap::Args;

use super::{CliError, print};

/// Prints the JSON Schema of scenes, for completion, help and checks in editors
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {}

const EXAMPLES: &str = "Examples:
  bdem schema > bdem.schema.json

A scene whose first line is
  #:schema bdem.schema.json
is then checked by editors with Taplo (VS Code: the extension Even Better TOML). The name is relative to the
scene's folder. Taplo checks on the command line too: taplo lint scene.toml";

pub(super) fn run(_: &Arguments) -> Result<(), CliError> {
    print(&format!("{:#}\n", schema()))
}
