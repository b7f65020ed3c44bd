use std::path::PathBuf;
use std::time::Instant;

use bdem_core::model::{State, World};

use crate::output::{HEARTBEAT, OutputError, RECORD, RunFolder, RunRecord, RunState, now};
use crate::scene::particle_file::Spheres;
use crate::scene::{PackingStore, Scene};

use super::{KeptPackings, RunError, RunOptions};

/// Record of a new run while its bodies are packed: the state, and a heartbeat.
pub(super) struct PackingRecord<'a> {
    packings: &'a mut KeptPackings,
    record: RunRecord,
    path: PathBuf,
    start: Instant,
    written: Instant,
}

impl<'a> PackingRecord<'a> {
    /// World and state of `scene` with bodies from `packings`. Warns of weak bodies. Meanwhile the new `folder` has the
    /// `record`, with the state `packing`. A wrong scene leaves no folder.
    ///
    /// # Errors
    /// When the scene cannot be built, or the record cannot be written.
    pub(super) fn build(
        scene: &Scene,
        options: &RunOptions,
        folder: RunFolder,
        packings: &'a mut KeptPackings,
        (record, start): (RunRecord, Instant),
    ) -> Result<(World, State, RunFolder), RunError> {
        let record = RunRecord { state: RunState::Packing, ..record };
        let mut store = Self { packings, record, path: folder.file(RECORD), start, written: Instant::now() };
        store.write()?;
        match build(scene, options, &mut store) {
            Ok((world, state)) => Ok((world, state, folder)),
            Err(why) => {
                // the scene's error comes first
                drop(folder.abandon());
                Err(why)
            }
        }
    }

    fn write(&mut self) -> Result<(), OutputError> {
        self.written = Instant::now();
        self.record.heartbeat = now();
        self.record.seconds.total = self.start.elapsed().as_secs_f64();
        self.record.write(&self.path)
    }
}

/// World and state of `scene` at its start. Warns of weak bodies.
///
/// # Errors
/// When the scene cannot be built, or a body is in pieces.
pub(super) fn build(
    scene: &Scene,
    options: &RunOptions,
    packings: &mut dyn PackingStore,
) -> Result<(World, State), RunError> {
    let (world, state) = scene.build_with(packings)?;
    let warnings = scene.check_whole(&scene.wholeness(&world, &state))?;
    warnings.iter().for_each(|warning| options.log.warn(&warning.to_string()));
    Ok((world, state))
}

impl PackingStore for PackingRecord<'_> {
    fn find(&mut self, key: &str, is_sound: &dyn Fn(&Spheres) -> bool) -> Option<Spheres> {
        self.packings.find(key, is_sound)
    }

    fn keep(&mut self, key: &str, spheres: &Spheres) {
        self.packings.keep(key, spheres);
    }

    fn progress(&mut self, body: &str, share: f64) {
        self.packings.progress(body, share);
        if self.written.elapsed() >= HEARTBEAT {
            // a full disk shows at the first frame
            drop(self.write());
        }
    }
}
