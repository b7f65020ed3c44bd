//! Decay of the vibrations inside pieces within a block of steps: `decay.wgsl`.

use bdem_core::integrate::{BlockDecay, DecayingPiece};
use bytemuck::{Pod, Zeroable};

use crate::device::{Device, GROUP};

use super::layout::{Format, single};

/// Members of a piece that a workgroup has.
const MEMBERS: usize = 16 * GROUP;

/// `Chunk` of the shader.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Chunk {
    members: [u32; 2],
    chunks: [u32; 2],
    centre: [i32; 3],
    rate: f32,
    v: [f32; 3],
    begin: f32,
    w: [f32; 3],
    h: f32,
}

/// Decay in one block.
pub(super) struct Decay {
    /// Sums over chunks of pieces, and changes of velocities.
    pipelines: [wgpu::ComputePipeline; 2],
    /// Bindings of each, for each of both states.
    groups: [[wgpu::BindGroup; 2]; 2],
    chunks: usize,
    /// Numbers of steps before changes, ascending.
    changes: Vec<u32>,
}

/// Buffers of the steps' kernel that the decay reads and writes.
pub(super) struct Shared<'b> {
    pub poses: &'b [wgpu::Buffer; 2],
    pub motions: &'b [wgpu::Buffer; 2],
    pub works: &'b wgpu::Buffer,
    pub rests: &'b wgpu::Buffer,
}

/// Shaders of a decay.
pub(super) fn pipelines(device: &Device) -> [wgpu::ComputePipeline; 2] {
    let shader = [include_str!("../state.wgsl"), include_str!("../decay.wgsl")].join("\n");
    ["sum", "decay"].map(|entry| device.pipeline(&shader, entry))
}

impl Decay {
    /// Decay in a block whose positions have these times, s; none where nothing decays.
    pub(super) fn new(
        device: &Device,
        pipelines: &[wgpu::ComputePipeline; 2],
        format: &Format,
        times: &[f64],
        decay: &BlockDecay,
        shared: &Shared,
    ) -> Option<Self> {
        if decay.pieces.is_empty() {
            return None;
        }
        let mut chunks = Vec::new();
        decay.pieces.iter().fold(0, |first, piece| add_chunks(&mut chunks, first, piece, format, times[0]));
        let members: Vec<u32> = decay.pieces.iter().flat_map(|piece| piece.members.iter().copied()).collect();
        let mut spans: Vec<[f32; 2]> = times.iter().map(|time| [0.0, (time - times[0]) as f32]).collect();
        decay.changes.iter().for_each(|&(k, since)| spans[k as usize][0] = since as f32);
        let [all, members, spans] = [device.storage(&chunks), device.storage(&members), device.storage(&spans)];
        let sums = device.room(64 * chunks.len());
        let group = |k: usize, now: usize| {
            let (poses, motions) = (&shared.poses[now], &shared.motions[now]);
            let buffers = [&all, &members, poses, motions, shared.works, &spans, &sums, shared.rests];
            // sums change no velocities, and changes are not of bonds that break
            let unused = [7, 4][k];
            let own = (0..).zip(buffers).filter(|(at, _)| *at != unused);
            device.some_bindings(&pipelines[k], own)
        };
        let groups = [0, 1].map(|k| [0, 1].map(|now| group(k, now)));
        let changes = decay.changes.iter().map(|(step, _)| *step).collect();
        Some(Self { pipelines: pipelines.clone(), groups, chunks: chunks.len(), changes })
    }

    /// Changes the rests of velocities after `step` steps, if they are due. The state then is in buffer `now`.
    pub(super) fn apply(&self, device: &Device, pass: &mut wgpu::ComputePass, step: u32, now: usize) {
        if self.changes.binary_search(&step).is_err() {
            return;
        }
        for (pipeline, groups) in self.pipelines.iter().zip(&self.groups) {
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &groups[now], &[]);
            device.dispatch(pass, GROUP * self.chunks);
        }
    }
}

/// Adds the chunks of a piece, whose members begin at `first`, in a block that starts at a time, s. Returns the end of its members.
fn add_chunks(chunks: &mut Vec<Chunk>, first: usize, piece: &DecayingPiece, format: &Format, start: f64) -> usize {
    let DecayingPiece { members, body, rate, from } = piece;
    let own = [chunks.len(), chunks.len() + members.len().div_ceil(MEMBERS)].map(|at| at as u32);
    let end = first + members.len();
    chunks.extend((first..end).step_by(MEMBERS).map(|at| Chunk {
        members: [at, end.min(at + MEMBERS)].map(|at| at as u32),
        chunks: own,
        centre: format.units(&body.centre),
        rate: *rate as f32,
        v: single(body.velocity),
        begin: (from - start) as f32,
        w: single(body.spin),
        h: format.h as f32,
    }));
    end
}
