//! Values of several forms in a scene: a number, a text, or a table. An implementation of `Deserialize` calls [`deserialize`].

use std::fmt;
use std::marker::PhantomData;

use serde::Deserializer;
use serde::de::{Error, MapAccess, SeqAccess, Unexpected, Visitor};

/// Forms of a value. Each is refused unless its function says otherwise.
pub trait Forms: Sized {
    /// All forms, as in "expected a name or a table with one key".
    const EXPECTED: &'static str;

    /// Value of a whole number.
    ///
    /// # Errors
    /// As the other forms: where there is no such value.
    fn of_integer<E: Error>(number: i64) -> Result<Self, E> {
        Err(E::invalid_type(Unexpected::Signed(number), &Self::EXPECTED))
    }

    /// Value of another number.
    ///
    /// # Errors
    /// See [`Self::of_integer`].
    fn of_number<E: Error>(number: f64) -> Result<Self, E> {
        Err(E::invalid_type(Unexpected::Float(number), &Self::EXPECTED))
    }

    /// Value of a text.
    ///
    /// # Errors
    /// See [`Self::of_integer`].
    fn of_text<E: Error>(text: &str) -> Result<Self, E> {
        Err(E::invalid_type(Unexpected::Str(text), &Self::EXPECTED))
    }

    /// Value of `true` or `false`.
    ///
    /// # Errors
    /// See [`Self::of_integer`].
    fn of_bool<E: Error>(value: bool) -> Result<Self, E> {
        Err(E::invalid_type(Unexpected::Bool(value), &Self::EXPECTED))
    }

    /// Value of a list.
    ///
    /// # Errors
    /// See [`Self::of_integer`].
    fn of_list<'de, L: SeqAccess<'de>>(_: L) -> Result<Self, L::Error> {
        Err(L::Error::invalid_type(Unexpected::Seq, &Self::EXPECTED))
    }

    /// Value of a table.
    ///
    /// # Errors
    /// See [`Self::of_integer`].
    fn of_table<'de, M: MapAccess<'de>>(_: M) -> Result<Self, M::Error> {
        Err(M::Error::invalid_type(Unexpected::Map, &Self::EXPECTED))
    }
}

/// Value in whichever form it has.
///
/// # Errors
/// Where the form is refused.
pub fn deserialize<'de, T: Forms, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_any(FormVisitor(PhantomData))
}

struct FormVisitor<T>(PhantomData<T>);

impl<'de, T: Forms> Visitor<'de> for FormVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        T::of_integer(number)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<T, E> {
        T::of_number(number)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        T::of_text(text)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<T, E> {
        T::of_bool(value)
    }

    fn visit_seq<L: SeqAccess<'de>>(self, list: L) -> Result<T, L::Error> {
        T::of_list(list)
    }

    fn visit_map<M: MapAccess<'de>>(self, table: M) -> Result<T, M::Error> {
        T::of_table(table)
    }
}

/// Plain names added to the schema of an enum, for variants whose keys all have defaults.
#[cfg(feature = "schema")]
pub fn allow_names(schema: &mut schemars::Schema, names: &[&str]) {
    let names = schemars::json_schema!({ "description": "With every key at its default.", "enum": names });
    let forms = schema.get_mut("oneOf").and_then(|forms| forms.as_array_mut());
    forms.expect("it is one of several").push(names.into());
}
