use toml::Value;
use toml::de::{DeTable, DeValue};

use crate::error::JobError;

/// A key of the scene, and its values in a sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Varied {
    /// Key, as of `--set`: `materials.ceramic.tensile_strength`.
    pub key: String,
    /// Values as TOML, such as `3e6`, `"glass"` or `[0, 0, 0.1]`.
    pub values: Vec<String>,
}

/// Key of the seed.
pub(super) const SEED: &str = "scene.seed";

/// Limit on the runs of a sweep: their scenes are all checked before the first.
pub(super) const MOST_RUNS: usize = 100_000;

impl Varied {
    /// Key and values of a text `KEY=[A, B, ...]`, as of `bdem sweep --vary`. Values are kept as they are typed.
    ///
    /// # Errors
    /// When it is no key with a list.
    pub fn parse(text: &str) -> Result<Self, JobError> {
        let wrong = |why: &str| {
            let help = "give a key of the scene with a list of values, such as --vary 'materials.ceramic.tensile_strength=[2e6, 3e6]'; \
                        texts are in quotes";
            JobError::Usage(format!("--vary {text}: {why}\n  = help: {help}"))
        };
        let Some((key, list)) = text.split_once('=') else { return Err(wrong("expected KEY=[VALUE, ...]")) };
        let document = format!("value = {}", list.trim());
        let table =
            DeTable::parse(&document).map_err(|error| wrong(&format!("the list is not TOML: {}", error.message())))?;
        let list = match (table.get_ref().len(), table.get_ref().get("value").map(|value| value.get_ref())) {
            (1, Some(DeValue::Array(list))) => list,
            _ => return Err(wrong("expected one list of values after the key")),
        };
        let values = list.iter().map(|value| document[value.span()].to_owned()).collect();
        Ok(Self { key: key.trim().to_owned(), values })
    }

    /// Checks that there are a key and values, and that no value is there twice.
    pub(super) fn check(&self) -> Result<(), JobError> {
        let Self { key, values } = self;
        let wrong = |why: String, help: &str| Err(JobError::Usage(format!("--vary {key}: {why}\n  = help: {help}")));
        if key.split('.').any(|part| part.trim().is_empty()) {
            let help = "name a key of the scene, such as materials.ceramic.tensile_strength";
            return wrong("a key is empty".to_owned(), help);
        }
        if values.is_empty() {
            return wrong("the list is empty".to_owned(), "give a value for each run, or leave the key out");
        }
        let parsed: Vec<Value> = values.iter().map(|text| parse(text)).collect();
        for (k, value) in parsed.iter().enumerate() {
            if let Some(first) = parsed[..k].iter().position(|other| are_same(value, other)) {
                let (first, again) = (&values[first], &values[k]);
                let twice = if first == again {
                    format!("{first} is there twice")
                } else {
                    format!("{first} and {again} are the same")
                };
                return wrong(
                    twice,
                    "give each value once: one run of a scene is as another; --seeds repeats it with other seeds",
                );
            }
        }
        Ok(())
    }
}

/// Value of a TOML text. One that is no TOML is a text itself, as of `--set`.
pub(super) fn parse(text: &str) -> Value {
    let table: Option<toml::Table> = toml::from_str(&format!("value = {text}")).ok();
    let value = table.filter(|table| table.len() == 1).and_then(|mut table| table.remove("value"));
    value.unwrap_or_else(|| Value::String(text.to_owned()))
}

/// Whether two values are the same to a scene, to which 1 and 1.0 are.
fn are_same(a: &Value, b: &Value) -> bool {
    let number = |value: &Value| value.as_float().or_else(|| value.as_integer().map(|integer| integer as f64));
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| are_same(a, b)),
        (Value::Integer(a), Value::Integer(b)) => a == b,
        _ => match (number(a), number(b)) {
            (Some(a), Some(b)) => a == b || (a.is_nan() && b.is_nan()),
            _ => a == b,
        },
    }
}

/// Seeds of a text such as `1-6` or `1,4,7-9`.
///
/// # Errors
/// When it is no list of seeds, has one twice, or more than a sweep may have runs.
pub fn seeds(text: &str) -> Result<Vec<u64>, String> {
    const EXPECTED: &str = "expected seeds such as 1-6 or 1,4,7-9";
    let number = |word: &str| {
        let is_number = !word.is_empty() && word.bytes().all(|c| c.is_ascii_digit());
        // numbers of a scene are 64 bits with a sign
        word.parse::<u64>()
            .ok()
            .filter(|seed| is_number && i64::try_from(*seed).is_ok())
            .ok_or_else(|| EXPECTED.to_owned())
    };
    let mut seeds: Vec<u64> = Vec::new();
    for part in text.split(',').map(str::trim) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (number(first.trim())?, number(last.trim())?);
        if first > last {
            return Err(format!("{part} is no range: give the lower seed first"));
        }
        if last - first >= (MOST_RUNS - seeds.len()) as u64 {
            return Err(format!("there are more than {MOST_RUNS} seeds: give fewer"));
        }
        seeds.extend(first..=last);
    }
    let mut sorted = seeds.clone();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(format!("the seed {} is there twice: give each once", pair[0])),
        None => Ok(seeds),
    }
}
