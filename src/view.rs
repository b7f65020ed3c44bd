use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use bdem_core::geometry::Vec3;
use bdem_pictures::pieces::{ColliderMesh, Surfaces};
use bdem_pictures::render::Floor;
use bdem_pictures::view::{Collider, Moment, RestPieces, RigidPiece, Scope, Shown, write_page};
use bdem_run::console;
use bdem_run::output::ply::read_frame;
use bdem_run::output::{FrameFile, FrameRanges, OutputError, RESOLVED_SCENE, frames_of};
use bdem_run::run::{LogLevel, LogOptions};
use bdem_run::scene::Scene;
use clap::Args;

use super::output::OutputFile;
use super::surface::SurfaceArguments;
use super::{CliError, start_threads};

/// Writes an HTML page that plays the frames in any browser, without a network
///
/// Where some body has a mesh or a shape, it shows the pieces of bdem convert --to ply with the looks of their materials; others show
/// particles. Colliders and the floor are shown as in bdem render.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Folder of a run, another folder of numbered PLY frames, or one frame
    run: PathBuf,
    /// Frames, such as 12, 1-100, 1-100x2 (every second), or several of these with commas between [default: all]
    #[arg(long, value_name = "RANGES")]
    frames: Option<FrameRanges>,
    #[command(flatten)]
    meshes: SurfaceArguments,
    /// Number of threads [default: all of the machine's]. The page does not depend on it
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Path of the page [default: view.html in the run's folder]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print errors only
    #[arg(short, long)]
    quiet: bool,
}

const EXAMPLES: &str = "Examples:
  bdem view out/plate                               out/plate/view.html
  bdem view out/plate --frames 0-16x2 -o plate.html  every second frame
  bdem view out/plate --particles                   particles, also by stress

Drag to rotate, shift or the right button to move, wheel to zoom, space to play. page.html#frame=12&colour=speed opens at a
frame, coloured by piece, damage, stress or speed. Surfaces have face, which shows cracks, and no stress; pieces have look.";

pub(super) fn run(arguments: &Arguments) -> Result<(), CliError> {
    let level = if arguments.quiet { LogLevel::Quiet } else { LogLevel::Normal };
    let log = LogOptions { level, ..LogOptions::default() };
    start_threads(arguments.threads, log)?;
    let wanted = arguments.frames.clone().unwrap_or_default();
    let files = frames_of(&arguments.run, &wanted)?;
    let surfaces = arguments.meshes.surfaces_of_page(&arguments.run, log)?;
    let mut scope = scope(&arguments.run, &files, surfaces.is_some())?;
    scope.set_looks(&surfaces.as_ref().map_or(Vec::new(), Surfaces::looks));
    let page = OutputFile::new(arguments.output.as_ref(), || folder(&arguments.run).join("view.html"));
    if let Some(Surfaces::Cut(run)) = &surfaces
        && !run.pieces.pieces.is_empty()
    {
        scope.rest = Some(RestPieces::of(&run.motion()));
    }
    let frame = |k: usize| shown(&files[k], surfaces.as_ref()).map_err(io::Error::other);
    page.write(|out| write_page(out, &scope, frame))?;
    if !arguments.quiet {
        console::message(&format!("{} frames{}: {}", files.len(), page.size(" in "), page.path.display()));
    }
    Ok(())
}

fn shown(file: &FrameFile, surfaces: Option<&Surfaces>) -> Result<Shown, OutputError> {
    match surfaces {
        None => Ok(Shown::Particles(read_frame(&file.path)?)),
        Some(Surfaces::Cut(run)) if !run.pieces.pieces.is_empty() => {
            let frame = run.frame(file)?;
            let time = frame.time().unwrap_or(f64::MAX);
            Ok(Shown::Pieces(RigidPiece::all(&run.motion(), &frame.vertices, time), run.bent(&frame)))
        }
        Some(surfaces) => Ok(Shown::Surface(surfaces.mesh(file)?.0)),
    }
}

fn scope(run: &Path, files: &[FrameFile], surface: bool) -> Result<Scope, CliError> {
    let mut scope = Scope { name: name(run), surface, ..Scope::default() };
    for FrameFile { number, path } in files {
        let frame = read_frame(path)?;
        let time = frame.comment("time").and_then(|time| time.split_whitespace().next()?.parse().ok());
        let moment = Moment { number: *number, time: time.unwrap_or(0.0) };
        let misfit = |why| OutputError::file("show", path)(io::Error::new(io::ErrorKind::InvalidData, why));
        scope.add_frame(&frame, moment).map_err(misfit)?;
    }
    scope.close();
    let scene = Scene::load_in_frames(&folder(run).join(RESOLVED_SCENE));
    let times = || scope.frames.iter().map(|moment| moment.time);
    let walls = scene.as_ref().map_or(&[][..], |scene| scene.walls());
    let colliders = scene.as_ref().map_or(Vec::new(), ColliderMesh::all);
    scope.colliders = colliders.into_iter().map(|collider| Collider::new(collider, times())).collect();
    scope.floor = Floor::among(walls, &Vec3::ith(scope.up, 1.0)).or(scope.floor);
    Ok(scope)
}

/// Folder of the run, or the folder of its frame.
fn folder(run: &Path) -> &Path {
    if run.is_file() { run.parent().unwrap_or(Path::new("")) } else { run }
}

fn name(run: &Path) -> String {
    run.file_stem().map_or_else(|| "run".to_owned(), |name| name.to_string_lossy().into_owned())
}
