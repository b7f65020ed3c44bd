use std::io::{self, Read, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use bdem_pictures::pieces::{CrackSettings, CutError, CutRun, Surfaces};
use bdem_pictures::surface::{SurfaceMesh, write_obj, write_ply, write_vtp};
use bdem_run::files;
use bdem_run::output::ply::read_frame;
use bdem_run::output::{FrameFile, FrameRanges, RESOLVED_SCENE, frames_of, write_whole};
use bdem_run::run::{LogLevel, LogOptions};
use clap::{Args, ValueEnum};
use sha2::{Digest, Sha256};

use super::output::output_folder;
use super::pieces::CrackArguments;
use super::{CliError, packing_cache, start_threads};

/// Writes the surfaces of a run's pieces, a closed triangle mesh for each frame
///
/// Each piece has a mesh of its own. Bodies that have a mesh or a shape are cut by smooth cracks into the pieces of the run's last
/// frame, posed at each frame. Others, such as yarns and springs, get surfaces around the particles, by marching cubes.
/// Vertices have piece, velocity and damage, faces are outer surface or crack. Without the run's scene.resolved.toml, as with
/// another program's particles, particles that touch belong together. Existing files are kept, but for those of
/// another cut, as of a run that went on since.
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

/// Things that pictures and pages show.
#[derive(Debug, Args)]
#[command(next_help_heading = "Things that are shown")]
pub(super) struct SurfaceArguments {
    /// Show surfaces, as of bdem surface, also where no body has a mesh or a shape
    #[arg(long)]
    pub(super) surface: bool,
    /// Show particles, also where pieces can be cut
    #[arg(long, conflicts_with = "surface")]
    particles: bool,
}

impl SurfaceArguments {
    /// Surfaces of `run`. None where particles are shown: they are asked for or `needed`, or pieces cannot be cut.
    pub(super) fn surfaces(&self, run: &Path, needed: bool, log: LogOptions) -> Result<Option<Surfaces>, CliError> {
        let can_be_cut = || CutRun::can_be_cut(folder_of(run));
        if self.particles || !self.surface && (needed || !can_be_cut()) {
            return Ok(None);
        }
        let cut = cut(run, &CrackSettings::default(), log)?.map(|cut| Surfaces::Cut(Box::new(cut)));
        Ok(cut.or(self.surface.then_some(Surfaces::Particles { radius: None })))
    }

    /// The same for pages, which have no crumbs: where there are no pieces, particles are shown.
    pub(super) fn surfaces_without_crumbs(&self, run: &Path, log: LogOptions) -> Result<Option<Surfaces>, CliError> {
        let mut surfaces = self.surfaces(run, false, log)?;
        if let Some(Surfaces::Cut(run)) = &mut surfaces {
            if run.pieces.pieces.is_empty() && !self.surface {
                return Ok(None);
            }
            run.march_crumbled();
        }
        Ok(surfaces)
    }
}

/// Pieces of `run`. None without its scene, and where a mesh cannot be cut, which is warned of.
fn cut(run: &Path, cracks: &CrackSettings, log: LogOptions) -> Result<Option<CutRun>, CliError> {
    let folder = folder_of(run);
    if !folder.join(RESOLVED_SCENE).exists() {
        return Ok(None);
    }
    match CutRun::load(folder, cracks, packing_cache()) {
        Ok(run) => Ok(Some(run)),
        Err(CutError::Piece(why)) => {
            log.warn(&format!("{why}; its particles take its place"));
            Ok(None)
        }
        Err(e) => Err(e.into()),
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

const EXAMPLES: &str = "Examples:
  bdem surface out/plate                            out/plate/surface/plate.0000.ply and so on
  bdem surface out/plate --frames 4-16x4 --format vtp -o /tmp/meshes
  bdem surface out/plate/ply                        around the particles of its frames
  bdem surface other/frames --radius 0.002          particles of another program";

fn radius(text: &str) -> Result<f64, String> {
    let metres = text.parse().ok().filter(|metres| *metres > 1e-9 && *metres < 1e9);
    metres.ok_or_else(|| "expected a positive number of metres".to_owned())
}

pub(super) fn run(arguments: &Arguments) -> Result<(), CliError> {
    let level = if arguments.quiet { LogLevel::Quiet } else { LogLevel::Normal };
    let log = LogOptions { level, ..LogOptions::default() };
    start_threads(arguments.threads, log)?;
    let frames = frames_of(&arguments.run, &arguments.frames.clone().unwrap_or_default())?;
    let output = output_folder(arguments.output.as_ref(), || folder_of(&arguments.run).join("surface"))?;
    let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let surfaces = arguments.surfaces(log)?;
    let origin = origin(&surfaces, &arguments.run)?;
    let mut missing: Vec<(FrameFile, PathBuf)> = frames
        .iter()
        .map(|frame| (frame.clone(), output.join(format!("{}.{}", stem(&frame.path), arguments.format.ending()))))
        .collect();
    missing.retain(|(_, file)| arguments.overwrite || !file.exists() || is_of_another(file, ORIGIN, &origin));
    if missing.is_empty() {
        log.note(&format!("all {} meshes exist: {}", frames.len(), output.display()));
        return Ok(());
    }
    for (number, (frame, file)) in (1..).zip(&missing) {
        let (mesh, comments) = surfaces.mesh(frame)?;
        let comments = [vec![format!("{ORIGIN}{origin}")], comments].concat();
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

/// Key of the comment that says where a mesh is from.
const ORIGIN: &str = "surface: ";

/// Origin of surfaces around particles. Those of a frame do not depend on later ones.
const MARCHED: &str = "around particles";

/// Origin of surfaces: those of a cut depend on the pieces in the last frame, which change when a run goes on.
pub(super) fn origin(surfaces: &Surfaces, run: &Path) -> Result<String, CliError> {
    match surfaces {
        Surfaces::Cut(cut) if cut.has_mesh() => origin_of_cut(folder_of(run)),
        _ => Ok(MARCHED.to_owned()),
    }
}

/// Origin of a cut: a digest of the last frame's pieces.
fn origin_of_cut(folder: &Path) -> Result<String, CliError> {
    let files = frames_of(folder, &FrameRanges::default())?;
    let last = read_frame(&files.last().expect("a series has frames").path)?;
    let pieces: Vec<u8> = last.vertices.iter().flat_map(|particle| particle.piece.to_le_bytes()).collect();
    Ok(format!("cut into pieces {}", digest(&pieces)))
}

/// Short digest, in hexadecimal.
pub(super) fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// Whether a mesh or picture says after this `key` that it is of another origin. One that says none is someone else's, and stays.
pub(super) fn is_of_another(file: &Path, key: &str, origin: &str) -> bool {
    /// Bytes in which the comment is, the first of each format.
    const HEAD: u64 = 512;
    let mut head = Vec::new();
    let read = files::open(file).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    let text = String::from_utf8_lossy(&head);
    let found = read.ok().and_then(|_| text.split_once(key)).and_then(|(_, rest)| rest.lines().next());
    found.is_some_and(|found| !found.starts_with(origin))
}

impl Arguments {
    /// Surfaces of the frames.
    fn surfaces(&self, log: LogOptions) -> Result<Surfaces, CliError> {
        let cut = match self.radius {
            None => cut(&self.run, &self.cracks.settings(), log)?,
            Some(_) => None,
        };
        Ok(cut.map_or(Surfaces::Particles { radius: self.radius }, |mut cut| {
            cut.march_crumbled();
            Surfaces::Cut(Box::new(cut))
        }))
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
