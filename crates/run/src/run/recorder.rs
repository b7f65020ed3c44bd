use std::time::Instant;

use bdem_core::energy::Potential;
use bdem_core::fracture::{self, Pieces};
use bdem_core::geometry::Vec3;
use bdem_core::model::{State, World};
use bdem_core::simulate::{ForceRow, FractureEvent, Progress, Seconds, Simulation};

use crate::output::ply::{BondGroups, FrameView, write_frame};
use crate::output::{
    FORCES, FRACTURES, HEARTBEAT, METRICS, Metrics, RECORD, RESOLVED_SCENE, Result, RunFolder, RunRecord, RunState,
    TIMINGS, Table, Timings, now, write_whole,
};
use crate::scene::{BondColumn, CheckpointEvery, OutputSettings, ParticleColumn, Scene};

use super::gauges::stresses;
use super::under_way::FrameUnderWay;
use super::{Gauges, LoadCurve, checkpoint};

/// Output of a run: frames, tables, checkpoints, and the record.
pub(super) struct Recorder {
    folder: RunFolder,
    pub record: RunRecord,
    tables: Tables,
    settings: OutputSettings,
    frame_rate: f64,
    first: FirstState,
    start: Instant,
    /// Wall-clock time of the run before it was resumed, s.
    spent: f64,
    last_checkpoint: Instant,
    last_record: Instant,
}

struct Tables {
    metrics: Table<Metrics>,
    timings: Table<Timings>,
    fractures: Table<FractureEvent>,
    /// `None` if nothing is measured.
    forces: Option<Table<ForceRow>>,
}

/// Constants of the particles that properties of frames refer to. Empty where no frame has these properties.
pub(super) struct FirstState {
    /// Positions at the start of the run, m.
    p: Vec<Vec3>,
    /// Volumes, m3.
    volumes: Vec<f64>,
}

impl FirstState {
    pub(super) fn new(scene: &Scene, world: &World, state: &State) -> Self {
        let has = |column| scene.output.particles.contains(&column);
        Self {
            p: if has(ParticleColumn::Displacement) { state.p.clone() } else { Vec::new() },
            volumes: if has(ParticleColumn::Stress) { scene.particle_volumes(world) } else { Vec::new() },
        }
    }
}

impl Recorder {
    /// Starts a run in an empty folder. `record` describes the run.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub(super) fn new(
        scene: &Scene,
        folder: RunFolder,
        (gauges, first): (&Gauges, FirstState),
        record: RunRecord,
        start: Instant,
    ) -> Result<Self> {
        let columns = Some(gauges.columns()).filter(|columns| !columns.is_empty());
        let tables = Tables {
            metrics: Table::create(&folder.file(METRICS))?,
            timings: Table::create(&folder.file(TIMINGS))?,
            fractures: Table::create(&folder.file(FRACTURES))?,
            forces: columns.map(|columns| Table::create_forces(&folder.file(FORCES), &columns)).transpose()?,
        };
        Self::with(scene, folder, (tables, first), record, start)
    }

    /// Resumes the run of the record `former`; `now` describes the new process. Rows of later frames are dropped.
    ///
    /// # Errors
    /// When a file cannot be written, or a table has fewer rows than the record.
    pub(super) fn resume(
        scene: &Scene,
        folder: RunFolder,
        (gauges, first): (&Gauges, FirstState),
        (former, now): (RunRecord, &RunRecord),
        start: Instant,
    ) -> Result<Self> {
        let frames = former.frames as usize + 1;
        let columns = Some(gauges.columns()).filter(|columns| !columns.is_empty());
        let forces = |columns: Vec<String>| match former.force_rows {
            // the run measured nothing before
            0 => Table::create_forces(&folder.file(FORCES), &columns),
            rows => Table::resume_forces(&folder.file(FORCES), &columns, rows),
        };
        let tables = Tables {
            metrics: Table::resume(&folder.file(METRICS), frames)?,
            timings: Table::resume(&folder.file(TIMINGS), frames)?,
            fractures: Table::resume(&folder.file(FRACTURES), former.bonds_broken)?,
            forces: columns.map(forces).transpose()?,
        };
        Self::with(scene, folder, (tables, first), former.resumed(now), start)
    }

    fn with(
        scene: &Scene,
        folder: RunFolder,
        (tables, first): (Tables, FirstState),
        record: RunRecord,
        start: Instant,
    ) -> Result<Self> {
        write_whole(&folder.file(RESOLVED_SCENE), |out| {
            use std::io::Write;
            out.write_all(scene.resolved_toml().as_bytes())
        })?;
        Ok(Self {
            folder,
            spent: record.seconds.total,
            record,
            tables,
            settings: scene.output.clone(),
            frame_rate: scene.time.frame_rate,
            first,
            start,
            last_checkpoint: Instant::now(),
            last_record: Instant::now(),
        })
    }

    /// Warning about the output folder: see [`RunFolder::warning`].
    pub(super) fn warning(&self) -> Option<&str> {
        self.folder.warning()
    }

    /// Writes frame `frame` of `simulation`, with the `progress` since the frame before. `is_last` tells from the updated
    /// record whether it is the last. Returns its row of the metrics.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub(super) fn frame(
        &mut self,
        frame: u32,
        simulation: &Simulation,
        mut progress: Progress,
        is_last: impl FnOnce(&mut RunRecord) -> bool,
    ) -> Result<Metrics> {
        let start = Instant::now();
        let pieces = Pieces::of(&simulation.world);
        progress.seconds.fracture += start.elapsed().as_secs_f64();

        let start = Instant::now();
        self.count(&progress, simulation, &pieces, frame);
        if is_last(&mut self.record) || frame.is_multiple_of(self.settings.every) {
            self.write_ply(frame, simulation, &pieces)?;
        }
        self.tables.fractures.push(&progress.broken)?;
        self.tables.forces.iter_mut().try_for_each(|forces| forces.push(&progress.forces))?;
        let row = self.metrics_row(frame, simulation, &progress);
        self.tables.metrics.push(&[row])?;
        progress.seconds.output += start.elapsed().as_secs_f64();
        self.end_of_frame(frame, &progress.seconds)?;
        Ok(row)
    }

    /// Sets the state of the run and the results of its material test, and writes the record.
    ///
    /// # Errors
    /// When a file cannot be written, or the forces cannot be read.
    pub(super) fn end(&mut self, state: RunState, error: Option<String>) -> Result<()> {
        self.record.state = state;
        self.record.error = error;
        let curve = LoadCurve::read(self.folder.path());
        self.record.specimen = curve.as_ref().ok().and_then(Option::as_ref).map(LoadCurve::results);
        self.write_record()?;
        curve.map(drop)
    }

    /// Whether the run was not resumed.
    pub(super) fn is_new(&self) -> bool {
        self.record.resumed == 0
    }

    /// Whether a checkpoint is due after `frame`.
    pub(super) fn is_checkpoint_due(&self, frame: u32) -> bool {
        match self.settings.checkpoint_every {
            CheckpointEvery::Frames(frames) => frame.is_multiple_of(frames),
            CheckpointEvery::Minutes(minutes) => self.last_checkpoint.elapsed().as_secs_f64() >= 60.0 * minutes,
        }
    }

    /// Writes a checkpoint within `frame`, and removes all but the last two.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub(super) fn checkpoint(&mut self, simulation: &Simulation, frame: &FrameUnderWay) -> Result<()> {
        let start = Instant::now();
        // the tables must be on disk before a checkpoint that refers to them
        self.tables.metrics.sync()?;
        self.tables.timings.sync()?;
        self.tables.fractures.sync()?;
        self.tables.forces.iter().try_for_each(Table::sync)?;
        self.folder.make_room_for_checkpoints()?;
        checkpoint::write(&self.folder.checkpoint(self.record.frames), &self.record, simulation, frame)?;
        self.folder.drop_old_checkpoints()?;
        self.last_checkpoint = Instant::now();
        self.record.seconds.output += start.elapsed().as_secs_f64();
        Ok(())
    }

    fn write_ply(&self, frame: u32, simulation: &Simulation, pieces: &Pieces) -> Result<()> {
        let Simulation { world, state, .. } = simulation;
        let (damage, stress) = (fracture::damage(world), fracture::max_stress(world, state));
        let charge = (!world.electrostatics.is_empty()).then(|| charges(world, state));
        let softens = world.materials.iter().any(|material| material.fracture_energy.is_some());
        let softening = softens.then(|| fracture::softening(world));
        let FirstState { p, volumes } = &self.first;
        let tensor = (!volumes.is_empty()).then(|| stresses(simulation, volumes));
        let bonds = &self.settings.bonds;
        let view = FrameView {
            state,
            particles: &world.particles,
            piece: &pieces.of_particle,
            damage: &damage,
            stress: &stress,
            softening: softening.as_deref(),
            charge: charge.as_deref(),
            start: (!p.is_empty()).then_some(p),
            tensor: tensor.as_deref(),
            bonds: bonds.is_on().then(|| world.bonds()),
            bond_groups: BondGroups {
                id: bonds.has_id(),
                force: bonds.has(BondColumn::Force),
                moment: bonds.has(BondColumn::Moment),
                stress: bonds.has(BondColumn::Stress),
            },
            axial: world.axial,
            time: state.time,
            frame,
            frame_rate: self.frame_rate,
            gravity: world.gravity,
            origin: self.settings.origin.unwrap_or_default().into(),
            digest: &self.record.digest,
        };
        write_whole(&self.folder.frame(frame), |out| write_frame(out, &view))
    }

    /// Adds a frame to the totals.
    fn count(&mut self, progress: &Progress, simulation: &Simulation, pieces: &Pieces, frame: u32) {
        let record = &mut self.record;
        record.frames = frame;
        record.time = simulation.state.time;
        record.steps += progress.steps;
        record.explicit_steps += progress.explicit_steps;
        record.asleep_steps += progress.asleep_steps;
        record.step_cuts += progress.step_cuts;
        record.newton_iterations += progress.newton_iterations;
        record.cg_iterations += progress.cg_iterations;
        record.bonds = simulation.world.whole_bond_count();
        record.bonds_broken += progress.broken.len();
        record.force_rows += progress.forces.len();
        record.pieces = pieces.count;
        record.largest_piece = pieces.largest;
    }

    fn metrics_row(&self, frame: u32, simulation: &Simulation, progress: &Progress) -> Metrics {
        let Simulation { world, state, contacts, .. } = simulation;
        let energies = Potential::new(world, contacts).energies(state);
        let (momentum, angular_momentum) = state.momentum(&world.particles);
        Metrics {
            frame,
            time: simulation.state.time,
            energies,
            total: energies.total(),
            flows: *simulation.flows(),
            unaccounted: simulation.balance.unaccounted,
            momentum: momentum.into(),
            angular_momentum: angular_momentum.into(),
            bonds: self.record.bonds,
            bonds_broken: self.record.bonds_broken,
            pieces: self.record.pieces,
            largest_piece: self.record.largest_piece,
            steps: progress.steps,
            newton_iterations: progress.newton_iterations,
            cg_iterations: progress.cg_iterations,
            step_cuts: progress.step_cuts,
            explicit_steps: progress.explicit_steps,
            asleep_steps: progress.asleep_steps,
        }
    }

    fn end_of_frame(&mut self, frame: u32, spent: &Seconds) -> Result<()> {
        let Seconds { setup, integrate, fracture, contact, output, .. } = *spent;
        self.tables.timings.push(&[Timings { frame, integrate, fracture, contact, output }])?;
        let sum = &mut self.record.seconds;
        sum.setup += setup;
        sum.integrate += integrate;
        sum.fracture += fracture;
        sum.contact += contact;
        sum.output += output;
        self.write_record()
    }

    /// Refreshes the heartbeat in the record, if it is due. A failure shows at the end of the frame.
    pub(super) fn beat(&mut self) {
        if self.last_record.elapsed() >= HEARTBEAT {
            drop(self.write_record());
        }
    }

    fn write_record(&mut self) -> Result<()> {
        self.last_record = Instant::now();
        self.record.heartbeat = now();
        self.record.seconds.total = self.spent + self.start.elapsed().as_secs_f64();
        self.record.write(&self.folder.file(RECORD))
    }
}

/// Charge of each particle, C.
fn charges(world: &World, state: &State) -> Vec<f32> {
    let mut charged = Vec::new();
    world.electrostatics.charges_at(state.time, &mut charged);
    let mut charges = vec![0.0; state.len()];
    let particles = world.electrostatics.particles().iter().zip(charged);
    particles.for_each(|(&i, charge)| charges[i as usize] = charge as f32);
    charges
}
