use std::fs::File;
use std::io::{self, BufWriter};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

use bdem_core::geometry::Vec3;
use bdem_pictures::pieces::Surfaces;
use bdem_pictures::render::{
    Animation, ColourBy, ColourScale, Settings, SheetGrid, Size, Studio, Viewpoint, write_animation,
};
use bdem_run::console;
use bdem_run::output::{FrameFile, FrameRanges, check_folder, frames_of, make_folder, write_whole};
use bdem_run::run::{LogLevel, LogOptions};
use clap::Args;

use super::surface::{self, SurfaceArguments};
use super::{CliError, start_threads};

/// Draws the frames of a run as PNG pictures, a contact sheet or an animation
///
/// It needs neither a GPU nor a display. All pictures of a run have the same camera and colour scale, so that a farm
/// may share them out. Where some body has a mesh or a shape, the pictures show the pieces of bdem convert --to ply,
/// with the looks of their materials; others show particles. Existing pictures are kept, but for those of another cut or camera, as
/// of a run that went on since. Colliders are shown if they are a floor, or bounded, but for tubes and those whose inside is
/// free.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Folder of a run, another folder of numbered frames, or one frame
    run: PathBuf,
    /// Frames, such as 12, 1-100, 1-100x2 (every second), or several of these with commas between [default: all]
    #[arg(long, value_name = "RANGES")]
    frames: Option<FrameRanges>,
    /// Folder of the pictures [default: render in the run's folder]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Replace existing pictures
    #[arg(long)]
    overwrite: bool,
    /// One contact sheet of chosen frames, evenly spread
    #[arg(long, value_name = "COLUMNSxROWS", conflicts_with = "animate")]
    sheet: Option<SheetGrid>,
    /// One animation of the chosen frames
    #[arg(long, value_name = "FORMAT")]
    animate: Option<Animation>,
    /// Frame rate of the animation, 1/s
    #[arg(long, value_name = "RATE", default_value_t = 24, value_parser = clap::value_parser!(u16).range(1..=240), requires = "animate")]
    fps: u16,
    #[command(flatten)]
    meshes: SurfaceArguments,
    #[command(flatten)]
    look: LookArguments,
    /// Number of threads [default: all of the machine's]. The pictures do not depend on it
    #[arg(long, value_name = "N", help_heading = "Running")]
    threads: Option<NonZeroUsize>,
    /// Print errors only
    #[arg(short, long, help_heading = "Running")]
    quiet: bool,
}

const EXAMPLES: &str = "Examples:
  bdem render out/plate                             a picture a frame, out/plate/render/plate.0000.png and so on
  bdem render out/plate --frames 12 --color damage -o pictures      particles, by their broken bonds
  bdem render out/plate --surface --color face      the pieces, with cracks in another colour
  bdem render out/plate --sheet 4x2 --size 1920x1080
  bdem render out/plate --animate apng --size 640x360
  bdem render out/plate --camera 0.3,-0.4,0.2 --target 0,0,0.02 --fov 40";

/// Look of the pictures.
#[derive(Debug, Args)]
#[command(next_help_heading = "Look")]
struct LookArguments {
    /// Size in pixels, of a sheet as a whole
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "1280x720")]
    size: Size,
    /// Quantity shown by colours, of particles unless --surface is given [default: look of cut pieces, piece of others]
    #[arg(long, value_name = "BY")]
    color: Option<ColourBy>,
    /// Ends of the colour bar, such as 0,2e6. Pa for stress, m/s for speed; damage is from 0 to 1
    #[arg(long, value_name = "LOW,HIGH", value_parser = scale, allow_hyphen_values = true)]
    range: Option<ColourScale>,
    /// Frames that define camera, floor and colour bar. The camera shows their largest pieces, 95 % of the volume
    /// [default: the run's first, middle and last]
    #[arg(long, value_name = "RANGES")]
    fit: Option<FrameRanges>,
    /// Position of the camera, m [default: the scene's [camera], or one that sees all]
    #[arg(long, value_name = "X,Y,Z", value_parser = place, allow_hyphen_values = true, requires = "target")]
    camera: Option<Vec3>,
    /// Point that the camera looks at, m
    #[arg(long, value_name = "X,Y,Z", value_parser = place, allow_hyphen_values = true, requires = "camera")]
    target: Option<Vec3>,
    /// Angle between the upper and the lower edge of the picture, degrees [default: the scene's camera's, or 30]
    #[arg(long, value_name = "DEGREES", value_parser = field_of_view)]
    fov: Option<f64>,
    /// Leave out caption and legend
    #[arg(long)]
    bare: bool,
}

impl LookArguments {
    fn settings(&self, colour: ColourBy) -> Settings {
        Settings {
            size: self.size,
            colour,
            scale: self.range,
            viewpoint: self.camera.zip(self.target).map(|(eye, target)| Viewpoint { eye, target }),
            field_of_view: self.fov,
            captions: !self.bare,
        }
    }
}

fn place(text: &str) -> Result<Vec3, String> {
    let [x, y, z] = numbers(text).ok_or("expected X,Y,Z in metres, such as 0.3,-0.4,0.2")?;
    Ok(Vec3::new(x, y, z))
}

fn scale(text: &str) -> Result<ColourScale, String> {
    let ends = numbers(text).filter(|[low, high]| low < high);
    let [low, high] = ends.ok_or("expected LOW,HIGH: two numbers, the lower first")?;
    Ok(ColourScale { low, high })
}

fn field_of_view(text: &str) -> Result<f64, String> {
    let degrees = text.parse().ok().filter(|degrees| (1.0..=150.0).contains(degrees));
    degrees.ok_or_else(|| "expected an angle from 1 to 150 degrees".to_owned())
}

fn numbers<const N: usize>(text: &str) -> Option<[f64; N]> {
    let numbers: Vec<f64> = text.split(',').map(|number| number.trim().parse().ok()).collect::<Option<_>>()?;
    numbers.try_into().ok().filter(|numbers: &[f64; N]| numbers.iter().all(|number| number.is_finite()))
}

pub(super) fn run(arguments: &Arguments) -> Result<(), CliError> {
    let level = if arguments.quiet { LogLevel::Quiet } else { LogLevel::Normal };
    let log = LogOptions { level, ..LogOptions::default() };
    start_threads(arguments.threads, log)?;
    arguments.check_colour()?;
    let files = frames_of(&arguments.run, arguments.frames.as_ref().unwrap_or(&FrameRanges::default()))?;
    let folder = arguments.output.clone().unwrap_or_else(|| beside(&arguments.run));
    check_folder(&folder)?;
    let are_particles = arguments.look.color.is_some_and(|color| color != ColourBy::Look);
    let surfaces = arguments.meshes.surfaces(&arguments.run, are_particles, log)?;
    let settings = arguments.look.settings(arguments.colour(surfaces.as_ref())?);
    let studio = Studio::new(&arguments.run, arguments.look.fit.as_ref(), surfaces, settings)?;
    let origin = arguments.origin(&studio)?;
    let job = Job { arguments, studio, files, folder, origin };
    match (arguments.sheet, arguments.animate) {
        (Some(grid), _) => job.sheet(grid),
        (_, Some(animation)) => job.animation(animation),
        _ => job.pictures(),
    }
}

impl Arguments {
    /// Check that the colour exists: particles have no faces, and surfaces have no stress.
    fn check_colour(&self) -> Result<(), CliError> {
        let message = match (self.look.color, self.meshes.surface) {
            (Some(ColourBy::Face), false) => "--color face needs --surface: particles have no faces",
            (Some(ColourBy::Stress), true) => {
                "--color stress needs particles: leave out --surface, or choose another colour"
            }
            _ => return Ok(()),
        };
        Err(CliError { code: 2, message: message.to_owned() })
    }

    /// See [`Job::origin`]. What pictures show depends on the end of the run, and so do camera and colours.
    fn origin(&self, studio: &Studio) -> Result<[String; 2], CliError> {
        let options = format!("{:?} {:?} {:?}", self.look, self.meshes, self.sheet);
        let shown = studio.surfaces().map_or("particles".to_owned(), surface::origin);
        let view = surface::digest(studio.view().as_bytes());
        Ok([format!("picture {}: ", surface::digest(options.as_bytes())), format!("{shown}, seen as {view}")])
    }

    /// Colour of what is drawn.
    fn colour(&self, surfaces: Option<&Surfaces>) -> Result<ColourBy, CliError> {
        let has_looks = matches!(surfaces, Some(Surfaces::Cut(run)) if run.has_mesh());
        let colour = self.look.color.unwrap_or(if has_looks { ColourBy::Look } else { ColourBy::Piece });
        if colour == ColourBy::Look && !has_looks {
            let message = "--color look needs pieces that are cut from meshes or shapes";
            return Err(CliError { code: 2, message: message.to_owned() });
        }
        Ok(colour)
    }
}

/// Folder `render` in the run's, or beside the frame.
fn beside(run: &Path) -> PathBuf {
    let folder = if run.is_file() { run.parent().unwrap_or(Path::new("")) } else { run };
    folder.join("render")
}

/// Pictures to draw.
struct Job<'a> {
    arguments: &'a Arguments,
    studio: Studio,
    files: Vec<FrameFile>,
    folder: PathBuf,
    /// Key and text of the comment that says by what options, and of what, pictures are.
    origin: [String; 2],
}

impl Job<'_> {
    fn pictures(&self) -> Result<(), CliError> {
        for file in &self.files {
            let name = file.path.with_extension("png");
            let path = self.folder.join(name.file_name().unwrap_or_default());
            self.make(&path, |out| self.draw(file)?.write_png(BufWriter::new(out), &self.origin.concat()))?;
        }
        Ok(())
    }

    fn sheet(&self, grid: SheetGrid) -> Result<(), CliError> {
        let chosen: Vec<&FrameFile> = grid.choose(self.files.len()).into_iter().map(|i| &self.files[i]).collect();
        let sheet = self.studio.empty_sheet(grid).map_err(|message| CliError { code: 2, message })?;
        let path = self.folder.join(format!("{}.sheet.png", self.studio.name()));
        self.make(&path, |out| {
            self.studio
                .sheet(sheet, &chosen)
                .map_err(io::Error::other)?
                .write_png(BufWriter::new(out), &self.origin.concat())
        })
    }

    fn animation(&self, animation: Animation) -> Result<(), CliError> {
        let path = self.folder.join(format!("{}.{}", self.studio.name(), animation.extension()));
        let pictures = self.files.iter().map(|file| self.draw(file));
        self.make(&path, |out| write_animation(animation, out, self.arguments.fps, pictures))
    }

    fn draw(&self, file: &FrameFile) -> io::Result<bdem_pictures::render::Picture> {
        self.studio.picture(file).map_err(io::Error::other)
    }

    /// File at `path`, written unless it exists and may stay; reports which.
    fn make(&self, path: &Path, fill: impl FnOnce(&File) -> io::Result<()>) -> Result<(), CliError> {
        make_folder(&self.folder)?;
        let start = Instant::now();
        let [key, origin] = &self.origin;
        let is_kept = path.exists() && !self.arguments.overwrite && !surface::is_of_another(path, key, origin);
        if !is_kept {
            write_whole(path, |out| fill(out.get_ref()))?;
        }
        if !self.arguments.quiet {
            let how = if is_kept { "exists".to_owned() } else { format!("{:.2} s", start.elapsed().as_secs_f64()) };
            console::message(&format!("{}  {how}", path.display()));
        }
        Ok(())
    }
}
