use std::fs;
use std::path::{Path, PathBuf};

use bdem_pictures::formats::{Format, WriteClip, WriteFrame, WriteSeries, Writer};
use bdem_run::console;
use bdem_run::output::ply::{Frame, read_frame};
use bdem_run::output::{FrameFile, FrameRanges, OutputError, frames_of, write_whole};
use bdem_run::run::{LogLevel, LogOptions};
use clap::Args;

use super::CliError;
use super::clip::{self, ClipArguments};
use super::pieces::{CrackArguments, header_number};

/// Converts a run for other programs: VTU for ParaView, USD and GLB for Blender and others
///
/// VTU has all particles: a file a frame in RUN/vtu. Open the .pvd file there, which joins them to a series. Bonds are
/// lines, if the run wrote them (`output.bonds`). Existing files are kept.
///
/// USD (text) and GLB are one file. Each piece that the run ends with is a mesh, cut from the body's own mesh or shape by
/// smooth cracks, that moves rigidly; its faces are outside or inside. USD has crumbs as points, yarns as curves and broken bonds
/// as points with times, for dust; GLB has none of these.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Folder of a run; for VTU also another folder of numbered PLY frames, or one frame
    run: PathBuf,
    /// Frames, such as 12, 1-100, 1-100x2 (every second), or several of these with commas between [default: all]
    #[arg(long, value_name = "RANGES")]
    frames: Option<FrameRanges>,
    /// Target format
    #[arg(long, value_enum, default_value_t)]
    to: Format,
    /// Folder of the VTU files, or path of the USD or GLB file [default: vtu, NAME.usda or NAME.glb in the run's folder]
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// Replace existing files
    #[arg(long)]
    overwrite: bool,
    /// Print errors only
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    clip: ClipArguments,
    #[command(flatten)]
    cracks: CrackArguments,
}

const EXAMPLES: &str = "Examples:
  bdem convert out/plate                            all frames; open out/plate/vtu/plate.pvd in ParaView
  bdem convert out/plate --frames 4-16x4 -o /tmp/vtu
  bdem convert out/mug --to usd                     moving pieces, for Blender and others: out/mug/mug.usda
  bdem convert out/mug --to usd --start 1001 --speed 0.1      slow motion from frame 1001 on
  bdem convert out/mug --to usd --crack-noise 0.0006,0.004    rough cracks
  bdem convert out/mug --to glb -o mug.glb          moving pieces, for engines and browsers";

pub(super) fn run(arguments: &Arguments) -> Result<(), CliError> {
    let wanted = arguments.frames.clone().unwrap_or_default();
    let frames = frames_of(&arguments.run, &wanted)?;
    match arguments.to.writer() {
        (ending, Writer::Frames { write, series }) => to_frames(arguments, &frames, ending, write, series),
        (ending, Writer::Clip { write, bends }) => to_clip(arguments, &frames, ending, write, bends),
    }
}

/// Writes one file with the moving pieces, unless it exists and may stay.
fn to_clip(
    arguments: &Arguments,
    frames: &[FrameFile],
    ending: &str,
    write: WriteClip,
    bends: bool,
) -> Result<(), CliError> {
    // frames are called NAME.0000.ply
    let name = frames.first().and_then(|frame| frame.path.file_name()).unwrap_or_default().to_string_lossy();
    let name = name.split('.').next().unwrap_or("run");
    let file = arguments.output.clone().unwrap_or_else(|| arguments.run.join(format!("{name}.{ending}")));
    if file.exists() && !arguments.overwrite {
        if !arguments.quiet {
            eprintln!("{} exists; --overwrite replaces it", file.display());
        }
        return Ok(());
    }
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).map_err(OutputError::file("make the folder", folder))?;
    }
    let level = if arguments.quiet { LogLevel::Quiet } else { LogLevel::Normal };
    let log = LogOptions { level, ..LogOptions::default() };
    let job = clip::Job { run: &arguments.run, name, frames, clip: &arguments.clip, cracks: &arguments.cracks, log };
    let report = job.write(&file, write, bends)?;
    if !arguments.quiet {
        eprintln!("{report}: {}", file.display());
    }
    Ok(())
}

/// Writes a file a frame, and the series.
fn to_frames(
    arguments: &Arguments,
    frames: &[FrameFile],
    ending: &str,
    write: WriteFrame,
    series: Option<(&str, WriteSeries)>,
) -> Result<(), CliError> {
    let folder = arguments.output.clone().unwrap_or_else(|| beside(&arguments.run).join(ending));
    fs::create_dir_all(&folder).map_err(OutputError::file("make the folder", &folder))?;
    let mut written = 0;
    for frame in frames {
        let file = folder.join(name_of(frame, ending));
        if arguments.overwrite || !file.exists() {
            let frame = read_frame(&frame.path)?;
            write_whole(&file, |out| write(out, &frame))?;
            written += 1;
        }
    }
    let mut place = folder.clone();
    if let Some((series, write)) = series {
        let files = times(&arguments.run, &folder, ending)?;
        let first = files.first().map_or("frames", |(_, name)| name.split('.').next().unwrap_or("frames"));
        place.push(format!("{first}.{series}"));
        write_whole(&place, |out| write(out, &files))?;
    }
    if !arguments.quiet {
        console::message(&format!(
            "{written} of {} frames written, the rest existed: {}",
            frames.len(),
            place.display()
        ));
    }
    Ok(())
}

/// Folder of a run, or the folder of its frame.
fn beside(run: &Path) -> PathBuf {
    if run.is_file() { run.parent().unwrap_or(Path::new(".")).to_owned() } else { run.to_owned() }
}

/// `plate.0012.vtu` for `plate.0012.ply`.
fn name_of(frame: &FrameFile, ending: &str) -> String {
    let stem = frame.path.file_stem().unwrap_or_default();
    format!("{}.{ending}", stem.to_string_lossy())
}

/// Times (s) and names of all converted frames of `run` in `folder`, of this call and earlier ones.
fn times(run: &Path, folder: &Path, ending: &str) -> Result<Vec<(f64, String)>, CliError> {
    let mut frames = frames_of(run, &FrameRanges::default())?;
    frames.retain(|frame| folder.join(name_of(frame, ending)).exists());
    let rate = match frames.first() {
        Some(first) => frame_rate(&read_frame(&first.path)?),
        None => 1.0,
    };
    Ok(frames.iter().map(|frame| (f64::from(frame.number) / rate, name_of(frame, ending))).collect())
}

/// Frame rate of a frame's comments, 1/s; 1 where they have none.
fn frame_rate(frame: &Frame) -> f64 {
    header_number(frame, "frame rate").filter(|rate| *rate > 0.0).unwrap_or(1.0)
}
