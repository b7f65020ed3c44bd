//! Content of a checkpoint, and the search for the one to resume from. `under_way.rs` writes one on a request to stop, `recorder.rs`
//! after frames.

use std::borrow::Cow;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use bdem_core::model::{State, World};
use bdem_core::simulate::{Simulation, Snapshot};
use sha2::{Digest, Sha256};

use crate::output::{Checkpoint, OutputError, RECORD, RunFolder, RunRecord};
use crate::scene::Scene;

use super::RunError;
use super::under_way::FrameUnderWay;

/// State of a run besides its record: that of the simulation, and the frame in progress.
type Payload<'a> = (Snapshot<'a>, Cow<'a, FrameUnderWay>);

/// Limits on the bytes of a particle in a checkpoint, and on all other bytes. A larger checkpoint is damaged.
const MOST_A_PARTICLE: u64 = 1 << 16;
const MOST_BESIDES: u64 = 1 << 24;

/// SHA-256 of a world at its start, in hexadecimal: [`RunRecord::world_digest`].
pub(super) fn fingerprint(world: &World, state: &State) -> String {
    let mut hash = Sha256::new();
    let mut add = |numbers: &[f64]| numbers.iter().for_each(|number| hash.update(number.to_le_bytes()));
    add(&world.particles.radius);
    add(&world.particles.mass);
    state.p.iter().chain(&state.v).for_each(|vector| add(vector.as_slice()));
    for bond in world.bonds() {
        add(&[bond.l0, bond.k.n, bond.k.s, bond.strength[0], bond.strength[1]]);
        add(&[bond.i, bond.j, bond.id].map(f64::from));
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes the checkpoint of `simulation` within `frame` to the file at `path`.
///
/// # Errors
/// As [`Checkpoint::write`].
pub(super) fn write(
    path: &Path,
    record: &RunRecord,
    simulation: &Simulation,
    frame: &FrameUnderWay,
) -> Result<(), OutputError> {
    Checkpoint::write(path, record, &(simulation.snapshot(), Cow::Borrowed(frame)))
}

/// Restores a new simulation with record `now` to the state of `checkpoint`. Returns the frame in progress.
///
/// # Errors
/// The reason why the two do not fit.
pub(super) fn restore(
    checkpoint: &Checkpoint,
    now: &RunRecord,
    simulation: &mut Simulation,
) -> Result<FrameUnderWay, String> {
    if checkpoint.record.world_digest != now.world_digest {
        return Err("the scene does not become the same particles and bonds any more".to_owned());
    }
    let most = MOST_BESIDES + MOST_A_PARTICLE * simulation.state.len() as u64;
    let (snapshot, frame): Payload =
        checkpoint.payload(most).map_err(|e| format!("its content makes no sense: {e}"))?;
    let frame = frame.into_owned();
    let restored = simulation.restore(snapshot).filter(|()| frame.left <= simulation.plan.per_frame);
    restored.map(|()| frame).ok_or_else(|| "its content does not fit the scene".to_owned())
}

/// State to resume a run from.
#[derive(Debug)]
pub(super) enum ResumePoint {
    /// The start, if there is no complete checkpoint.
    Anew,
    At {
        path: PathBuf,
        checkpoint: Box<Checkpoint>,
    },
    /// The end: the run of this record is complete.
    Done(Box<RunRecord>),
}

/// Finds the state to resume the run of `scene` in `folder` from: its newest complete checkpoint. `skipped` receives the errors
/// of newer ones.
///
/// # Errors
/// When the folder holds the run of another scene, or of another version of the program.
pub(super) fn find(scene: &Scene, folder: &RunFolder, skipped: &mut Vec<OutputError>) -> Result<ResumePoint, RunError> {
    let digest = scene.physics_digest();
    // checkpoints may be readable even if the record is not
    if let Ok(record) = RunRecord::read(&folder.file(RECORD)) {
        check(&record, &digest, folder.path().into())?;
        if record.is_done(scene.time.frames, scene.time.until.as_ref()) {
            return Ok(ResumePoint::Done(Box::new(record)));
        }
    }
    for path in folder.checkpoints()? {
        match Checkpoint::read(&path) {
            Ok(checkpoint) => {
                check(&checkpoint.record, &digest, path.clone())?;
                return Ok(ResumePoint::At { path, checkpoint: Box::new(checkpoint) });
            }
            Err(OutputError::File { source, .. }) if source.kind() == ErrorKind::Unsupported => {
                return Err(RunError::CheckpointMismatch { path, why: source.to_string() });
            }
            Err(why) => skipped.push(why),
        }
    }
    Ok(ResumePoint::Anew)
}

/// Checks that a record belongs to the scene of this digest, and to this version of the program.
fn check(record: &RunRecord, digest: &str, path: PathBuf) -> Result<(), RunError> {
    let version = env!("CARGO_PKG_VERSION");
    let why = if record.physics_digest != digest {
        format!(
            "it is of another scene (digest {:.12}; this one's is {digest:.12}), or of other settings",
            record.physics_digest
        )
    } else if record.version != version {
        format!("it is of version {}, and this is {version}", record.version)
    } else {
        return Ok(());
    };
    Err(RunError::CheckpointMismatch { path, why })
}
