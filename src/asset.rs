//! Asset that the pieces of a run replace, for `bdem convert`.

use std::path::{Component, Path, PathBuf};

use bdem_pictures::clip::Over;
use clap::Args;

use super::CliError;
use super::output::{OutputFile, ends_with};

/// Asset in USD.
#[derive(Debug, Args)]
#[command(next_help_heading = "Asset in USD")]
pub(super) struct AssetArguments {
    /// USD file of the unbroken object. The file becomes a layer over it, in which the object is hidden and its pieces are beside it
    #[arg(long, value_name = "FILE", requires = "prim")]
    over: Option<PathBuf>,
    /// Path of the unbroken object there, such as /set/mug
    #[arg(long, value_name = "PATH", requires = "over", value_parser = prim_path)]
    prim: Option<String>,
}

/// Path of a prim: a slash before each name of letters, digits and underscores, the first no digit.
fn prim_path(text: &str) -> Result<String, String> {
    let is_letter = |c: char| c.is_alphabetic() || c == '_';
    let is_name = |name: &str| name.starts_with(is_letter) && name.chars().all(|c| is_letter(c) || c.is_numeric());
    let names = text.strip_prefix('/').filter(|names| names.split('/').all(is_name));
    names.map(|_| text.to_owned()).ok_or_else(|| "expected the path of a prim, such as /set/mug".to_owned())
}

impl AssetArguments {
    pub(super) fn is_given(&self) -> bool {
        self.over.is_some()
    }

    /// Asset as it is named in the layer `file`: relative to its folder, if it has one.
    pub(super) fn over(&self, file: &OutputFile) -> Result<Option<Over>, CliError> {
        let (Some(asset), Some(prim)) = (&self.over, &self.prim) else { return Ok(None) };
        let wrong = |why: &str| CliError { code: 2, message: format!("--over {}: {why}", asset.display()) };
        if !ends_with(asset, &["usd", "usda", "usdc", "usdz"]) {
            return Err(wrong("the name of a USD file ends with .usd, .usda, .usdc or .usdz"));
        }
        let there = asset.canonicalize().ok().filter(|path| path.is_file());
        let there = there.ok_or_else(|| wrong("there is no such file"))?;
        let folder = file.path.parent().filter(|_| file.is_regular());
        let folder = folder.map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
        let layer = match folder.and_then(|folder| folder.canonicalize().ok()) {
            Some(folder) if folder.join(file.path.file_name().unwrap_or_default()) == there => {
                return Err(wrong("it would be replaced by the layer over it: write that elsewhere, with --output"));
            }
            Some(folder) => relative(&there, &folder),
            None => there,
        };
        let layer = layer.to_str().filter(|layer| !layer.contains(['@', '\n'])).map(|layer| layer.replace('\\', "/"));
        let layer = layer.ok_or_else(|| wrong("a layer cannot name this path: it has an @ or is no text"))?;
        Ok(Some(Over { layer, prim: prim.clone() }))
    }
}

/// Path from a folder to a file; both are absolute.
fn relative(file: &Path, folder: &Path) -> PathBuf {
    let common = file.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
    if common == 0 {
        return file.to_owned();
    }
    let up = folder.components().skip(common).map(|_| Component::ParentDir);
    let start = if folder.components().count() == common { Component::CurDir } else { Component::ParentDir };
    std::iter::once(start).chain(up.skip(1)).chain(file.components().skip(common)).collect()
}
