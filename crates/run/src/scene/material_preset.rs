//! Materials by a word.

use std::sync::OnceLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Spanned;
use toml::de::DeValue;

use super::overrides::Setting;

/// Name of a material that the program knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MaterialPreset {
    /// Solid clay brick.
    Brick,
    /// Porcelain.
    Ceramic,
    /// Dark chocolate.
    Chocolate,
    /// Concrete C25/30.
    Concrete,
    /// Soda-lime glass.
    Glass,
    /// Plaster of Paris.
    Plaster,
    /// Sandstone as of Berea.
    Sandstone,
    /// Fired clay.
    Terracotta,
    /// Spruce, with its fibres along x of the body.
    Wood,
}

/// Name of a preset, and the keys and values of its material.
type Row = (String, Vec<(String, String)>);

/// Keys that all have but those that say otherwise.
const COMMON: [(&str, &str); 7] = [
    ("moduli", "\"macroscopic\""),
    ("strengths", "\"macroscopic\""),
    // of a chip with seven corners around, tan(180/7 degrees): its balls stand for polyhedra
    ("rolling_friction", "0.5"),
    ("friction_angle", "30.0"),
    ("moment_share", "0.2"),
    ("damping", "0.05"),
    // s, that of the templates: ten times that of a wave across 0.25 m of plaster or across 1 m of glass. Pieces sleep sooner
    (VIBRATION_DECAY, "5e-4"),
];

/// Key that presets leave out of material tests. It would damp a specimen between platens, of which no particle is held.
const VIBRATION_DECAY: &str = "vibration_decay";

/// All presets of materials, in the order of their file.
pub fn material_presets() -> &'static [Row] {
    static PRESETS: OnceLock<Vec<Row>> = OnceLock::new();
    PRESETS.get_or_init(|| {
        let tables: toml::Table = include_str!("material_presets.toml").parse().expect("presets are TOML");
        tables.into_iter().map(|(name, table)| (name, keys(table))).collect()
    })
}

fn keys(table: toml::Value) -> Vec<(String, String)> {
    let toml::Value::Table(table) = table else { return Vec::new() };
    let common = COMMON.iter().filter(|(key, _)| !table.contains_key(*key));
    let common: Vec<_> = common.map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    table.into_iter().map(|(key, value)| (key, value.to_string())).chain(common).collect()
}

/// Settings of the materials of a scene that name a preset, and of bodies and glue whose material is one. The scene's own keys
/// count before them.
pub(super) fn settings(root: &Spanned<DeValue>) -> Vec<Setting> {
    let root = root.get_ref();
    let materials = root.get("materials").and_then(|materials| materials.get_ref().as_table());
    let named = materials.into_iter().flatten().filter_map(|(name, material)| {
        let preset = material.get_ref().get("preset")?.get_ref().as_str()?;
        Some((name.get_ref().to_string(), preset.to_owned()))
    });
    let is_own = |name: &str| materials.is_some_and(|materials| materials.contains_key(name));
    let users = ["bodies", "glue"].into_iter().filter_map(|list| root.get(list)?.get_ref().as_array());
    let material =
        |user: &'_ DeValue| user.get("material").and_then(|material| material.get_ref().as_str().map(str::to_owned));
    let of_user = |user: &Spanned<DeValue>| {
        let mortar = user.get_ref().get("mortar").and_then(|mortar| material(mortar.get_ref()));
        [material(user.get_ref()), mortar]
    };
    let used = users.flat_map(|list| list.iter()).flat_map(of_user).flatten();
    let mut used: Vec<String> = used.filter(|name| !is_own(name)).collect();
    used.sort_unstable();
    used.dedup();
    let is_test = root.get("specimen").is_some();
    let all = named.chain(used.into_iter().map(|name| (name.clone(), name)));
    all.flat_map(|(name, preset)| {
        let found = material_presets().iter().find(|(known, _)| *known == preset);
        let shear = materials.and_then(|materials| materials.get(name.as_str())?.get_ref().get("shear_modulus"));
        let keys = found.into_iter().flat_map(|(_, keys)| keys).filter(move |(key, _)| {
            // either of the two says how it shears
            (key != "poisson_ratio" || shear.is_none()) && !(key == VIBRATION_DECAY && is_test)
        });
        let option = format!("preset = {preset:?} of material {name:?}");
        keys.map(|(key, value)| Setting {
            set: format!("materials.{name}.{key}={value}"),
            option: Some(option.clone()),
        })
        .collect::<Vec<_>>()
    })
    .collect()
}
