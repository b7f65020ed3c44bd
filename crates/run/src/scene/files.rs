use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use bdem_core::geometry::mesh::Mesh;
use sha2::{Digest, Sha256};

use super::MeshFile;
use super::check::{At, Fault};
use super::texture::Texture;
use crate::files;
use crate::mesh::{MeshFileError, MeshReport, PartKind, PartsOfFile, Polygons};

/// Files that a scene names, relative to its own. Each mesh and each texture is read once.
#[derive(Clone, Debug, Default)]
pub(super) struct Files {
    folder: PathBuf,
    meshes: Vec<(MeshFile, Arc<Mesh>)>,
    textures: Vec<(String, Arc<Texture>)>,
    /// Parts of the file of the last mesh that is one.
    parts: PartsOfFile,
    /// Shells of each mesh, by the name of its file.
    pub reports: Vec<(String, MeshReport)>,
    /// Warnings of meshes.
    pub notices: Vec<Fault>,
    /// Bytes of files that are read once for several scenes.
    kept: Option<Arc<KeptFiles>>,
    /// SHA-256 of each file, in the order of reading.
    pub digests: Vec<[u8; 32]>,
}

impl Files {
    /// Files relative to the folder of `scene`.
    pub(super) fn beside(scene: &Path) -> Self {
        Self { folder: scene.parent().unwrap_or(Path::new("")).to_owned(), ..Self::default() }
    }

    /// The same files, each read once for all scenes that share `kept`.
    pub(super) fn kept_in(self, kept: Arc<KeptFiles>) -> Self {
        Self { kept: Some(kept), ..self }
    }

    /// Absolute path of a file, where it is valid UTF-8.
    pub(super) fn absolute_path(&self, file: &str) -> String {
        let full = std::path::absolute(self.folder.join(file)).ok();
        full.and_then(|path| path.to_str().map(str::to_owned)).unwrap_or_else(|| file.to_owned())
    }

    /// Bytes of a file.
    pub(super) fn read(&mut self, file: &str, at: &At) -> Result<Vec<u8>, Fault> {
        let path = self.folder.join(file);
        let bytes = match &self.kept {
            Some(kept) => kept.read(path),
            None => files::read(&path, files::MAX_BYTES),
        };
        let bytes = bytes.map_err(|cause| {
            let help = "check the name, which is relative to the scene's folder";
            at.wrong(format!("{file}: cannot be read: {cause}")).help(help)
        })?;
        self.digests.push(Sha256::digest(&bytes).into());
        Ok(bytes)
    }

    /// Name and polygons of the parts of an OBJ file.
    pub(super) fn parts(&mut self, file: &str, kind: PartKind, at: &At) -> Result<&[(String, Polygons)], Fault> {
        if !self.parts.are_of(file, kind) {
            let bytes = self.read(file, at)?;
            let wrong = |error: MeshFileError| at.wrong(format!("{file}: {error}")).help(error.help());
            self.parts.read(file, kind, &bytes).map_err(wrong)?;
        }
        Ok(self.parts.all())
    }

    /// Drops the parts, once all meshes are loaded.
    pub(super) fn forget_parts(&mut self) {
        self.parts = PartsOfFile::default();
    }

    /// Texture in a PNG file.
    pub(super) fn texture(&mut self, file: &str, at: &At) -> Result<Arc<Texture>, Fault> {
        if let Some((_, texture)) = self.textures.iter().find(|(known, _)| known == file) {
            return Ok(texture.clone());
        }
        let read = Texture::read(&self.read(file, at)?);
        let texture = read.map_err(|why| at.wrong(format!("{file}: {why}")).help("save the picture as PNG"))?;
        self.textures.push((file.to_owned(), Arc::new(texture)));
        Ok(self.textures[self.textures.len() - 1].1.clone())
    }

    /// Mesh in a file.
    pub(super) fn mesh(&mut self, named: &MeshFile, at: &At) -> Result<Arc<Mesh>, Fault> {
        if let Some((_, mesh)) = self.meshes.iter().find(|(known, _)| known == named) {
            return Ok(mesh.clone());
        }
        let at = at.key("file");
        let (mesh, report) = named.mesh(self, &at)?;
        let mesh = Arc::new(mesh);
        if report.turned > 0 {
            let message = format!(
                "{}: {} of the mesh's {} shells faced inwards, and lay in no other: they are turned",
                named.file, report.turned, report.shells
            );
            let help =
                "flip their normals, in a modelling program; a shell inside another that faces inwards is a cavity";
            self.notices.push(at.wrong(message).help(help));
        }
        self.reports.push((named.file.clone(), report));
        self.meshes.push((named.clone(), mesh.clone()));
        Ok(mesh)
    }
}

/// Bytes of files by their paths, each read once.
#[derive(Debug, Default)]
pub(super) struct KeptFiles(Mutex<BTreeMap<PathBuf, Vec<u8>>>);

impl KeptFiles {
    fn read(&self, path: PathBuf) -> io::Result<Vec<u8>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = kept.get(&path) {
            return Ok(bytes.clone());
        }
        let bytes = files::read(&path, files::MAX_BYTES)?;
        kept.insert(path, bytes.clone());
        Ok(bytes)
    }

    /// Path and SHA-256 of each file that has been read.
    pub(super) fn digests(&self) -> Vec<(PathBuf, [u8; 32])> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().map(|(path, bytes)| (path.clone(), Sha256::digest(bytes).into())).collect()
    }
}
