//! Overrides of single values, as of `--set key.path=value`.

use std::borrow::Cow;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use super::check::nearest;

type Node<'i> = Spanned<DeValue<'i>>;

/// Value that replaces the scene's own.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// `key.path=value`.
    pub set: String,
    /// Option of the command line that gave it, as in `--frames 5`. None for `--set`.
    pub option: Option<String>,
}

impl Setting {
    /// Settings of these texts, each `key.path=value`.
    pub fn all(sets: &[String]) -> Vec<Self> {
        sets.iter().map(|set| Self { set: set.clone(), option: None }).collect()
    }
}

/// One override, and the byte range of its value behind the scene's text.
#[derive(Clone, Debug)]
pub(super) struct Override {
    given: String,
    option: Option<String>,
    start: usize,
    /// `value = ...` behind `start` blanks, so that the parser's positions need no offset.
    document: String,
}

const KEY: &str = "value = ";

/// Limit on the depth of keys: walking the tree takes as much stack.
const MAX_KEYS: usize = 16;

impl Override {
    pub(super) fn new(setting: &Setting, start: usize) -> Self {
        let Setting { set: given, option } = setting.clone();
        let value = given.split_once('=').map_or("", |(_, value)| value.trim());
        let document = " ".repeat(start) + KEY + value;
        Self { given, option, start, document }
    }

    /// Option of the command line that gave it, for errors.
    pub(super) fn place(&self) -> String {
        self.option.clone().unwrap_or_else(|| format!("--set {}", self.given))
    }

    pub(super) fn given(&self) -> &str {
        &self.given
    }

    pub(super) fn range(&self) -> Range<usize> {
        self.start..self.document.len() + 1
    }

    /// Set the value in the tree under `root`, and no key of a material that is not there. The error says why it cannot be.
    pub(super) fn apply<'i>(&'i self, root: &mut Node<'i>) -> Result<(), String> {
        let path = self.given.split_once('=').map_or("", |(path, _)| path);
        check_material(root.get_ref(), &path.split('.').map(str::trim).collect::<Vec<_>>())?;
        self.put(root)
    }

    /// Set the value in the tree under `root`.
    pub(super) fn put<'i>(&'i self, root: &mut Node<'i>) -> Result<(), String> {
        let (path, _) = self.given.split_once('=').ok_or("expected key.path=value")?;
        let keys: Vec<&str> = path.split('.').map(str::trim).collect();
        if keys.contains(&"") || keys.len() > MAX_KEYS {
            return Err(format!("expected key.path=value, with no key left empty and at most {MAX_KEYS} of them"));
        }
        *self.slot(root, &keys)? = self.value()?;
        Ok(())
    }

    /// Whether the tree under `root` has a value for its key.
    pub(super) fn is_given_in(&self, root: &Node) -> bool {
        let path = self.given.split_once('=').map_or("", |(path, _)| path);
        let mut keys = path.split('.');
        keys.try_fold(root, |node, key| node.get_ref().get(key)).is_some()
    }

    /// Value as TOML. A bare word that is not TOML is text.
    fn value(&self) -> Result<Node<'_>, String> {
        let word = &self.document[self.start + KEY.len()..];
        // names of files too
        let bare = |c: char| c.is_ascii_alphanumeric() || ['-', '_', '.', '/'].contains(&c);
        match DeTable::parse(&self.document).map(Spanned::into_inner) {
            Ok(mut table) if table.len() == 1 => table.remove("value").ok_or_else(|| "expected one value".to_owned()),
            Ok(_) => Err("expected one value".to_owned()),
            Err(_) if !word.is_empty() && word.chars().all(bare) => {
                Ok(Spanned::new(self.range(), DeValue::String(Cow::Borrowed(word))))
            }
            Err(error) => Err(format!("the value is not TOML: {}", error.message())),
        }
    }

    /// Node that `keys` lead to, created where it is missing.
    fn slot<'t, 'i>(&'i self, node: &'t mut Node<'i>, keys: &[&'i str]) -> Result<&'t mut Node<'i>, String> {
        let Some((&key, rest)) = keys.split_first() else { return Ok(node) };
        let empty = || Spanned::new(self.range(), DeValue::Table(DeTable::new()));
        if !node.get_ref().is_array() && !node.get_ref().is_table() {
            *node = empty();
        }
        let next = match node.get_mut() {
            DeValue::Array(items) => element(items, key)?,
            DeValue::Table(table) => table.entry(Spanned::new(self.range(), Cow::Borrowed(key))).or_insert_with(empty),
            _ => unreachable!("the node was made a table"),
        };
        self.slot(next, rest)
    }
}

/// Check that a key of a material does not begin a new one by a slip in the name of another.
fn check_material(root: &DeValue, keys: &[&str]) -> Result<(), String> {
    let ["materials", name, _, ..] = keys else { return Ok(()) };
    let Some(materials) = root.get("materials").and_then(|materials| materials.get_ref().as_table()) else {
        return Ok(());
    };
    let known: Vec<&str> = materials.keys().map(|known| &**known.get_ref()).collect();
    match nearest(name, known.iter().copied()).filter(|_| !known.contains(name)) {
        Some(meant) => Err(format!("there is no material {name:?}; did you mean {meant:?}?")),
        None => Ok(()),
    }
}

/// Element with an index, counted from 0, or with a `name`.
fn element<'t, 'i>(items: &'t mut DeArray<'i>, key: &str) -> Result<&'t mut Node<'i>, String> {
    let named = |item: &Node| item.get_ref().get("name").and_then(|name| name.get_ref().as_str()) == Some(key);
    let count = items.len();
    let index = key.parse().ok().or_else(|| items.iter().position(named));
    let missing = format!("there is no {key}: expected a name, or an index from 0 and below {count}");
    index.and_then(|i: usize| items.get_mut(i)).ok_or(missing)
}
