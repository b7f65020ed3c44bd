use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use bdem_run::files;
use bdem_run::output::write_whole;
use sha2::{Digest, Sha256};

use super::{BodyMesh, CrackSettings, Cracks, Piece, Pieces, RestParticles};

/// Version of the cut. A change of the method or of the file's form makes new files.
const VERSION: u32 = 6;

/// Pieces from a file in `folder`, or from `make`, which then fills the file. It is known by the digest of their inputs, of
/// [`digest`]. Of several processes that ask at once, one makes them. Where the folder cannot be written, as on a read-only disk,
/// they are not kept.
///
/// # Errors
/// Those of `make`.
pub(super) fn kept_pieces<E>(
    folder: &Path,
    digest: &str,
    particles: &RestParticles,
    make: impl FnOnce() -> Result<Pieces, E>,
) -> Result<Pieces, E> {
    let file = folder.join(format!("{digest}.pieces"));
    if let Some(pieces) = read(&file, particles) {
        return Ok(pieces);
    }
    let lock = file.with_extension("lock");
    let Ok(held) = lock_file(folder, &lock) else { return make() };
    // a disk without locks costs the work of several processes, not the result
    drop(held.lock());
    if let Some(pieces) = read(&file, particles) {
        return Ok(pieces);
    }
    let pieces = make()?;
    let bytes = postcard::to_stdvec(&pieces).expect("pieces are plain data");
    drop(write_whole(&file, |out| out.write_all(&bytes)));
    // others that wait for the lock have the file open
    drop(fs::remove_file(&lock));
    Ok(pieces)
}

/// File to lock in a folder, which is made.
fn lock_file(folder: &Path, lock: &Path) -> io::Result<File> {
    fs::create_dir_all(folder)?;
    files::open_own(lock)
}

/// Pieces in a file. None if there is none, or it is damaged: then they are made again.
fn read(file: &Path, particles: &RestParticles) -> Option<Pieces> {
    let pieces: Pieces = postcard::from_bytes(&files::read_of_run(file).ok()?).ok()?;
    is_sound(&pieces, particles.places.len()).then_some(pieces)
}

/// Whether all indices of pieces are valid.
fn is_sound(pieces: &Pieces, particles: usize) -> bool {
    let are_particles = |list: &[u32]| list.iter().all(|&i| (i as usize) < particles);
    let is_sound = |piece: &Piece| {
        let mesh = &piece.mesh;
        let corners: usize = mesh.sizes.iter().map(|&size| size as usize).sum();
        let slots = |body: &Option<BodyMesh>| body.as_ref().map(|body| body.mesh.slot_names.len());
        let slots = pieces.bodies.get(usize::from(piece.body)).and_then(slots);
        slots.is_some_and(|slots| mesh.slots.iter().all(|&slot| usize::from(slot) <= slots))
            && mesh.slots.len() == mesh.sizes.len()
            && !piece.particles.is_empty()
            && are_particles(&piece.particles)
            && piece.outside <= mesh.sizes.len()
            && mesh.sizes.iter().all(|&size| size > 2)
            && corners == mesh.corners.len()
            && mesh.corners.iter().all(|corner| (corner.point as usize) < mesh.points.len())
            && piece.lips.iter().all(|lip| (lip.point as usize) < mesh.points.len())
    };
    are_particles(&pieces.loose) && pieces.pieces.iter().all(is_sound)
}

/// SHA-256 of the scene, of the last frame's pieces, of the cracks and of the settings, in hexadecimal, shortened.
pub(super) fn digest(scene: &str, particles: &RestParticles, cracks: &Cracks, settings: &CrackSettings) -> String {
    /// Characters, which tell as many files apart as one folder ever holds.
    const CHARACTERS: usize = 24;
    let mut hash = Sha256::new_with_prefix(VERSION.to_le_bytes());
    hash.update(scene);
    particles.places.iter().flat_map(|p| [p.x, p.y, p.z]).for_each(|x| hash.update(x.to_le_bytes()));
    particles.piece.iter().for_each(|piece| hash.update(piece.to_le_bytes()));
    cracks.key().for_each(|number| hash.update(number.to_le_bytes()));
    hash.update(postcard::to_stdvec(settings).expect("settings are plain data"));
    let hex: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    hex[..CHARACTERS].to_owned()
}
