//! Moving pieces of a run in one file, for `bdem convert`.

use std::collections::BTreeSet;
use std::path::Path;

use bdem_core::geometry::Vec3;
use bdem_pictures::clip::{Clip, Over, Timing, yarns};
use bdem_pictures::formats::WriteClip;
use bdem_pictures::pieces::{BENDS, ColliderMesh, CutRun, Piece, Skin};
use bdem_run::output::FrameFile;
use bdem_run::run::LogOptions;
use bdem_run::scene::SceneBody;
use clap::Args;

use super::CliError;
use super::output::OutputFile;
use super::pieces::{CrackArguments, header_number, load};

/// Times of USD and GLB.
#[derive(Debug, Args)]
#[command(next_help_heading = "Time in USD and GLB")]
pub(super) struct ClipArguments {
    /// Number of the first frame there
    #[arg(long, value_name = "FRAME", default_value_t = 1, allow_hyphen_values = true)]
    start: i32,
    /// Frames per second of playback
    #[arg(long, value_name = "RATE", default_value = "24", value_parser = positive)]
    fps: f64,
    /// Keep all pieces rigid in USD, as in GLB: a smaller file, with cracks that end in a piece at their widest
    #[arg(long, help_heading = "Pieces in USD")]
    rigid: bool,
    /// Seconds of the run per second of playback: 1 is real time, 0.1 slow motion [default: a frame of the run each frame]
    #[arg(long, value_name = "RATIO", value_parser = positive)]
    speed: Option<f64>,
}

fn positive(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|x: &f64| *x > 1e-9 && *x < 1e9);
    number.ok_or_else(|| "expected a positive number".to_owned())
}

/// File to write.
pub(super) struct Job<'a> {
    pub(super) run: &'a Path,
    pub(super) name: &'a str,
    pub(super) frames: &'a [FrameFile],
    pub(super) clip: &'a ClipArguments,
    pub(super) over: Option<Over>,
    pub(super) cracks: &'a CrackArguments,
    pub(super) log: LogOptions,
}

impl Job<'_> {
    /// Writes the file by `write`. Pieces that bend do so in it, if the format can. Returns a line on its content.
    pub(super) fn write(&self, file: &OutputFile, write: WriteClip, bends: bool) -> Result<String, CliError> {
        let run = load(self.run, self.cracks)?;
        if !bends {
            run.expect_pieces(self.run)?;
        }
        for body in run.pieces.bodies.iter().flatten() {
            let Some(line) = &body.mesh.wrong_uv else { continue };
            let message = format!("body {:?}: {line}: no finite texture coordinates; they count as 0, 0", body.name);
            self.log.warn(&message);
        }
        let mut clip = self.clip(&run)?;
        self.bend(&run, &mut clip, bends)?;
        file.write(|out| write(out, &clip))?;
        let triangles = |piece: &Piece| piece.mesh.sizes.iter().map(|&size| size as usize - 2).sum::<usize>();
        let triangles: usize = run.pieces.pieces.iter().map(triangles).sum();
        let pieces = run.pieces.pieces.iter().filter(|piece| !piece.is_whole()).count();
        let crumbs = run.pieces.loose.len();
        let (frames, size) = (self.frames.len(), file.size(", "));
        let cracked = run.pieces.pieces.iter().filter(|piece| !piece.lips.is_empty()).count();
        let cracked = if cracked > 0 { format!(" ({cracked} with cracks that end in them)") } else { String::new() };
        Ok(format!(
            "{pieces} pieces{cracked} of {triangles} triangles, {crumbs} particles in yarns or alone, {frames} frames{size}"
        ))
    }

    /// Clip of the frames.
    fn clip<'a>(&self, run: &'a CutRun) -> Result<Clip<'a>, CliError> {
        let first = run.frame(&self.frames[0])?;
        let rate = header_number(&first, "frame rate").filter(|rate| *rate > 0.0).unwrap_or(self.clip.fps);
        let fps = self.clip.fps;
        let timing = Timing { start: self.clip.start.into(), fps, speed: self.clip.speed.unwrap_or(fps / rate) };
        let mut clip = Clip::new(self.name, run.motion(), &run.world.particles.radius, timing);
        clip.comments = vec![
            format!("bdem {}", env!("CARGO_PKG_VERSION")),
            format!("scene {}", first.comment("scene digest").unwrap_or_default()),
            "m, kg, s; velocities per second of playback".to_owned(),
        ];
        clip.bodies = run.scene.bodies.iter().map(|body| body.name.clone()).collect();
        clip.looks = run.looks();
        let material = |body: &SceneBody| body.material.as_ref().unwrap_or(&body.name).clone();
        clip.materials = run.scene.bodies.iter().map(material).collect();
        clip.over.clone_from(&self.over);
        clip.set_yarns(yarns(&run.scene, &run.world, &run.fractures));
        clip.colliders = ColliderMesh::all(&run.scene);
        clip.camera = run.scene.camera.clone();
        let [_, y, z] = run.scene.general.gravity;
        clip.y_up = y.abs() > z.abs();
        for file in self.frames {
            let frame = run.frame(file)?;
            let time = header_number(&frame, "time").unwrap_or_else(|| f64::from(file.number) / rate);
            clip.add(file.number, time, &frame.vertices);
        }
        clip.check_times().map_err(|message| CliError { code: 2, message })?;
        clip.set_fractures(&run.fractures, &Vec3::from(run.scene.output.origin.unwrap_or_default()));
        Ok(clip)
    }

    /// Lets the pieces that bend follow their particles, or warns where all are rigid.
    fn bend(&self, run: &CutRun, clip: &mut Clip, bends: bool) -> Result<(), CliError> {
        /// Misfit, in radii, from which a bent body has short edges.
        const MUCH: f64 = 1.0;
        if !bends && clip.colliders.iter().any(ColliderMesh::deforms) {
            self.log.warn("colliders that deform have their first form; --to usd deforms them");
        }
        if !bends || self.clip.rigid {
            return self.open(run, clip);
        }
        let bent = clip.bent();
        if bent.is_empty() {
            return Ok(());
        }
        // more points in every frame would make files of text four times as large for what one does not see
        let body = |k: usize| clip.motion.pieces.pieces[k].body;
        let bend_much: BTreeSet<u16> = bent.iter().filter(|&&k| clip.misfit(k) > MUCH).map(|&k| body(k)).collect();
        let (much, little): (Vec<usize>, Vec<usize>) = bent.iter().partition(|&&k| bend_much.contains(&body(k)));
        let skins = Skin::of(&clip.motion, &much, Skin::EDGE).into_iter();
        let skins = skins.chain(Skin::of(&clip.motion, &little, f64::INFINITY)).collect();
        clip.set_skins(skins);
        for (index, file) in self.frames.iter().enumerate() {
            clip.bend(index, &run.frame(file)?.vertices);
        }
        Ok(())
    }

    /// Gives rigid pieces with open cracks the form in which these are widest, and warns of what bends.
    fn open(&self, run: &CutRun, clip: &mut Clip) -> Result<(), CliError> {
        let widest = clip.widest();
        for &(k, index) in &widest {
            clip.open(k, index, &run.frame(&self.frames[index])?.vertices);
        }
        let remedy = if self.clip.rigid { "leave out --rigid to let them move" } else { "--to usd moves them" };
        if !widest.is_empty() {
            let message = format!("{} pieces have open cracks, shown at their widest; {remedy}", widest.len());
            self.log.warn(&message);
        }
        let misfits: Vec<f64> = (0..clip.motion.pieces.pieces.len()).map(|k| clip.misfit(k)).collect();
        let bent = misfits.iter().filter(|misfit| **misfit > BENDS).count();
        if bent > 0 {
            let worst = misfits.iter().copied().fold(0.0, f64::max);
            let message = format!("{bent} pieces bend by up to {worst:.1} particle radii, but are rigid; {remedy}");
            self.log.warn(&message);
        }
        Ok(())
    }
}
