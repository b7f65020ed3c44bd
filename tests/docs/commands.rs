//! The page of commands.

use std::fmt::Write;

use clap::{Arg, Command};

use crate::docs::cell;

const HEAD: &str = "# Commands

> Generated from the command line's parser by `UPDATE=1 cargo test --release --test program docs::`. Do not edit.

`bdem COMMAND --help` prints the same. [Running](running.md) explains exit codes, resuming, logs, and `compare`.

";

pub(super) fn page() -> String {
    let mut bdem = bdem::command();
    bdem.build();
    let commands = || bdem.get_subcommands().filter(|command| command.get_name() != "help");
    let mut page = HEAD.to_owned();
    page += "| command | |\n|---|---|\n";
    for command in commands() {
        let (name, about) = (command.get_name(), text(command.get_about()));
        writeln!(page, "| [`{name}`](#{name}) | {} |", cell(&about)).expect("space");
    }
    commands().for_each(|command| page += &section(command));
    page
}

fn text(styled: Option<&impl ToString>) -> String {
    styled.map(ToString::to_string).unwrap_or_default()
}

fn section(command: &Command) -> String {
    let name = command.get_name();
    let about = text(command.get_long_about().or(command.get_about()));
    let positional: String = command.get_positionals().map(|arg| format!(" {}", usage(arg))).collect();
    let mut section =
        format!("\n## {name}\n\n{}\n\n```sh\nbdem {name} [OPTIONS]{positional}\n```\n", paragraphs(&about));
    let arguments: Vec<_> = command.get_arguments().filter(|arg| arg.get_id() != "help").collect();
    if !arguments.is_empty() {
        section += "\n| argument, option | | default |\n|---|---|---|\n";
        arguments.iter().for_each(|arg| section += &row(arg));
    }
    let after = text(command.get_after_help());
    if !after.is_empty() {
        write!(section, "\n```text\n{}\n```\n", after.trim_end()).expect("space");
    }
    section
}

/// With a full stop at the end of each paragraph.
fn paragraphs(about: &str) -> String {
    let ended = |line: &str| match line.chars().last() {
        Some(c) if c.is_alphanumeric() || c == ')' => format!("{line}."),
        _ => line.to_owned(),
    };
    about.replace('<', "&lt;").lines().map(ended).collect::<Vec<_>>().join("\n")
}

/// `<SCENE>`, or `[NAME]` where it may be left out.
fn usage(arg: &Arg) -> String {
    let name = arg.get_value_names().map_or_else(|| arg.get_id().to_string(), |names| names[0].to_string());
    let dots = if arg.get_num_args().is_some_and(|n| n.max_values() > 1) { "..." } else { "" };
    if arg.is_required_set() { format!("<{name}>{dots}") } else { format!("[{name}]{dots}") }
}

fn row(arg: &Arg) -> String {
    let takes_value = arg.get_action().takes_values();
    let value = match (takes_value, arg.get_value_names()) {
        (true, Some(names)) => format!(" <{}>", names[0]),
        _ => String::new(),
    };
    let long = arg.get_long().map(|long| format!("`--{long}{value}`"));
    let short = arg.get_short().map(|short| format!("`-{short}`"));
    let name = match arg.is_positional() {
        true => format!("`{}`", usage(arg)),
        false => short.into_iter().chain(long).collect::<Vec<_>>().join(", "),
    };
    let values = arg.get_possible_values();
    let described = |value: &clap::builder::PossibleValue| {
        let help = value.get_help().map(|help| format!(" ({help})")).unwrap_or_default();
        format!("`{}`{}", value.get_name(), cell(&help))
    };
    let values: Vec<_> = values.iter().filter(|_| takes_value).map(described).collect();
    let values = if values.is_empty() { String::new() } else { format!(": {}", values.join(", ")) };
    let help = cell(&text(arg.get_long_help().or(arg.get_help())));
    let default: Vec<_> =
        arg.get_default_values().iter().map(|value| format!("`{}`", value.to_string_lossy())).collect();
    let default = if takes_value { default.join(", ") } else { String::new() };
    format!("| {name} | {help}{values} | {default} |\n")
}
