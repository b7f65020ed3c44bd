use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use bdem_pictures::formats::{Format, WriteClip, WriteFrame, WriteSeries, WriteState, Writer};
use bdem_pictures::pieces::BuiltRun;
use bdem_run::output::ply::{Frame, read_frame};
use bdem_run::output::{FrameFile, FrameRanges, OutputError, frames_of, write_whole};
use bdem_run::run::{LogLevel, LogOptions, shared_packings};
use clap::Args;

use super::asset::AssetArguments;
use super::clip::{self, ClipArguments};
use super::output::{OutputFile, ends_with, output_folder};
use super::pieces::{CrackArguments, header_number};
use super::surface::{self, MeshArguments, folder_of};
use super::{CliError, start_threads};

/// Converts a run for other programs: VTU and VTP for ParaView, PLY and OBJ for meshes a frame, USD and GLB for moving pieces, data files for LAMMPS
///
/// VTU has all particles: a file a frame in RUN/vtu. Open the .pvd file there, which joins them to a series. Bonds are
/// lines, if the run wrote them (`output.bonds`). Existing files are kept.
///
/// PLY, OBJ and VTP have the surfaces of the pieces, a closed triangle mesh for each frame, in RUN/surface. Each piece has a mesh
/// of its own. Bodies that have a mesh or a shape are cut by smooth cracks into the pieces of the run's last frame, posed at each
/// frame. Others, such as yarns and springs, get surfaces around the particles, by marching cubes. Vertices have piece, velocity
/// and damage, faces are outer surface or crack. Without the run's scene.resolved.toml, as with another program's particles,
/// particles that touch belong together. Existing files are kept, but for those of another cut, as of a run that went on
/// since.
///
/// USD (text) and GLB are one file. Each body is whole, its own mesh or shape, up to its first broken bond. Then it is the pieces that
/// the run ends with, cut by smooth cracks; crumbs are chips. Faces are in the material slots of the mesh outside, or inside. Cracks
/// that sever nothing are cut into their piece, and open as its particles move: in GLB, and with --rigid, they have one form, that at
/// their widest. USD has yarns as curves, and broken bonds as points with times, for dust; GLB has neither.
///
/// Data files of LAMMPS have all particles, a file a frame in RUN/lammps: atoms of the style bpm/sphere in SI units, a type for each body,
/// with velocities and the bonds that are whole. A scene reads such a file as a packing. Existing files are kept.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Folder of a run; but for USD and GLB also another folder of numbered PLY frames, or one frame
    run: PathBuf,
    /// Frames, such as 12, 1-100, 1-100x2 (every second), or several of these with commas between [default: all]
    #[arg(long, value_name = "RANGES")]
    frames: Option<FrameRanges>,
    /// Target format
    #[arg(long, value_enum, default_value_t)]
    to: Format,
    /// Folder of the files, or path of the USD or GLB file [default: vtu, surface, lammps, NAME.usda or NAME.glb in the run's folder]
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// Replace existing files
    #[arg(long)]
    overwrite: bool,
    /// Number of threads [default: all of the machine's]. The results do not depend on it
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Print errors only
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    meshes: MeshArguments,
    #[command(flatten)]
    clip: ClipArguments,
    #[command(flatten)]
    asset: AssetArguments,
    #[command(flatten)]
    cracks: CrackArguments,
}

const EXAMPLES: &str = "Examples:
  bdem convert out/plate                            all frames; open out/plate/vtu/plate.pvd in ParaView
  bdem convert out/plate --frames 4-16x4 -o /tmp/vtu
  bdem convert out/plate --to ply                   meshes of the pieces: out/plate/surface/plate.0000.ply and so on
  bdem convert out/plate --to vtp --frames 4-16x4 -o /tmp/meshes
  bdem convert out/plate/ply --to ply               around the particles of its frames
  bdem convert other/frames --to ply --radius 0.002 particles of another program
  bdem convert out/mug --to usd                     moving pieces, for Blender and others: out/mug/mug.usda
  bdem convert out/mug --to usd --start 1001 --speed 0.1      slow motion from frame 1001 on
  bdem convert out/mug --to usd --crack-noise 0.0006,0.004    rough cracks
  bdem convert out/mug --to usd --over set.usd --prim /set/mug      pieces in place of an artist's object
  bdem convert out/mug --to lammps --frames 12      particles and bonds for LAMMPS: out/mug/lammps/mug.0012.data
  bdem convert out/mug --to glb -o mug.glb          moving pieces, for engines and browsers";

pub(super) fn run(arguments: &Arguments) -> Result<(), CliError> {
    arguments.check_ending()?;
    start_threads(arguments.threads, arguments.log())?;
    let wanted = arguments.frames.clone().unwrap_or_default();
    let frames = frames_of(&arguments.run, &wanted)?;
    if arguments.asset.is_given() && !matches!(arguments.to, Format::Usd) {
        return Err(CliError { code: 2, message: "--over needs --to usd".to_owned() });
    }
    match arguments.to.writer() {
        (ending, Writer::Meshes(write)) => arguments.meshes(&frames).write(ending, write),
        (_, _) if arguments.meshes.are_given() => Err(CliError { code: 2, message: ONLY_MESHES.to_owned() }),
        (ending, Writer::Frames { write, series }) => to_frames(arguments, &frames, ending, write, series),
        (ending, Writer::States(write)) => to_states(arguments, &frames, ending, write),
        (ending, Writer::Clip { write, bends }) => to_clip(arguments, &frames, ending, write, bends),
    }
}

const ONLY_MESHES: &str = "--radius needs --to ply, obj or vtp";

/// Endings of files of these formats and their relatives. A folder with such a name was most likely meant as a file.
const ENDINGS: [&str; 12] = ["usda", "usd", "usdc", "usdz", "glb", "gltf", "vtu", "pvd", "ply", "obj", "vtp", "data"];

impl Arguments {
    fn log(&self) -> LogOptions {
        let level = if self.quiet { LogLevel::Quiet } else { LogLevel::Normal };
        LogOptions { level, ..LogOptions::default() }
    }

    /// Meshes of these frames.
    fn meshes<'a>(&'a self, frames: &'a [FrameFile]) -> surface::Job<'a> {
        let Self { run, overwrite, meshes, cracks, .. } = self;
        surface::Job {
            run,
            frames,
            output: self.output.as_ref(),
            overwrite: *overwrite,
            meshes,
            cracks,
            log: self.log(),
        }
    }

    /// Check that the name of the output is one of the format: other programs tell formats by it.
    fn check_ending(&self) -> Result<(), CliError> {
        let Some(path) = &self.output else { return Ok(()) };
        let remedy = match self.to {
            Format::Usd if ends_with(path, &["usda", "usd"]) => return Ok(()),
            Format::Usd => "USD is written as text: let the name end with .usda or .usd",
            Format::Glb if ends_with(path, &["glb"]) => return Ok(()),
            Format::Glb => "glTF is written as one binary file: let the name end with .glb",
            _ if path.is_dir() || !ends_with(path, &ENDINGS) => return Ok(()),
            _ => "this format is a folder of files: name a folder, or another format with --to",
        };
        if !OutputFile::new(Some(path), PathBuf::new).is_regular() {
            return Ok(());
        }
        Err(CliError { code: 2, message: format!("--output {}: {remedy}", path.display()) })
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
    let file = OutputFile::new(arguments.output.as_ref(), || arguments.run.join(format!("{name}.{ending}")));
    let log = arguments.log();
    if file.exists() && !arguments.overwrite {
        log.note(&format!("{} exists; --overwrite replaces it", file.path.display()));
        return Ok(());
    }
    if let Some(folder) = file.path.parent() {
        fs::create_dir_all(folder).map_err(OutputError::file("make the folder", folder))?;
    }
    let over = arguments.asset.over(&file)?;
    let Arguments { run, clip, cracks, .. } = arguments;
    let job = clip::Job { run, name, frames, clip, over, cracks, log };
    let report = job.write(&file, write, bends)?;
    log.note(&format!("{report}: {}", file.path.display()));
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
    let folder = output_folder(arguments.output.as_ref(), || beside(&arguments.run).join(ending))?;
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
    let frames = frames.len();
    let report = format!("{written} of {frames} frames written, the rest existed: {}", place.display());
    arguments.log().note(&report);
    Ok(())
}

/// Writes a file a frame, with the world of the run.
fn to_states(arguments: &Arguments, frames: &[FrameFile], ending: &str, write: WriteState) -> Result<(), CliError> {
    let Arguments { run, output, overwrite, .. } = arguments;
    let folder = output_folder(output.as_ref(), || folder_of(run).join("lammps"))?;
    let mut missing: Vec<_> = frames.iter().map(|frame| (frame, folder.join(name_of(frame, ending)))).collect();
    missing.retain(|(_, file)| *overwrite || !file.exists());
    if !missing.is_empty() {
        let run = BuiltRun::load(folder_of(run), shared_packings())?;
        for (frame, file) in &missing {
            let frame = run.frame(frame)?;
            write_whole(file, |out| write(out, &run, &frame))?;
        }
    }
    let (written, frames) = (missing.len(), frames.len());
    let report = format!("{written} of {frames} frames written, the rest existed: {}", folder.display());
    arguments.log().note(&report);
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
