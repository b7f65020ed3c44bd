use std::path::{Path, PathBuf};
use std::sync::Arc;

use bdem_core::geometry::mesh::Mesh;
use sha2::{Digest, Sha256};

use super::MeshFile;
use super::check::{At, Fault};
use crate::files;

/// Files that a scene names, relative to its own. Each mesh is read once.
#[derive(Clone, Debug, Default)]
pub(super) struct Files {
    folder: PathBuf,
    meshes: Vec<(MeshFile, Arc<Mesh>)>,
    /// SHA-256 of each file, in the order of reading.
    pub digests: Vec<[u8; 32]>,
}

impl Files {
    /// Files relative to the folder of `scene`.
    pub(super) fn beside(scene: &Path) -> Self {
        Self { folder: scene.parent().unwrap_or(Path::new("")).to_owned(), ..Self::default() }
    }

    /// Absolute path of a file, where it is valid UTF-8.
    pub(super) fn absolute_path(&self, file: &str) -> String {
        let full = std::path::absolute(self.folder.join(file)).ok();
        full.and_then(|path| path.to_str().map(str::to_owned)).unwrap_or_else(|| file.to_owned())
    }

    /// Bytes of a file.
    pub(super) fn read(&mut self, file: &str, at: &At) -> Result<Vec<u8>, Fault> {
        let bytes = files::read(&self.folder.join(file), files::MAX_BYTES).map_err(|cause| {
            let help = "check the name, which is relative to the scene's folder";
            at.wrong(format!("{file}: cannot be read: {cause}")).help(help)
        })?;
        self.digests.push(Sha256::digest(&bytes).into());
        Ok(bytes)
    }

    /// Mesh in a file.
    pub(super) fn mesh(&mut self, named: &MeshFile, at: &At) -> Result<Arc<Mesh>, Fault> {
        if let Some((_, mesh)) = self.meshes.iter().find(|(known, _)| known == named) {
            return Ok(mesh.clone());
        }
        let at = at.key("file");
        let bytes = self.read(&named.file, &at)?;
        let mesh = named.mesh(bytes).map(Arc::new);
        let mesh = mesh.map_err(|error| named.fault(&error, &at))?;
        self.meshes.push((named.clone(), mesh.clone()));
        Ok(mesh)
    }
}
