//! A second opinion on PLY: a parser of binary little-endian scalars that shares nothing with the library's.

/// A parsed file: the comments, and the elements in order.
pub(super) struct Ply {
    pub comments: Vec<String>,
    pub elements: Vec<Element>,
}

pub(super) struct Element {
    pub name: String,
    pub count: usize,
    /// Type, name and values (as their bits) of each property.
    pub properties: Vec<(String, String, Vec<[u8; 4]>)>,
}

impl Ply {
    pub(super) fn parse(bytes: &[u8]) -> Self {
        let end = b"end_header\n";
        let start = bytes.windows(end.len()).position(|w| w == end).expect("the header ends") + end.len();
        let header = std::str::from_utf8(&bytes[..start]).expect("the header is text");
        assert!(header.is_ascii(), "the header is ASCII");
        assert!(header.starts_with("ply\nformat binary_little_endian 1.0\n"), "{header}");
        let mut ply = Self { comments: Vec::new(), elements: Vec::new() };
        header.lines().skip(2).for_each(|line| ply.header_line(line));
        let rest = ply.elements.iter_mut().fold(&bytes[start..], |rest, element| element.fill(rest));
        assert!(rest.is_empty(), "nothing follows the last element");
        ply
    }

    fn header_line(&mut self, line: &str) {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["comment", ..] => self.comments.push(line["comment ".len()..].to_owned()),
            ["element", name, count] => self.elements.push(Element {
                name: name.to_owned(),
                count: count.parse().expect("a count"),
                properties: Vec::new(),
            }),
            ["property", kind, name] => {
                let element = self.elements.last_mut().expect("a property belongs to an element");
                element.properties.push((kind.to_owned(), name.to_owned(), Vec::new()));
            }
            ["end_header"] => {}
            _ => panic!("unknown line in the header: {line}"),
        }
    }
}

impl Element {
    fn fill<'a>(&mut self, mut bytes: &'a [u8]) -> &'a [u8] {
        for _ in 0..self.count {
            for (_, _, values) in &mut self.properties {
                let (value, rest) = bytes.split_first_chunk().expect("the file holds what its header promises");
                values.push(*value);
                bytes = rest;
            }
        }
        bytes
    }

    fn values(&self, kind: &str, name: &str) -> &[[u8; 4]] {
        let property = self.properties.iter().find(|p| p.1 == name).unwrap_or_else(|| panic!("no {name}"));
        assert_eq!(property.0, kind, "type of {name}");
        &property.2
    }

    pub(super) fn floats(&self, name: &str) -> Vec<f32> {
        self.values("float", name).iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
    }

    pub(super) fn ints(&self, name: &str) -> Vec<i32> {
        self.values("int", name).iter().map(|bytes| i32::from_le_bytes(*bytes)).collect()
    }
}
