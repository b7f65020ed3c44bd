use std::collections::HashSet;

use bdem_run::scene::Setting;
use toml::Value;

use super::Sweep;
use super::vary::{MOST_RUNS, SEED, Varied, parse};
use crate::error::JobError;

/// A run of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Name of its folder, which says the values: `tensile_strength=3e6_seed=1`.
    pub name: String,
    /// All values that it sets, those of the whole sweep first.
    pub settings: Vec<Setting>,
    /// Keys that vary, and their values as TOML.
    pub values: Vec<(String, String)>,
}

/// Most characters of a value, and of all values, in the name of a folder: names on disks have at most 255 bytes.
const MOST_OF_VALUE: usize = 40;
const MOST_OF_NAME: usize = 200;

/// A key that varies, with the words for the names of folders.
struct Axis {
    key: String,
    values: Vec<String>,
    option: &'static str,
    /// `tensile_strength=3e6` for each value.
    words: Vec<String>,
}

impl Sweep {
    /// All combinations of the values, in their order: the last key varies first, and seeds before all.
    ///
    /// # Errors
    /// When nothing varies, a key or a value is there twice, a list is empty, or there are more runs than can be checked.
    pub fn points(&self) -> Result<Vec<Point>, JobError> {
        let axes = self.axes()?;
        let count = axes.iter().try_fold(1_usize, |count, axis| count.checked_mul(axis.values.len()));
        let Some(count) = count.filter(|count| *count <= MOST_RUNS) else {
            let sizes: Vec<String> = axes.iter().map(|axis| axis.values.len().to_string()).collect();
            let message = format!("{} runs are more than {MOST_RUNS}: give fewer values", sizes.join(" x "));
            return Err(JobError::Usage(message));
        };
        Ok((0..count).map(|number| self.point(number, &axes)).collect())
    }

    /// Keys that vary, checked.
    fn axes(&self) -> Result<Vec<Axis>, JobError> {
        self.varied.iter().try_for_each(Varied::check)?;
        let seeds = Varied { key: SEED.to_owned(), values: self.seeds.iter().map(u64::to_string).collect() };
        let seeds = Some((seeds, "--seeds")).filter(|_| !self.seeds.is_empty());
        let all: Vec<(Varied, &str)> =
            self.varied.iter().map(|varied| (varied.clone(), "--vary")).chain(seeds).collect();
        if all.is_empty() {
            return Err(JobError::Usage("nothing varies: give --vary 'KEY=[VALUE, ...]' or --seeds 1-6".to_owned()));
        }
        let set = |setting: &Setting| setting.set.split_once('=').map_or("", |(key, _)| key).to_owned();
        let fixed = self.settings.iter().map(|setting| (set(setting), "--set or another option"));
        let options = fixed.chain(all.iter().map(|(varied, option)| (varied.key.clone(), *option)));
        let mut seen: Vec<(String, &str)> = Vec::new();
        for (key, option) in options {
            let key = key.split('.').map(str::trim).collect::<Vec<_>>().join(".");
            let earlier = seen.iter().find(|(other, _)| *other == key);
            if let Some((_, earlier)) =
                earlier.filter(|_| option.starts_with("--vary") || option.starts_with("--seeds"))
            {
                return Err(JobError::Usage(format!("{option} {key}: the key is in {earlier} too: give it once")));
            }
            seen.push((key, option));
        }
        let keys: Vec<String> = all.iter().map(|(varied, _)| varied.key.clone()).collect();
        let short = short_keys(&keys);
        let axis = |((Varied { key, values }, option), short): ((Varied, &'static str), String)| Axis {
            words: words(&short, &values),
            key,
            values,
            option,
        };
        Ok(all.into_iter().zip(short).map(axis).collect())
    }

    fn point(&self, number: usize, axes: &[Axis]) -> Point {
        let mut rest = number;
        let mut picked: Vec<(&Axis, usize)> = axes
            .iter()
            .rev()
            .map(|axis| {
                let k = rest % axis.values.len();
                rest /= axis.values.len();
                (axis, k)
            })
            .collect();
        picked.reverse();
        let words: Vec<&str> = picked.iter().map(|(axis, k)| axis.words[*k].as_str()).collect();
        let mut name = words.join("_");
        if name.len() > MOST_OF_NAME {
            name.truncate(MOST_OF_NAME);
            name += &format!("_run={number}");
        }
        let setting = |(axis, k): &(&Axis, usize)| {
            let set = format!("{}={}", axis.key, axis.values[*k]);
            Setting { option: Some(format!("{} {set}", axis.option)), set }
        };
        Point {
            name,
            settings: self.settings.iter().cloned().chain(picked.iter().map(setting)).collect(),
            values: picked.iter().map(|(axis, k)| (axis.key.clone(), axis.values[*k].clone())).collect(),
        }
    }
}

/// Last parts of keys, as few as tell them apart, for names of folders.
fn short_keys(keys: &[String]) -> Vec<String> {
    let last = |key: &str, parts: usize| {
        let all: Vec<&str> = key.split('.').map(str::trim).collect();
        safe(&all[all.len().saturating_sub(parts)..].join("."))
    };
    /// Keys have no more parts.
    const MOST_PARTS: usize = 17;
    let differ = |parts: &usize| {
        let names: HashSet<String> = keys.iter().map(|key| last(key, *parts).to_lowercase()).collect();
        names.len() == keys.len()
    };
    match (1..MOST_PARTS).find(differ) {
        Some(parts) => keys.iter().map(|key| last(key, parts)).collect(),
        None => (1..).zip(keys).map(|(k, key)| format!("{}-{k}", last(key, 1))).collect(),
    }
}

/// `KEY=VALUE` of each value for names of folders, all different, also where letters have no case.
fn words(key: &str, values: &[String]) -> Vec<String> {
    let words: Vec<String> = values.iter().map(|value| format!("{key}={}", safe(&plain(value)))).collect();
    let distinct: HashSet<String> = words.iter().map(|word| word.to_lowercase()).collect();
    if distinct.len() == words.len() {
        return words;
    }
    (1..).zip(words).map(|(k, word)| format!("{word}-{k}")).collect()
}

/// Text of a value: that within its quotes.
pub(super) fn plain(value: &str) -> String {
    match parse(value) {
        Value::String(text) => text,
        _ => value.to_owned(),
    }
}

/// Text with characters alone that file names have on every system. Cut where it is long.
fn safe(text: &str) -> String {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    let mut safe = String::new();
    for c in text.chars() {
        match is_safe(c) {
            true => safe.push(c),
            false if !safe.ends_with('_') => safe.push('_'),
            false => {}
        }
    }
    // a dot at the end of a name is lost on some systems
    let safe = safe.trim_matches(['_', '.']);
    safe[..safe.len().min(MOST_OF_VALUE)].trim_end_matches('.').to_owned()
}
