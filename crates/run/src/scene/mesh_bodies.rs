//! Bodies from the objects or groups of one mesh file: one table for a wall.

use std::borrow::Cow;
use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use super::check::{At, Fault};
use super::files::Files;
use crate::mesh::PartKind;

/// Parts of an OBJ file that are a body each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MeshBodies {
    /// Objects: the faces after each `o`.
    Objects,
    /// Groups: the faces after each `g`.
    Groups,
}

/// Glue between the bodies of one mesh file that touch or nearly do: a row of `[[glue]]`.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mortar {
    /// Name of the bonds' material.
    pub material: String,
    /// Gap that is bridged: particles are bonded whose centres are nearer than `(ri + rj)(1 + gap)`. By default that of glue.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub gap: Option<f64>,
}

/// Body of a scene that stands for one of each part of its mesh.
#[derive(Clone, Debug)]
pub(super) struct PartBodies {
    /// Index of the body in the scene's text.
    index: usize,
    /// Key of the mesh that takes a part: `object` or `group`.
    key: &'static str,
    /// Name of each part in the file, and of its body.
    names: Vec<(String, String)>,
}

/// Bodies of the scene under `root` that stand for one of each part of their mesh.
///
/// # Errors
/// When a file cannot be read, has no parts, or two that would have one name.
pub(super) fn find(root: &DeValue, files: &mut Files) -> Result<Vec<PartBodies>, Fault> {
    let bodies = root.get("bodies").and_then(|bodies| bodies.get_ref().as_array());
    let mut all = Vec::new();
    for (index, body) in bodies.into_iter().flat_map(|bodies| bodies.iter()).enumerate() {
        let at = At::root().key("bodies").key(index).key("shape").key("mesh");
        let text =
            |value: &DeValue, key: &str| value.get(key).and_then(|text| text.get_ref().as_str().map(str::to_owned));
        let mesh = body.get_ref().get("shape").and_then(|shape| shape.get_ref().get("mesh")).map(Spanned::get_ref);
        let given = mesh.and_then(|mesh| Some((text(mesh, "file")?, text(mesh, "bodies")?)));
        let (Some((file, parts)), Some(name)) = (given, text(body.get_ref(), "name")) else { continue };
        // another word has its error as that of an unknown variant
        let (key, kind) = match parts.as_str() {
            "objects" => ("object", PartKind::Object),
            "groups" => ("group", PartKind::Group),
            _ => continue,
        };
        let parts = files.parts(&file, kind, &at.key("file"))?;
        let names = parts.iter().map(|(part, _)| (format!("{name}_{}", plain(part)), part.clone()));
        all.push(PartBodies { index, key, names: distinct(names, &at.key("bodies"))? });
    }
    Ok(all)
}

/// Name as that of a body: letters, digits, `-` and `_`.
fn plain(name: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    name.chars().map(|c| if fits(c) { c } else { '_' }).collect()
}

/// Parts with the names of their bodies, which differ.
fn distinct(names: impl Iterator<Item = (String, String)>, at: &At) -> Result<Vec<(String, String)>, Fault> {
    let (mut known, mut all) = (HashMap::new(), Vec::new());
    for (body, part) in names {
        if let Some(other) = known.insert(body.clone(), part.clone()) {
            let fault = at.wrong(format!("{other:?} and {part:?} would both be the body {body:?}"));
            return Err(fault.help("names of bodies have letters, digits, - and _ only: rename one in the mesh file"));
        }
        all.push((part, body));
    }
    Ok(all)
}

/// Puts a body for each part in the place of those that stand for all, and a row of glue for their mortar.
pub(super) fn expand(root: &mut DeTable, all: &[PartBodies]) {
    let Some(DeValue::Array(bodies)) = root.get_mut("bodies").map(Spanned::get_mut) else { return };
    let (mut expanded, mut rows) = (DeArray::new(), Vec::new());
    for (index, body) in std::mem::replace(bodies, DeArray::new()).into_iter().enumerate() {
        let Some(parts) = all.iter().find(|parts| parts.index == index) else {
            expanded.push(body);
            continue;
        };
        let mortar = body.get_ref().get("mortar").filter(|mortar| mortar.get_ref().is_table() && parts.names.len() > 1);
        rows.extend(mortar.map(|mortar| parts.row(mortar)));
        parts.names.iter().for_each(|(part, name)| expanded.push(parts.body(&body, part, name)));
    }
    *bodies = expanded;
    if let Some(first) = rows.first() {
        let none = Spanned::new(first.span(), DeValue::Array(DeArray::new()));
        let glue = root.entry(Spanned::new(first.span(), Cow::Borrowed("glue"))).or_insert(none);
        if let DeValue::Array(glue) = glue.get_mut() {
            rows.into_iter().for_each(|row| glue.push(row));
        }
    }
}

impl PartBodies {
    /// Body of one part.
    fn body<'i>(&self, whole: &Spanned<DeValue<'i>>, part: &str, name: &str) -> Spanned<DeValue<'i>> {
        let mut body = whole.clone();
        let text = |text: &str| DeValue::String(Cow::Owned(text.to_owned()));
        if let Some(known) = member(&mut body, "name") {
            *known.get_mut() = text(name);
        }
        let mesh = member(&mut body, "shape").and_then(|shape| member(shape, "mesh"));
        if let Some(DeValue::Table(mesh)) = mesh.map(Spanned::get_mut) {
            let span = mesh.remove("bodies").map_or(whole.span(), |bodies| bodies.span());
            mesh.insert(Spanned::new(span.clone(), Cow::Borrowed(self.key)), Spanned::new(span, text(part)));
        }
        if let DeValue::Table(body) = body.get_mut() {
            body.remove("mortar");
        }
        body
    }

    /// Row of glue of a mortar, which joins all bodies.
    fn row<'i>(&self, mortar: &Spanned<DeValue<'i>>) -> Spanned<DeValue<'i>> {
        let mut row = mortar.clone();
        let placed = |value| Spanned::new(mortar.span(), value);
        let names = self.names.iter().map(|(_, name)| placed(DeValue::String(Cow::Owned(name.clone()))));
        if let DeValue::Table(row) = row.get_mut() {
            let names = placed(DeValue::Array(names.collect()));
            row.insert(Spanned::new(mortar.span(), Cow::Borrowed("bodies")), names);
        }
        row
    }
}

fn member<'t, 'i>(node: &'t mut Spanned<DeValue<'i>>, key: &str) -> Option<&'t mut Spanned<DeValue<'i>>> {
    match node.get_mut() {
        DeValue::Table(table) => table.get_mut(key),
        _ => None,
    }
}
