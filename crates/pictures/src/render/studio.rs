use std::collections::BTreeMap;
use std::path::Path;

use bdem_core::geometry::Vec3;
use bdem_run::output::ply::{Frame, Vertex, read_frame};
use bdem_run::output::{FrameFile, FrameRanges, OutputError, RESOLVED_SCENE, frames_of};
use bdem_run::scene::{self, Scene};

use crate::pieces::{ColliderMesh, Surfaces};

use super::{
    Ball, Camera, ColourBy, ColourScale, Floor, Legend, Lens, Look, Margins, Picture, Sheet, SheetGrid, Size,
    Viewpoint, up, write_caption,
};

/// Settings of pictures.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Size of a picture or of a sheet.
    pub size: Size,
    /// Quantity shown by the colours.
    pub colour: ColourBy,
    /// Range of the colour bar. By default that of the frames that the camera is fitted to.
    pub scale: Option<ColourScale>,
    /// Viewpoint. By default the scene's camera, or one that sees all frames that it is fitted to.
    pub viewpoint: Option<Viewpoint>,
    /// Field of view, degrees. By default the scene's camera's, or 30.
    pub field_of_view: Option<f64>,
    /// Whether pictures have a caption and a legend.
    pub captions: bool,
}

impl Settings {
    /// Settings of the scene's camera, where none are given.
    fn fill_from(&mut self, camera: &scene::SceneCamera) {
        if self.viewpoint.is_none() {
            self.field_of_view = self.field_of_view.or(Some(camera.field_of_view));
        }
        let viewpoint = Viewpoint { eye: camera.position.into(), target: camera.target.into() };
        self.viewpoint = self.viewpoint.or(Some(viewpoint));
    }
}

/// Default field of view, degrees.
const USUAL_FIELD_OF_VIEW: f64 = 30.0;

/// Common state of a run's pictures, for any choice of frames.
pub struct Studio {
    settings: Settings,
    /// Surfaces. None where particles are drawn.
    surfaces: Option<Surfaces>,
    /// Looks of the bodies' materials.
    looks: Vec<scene::Look>,
    name: String,
    up: Vec3,
    /// Balls that the camera shows.
    shown: Vec<Ball>,
    floor: Option<Floor>,
    colliders: Vec<ColliderMesh>,
    scale: ColourScale,
}

impl Studio {
    /// Studio of the run, or of other frames, at `path`. Camera, floor and scale are fitted to the frames `fit`, by
    /// default to the first, middle and last. The camera shows the largest pieces of each, which have 95 % of its volume.
    /// Surfaces are drawn if there are any, and particles without.
    ///
    /// # Errors
    /// When these frames cannot be read.
    pub fn new(
        path: &Path,
        fit: Option<&FrameRanges>,
        surfaces: Option<Surfaces>,
        mut settings: Settings,
    ) -> Result<Self, OutputError> {
        let fit = match fit {
            Some(fit) => frames_of(path, fit)?,
            None => first_middle_last(frames_of(path, &FrameRanges::default())?),
        };
        let frames: Vec<Frame> = fit.iter().map(|file| read_frame(&file.path)).collect::<Result<_, _>>()?;
        let up = frames.first().map_or(Vec3::z(), up);
        let shown = shown(&frames);
        let scene = Scene::load_in_frames(&path.join(RESOLVED_SCENE)).ok();
        let walls = scene.as_ref().map_or(&[][..], Scene::walls);
        if let Some(camera) = scene.as_ref().and_then(|scene| scene.camera.as_ref()) {
            settings.fill_from(camera);
        }
        Ok(Self {
            name: fit.first().map_or(String::new(), |file| name(&file.path)),
            scale: settings.scale.unwrap_or_else(|| ColourScale::of(settings.colour, frames.iter())),
            floor: Floor::among(walls, &up).or_else(|| floor_below(&shown, &up)),
            colliders: scene.as_ref().map_or(Vec::new(), ColliderMesh::all),
            up,
            shown,
            looks: surfaces.as_ref().map_or(Vec::new(), Surfaces::looks),
            surfaces,
            settings,
        })
    }

    /// Camera and range of colours of all pictures, as text: a run that goes on may have others.
    pub fn view(&self) -> String {
        let Look { camera, scale, .. } = self.look(self.settings.size, &Margins::even(self.settings.size));
        format!("{camera:?} {scale:?}")
    }

    /// Whether surfaces are drawn, and which. None where particles are.
    pub fn surfaces(&self) -> Option<&Surfaces> {
        self.surfaces.as_ref()
    }

    /// Name of the frames without their numbers.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Picture of a frame, with caption and legend.
    ///
    /// # Errors
    /// When the frame cannot be read.
    pub fn picture(&self, file: &FrameFile) -> Result<Picture, OutputError> {
        let size = self.settings.size;
        if !self.settings.captions {
            return self.draw(file, &read_frame(&file.path)?, &self.look(size, &Margins::even(size)));
        }
        let mut picture = self.captioned(file, &self.name, &self.look(size, &Legend::margins(size, true)))?;
        self.legend().write(&mut picture);
        Ok(picture)
    }

    /// Sheet of these frames, up to its number of places.
    ///
    /// # Errors
    /// When a frame cannot be read.
    pub fn sheet(&self, mut sheet: Sheet, files: &[&FrameFile]) -> Result<Picture, OutputError> {
        let tile = sheet.tile();
        let look = self.look(tile, &Legend::margins(tile, false));
        for file in files {
            sheet.push(&self.captioned(file, "", &look)?);
        }
        Ok(sheet.finish())
    }

    /// Empty sheet.
    ///
    /// # Errors
    /// When its pictures would be too small.
    pub fn empty_sheet(&self, grid: SheetGrid) -> Result<Sheet, String> {
        Sheet::new(self.settings.size, grid, self.legend())
    }

    fn captioned(&self, file: &FrameFile, name: &str, look: &Look) -> Result<Picture, OutputError> {
        let frame = read_frame(&file.path)?;
        let mut picture = self.draw(file, &frame, look)?;
        write_caption(&mut picture, name, file.number, &frame);
        Ok(picture)
    }

    fn draw(&self, file: &FrameFile, frame: &Frame, look: &Look) -> Result<Picture, OutputError> {
        let Some(surfaces) = &self.surfaces else { return Ok(look.picture(frame)) };
        let (mesh, _) = surfaces.mesh(file)?;
        Ok(look.pieces_picture(frame, &mesh, surfaces.loose(), surfaces.bodies()))
    }

    fn legend(&self) -> Legend {
        Legend { colour: self.settings.colour, scale: self.scale }
    }

    fn look(&self, size: Size, margins: &Margins) -> Look {
        let lens = Lens { field_of_view: self.settings.field_of_view.unwrap_or(USUAL_FIELD_OF_VIEW), size };
        let camera = match &self.settings.viewpoint {
            Some(viewpoint) => Camera::new(viewpoint, &self.up, &lens),
            None => Camera::around(self.shown.iter(), &self.up, &lens, margins),
        };
        let Self { up, floor, scale, .. } = *self;
        Look {
            camera,
            up,
            floor,
            colliders: self.colliders.clone(),
            colour: self.settings.colour,
            scale,
            looks: self.looks.clone(),
        }
    }
}

fn first_middle_last(files: Vec<FrameFile>) -> Vec<FrameFile> {
    let chosen = [0, files.len() / 2, files.len() - 1];
    let is_chosen = |i: usize| chosen.contains(&i);
    files.into_iter().enumerate().filter_map(|(i, file)| is_chosen(i).then_some(file)).collect()
}

/// Balls of the largest pieces of each frame, without dust, which may fly far.
fn shown(frames: &[Frame]) -> Vec<Ball> {
    frames.iter().flat_map(|frame| shown_of(&frame.vertices)).collect()
}

/// Balls of the pieces that are as large as those which together have most of the volume of all. Single particles that broke
/// off do not count, unless there are no others.
fn shown_of(vertices: &[Vertex]) -> Vec<Ball> {
    /// Share of the volume that is shown at least.
    const MOST: f64 = 0.95;
    let is_held = |vertex: &&Vertex| vertex.damage < 1.0;
    let is_dust = !vertices.iter().any(|vertex| is_held(&vertex));
    let kept = || vertices.iter().filter(|vertex| is_dust || is_held(vertex));
    let cube = |vertex: &Vertex| f64::from(vertex.pscale).powi(3);
    let mut volumes: BTreeMap<i32, f64> = BTreeMap::new();
    kept().for_each(|vertex| *volumes.entry(vertex.piece).or_default() += cube(vertex));
    let mut sizes: Vec<f64> = volumes.values().copied().filter(|size| size.is_finite()).collect();
    sizes.sort_by(|a, b| b.total_cmp(a));
    let all: f64 = sizes.iter().sum();
    let mut sum = 0.0;
    let least = sizes.iter().find(|size| {
        sum += **size;
        sum >= MOST * all
    });
    let is_large = |vertex: &&Vertex| least.is_none_or(|least| volumes[&vertex.piece] >= *least);
    kept().filter(is_large).map(Ball::from).filter(Ball::is_drawn).collect()
}

/// `plate` of `ply/plate.0012.ply`.
fn name(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    stem.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches(['.', '_']).to_owned()
}

/// Level floor that touches the lowest of the balls.
fn floor_below(balls: &[Ball], up: &Vec3) -> Option<Floor> {
    let offset = balls.iter().map(|ball| ball.bottom(up)).reduce(f64::min)?;
    Some(Floor { normal: *up, offset })
}
