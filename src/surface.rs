use std::io::Read;
use std::path::{Path, PathBuf};

use bdem_pictures::formats::WriteMesh;
use bdem_pictures::pieces::{CrackSettings, CutError, CutRun, Surfaces};
use bdem_run::files;
use bdem_run::output::{FrameFile, RESOLVED_SCENE, write_whole};
use bdem_run::run::{LogOptions, shared_packings};
use clap::Args;
use sha2::{Digest, Sha256};

use super::CliError;
use super::output::output_folder;
use super::pieces::CrackArguments;

/// Options of surfaces, for `bdem convert`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Surfaces: PLY, OBJ and VTP")]
pub(super) struct MeshArguments {
    /// Radius of particles, m, where files have none
    #[arg(long, value_name = "METRES", value_parser = radius)]
    radius: Option<f64>,
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

/// Things that pictures and pages show.
#[derive(Debug, Args)]
#[command(next_help_heading = "Things that are shown")]
pub(super) struct SurfaceArguments {
    /// Show surfaces, as of bdem convert --to ply, also where no body has a mesh or a shape
    #[arg(long)]
    pub(super) surface: bool,
    /// Show particles, also where pieces can be cut
    #[arg(long, conflicts_with = "surface")]
    particles: bool,
    #[command(flatten)]
    cracks: CrackArguments,
}

impl SurfaceArguments {
    /// Surfaces of `run`. None where particles are shown: they are asked for or `needed`, or pieces cannot be cut.
    pub(super) fn surfaces(&self, run: &Path, needed: bool, log: LogOptions) -> Result<Option<Surfaces>, CliError> {
        let can_be_cut = || CutRun::can_be_cut(folder_of(run));
        if self.particles || !self.surface && (needed || !can_be_cut()) {
            return Ok(None);
        }
        let cut = cut(run, &self.cracks.settings(), log)?.map(|cut| Surfaces::Cut(Box::new(cut)));
        Ok(cut.or(self.surface.then_some(Surfaces::Particles { radius: None })))
    }

    /// The same for pages, which have no balls beside surfaces: where there are no pieces, particles are shown.
    pub(super) fn surfaces_of_page(&self, run: &Path, log: LogOptions) -> Result<Option<Surfaces>, CliError> {
        let mut surfaces = self.surfaces(run, false, log)?;
        if let Some(Surfaces::Cut(run)) = &mut surfaces {
            if run.pieces.pieces.is_empty() && !self.surface {
                return Ok(None);
            }
            run.march_loose();
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
    match CutRun::load(folder, cracks, shared_packings()) {
        Ok(run) => Ok(Some(run)),
        Err(CutError::Piece(why)) => {
            log.warn(&format!("{why}; its particles take its place"));
            Ok(None)
        }
        Err(e) => Err(e.into()),
    }
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
        let surfaces = self.surfaces()?;
        let origin = origin(&surfaces);
        let mut missing: Vec<(FrameFile, PathBuf)> = frames
            .iter()
            .map(|frame| (frame.clone(), output.join(format!("{}.{ending}", stem(&frame.path)))))
            .collect();
        missing.retain(|(_, file)| self.overwrite || !file.exists() || is_of_another(file, ORIGIN, &origin));
        if missing.is_empty() {
            log.note(&format!("all {} meshes exist: {}", frames.len(), output.display()));
            return Ok(());
        }
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

    /// Surfaces of the frames.
    fn surfaces(&self) -> Result<Surfaces, CliError> {
        let radius = self.meshes.radius;
        let cut = match radius {
            None => cut(self.run, &self.cracks.settings(), self.log)?,
            Some(_) => None,
        };
        Ok(cut.map_or(Surfaces::Particles { radius }, |mut cut| {
            cut.march_loose();
            Surfaces::Cut(Box::new(cut))
        }))
    }
}

/// Key of the comment that says where a mesh is from.
const ORIGIN: &str = "surface: ";

/// Origin of surfaces around particles. Those of a frame do not depend on later ones.
const MARCHED: &str = "around particles";

/// Origin of surfaces: those of a cut depend on the cracks up to the last frame, which change when a run goes on.
pub(super) fn origin(surfaces: &Surfaces) -> String {
    match surfaces {
        Surfaces::Cut(cut) if cut.has_mesh() => format!("cut into pieces {}", cut.digest),
        _ => MARCHED.to_owned(),
    }
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
        self.radius.is_some()
    }
}

/// Folder of the run at `path`, or of the run that has the frame at `path`.
pub(super) fn folder_of(path: &Path) -> &Path {
    if !path.is_file() {
        return path;
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    if folder.ends_with("ply") { folder.parent().unwrap_or(folder) } else { folder }
}
