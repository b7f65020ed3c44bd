//! Names that commands had, which are understood for one more version.

use std::ffi::OsString;

use super::CliError;

/// Words of a command line by the names of today, and a notice where one has another name now.
///
/// # Errors
/// For a command that has moved out of the program.
pub(super) fn translate(
    words: impl IntoIterator<Item = OsString>,
) -> Result<(Vec<OsString>, Option<String>), CliError> {
    let mut words: Vec<OsString> = words.into_iter().collect();
    let name = words.get(1).and_then(|word| word.to_str()).unwrap_or_default().to_owned();
    let (command, option, format) = match &name[..] {
        "surface" => ("convert", "--to", "ply"),
        "table" => ("info", "--format", "csv"),
        "export" => {
            let moved = "export is a bench now: cargo bench --bench export -- SCENE [--frame N] [--static] [-o DIR]";
            return Err(CliError { code: 2, message: moved.to_owned() });
        }
        _ => return Ok((words, None)),
    };
    words[1] = command.into();
    let mut is_given = false;
    for word in &mut words {
        let Some(rest) = word.to_str().and_then(|word| word.strip_prefix("--format")).map(str::to_owned) else {
            continue;
        };
        *word = format!("{option}{rest}").into();
        is_given = true;
    }
    if !is_given {
        words.splice(2..2, [option.into(), format.into()]);
    }
    Ok((words, Some(format!("bdem {name} is bdem {command} {option} {format} now; the next version does not know it"))))
}
