use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::files::{Files, KeptFiles};
use super::source::Source;
use super::{Scene, SceneError, Setting};

/// Text of a scene file and bytes of the files that it names, each read once. Scenes with other settings are made from them, so
/// that a change of a file meanwhile has no effect.
#[derive(Debug)]
pub struct SceneInputs {
    path: PathBuf,
    text: String,
    kept: Arc<KeptFiles>,
}

impl SceneInputs {
    /// Text of the scene file at `path`.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(path: &Path) -> Result<Self, SceneError> {
        let Source { text, .. } = Source::read(path, &[])?;
        Ok(Self { path: path.to_owned(), text, kept: Arc::default() })
    }

    /// Scene with the values of `overrides` (`key.path=value`) set, checked.
    ///
    /// # Errors
    /// As of [`Scene::load_with`].
    pub fn scene(&self, overrides: &[String]) -> Result<Scene, SceneError> {
        let source = Source::new(&self.path, self.text.clone(), &Setting::all(overrides));
        Scene::from_files(source, Files::beside(&self.path).kept_in(Arc::clone(&self.kept)))
    }

    /// Path and SHA-256 of the scene file and of each file that a scene has read.
    pub fn digests(&self) -> Vec<(PathBuf, [u8; 32])> {
        let scene = (self.path.clone(), Sha256::digest(&self.text).into());
        std::iter::once(scene).chain(self.kept.digests()).collect()
    }
}
