//! The page of a scene's keys.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::{Map, Value, json};

use crate::docs::cell;

const HEAD: &str = "# Scene keys

> Generated from the JSON Schema of scenes by `UPDATE=1 cargo test --release --test program docs::`. Do not edit.

Every key of a scene, with its type, range and default. [Scenes](scenes.md) explains how they fit together. A key
without a default is required, or optional where the column says so.
";

/// Of the file's tables, in the order in which a scene is written.
const TABLES: [&str; 18] = [
    "scene",
    "time",
    "materials",
    "bodies",
    "glue",
    "constraints",
    "winds",
    "charges",
    "external_charges",
    "external_fields",
    "field",
    "colliders",
    "camera",
    "contact",
    "fracture",
    "output",
    "specimen",
    "solver",
];

/// The form of names.
const NAME: &str = "^[A-Za-z0-9_-]+$";

pub(super) fn page() -> String {
    let schema = bdem_run::scene::schema();
    let mut writer = Writer { schema: &schema, page: HEAD.to_owned(), linked: Vec::new() };
    let tables = object(&schema, "properties");
    let listed: BTreeSet<_> = TABLES.into_iter().chain(["preset"]).collect();
    assert_eq!(listed, tables.keys().map(String::as_str).collect(), "tables of a scene, and of this page");
    writer.page += "\n## Above the first table\n\n| key | type | default | |\n|---|---|---|---|\n";
    writer.rows("", &json!({ "properties": { "preset": tables["preset"] } }));
    TABLES.iter().for_each(|&name| writer.table(name, &tables[name]));
    writer.page += "\n## Values\n\nKinds of values that keys above refer to.\n";
    let mut done = 0;
    while done < writer.linked.len() {
        let name = writer.linked[done].clone();
        writer.kind(&name);
        done += 1;
    }
    writer.page + &usual_ranges()
}

/// Table of the ranges outside of which values are warned of.
fn usual_ranges() -> String {
    let head = "\n## Usual ranges\n\nA value outside is most likely [a slip of units](scenes.md#slips-of-units), and is warned of. Zero is \
                usual everywhere. Vectors count with their lengths.\n\n| keys | from | to | unit |\n|---|---|---|---|\n";
    let row = |(keys, unit, [least, most]): (&[&str], &str, [f64; 2])| {
        let keys: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
        format!("| {} | {} | {} | {unit} |\n", keys.join(", "), number(least), number(most))
    };
    head.to_owned() + &bdem_run::scene::usual_ranges().map(row).collect::<String>()
}

fn number(x: f64) -> String {
    if x == 0.0 || (1e-4..1e5).contains(&x) { x.to_string() } else { format!("{x:e}") }
}

struct Writer<'a> {
    schema: &'a Value,
    page: String,
    /// Kinds of values that were referred to, in that order.
    linked: Vec<String>,
}

fn object<'a>(schema: &'a Value, key: &str) -> &'a Map<String, Value> {
    schema[key].as_object().unwrap_or_else(|| panic!("{key} of {schema}"))
}

fn description(schema: &Value) -> String {
    schema["description"].as_str().map(cell).unwrap_or_default()
}

/// A description without the table's name, which is the heading.
fn after_name(text: &str) -> String {
    let Some((_, rest)) = text.split_once("`: ").filter(|_| text.starts_with("`[")) else { return text.to_owned() };
    rest[..1].to_uppercase() + &rest[1..]
}

impl<'a> Writer<'a> {
    /// The kind that a schema refers to, alone or among others.
    fn reference(&self, schema: &Value) -> Option<String> {
        let direct = schema["$ref"].as_str();
        let among = || ["allOf", "anyOf"].iter().filter_map(|key| schema[key].as_array()).flatten();
        let name = direct.or_else(|| among().find_map(|one| one["$ref"].as_str()))?;
        Some(name.rsplit('/').next().expect("a name").to_owned())
    }

    fn definition(&self, name: &str) -> &'a Value {
        &self.schema["definitions"][name]
    }

    /// What a schema says, or the kind that it refers to.
    fn resolved<'b>(&self, schema: &'b Value) -> &'b Value
    where
        'a: 'b,
    {
        self.reference(schema).map_or(schema, |name| self.definition(&name))
    }

    /// A table of the file, and those within it.
    fn table(&mut self, name: &str, schema: &Value) {
        let (heading, inner) = match (schema["type"].as_str(), &schema["additionalProperties"]) {
            (Some("array"), _) => (format!("[[{name}]]"), &schema["items"]),
            (Some("object"), inner) if inner.is_object() => (format!("[{name}.NAME]"), inner),
            _ => (format!("[{name}]"), schema),
        };
        let inner = self.resolved(inner).clone();
        let text = [description(schema), description(&inner)].into_iter().find(|text| !text.is_empty());
        write!(self.page, "\n## `{heading}`\n\n{}\n\n", after_name(&text.unwrap_or_default())).expect("space");
        self.page += "| key | type | default | |\n|---|---|---|---|\n";
        let nested = self.rows("", &inner);
        for (key, schema) in nested {
            self.table(&format!("{name}.{key}"), &schema);
        }
    }

    /// Rows of an object's keys, whose names begin with `prefix`; returns those that are tables of the file.
    fn rows(&mut self, prefix: &str, schema: &Value) -> Vec<(String, Value)> {
        let required: BTreeSet<_> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let mut nested = Vec::new();
        let (first, rest): (Vec<_>, Vec<_>) =
            object(schema, "properties").iter().partition(|(key, _)| required.contains(key.as_str()));
        for (key, value) in first.into_iter().chain(rest) {
            let inner = self.resolved(value);
            if prefix.is_empty() && inner["properties"].is_object() && inner["required"].is_null() {
                nested.push((key.clone(), value.clone()));
                continue;
            }
            let default = match value.get("default") {
                _ if required.contains(key.as_str()) => "required".to_owned(),
                // JSON has no infinity
                Some(Value::Null) => "`inf`".to_owned(),
                None => "optional".to_owned(),
                Some(default) => format!("`{}`", toml(default)),
            };
            let text = match description(value) {
                text if text.is_empty() => description(self.resolved(value)),
                text => text,
            };
            let kind = self.kind_of(value);
            writeln!(self.page, "| `{prefix}{key}` | {kind} | {default} | {text} |").expect("space");
        }
        nested
    }

    /// A kind of value: an object's keys, or one of several forms.
    fn kind(&mut self, name: &str) {
        let schema = self.definition(name);
        write!(self.page, "\n### {name}\n\n{}\n\n", description(schema)).expect("space");
        self.page += "| key | type | default | |\n|---|---|---|---|\n";
        let forms: Vec<_> = ["oneOf", "anyOf"].iter().filter_map(|key| schema[key].as_array()).flatten().collect();
        if schema["properties"].is_object() {
            self.rows("", schema);
        } else if forms.is_empty() {
            self.form(schema);
        } else {
            forms.into_iter().for_each(|form| self.form(form));
        }
    }

    /// One of several forms: a name, a table of one key, or a plain value.
    fn form(&mut self, form: &Value) {
        let text = description(form);
        if !form["properties"].is_object() {
            let kind = self.kind_of(form);
            writeln!(self.page, "| {kind} | | | {text} |").expect("space");
            return;
        }
        for (key, value) in object(form, "properties") {
            let inner = self.resolved(value).clone();
            let text = if text.is_empty() { description(&inner) } else { text.clone() };
            let has_keys = inner["properties"].is_object();
            let kind = if has_keys { "table".to_owned() } else { self.kind_of(value) };
            writeln!(self.page, "| `{key}` | {kind} | | {text} |").expect("space");
            if has_keys {
                self.rows(&format!("{key}."), &inner);
            }
        }
    }

    /// The type of a value in words, with its range.
    fn kind_of(&mut self, schema: &Value) -> String {
        if let Some(name) = self.reference(schema) {
            if !self.linked.contains(&name) {
                self.linked.push(name.clone());
            }
            return format!("[{name}](#{})", name.to_lowercase());
        }
        let quoted = |value: &Value| format!("`{value}`");
        if let Some(one) = schema.get("const") {
            return quoted(one);
        }
        if let Some(several) = schema["enum"].as_array() {
            return several.iter().map(quoted).collect::<Vec<_>>().join(", ");
        }
        let names = match &schema["type"] {
            Value::Array(names) => names.iter().filter_map(Value::as_str).find(|&name| name != "null"),
            name => name.as_str(),
        };
        match names {
            Some("boolean") => "true, false".to_owned(),
            Some("string") => if schema["pattern"] == NAME { "name" } else { "text" }.to_owned(),
            Some("array") => self.list(schema),
            Some("object") => "table".to_owned(),
            Some("integer") => format!("whole number{}", range(schema)),
            Some("number") => format!("number{}", range(schema)),
            other => panic!("{other:?}: {schema}"),
        }
    }

    fn list(&mut self, schema: &Value) -> String {
        let [least, most] = ["minItems", "maxItems"].map(|key| schema[key].as_u64());
        let items = &schema["items"];
        match (least, most) {
            (Some(3), Some(3)) if items["type"] == "number" => format!("[x, y, z]{}", range(items)),
            (Some(2), Some(2)) if items["type"] == "number" => format!("[a, b]{}", range(items)),
            (least, _) => {
                let least = least.filter(|&n| n > 1).map(|n| format!(", {n} or more")).unwrap_or_default();
                format!("list of {}{least}", self.kind_of(items))
            }
        }
    }
}

/// The range of a number.
fn range(schema: &Value) -> String {
    let bound = |key: &str, sign: &str| schema[key].as_f64().map(|value| format!("{sign} {value}"));
    let low = bound("minimum", "≥").or_else(|| bound("exclusiveMinimum", ">"));
    let high = bound("maximum", "≤").or_else(|| bound("exclusiveMaximum", "&lt;"));
    let bounds: Vec<_> = low.into_iter().chain(high).collect();
    if bounds.is_empty() { String::new() } else { format!(" {}", bounds.join(", ")) }
}

/// A value as it is written in a scene.
fn toml(value: &Value) -> String {
    match value {
        Value::Object(keys) => {
            let keys: Vec<_> = keys.iter().map(|(key, value)| format!("{key} = {}", toml(value))).collect();
            format!("{{ {} }}", keys.join(", "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(toml).collect::<Vec<_>>().join(", ")),
        Value::Number(number) => number.as_f64().map_or_else(|| number.to_string(), |value| value.to_string()),
        Value::Null => "none".to_owned(),
        other => other.to_string(),
    }
}
