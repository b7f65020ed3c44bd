use std::f64::consts::FRAC_1_SQRT_2;

use bdem_core::geometry::{Pose, Vec3};
use bdem_run::mesh::Polygons;
use serde_json::{Value, json};

use super::data::Data;
use crate::clip::Clip;
use crate::formats::materials::{Materials, Part};
use crate::pieces::{VertexMesh, vertices};

/// Nodes of a file, with their meshes and animations. The first is the parent of all others.
#[derive(Default)]
pub(super) struct Nodes {
    pub nodes: Vec<Value>,
    pub meshes: Vec<Value>,
    pub channels: Vec<Value>,
    pub samplers: Vec<Value>,
    /// Accessor of the times.
    times: usize,
}

impl Nodes {
    /// Nodes of a clip, whose frames are at `times` (s of playback).
    pub(super) fn of(clip: &Clip, materials: &Materials, times: &[f64], data: &mut Data) -> Self {
        let seconds: Vec<[f32; 1]> = times.iter().map(|&time| [time as f32]).collect();
        let mut nodes = Self { times: data.samples(&seconds, true), nodes: vec![Value::Null], ..Self::default() };
        for k in 0..clip.motion.pieces.pieces.len() {
            nodes.add_piece(clip, materials, k, data);
        }
        let mut children: Vec<usize> = (1..nodes.nodes.len()).collect();
        if !clip.colliders.is_empty() {
            children.push(nodes.nodes.len());
            nodes.add_colliders(clip, materials, data);
        }
        nodes.nodes[0] = json!({ "name": clip.name });
        if !children.is_empty() {
            nodes.nodes[0]["children"] = json!(children);
        }
        if !clip.y_up {
            // y is up in glTF
            nodes.nodes[0]["rotation"] = json!([-FRAC_1_SQRT_2, 0.0, 0.0, FRAC_1_SQRT_2]);
        }
        nodes
    }

    /// Adds a piece, if it is shown in some frame.
    fn add_piece(&mut self, clip: &Clip, materials: &Materials, k: usize, data: &mut Data) {
        let shown = clip.shown(k);
        if !shown.is_empty() && !shown.contains(&true) {
            return;
        }
        let piece = clip.piece(k);
        let parts = materials.bodies[&piece.body].parts(&piece.mesh, piece.outside);
        let primitives = primitives(&piece.mesh, parts, &piece.centre, true, data);
        let extras = json!({
            "piece": piece.number,
            "particles": piece.particles.len(),
            "volume": piece.volume,
            "mass": clip.mass(piece),
            "freed_at": clip.freed(k).map_or(-1, i64::from),
        });
        let poses: Vec<Pose> = clip.samples().iter().map(|sample| clip.pose(sample, k)).collect();
        self.add(&clip.piece_name(piece), primitives, extras, &poses, data);
        self.show(&shown, data);
    }

    /// Adds the colliders by their names, under one node.
    fn add_colliders(&mut self, clip: &Clip, materials: &Materials, data: &mut Data) {
        let parent = self.nodes.len();
        self.nodes.push(Value::Null);
        for ((wall, materials), name) in clip.colliders.iter().zip(&materials.colliders).zip(clip.collider_names()) {
            let mesh = &wall.polygons;
            let primitives =
                primitives(mesh, materials.parts(mesh, mesh.sizes.len()), &Vec3::zeros(), mesh.has_uv, data);
            self.add(&name, primitives, json!({}), &clip.collider_poses(wall), data);
        }
        let children: Vec<usize> = (parent + 1..self.nodes.len()).collect();
        self.nodes[parent] = json!({ "name": "colliders", "children": children });
    }

    /// Shows the last node in some frames only: in others it has no size.
    fn show(&mut self, shown: &[bool], data: &mut Data) {
        if !shown.contains(&false) {
            return;
        }
        let scales: Vec<[f32; 3]> = shown.iter().map(|&is_shown| [f32::from(u8::from(is_shown)); 3]).collect();
        let node = self.nodes.len() - 1;
        self.nodes[node]["scale"] = json!(scales[0]);
        let output = data.samples(&scales, false);
        self.channel(node, "scale", output, "STEP");
    }

    fn channel(&mut self, node: usize, path: &str, output: usize, interpolation: &str) {
        self.samplers.push(json!({ "input": self.times, "output": output, "interpolation": interpolation }));
        let target = json!({ "node": node, "path": path });
        self.channels.push(json!({ "sampler": self.samplers.len() - 1, "target": target }));
    }

    /// Adds a node with its mesh, at the first pose, and its animation if it moves.
    fn add(&mut self, name: &str, primitives: Vec<Value>, extras: Value, poses: &[Pose], data: &mut Data) {
        self.meshes.push(json!({ "name": name, "primitives": primitives }));
        let rotation = |pose: &Pose| [pose.turn.i, pose.turn.j, pose.turn.k, pose.turn.w].map(|x| x as f32);
        let translation = |pose: &Pose| [pose.shift.x, pose.shift.y, pose.shift.z].map(|x| x as f32);
        let node = self.nodes.len();
        let first = poses.first().copied().unwrap_or_default();
        self.nodes.push(json!({
            "name": name,
            "mesh": self.meshes.len() - 1,
            "translation": translation(&first),
            "rotation": rotation(&first),
            "extras": extras,
        }));
        if poses.iter().all(|pose| *pose == first) {
            return;
        }
        let translations: Vec<[f32; 3]> = poses.iter().map(translation).collect();
        let rotations: Vec<[f32; 4]> = poses.iter().map(rotation).collect();
        let outputs =
            [("translation", data.samples(&translations, false)), ("rotation", data.samples(&rotations, false))];
        for (path, output) in outputs {
            self.channel(node, path, output, "LINEAR");
        }
    }
}

/// Primitives of the parts of a mesh, about `centre` (m).
fn primitives(mesh: &Polygons, parts: Vec<Part>, centre: &Vec3, has_uv: bool, data: &mut Data) -> Vec<Value> {
    let each = parts.into_iter();
    each.map(|part| primitive(&vertices(mesh, part.faces.into_iter(), centre), part.material, has_uv, data)).collect()
}

/// Primitive of triangles in a material.
fn primitive(mesh: &VertexMesh, material: usize, has_uv: bool, data: &mut Data) -> Value {
    let part = |from: usize| mesh.vertices.iter().map(move |v| [v[from], v[from + 1], v[from + 2]]);
    let positions: Vec<[f32; 3]> = part(0).collect();
    let normals: Vec<[f32; 3]> = part(3).collect();
    let mut attributes = json!({
        "POSITION": data.vertices(&positions, true),
        "NORMAL": data.vertices(&normals, false),
    });
    if has_uv {
        // the origin of pictures is their upper corner
        let uv: Vec<[f32; 2]> = mesh.vertices.iter().map(|v| [v[6], 1.0 - v[7]]).collect();
        attributes["TEXCOORD_0"] = json!(data.vertices(&uv, false));
    }
    json!({ "attributes": attributes, "indices": data.indices(&mesh.triangles), "material": material })
}
