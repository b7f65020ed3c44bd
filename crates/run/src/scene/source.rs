//! Text of a scene, and the positions of its values.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::SceneError;
use super::check::Fault;
use super::files::Files;
use super::material_preset;
use super::mesh_bodies::{self, PartBodies};
use super::overrides::{Override, Setting};
use super::preset::Preset;
use super::toml_error;
use crate::files;

/// Text of a scene and its overrides. Positions are byte ranges, with the overrides behind the text one after the
/// other. A range thus tells which of them a value came from.
#[derive(Clone, Debug, Default)]
pub(super) struct Source {
    path: PathBuf,
    pub text: String,
    overrides: Vec<Override>,
    /// Settings of each preset.
    presets: Vec<(Preset, Vec<Override>)>,
    /// Settings of the materials that presets make.
    materials: Vec<Override>,
    /// Bodies that stand for one of each part of their mesh.
    parts: Vec<PartBodies>,
}

impl Source {
    pub(super) fn read(path: &Path, settings: &[Setting]) -> Result<Self, SceneError> {
        Self::from_bytes(path, read_text(path), settings)
    }

    /// Source in a regular file.
    pub(super) fn read_file(path: &Path) -> Result<Self, SceneError> {
        Self::from_bytes(path, files::read(path, MAX_BYTES), &[])
    }

    fn from_bytes(path: &Path, bytes: io::Result<Vec<u8>>, settings: &[Setting]) -> Result<Self, SceneError> {
        let bytes = bytes.map_err(|cause| SceneError::Unreadable { path: path.to_owned(), cause })?;
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Self::new(path, text, settings)),
            Err(error) => {
                let end = error.utf8_error().valid_up_to();
                let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                Err(Self::new(path, text, &[]).error(end..end, "this is not UTF-8 text".to_owned(), None))
            }
        }
    }

    pub(super) fn new(path: &Path, text: String, settings: &[Setting]) -> Self {
        let mut end = text.len();
        let mut place = |setting: &Setting| {
            let placed = Override::new(setting, end + 1);
            end = placed.range().end;
            placed
        };
        let overrides = settings.iter().map(&mut place).collect();
        let presets = Preset::ALL.map(|preset| (preset, preset.settings().iter().map(&mut place).collect()));
        let (path, presets) = (path.to_owned(), presets.into());
        let source = Self { path, overrides, presets, materials: Vec::new(), parts: Vec::new(), text };
        // a text that is no tree has its error later
        let settings = source.own_tree().map_or_else(|_| Vec::new(), |root| material_preset::settings(&root));
        Self { materials: settings.iter().map(place).collect(), ..source }
    }

    /// Reads the names of the parts of meshes that are a body each.
    pub(super) fn find_parts(&mut self, files: &mut Files) -> Result<(), SceneError> {
        let found = mesh_bodies::find(self.own_tree()?.get_ref(), files);
        self.parts = found.map_err(|fault| self.locate(fault))?;
        Ok(())
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Overrides as given.
    pub(super) fn overrides(&self) -> impl Iterator<Item = &str> {
        self.overrides.iter().map(Override::given)
    }

    /// Tree of values with their positions, and with the overrides set, then those of the preset where there is no value. Parts
    /// of a mesh are bodies of their own.
    pub(super) fn tree(&self) -> Result<Spanned<DeTable<'_>>, SceneError> {
        let mut root = self.own_tree()?;
        for set in self.preset_settings(&root).iter().chain(&self.materials) {
            if !set.is_given_in(&root) {
                set.put(&mut root).map_err(|message| self.error(set.range(), message, None))?;
            }
        }
        let span = root.span();
        match root.into_inner() {
            DeValue::Table(mut table) => {
                mesh_bodies::expand(&mut table, &self.parts);
                Ok(Spanned::new(span, table))
            }
            _ => unreachable!("an override sets a value within the root"),
        }
    }

    /// The tree without the preset's values.
    fn own_tree(&self) -> Result<Spanned<DeValue<'_>>, SceneError> {
        let tree = DeTable::parse(&self.text).map_err(|e| toml_error::explain(self, &e))?;
        let mut root = Spanned::new(tree.span(), DeValue::Table(tree.into_inner()));
        for set in &self.overrides {
            set.apply(&mut root).map_err(|message| self.error(set.range(), message, None))?;
        }
        Ok(root)
    }

    /// Settings of the preset that the tree under `root` names.
    fn preset_settings(&self, root: &Spanned<DeValue>) -> &[Override] {
        let name = root.get_ref().get("preset").and_then(|name| name.get_ref().as_str());
        let preset = self.presets.iter().find(|(preset, _)| Some(preset.name()) == name);
        preset.map_or(&[], |(_, sets)| sets)
    }

    /// Keys and values of the preset, each with whether the scene has a value of its own in its place.
    pub(super) fn preset_row(&self) -> Vec<(&str, bool)> {
        let Ok(root) = self.own_tree() else { return Vec::new() };
        self.preset_settings(&root).iter().map(|set| (set.given(), set.is_given_in(&root))).collect()
    }

    /// Error at the position of a fault. A missing key is placed at the table that should have it.
    pub(super) fn locate(&self, fault: Fault) -> SceneError {
        let tree = match self.tree() {
            Ok(tree) => DeValue::Table(tree.into_inner()),
            Err(error) => return error,
        };
        let (mut node, mut span) = (&tree, None);
        for key in &fault.at {
            let Some(next) = child(node, key) else { break };
            (node, span) = (next.get_ref(), Some(next.span()));
        }
        self.error(span.unwrap_or_else(|| self.last_line()), fault.message, fault.help)
    }

    pub(super) fn error(&self, span: Range<usize>, message: String, help: Option<String>) -> SceneError {
        let presets = self.presets.iter().flat_map(|(_, sets)| sets).chain(&self.materials);
        let (place, excerpt) = match self.overrides.iter().chain(presets).find(|set| set.range().contains(&span.start))
        {
            Some(set) => (set.place(), String::new()),
            None => {
                let (line, column, excerpt) = underline(&self.text, span);
                (format!("{}:{line}:{column}", self.path.display()), excerpt)
            }
        };
        SceneError::Wrong { place, message, excerpt, help }
    }

    /// Last line that is not blank.
    pub(super) fn last_line(&self) -> Range<usize> {
        let end = self.text.trim_end().len();
        line_start(&self.text, end)..end
    }
}

/// Limit on the bytes of a scene: larger files are no scene.
const MAX_BYTES: u64 = 1 << 24;

/// Bytes of a file, which may be a pipe.
fn read_text(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::Error::other("larger than 16 MiB, the limit of a scene"));
    }
    Ok(bytes)
}

fn child<'t, 'i>(node: &'t DeValue<'i>, key: &str) -> Option<&'t Spanned<DeValue<'i>>> {
    match node {
        DeValue::Array(items) => items.get(key.parse::<usize>().ok()?),
        table => table.get(key),
    }
}

/// Line and column (from 1, in characters) of a span, and its first line underlined:
///
/// ```text
///    |
/// 12 | particle_radius = -0.002
///    |                   ^^^^^^
/// ```
fn underline(text: &str, span: Range<usize>) -> (usize, usize, String) {
    let boundary = |i: usize| (0..=i.min(text.len())).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0);
    let (start, end) = (boundary(span.start), boundary(span.end));
    let first = line_start(text, start);
    let line = text[first..].lines().next().unwrap_or("");
    let end = end.min(first + line.len()).max(start);
    let number = text[..first].matches('\n').count() + 1;
    let column = text[first..start].chars().count() + 1;
    let snippet = Snippet::source(text).annotation(AnnotationKind::Primary.span(start..end));
    let excerpt = Renderer::plain().render(&[Group::with_level(Level::ERROR).element(snippet)]);
    (number, column, format!("\n{excerpt}"))
}

/// First byte of the line that holds byte `i`.
fn line_start(text: &str, i: usize) -> usize {
    text[..i].rfind('\n').map_or(0, |newline| newline + 1)
}
