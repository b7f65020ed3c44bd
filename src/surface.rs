use std::io::{self, Read};
use std::path::{Path, PathBuf};

use bdem_pictures::formats::WriteMesh;
use bdem_pictures::pieces::{CrackSettings, CutError, CutRun, Surfaces};
use bdem_pictures::surface::{Fillings, Rest, Source, SurfaceMesher};
use bdem_run::files;
use bdem_run::output::ply::read_frame;
use bdem_run::output::{
    FRACTURES, FrameFile, FrameRanges, OutputError, RESOLVED_SCENE, RunFolder, Table, frames_of, write_whole,
};
use bdem_run::run::{KeptPackings, LogLevel, LogOptions};
use bdem_run::scene::Scene;
use clap::{Args, ValueEnum};
use sha2::{Digest, Sha256};

use super::output::output_folder;
use super::pieces::{CrackArguments, load};
use super::{CliError, packing_cache};

/// Options of surfaces, for `bdem convert`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Surfaces: PLY, OBJ and VTP")]
pub(super) struct MeshArguments {
    /// Cut the bodies' own meshes and shapes, also where some bodies have none: these are left out, as are crumbs
    #[arg(long, conflicts_with_all = ["radius", "no_pieces", "outer", "resolution"])]
    pieces: bool,
    /// Radius of particles, m, where files have none
    #[arg(long, value_name = "METRES", value_parser = radius)]
    radius: Option<f64>,
    #[command(flatten)]
    march: MarchArguments,
}

/// Meshes to write, one a frame.
pub(super) struct Job<'a> {
    pub(super) run: &'a Path,
    pub(super) frames: &'a [FrameFile],
    /// Folder of the meshes, if it is named.
    pub(super) output: Option<&'a PathBuf>,
    pub(super) overwrite: bool,
    pub(super) meshes: &'a MeshArguments,
    pub(super) cracks: &'a CrackArguments,
    pub(super) log: LogOptions,
}

/// Surfaces around particles.
#[derive(Debug, Args)]
#[command(next_help_heading = "Surfaces around particles")]
struct MarchArguments {
    /// Do not cut meshes and shapes: surfaces around the particles. --outer and --resolution imply it
    #[arg(long)]
    no_pieces: bool,
    /// Outer surface. On cracks it is always the particles' [default: particles]
    #[arg(long, value_enum)]
    outer: Option<OuterSurface>,
    /// Edge of the marching cubes, over the smallest radius: 0.2 to 1 [default: 0.6]
    #[arg(long, value_name = "SHARE", value_parser = resolution)]
    resolution: Option<f64>,
}

impl MarchArguments {
    fn are_given(&self) -> bool {
        self.no_pieces || self.outer.is_some() || self.resolution.is_some()
    }

    /// Surfaces around the particles of `run`. `radius` (m) is that of particles whose files have none.
    fn source(&self, run: &Path, radius: Option<f64>) -> Result<Surfaces, CliError> {
        source(run, self.outer.unwrap_or_default(), self.resolution.unwrap_or(0.6), radius).map(Surfaces::Marched)
    }

    /// Pieces of `run` where they can be cut and no surfaces around particles are asked for. A mesh that cannot be cut is
    /// warned of.
    fn pieces(&self, run: &Path, cracks: &CrackSettings, log: LogOptions) -> Result<Option<Surfaces>, CliError> {
        let folder = folder_of(run);
        if self.are_given() || !CutRun::is_whole(folder) {
            return Ok(None);
        }
        match CutRun::load(folder, cracks, packing_cache()) {
            Ok(run) => Ok(Some(Surfaces::Cut(Box::new(run)))),
            Err(CutError::Piece(why)) => {
                log.warn(&format!("{why}; surfaces around particles take its place, as with --no-pieces"));
                Ok(None)
            }
            Err(e) => Err(e.into()),
        }
    }
}

/// Things that pictures and pages show.
#[derive(Debug, Args)]
#[command(next_help_heading = "Things that are shown")]
pub(super) struct SurfaceArguments {
    /// Show surfaces, as of bdem convert --to ply, also where they are not cut from meshes and shapes
    #[arg(long)]
    pub(super) surface: bool,
    /// Show particles, also where pieces can be cut
    #[arg(long, conflicts_with_all = ["surface", "no_pieces", "outer", "resolution"])]
    particles: bool,
    #[command(flatten)]
    march: MarchArguments,
}

impl SurfaceArguments {
    /// Check that options of surfaces have some.
    pub(super) fn check(&self) -> Result<(), CliError> {
        if self.surface || !self.march.are_given() {
            return Ok(());
        }
        Err(CliError { code: 2, message: "--outer, --resolution and --no-pieces need --surface".to_owned() })
    }

    /// Surfaces of `run`. None where particles are shown: they are asked for or `needed`, or pieces cannot be cut.
    pub(super) fn surfaces(&self, run: &Path, needed: bool, log: LogOptions) -> Result<Option<Surfaces>, CliError> {
        if self.particles || needed && !self.surface {
            return Ok(None);
        }
        let pieces = self.march.pieces(run, &CrackSettings::default(), log)?;
        if pieces.is_none() && self.surface { self.march.source(run, None).map(Some) } else { Ok(pieces) }
    }

    /// The same for pages, which have no crumbs: pieces are left out where a body ends as crumbs alone.
    pub(super) fn surfaces_without_crumbs(&self, run: &Path, log: LogOptions) -> Result<Option<Surfaces>, CliError> {
        match self.surfaces(run, false, log)? {
            Some(cut) if !shows_all(&cut, log) => self.surface.then(|| self.march.source(run, None)).transpose(),
            surfaces => Ok(surfaces),
        }
    }
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

fn resolution(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.2..=1.0).contains(share));
    share.ok_or_else(|| "expected a number from 0.2 to 1".to_owned())
}

fn radius(text: &str) -> Result<f64, String> {
    let metres = text.parse().ok().filter(|metres| *metres > 1e-9 && *metres < 1e9);
    metres.ok_or_else(|| "expected a positive number of metres".to_owned())
}

impl Job<'_> {
    /// Writes the meshes by `write`, to files with this `ending`.
    pub(super) fn write(&self, ending: &str, write: WriteMesh) -> Result<(), CliError> {
        let Self { run, frames, log, .. } = *self;
        let output = output_folder(self.output, || folder_of(run).join("surface"))?;
        let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut missing: Vec<(FrameFile, PathBuf)> = frames
            .iter()
            .map(|frame| (frame.clone(), output.join(format!("{}.{ending}", stem(&frame.path)))))
            .collect();
        let mut keep = |origin: &str| {
            missing.retain(|(_, file)| self.overwrite || !file.exists() || is_of_another(file, ORIGIN, origin));
            missing.is_empty()
        };
        // the second time by the surfaces themselves: a body that cannot be cut is marched
        let mut surfaces = None;
        let mut is_done = keep(&self.meshes.expected_origin(run)?);
        if !is_done {
            let made = self.meshes.surfaces(run, self.cracks, log)?;
            is_done = keep(&origin(&made, run)?);
            surfaces = Some(made);
        }
        let Some(surfaces) = surfaces.filter(|_| !is_done) else {
            log.note(&format!("all {} meshes exist: {}", frames.len(), output.display()));
            return Ok(());
        };
        let origin = origin(&surfaces, run)?;
        for (number, (frame, file)) in (1..).zip(&missing) {
            let (mesh, comments) = surfaces.mesh(frame)?;
            let comments = [vec![format!("{ORIGIN}{origin}")], comments].concat();
            write_whole(file, |out| write(out, &mesh, &comments))?;
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
}

/// Key of the comment that says where a mesh is from.
const ORIGIN: &str = "surface: ";

/// Origin of surfaces around particles. Those of a frame do not depend on later ones.
const MARCHED: &str = "around particles";

/// Origin of surfaces: those of a cut depend on the pieces at the end of the run, which change when it resumes.
pub(super) fn origin(surfaces: &Surfaces, run: &Path) -> Result<String, CliError> {
    match surfaces {
        Surfaces::Marched(_) => Ok(MARCHED.to_owned()),
        Surfaces::Cut(_) => origin_of_cut(folder_of(run)),
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

impl MeshArguments {
    /// Whether an option is given, which other formats have no use for.
    pub(super) fn are_given(&self) -> bool {
        self.pieces || self.radius.is_some() || self.march.are_given()
    }

    /// Origin of the surfaces, as far as it is known before they are made.
    fn expected_origin(&self, run: &Path) -> Result<String, CliError> {
        let folder = folder_of(run);
        let is_cut = self.pieces || self.radius.is_none() && !self.march.are_given() && CutRun::is_whole(folder);
        if is_cut { origin_of_cut(folder) } else { Ok(MARCHED.to_owned()) }
    }

    /// Surfaces of the frames.
    fn surfaces(&self, run: &Path, cracks: &CrackArguments, log: LogOptions) -> Result<Surfaces, CliError> {
        if self.pieces {
            let cut = load(folder_of(run), cracks)?;
            cut.expect_pieces(folder_of(run))?;
            return Ok(Surfaces::Cut(Box::new(cut)));
        }
        let cut = match self.radius {
            None => self.march.pieces(run, &cracks.settings(), log)?,
            Some(_) => None,
        };
        let cut = cut.filter(|cut| shows_all(cut, log));
        cut.map_or_else(|| self.march.source(run, self.radius), Ok)
    }
}

/// Whether surfaces show something of each body. Crumbs, which they leave out, may be all of one, which is then warned of.
fn shows_all(surfaces: &Surfaces, log: LogOptions) -> bool {
    let Surfaces::Cut(run) = surfaces else { return true };
    let Some(body) = run.crumbled_body() else { return true };
    log.warn(&format!(
        "body {body:?} ends as crumbs alone, which pieces leave out; particles take the place of pieces"
    ));
    false
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
