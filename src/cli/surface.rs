use std::fs;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::output::{FRACTURES, FrameRanges, OutputError, RESOLVED_SCENE, Table, frames_of, write_whole};
use crate::run::{LogLevel, LogOptions};
use crate::scene::Scene;
use crate::surface::{Fillings, Rest, Source, SurfaceMesh, SurfaceMesher, write_obj, write_ply, write_vtp};

use super::{CliError, start_threads};

/// Writes the surfaces of a run's pieces, a closed triangle mesh a frame
///
/// Each piece has a mesh of its own, and cracks are open as far as they have opened, be it a hundredth of a particle. Corners
/// tell their piece, whether they are on a crack, velocity and damage. Without the run's scene.resolved.toml, as with another
/// program's particles, what touches belongs together. Files that are there already stay.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// A run's folder, another folder of numbered PLY frames, or a frame
    run: PathBuf,
    /// Where the meshes go [default: surface in the run's folder]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Which frames: 12, 1-100, 1-100x2 (every second), or several of these with commas between
    #[arg(long, value_name = "RANGES")]
    frames: Option<FrameRanges>,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Side of the cubes that are marched, over the smallest radius: 0.2 to 1
    #[arg(long, value_name = "SHARE", default_value = "0.6", value_parser = resolution)]
    resolution: f64,
    /// What the outer surface is; on cracks it is always the particles'
    #[arg(long, value_enum, default_value_t)]
    outer: OuterSurface,
    /// Radius of particles whose files tell none, m
    #[arg(long, value_name = "METRES", value_parser = radius)]
    radius: Option<f64>,
    /// Replaces files that are there
    #[arg(long)]
    overwrite: bool,
    /// Threads; all of the machine's if not given. The results do not depend on it
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Nothing on the terminal but errors
    #[arg(short, long)]
    quiet: bool,
}

/// Surfaces instead of particles.
#[derive(Debug, Args)]
pub(super) struct SurfaceArguments {
    /// Shows the surfaces of the pieces, as bdem surface makes them, instead of particles
    #[arg(long)]
    pub(super) surface: bool,
    /// What the outer surface is; on cracks it is always the particles'
    #[arg(long, value_enum, default_value_t, requires = "surface")]
    outer: OuterSurface,
    /// Side of the cubes that surfaces are marched by, over the smallest radius: 0.2 to 1
    #[arg(long, value_name = "SHARE", default_value = "0.6", value_parser = resolution, requires = "surface")]
    resolution: f64,
}

impl SurfaceArguments {
    /// Where the surfaces of `run` come from, if they are wanted.
    pub(super) fn source(&self, run: &Path) -> Result<Option<Source>, CliError> {
        self.surface.then(|| source(run, self.outer, self.resolution, None)).transpose()
    }
}

/// What the files are.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    /// Binary, with all properties: for Blender, MeshLab, Houdini
    #[default]
    Ply,
    /// Places and faces, a group a piece
    Obj,
    /// With all properties: for ParaView
    Vtp,
}

/// What outer surfaces are made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum OuterSurface {
    /// What is around the particles: of as much volume as they are
    #[default]
    Particles,
    /// The shape or mesh that a body filled when it was packed
    Shape,
}

const EXAMPLES: &str = "Examples:
  bdem surface out/plate                            out/plate/surface/plate.0000.ply and so on
  bdem surface out/plate --frames 10-40x5 --format vtp -o /tmp/meshes
  bdem surface out/plate --outer shape              as smooth outside as the scene's shape
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
    let mut missing: Vec<(PathBuf, PathBuf)> = frames
        .iter()
        .map(|frame| (frame.path.clone(), output.join(format!("{}.{}", stem(&frame.path), arguments.format.ending()))))
        .collect();
    missing.retain(|(_, file)| arguments.overwrite || !file.exists());
    if missing.is_empty() {
        log.note(&format!("all {} meshes are there already: {}", frames.len(), output.display()));
        return Ok(());
    }
    let source = source(&arguments.run, arguments.outer, arguments.resolution, arguments.radius)?;
    for (number, (frame, file)) in (1..).zip(&missing) {
        let (mesh, comments) = source.mesh(frame)?;
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

/// The folder of the run that `path` is, or that it is a frame of.
fn folder_of(path: &Path) -> &Path {
    if !path.is_file() {
        return path;
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    if folder.ends_with("ply") { folder.parent().unwrap_or(folder) } else { folder }
}

/// Surfaces from what is known of `run`, a run's folder or a frame of it; of particles that tell no radius it is `radius`, m.
fn source(run: &Path, outer: OuterSurface, resolution: f64, radius: Option<f64>) -> Result<Source, CliError> {
    let folder = folder_of(run);
    let scene = folder.join(RESOLVED_SCENE);
    if !scene.exists() {
        if outer == OuterSurface::Shape {
            let error = io::Error::from(io::ErrorKind::NotFound);
            return Err(OutputError::file("read the shapes that --outer shape asks for from", &scene)(error).into());
        }
        return Ok(Source::Particles { resolution, radius });
    }
    let scene = Scene::load(&scene)?;
    let (world, state) = scene.build()?;
    let mut rest = Rest::of(&world, &state);
    if outer == OuterSurface::Shape {
        rest.fillings = Fillings { shapes: scene.solids(), body: world.particles.body.clone() };
    }
    let body = Box::new(SurfaceMesher::new(rest, resolution));
    Ok(Source::Run { body, fractures: Table::read(&folder.join(FRACTURES))? })
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
