use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::output::ply::{Frame, read_frame};
use crate::output::{FrameFile, FrameRanges, OutputError, frames_of, write_pvd, write_vtu, write_whole};

use super::CliError;

/// Writes the frames of a run in another program's form: VTU, which ParaView takes with all properties
///
/// Files go to RUN/vtu, with a .pvd file that makes a series of them: that is the one to open. Bonds are lines in it, if the
/// run has written them (`output.bonds`). Files that are there already stay.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// A run's folder, another folder of numbered PLY frames, or a frame
    run: PathBuf,
    /// Which frames: 12, 1-100, 1-100x2 (every second), or several of these with commas between
    #[arg(long, value_name = "RANGES")]
    frames: Option<FrameRanges>,
    /// Into what
    #[arg(long, value_enum, default_value_t)]
    to: Format,
    /// Where the files go [default: vtu in the run's folder]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Replaces files that are there
    #[arg(long)]
    overwrite: bool,
    /// Nothing on the terminal but errors
    #[arg(short, long)]
    quiet: bool,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    #[default]
    Vtu,
}

const EXAMPLES: &str = "Examples:
  bdem convert out/plate                            all frames; open out/plate/vtu/plate.pvd in ParaView
  bdem convert out/plate --frames 4-16x4 -o /tmp/vtu";

pub(super) fn run(arguments: &Arguments) -> Result<(), CliError> {
    let Format::Vtu = arguments.to;
    let wanted = arguments.frames.clone().unwrap_or_default();
    let frames = frames_of(&arguments.run, &wanted)?;
    let folder = arguments.output.clone().unwrap_or_else(|| beside(&arguments.run).join("vtu"));
    fs::create_dir_all(&folder).map_err(OutputError::file("make the folder", &folder))?;
    let mut written = 0;
    for frame in &frames {
        let file = folder.join(vtu_name(frame));
        if arguments.overwrite || !file.exists() {
            let frame = read_frame(&frame.path)?;
            write_whole(&file, |out| write_vtu(out, &frame))?;
            written += 1;
        }
    }
    let series = write_series(&arguments.run, &folder)?;
    if !arguments.quiet {
        eprintln!("{written} of {} frames written, the rest was there: {}", frames.len(), series.display());
    }
    Ok(())
}

/// The folder that a run is, or that its frame lies in.
fn beside(run: &Path) -> PathBuf {
    if run.is_file() { run.parent().unwrap_or(Path::new(".")).to_owned() } else { run.to_owned() }
}

/// `plate.0012.vtu` for `plate.0012.ply`.
fn vtu_name(frame: &FrameFile) -> String {
    let stem = frame.path.file_stem().unwrap_or_default();
    format!("{}.vtu", stem.to_string_lossy())
}

/// Makes a series of all frames of `run` that have been converted, by this call or others. Returns where it is.
fn write_series(run: &Path, folder: &Path) -> Result<PathBuf, CliError> {
    let mut frames = frames_of(run, &FrameRanges::default())?;
    frames.retain(|frame| folder.join(vtu_name(frame)).exists());
    let rate = match frames.first() {
        Some(first) => frame_rate(&read_frame(&first.path)?),
        None => 1.0,
    };
    let files: Vec<(f64, String)> =
        frames.iter().map(|frame| (f64::from(frame.number) / rate, vtu_name(frame))).collect();
    let first = files.first().map_or("frames", |(_, name)| name.split('.').next().unwrap_or("frames"));
    let path = folder.join(format!("{first}.pvd"));
    write_whole(&path, |out| write_pvd(out, &files))?;
    Ok(path)
}

/// Frames a second, as a frame says; 1 where it does not.
fn frame_rate(frame: &Frame) -> f64 {
    let rate = frame.comment("frame rate").and_then(|rate| rate.split_whitespace().next()?.parse().ok());
    rate.filter(|rate| *rate > 0.0).unwrap_or(1.0)
}
