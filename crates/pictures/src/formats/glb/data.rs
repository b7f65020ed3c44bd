use serde_json::{Value, json};

/// Binary part of a file, with what describes it.
#[derive(Default)]
pub(super) struct Data {
    /// Bytes. All values have four.
    pub bytes: Vec<u8>,
    /// Views: ranges of the bytes.
    pub views: Vec<Value>,
    /// Accessors: types of the views' values.
    pub accessors: Vec<Value>,
}

/// Use of a view on a graphics card.
const VERTICES: u32 = 34962;
const INDICES: u32 = 34963;

impl Data {
    /// Adds vectors of vertices, with bounds if they are positions. Returns their accessor.
    pub(super) fn vertices<const N: usize>(&mut self, values: &[[f32; N]], has_bounds: bool) -> usize {
        self.vectors(values, Some(VERTICES), has_bounds)
    }

    /// Adds vectors of an animation, with bounds if they are times. Returns their accessor.
    pub(super) fn samples<const N: usize>(&mut self, values: &[[f32; N]], has_bounds: bool) -> usize {
        self.vectors(values, None, has_bounds)
    }

    /// Adds indices of triangles. Returns their accessor.
    pub(super) fn indices(&mut self, triangles: &[[u32; 3]]) -> usize {
        let bytes = triangles.as_flattened().iter().flat_map(|index| index.to_le_bytes());
        let view = self.view(bytes, Some(INDICES));
        let count = 3 * triangles.len();
        self.accessor(json!({ "bufferView": view, "componentType": 5125, "count": count, "type": "SCALAR" }))
    }

    fn vectors<const N: usize>(&mut self, values: &[[f32; N]], target: Option<u32>, has_bounds: bool) -> usize {
        let bytes = values.as_flattened().iter().flat_map(|x| x.to_le_bytes());
        let view = self.view(bytes, target);
        let kind = ["SCALAR", "VEC2", "VEC3", "VEC4"][N - 1];
        let mut accessor = json!({ "bufferView": view, "componentType": 5126, "count": values.len(), "type": kind });
        if has_bounds {
            let bound = |start: f32, pick: fn(f32, f32) -> f32| -> Vec<f32> {
                (0..N).map(|k| values.iter().map(|value| value[k]).fold(start, pick)).collect()
            };
            accessor["min"] = json!(bound(f32::INFINITY, f32::min));
            accessor["max"] = json!(bound(f32::NEG_INFINITY, f32::max));
        }
        self.accessor(accessor)
    }

    fn view(&mut self, bytes: impl Iterator<Item = u8>, target: Option<u32>) -> usize {
        let start = self.bytes.len();
        self.bytes.extend(bytes);
        let mut view = json!({ "buffer": 0, "byteOffset": start, "byteLength": self.bytes.len() - start });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.views.push(view);
        self.views.len() - 1
    }

    fn accessor(&mut self, accessor: Value) -> usize {
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }
}
