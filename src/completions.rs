use clap::Args;
use clap_complete::{Shell, generate};

use super::{CliError, print};

/// Prints the completions of a shell
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Shell
    shell: Shell,
}

const EXAMPLES: &str = "They take effect in the next shell, from these places:
  bash         bdem completions bash > ~/.local/share/bash-completion/completions/bdem
  zsh          bdem completions zsh > DIR/_bdem, where DIR is one of zsh's $fpath
  fish         bdem completions fish > ~/.config/fish/completions/bdem.fish
  elvish       bdem completions elvish >> ~/.config/elvish/rc.elv
  powershell   bdem completions powershell >> $PROFILE

Or for this shell alone: source <(bdem completions bash)";

pub(super) fn run(arguments: &Arguments) -> Result<(), CliError> {
    let mut script = Vec::new();
    generate(arguments.shell, &mut crate::command(), "bdem", &mut script);
    print(&String::from_utf8_lossy(&script))
}
