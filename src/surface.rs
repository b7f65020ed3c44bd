use std::fs;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use bdem_pictures::surface::{Fillings, Rest, Source, SurfaceMesh, SurfaceMesher, write_obj, write_ply, write_vtp};
use bdem_run::output::{
    FRACTURES, FrameFile, FrameRanges, OutputError, RESOLVED_SCENE, RunFolder, Table, frames_of, write_whole,
};
use bdem_run::run::{KeptPackings, LogLevel, LogOptions};
use bdem_run::scene::Scene;
use clap::{Args, ValueEnum};

use super::pieces::{CrackArguments, CutRun};
use super::{CliError, packing_cache, start_threads};

/// Writes the surfaces of a run's pieces, a closed triangle mesh for each frame
///
/// Each piece has a mesh of its own. Cracks are as wide as they are in the frame, down to a hundredth of a particle.
/// Vertices have piece, crack or outer face, velocity and damage. Without the run's scene.resolved.toml, as with
/// another program's particles, particles that touch belong together. Existing files are kept.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Folder of a run, another folder of numbered PLY frames, or one frame
    run: PathBuf,
    /// Folder of the meshes [default: surface in the run's folder]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Frames, such as 12, 1-100, 1-100x2 (every second), or several of these with commas between [default: all]
    #[arg(long, value_name = "RANGES")]
    frames: Option<FrameRanges>,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Edge of the marching cubes, over the smallest radius: 0.2 to 1
    #[arg(long, value_name = "SHARE", default_value = "0.6", value_parser = resolution)]
    resolution: f64,
    /// Outer surface. On cracks it is always the particles'
    #[arg(long, value_enum, default_value_t)]
    outer: OuterSurface,
    /// Cut the bodies' own meshes and shapes into their final pieces, posed at each frame. Outsides are exact, cracks smooth;
    /// bodies without a shape and crumbs are left out. --resolution and --outer have no effect
    #[arg(long, conflicts_with = "radius")]
    pieces: bool,
    /// Radius of particles, m, where files have none
    #[arg(long, value_name = "METRES", value_parser = radius)]
    radius: Option<f64>,
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
    cracks: CrackArguments,
}

/// Surfaces in place of particles.
#[derive(Debug, Args)]
pub(super) struct SurfaceArguments {
    /// Show the surfaces of the pieces, as of bdem surface, in place of particles
    #[arg(long)]
    pub(super) surface: bool,
    /// Outer surface. On cracks it is always the particles'
    #[arg(long, value_enum, default_value_t, requires = "surface")]
    outer: OuterSurface,
    /// Edge of the marching cubes, over the smallest radius: 0.2 to 1
    #[arg(long, value_name = "SHARE", default_value = "0.6", value_parser = resolution, requires = "surface")]
    resolution: f64,
}

impl SurfaceArguments {
    /// Source of the surfaces of `run`, if they are asked for.
    pub(super) fn source(&self, run: &Path) -> Result<Option<Source>, CliError> {
        self.surface.then(|| source(run, self.outer, self.resolution, None)).transpose()
    }
}

/// Format of the files.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    /// Binary, with all properties: for Blender, MeshLab, Houdini
    #[default]
    Ply,
    /// Vertices and faces, a group for each piece
    Obj,
    /// With all properties: for ParaView
    Vtp,
}

/// Origin of outer surfaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum OuterSurface {
    /// Surface around the particles, of the same volume
    #[default]
    Particles,
    /// Shape or mesh that the body filled when it was packed
    Shape,
}

const EXAMPLES: &str = "Examples:
  bdem surface out/plate                            out/plate/surface/plate.0000.ply and so on
  bdem surface out/plate --frames 4-16x4 --format vtp -o /tmp/meshes
  bdem surface out/plate --outer shape              as smooth outside as the scene's shape
  bdem surface out/mug --pieces                     the mug's own mesh, cut by its cracks
  bdem surface other/frames --radius 0.002          particles of another program";

fn resolution(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.2..=1.0).contains(share));
    share.ok_or_else(|| "expected a number from 0.2 to 1".to_owned())
}

fn radius(text: &str) -> Result<f64, String> {
    let metres = text.parse().ok().filter(|metres| *metres > 1e-9 && *metres < 1e9);
    metres.ok_or_else(|| "expected a positive number of metres".to_owned())
}

pub(super) fn run(arguments: &Arguments) -> Result<(), CliError> {
    let level = if arguments.quiet { LogLevel::Quiet } else { LogLevel::Normal };
    let log = LogOptions { level, ..LogOptions::default() };
    start_threads(arguments.threads, log)?;
    let frames = frames_of(&arguments.run, &arguments.frames.clone().unwrap_or_default())?;
    let output = arguments.output.clone().unwrap_or_else(|| folder_of(&arguments.run).join("surface"));
    fs::create_dir_all(&output).map_err(OutputError::file("make the folder", &output))?;
    let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut missing: Vec<(FrameFile, PathBuf)> = frames
        .iter()
        .map(|frame| (frame.clone(), output.join(format!("{}.{}", stem(&frame.path), arguments.format.ending()))))
        .collect();
    missing.retain(|(_, file)| arguments.overwrite || !file.exists());
    if missing.is_empty() {
        log.note(&format!("all {} meshes exist: {}", frames.len(), output.display()));
        return Ok(());
    }
    let meshes = Meshes::of(arguments)?;
    for (number, (frame, file)) in (1..).zip(&missing) {
        let (mesh, comments) = meshes.mesh(frame)?;
        write_whole(file, |out| arguments.format.write(out, &mesh, &comments))?;
        let percent = 100.0 * f64::from(number) / missing.len() as f64;
        let triangles = mesh.triangles.len();
        log.note(&format!(
            "Progress: {percent:.1}%  {number}/{}  {triangles} triangles: {}",
            missing.len(),
            file.display()
        ));
    }
    Ok(())
}

/// Source of the meshes.
enum Meshes {
    /// Surfaces around particles.
    Marched(Source),
    /// Cut pieces.
    Cut(Box<CutRun>),
}

impl Meshes {
    fn of(arguments: &Arguments) -> Result<Self, CliError> {
        if arguments.pieces {
            let run = CutRun::load(folder_of(&arguments.run), &arguments.cracks)?;
            return Ok(Self::Cut(Box::new(run)));
        }
        source(&arguments.run, arguments.outer, arguments.resolution, arguments.radius).map(Self::Marched)
    }

    /// Mesh of a frame, and comments for its file.
    fn mesh(&self, file: &FrameFile) -> Result<(SurfaceMesh, Vec<String>), OutputError> {
        match self {
            Self::Marched(source) => source.mesh(&file.path),
            Self::Cut(run) => {
                let frame = run.frame(file)?;
                Ok((run.motion().posed(&frame.vertices), frame.comments))
            }
        }
    }
}

/// Folder of the run at `path`, or of the run that has the frame at `path`.
fn folder_of(path: &Path) -> &Path {
    if !path.is_file() {
        return path;
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    if folder.ends_with("ply") { folder.parent().unwrap_or(folder) } else { folder }
}

/// Surfaces of `run`, a run's folder or a frame of it. `radius` (m) is that of particles whose files have none.
fn source(run: &Path, outer: OuterSurface, resolution: f64, radius: Option<f64>) -> Result<Source, CliError> {
    let folder = folder_of(run);
    let scene = folder.join(RESOLVED_SCENE);
    if !scene.exists() {
        if outer == OuterSurface::Shape {
            let error = io::Error::from(io::ErrorKind::NotFound);
            return Err(OutputError::file("read the shapes of --outer shape from", &scene)(error).into());
        }
        return Ok(Source::Particles { resolution, radius });
    }
    let scene = Scene::load_resolved(&scene)?;
    let log = LogOptions { level: LogLevel::Quiet, ..LogOptions::default() };
    let mut packings = KeptPackings::new(vec![RunFolder::packings(folder)], packing_cache(), log);
    let (world, state) = scene.build_with(&mut packings)?;
    let mut rest = Rest::of(&world, &state);
    if outer == OuterSurface::Shape {
        rest.fillings = Fillings { shapes: scene.solids(), body: world.particles.body.clone() };
    }
    let mesher = Box::new(SurfaceMesher::new(rest, resolution));
    Ok(Source::Run { mesher, fractures: Table::read(&folder.join(FRACTURES))? })
}

impl Format {
    fn ending(self) -> &'static str {
        match self {
            Self::Ply => "ply",
            Self::Obj => "obj",
            Self::Vtp => "vtp",
        }
    }

    fn write(self, out: &mut impl Write, mesh: &SurfaceMesh, comments: &[String]) -> io::Result<()> {
        match self {
            Self::Ply => write_ply(out, mesh, comments),
            Self::Obj => write_obj(out, mesh, comments),
            Self::Vtp => write_vtp(out, mesh, comments),
        }
    }
}
