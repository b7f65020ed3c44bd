//! A graphics card: its device, buffers and pipelines.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Instant;

use bytemuck::Pod;
use thiserror::Error;
use wgpu::util::{BufferInitDescriptor, DeviceExt};

/// Reason that there is no device.
#[derive(Debug, Error)]
pub enum DeviceError {
    /// No graphics card.
    #[error("no graphics card has a driver here; found: {0}")]
    NoCard(String),
    /// No device of this name.
    #[error("no device is called `{wanted}`; found: {found}")]
    NotFound {
        /// Name that was asked for.
        wanted: String,
        /// Those that there are.
        found: String,
    },
    /// No 64-bit integers.
    #[error("`{0}` has no 64-bit integers in shaders, which rest vectors are rotated with")]
    NoLongIntegers(String),
    /// The driver gives no device.
    #[error("the driver of `{name}` gives no device: {why}")]
    NoDevice {
        /// Name of the card.
        name: String,
        /// The driver's reason.
        #[source]
        why: wgpu::RequestDeviceError,
    },
}

/// Threads of a workgroup of the shaders, and most workgroups along an axis.
pub(crate) const GROUP: usize = 64;
const MAX_GROUPS: usize = 65535;

/// Least size of a buffer in bytes, above that of any entry.
const LEAST: usize = 256;

/// Choice of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The first graphics card: of its own, then in the processor.
    Card,
    /// The first one whose name has this part, in any case of letters.
    Named(String),
}

/// Graphics card, or a driver that takes the processor for one.
#[derive(Clone, Debug)]
pub struct Found {
    adapter: wgpu::Adapter,
    info: wgpu::AdapterInfo,
}

impl Found {
    /// All of the system, those of [`Choice::Card`] first.
    pub fn all() -> Vec<Self> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
        let mut all: Vec<Self> =
            adapters.into_iter().map(|adapter| Self { info: adapter.get_info(), adapter }).collect();
        all.sort_by_key(|found| CARDS.iter().position(|kind| *kind == found.info.device_type).unwrap_or(CARDS.len()));
        all
    }

    /// Name of the device, its interface and driver.
    pub fn name(&self) -> String {
        let wgpu::AdapterInfo { name, backend, driver_info, .. } = &self.info;
        format!("{name} ({backend:?}, {driver_info})")
    }

    /// Whether it is a graphics card.
    pub fn is_card(&self) -> bool {
        CARDS.contains(&self.info.device_type)
    }

    /// Greatest size of a buffer, bytes.
    pub fn largest_buffer(&self) -> u64 {
        self.adapter.limits().max_storage_buffer_binding_size
    }

    /// Whether it has what steps need.
    pub fn is_fit(&self) -> bool {
        self.adapter.features().contains(FEATURES)
    }
}

/// Kinds of graphics cards, the fastest first.
const CARDS: [wgpu::DeviceType; 3] =
    [wgpu::DeviceType::DiscreteGpu, wgpu::DeviceType::VirtualGpu, wgpu::DeviceType::IntegratedGpu];

const FEATURES: wgpu::Features = wgpu::Features::SHADER_INT64;

/// Device that is open.
#[derive(Clone, Debug)]
pub struct Device {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    name: String,
}

thread_local! {
    /// First error of a driver in a call of this thread: runs side by side share a device.
    static FAULT: Cell<Option<String>> = const { Cell::new(None) };
}

impl Device {
    /// The device of a choice.
    pub fn open(choice: &Choice) -> Result<Self, DeviceError> {
        let all = Found::all();
        let is_chosen = |found: &&Found| match choice {
            Choice::Card => found.is_card(),
            Choice::Named(name) => found.name().to_lowercase().contains(&name.to_lowercase()),
        };
        match all.iter().find(is_chosen) {
            Some(found) => Self::of(found),
            None => {
                let found = if all.is_empty() { "none".to_owned() } else { names(&all) };
                Err(match choice {
                    Choice::Card => DeviceError::NoCard(found),
                    Choice::Named(wanted) => DeviceError::NotFound { wanted: wanted.clone(), found },
                })
            }
        }
    }

    fn of(found: &Found) -> Result<Self, DeviceError> {
        let name = found.name();
        if !found.is_fit() {
            return Err(DeviceError::NoLongIntegers(name));
        }
        let descriptor = wgpu::DeviceDescriptor {
            // slots of a million particles exceed the default size of a binding
            required_limits: found.adapter.limits(),
            required_features: FEATURES,
            ..Default::default()
        };
        match pollster::block_on(found.adapter.request_device(&descriptor)) {
            Ok((device, queue)) => {
                let note = |error: wgpu::Error| FAULT.set(FAULT.take().or_else(|| Some(error.to_string())));
                device.on_uncaptured_error(Arc::new(note));
                Ok(Self { device, queue, name })
            }
            Err(why) => Err(DeviceError::NoDevice { name, why }),
        }
    }

    /// Name of the card, its interface and driver.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Greatest size of a buffer, bytes.
    pub fn largest_buffer(&self) -> u64 {
        let limits = self.device.limits();
        limits.max_storage_buffer_binding_size.min(limits.max_buffer_size)
    }

    /// First error of the driver on this thread since the last call: too little memory, or a card that is gone.
    pub(crate) fn take_fault() -> Option<String> {
        FAULT.take()
    }

    /// Memory that its buffers take, bytes; zero where the driver does not tell.
    pub fn bytes(&self) -> u64 {
        self.device.generate_allocator_report().map_or(0, |report| report.total_allocated_bytes)
    }

    /// Bytes read and written a second by copies within its memory.
    pub fn copy_bandwidth(&self) -> f64 {
        const BYTES: u64 = 1 << 27;
        const COPIES: u32 = 32;
        let usage = wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        let buffer = || {
            let descriptor = wgpu::BufferDescriptor { label: None, size: BYTES, usage, mapped_at_creation: false };
            self.device.create_buffer(&descriptor)
        };
        let (from, to) = (buffer(), buffer());
        let copy = |times: u32| {
            let mut encoder = self.device.create_command_encoder(&Default::default());
            (0..times).for_each(|_| encoder.copy_buffer_to_buffer(&from, 0, &to, 0, BYTES));
            let start = Instant::now();
            self.queue.submit([encoder.finish()]);
            self.wait();
            start.elapsed().as_secs_f64()
        };
        // the first copy touches the memory
        copy(1);
        2.0 * BYTES as f64 * f64::from(COPIES) / copy(COPIES)
    }

    pub(crate) fn storage<T: Pod>(&self, contents: &[T]) -> wgpu::Buffer {
        use wgpu::BufferUsages as Usage;
        self.buffer(contents, Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST)
    }

    pub(crate) fn uniform<T: Pod>(&self, contents: &T) -> wgpu::Buffer {
        self.buffer(std::slice::from_ref(contents), wgpu::BufferUsages::UNIFORM)
    }

    /// Buffer of zeros.
    pub(crate) fn room(&self, bytes: usize) -> wgpu::Buffer {
        use wgpu::BufferUsages as Usage;
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: bytes.max(LEAST) as u64,
            usage: Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST,
            mapped_at_creation: false,
        })
    }

    /// Sets the beginning of a buffer.
    pub(crate) fn write<T: Pod>(&self, to: &wgpu::Buffer, contents: &[T]) {
        self.queue.write_buffer(to, 0, bytemuck::cast_slice(contents));
    }

    /// Sets a buffer to zero.
    pub(crate) fn clear(&self, buffer: &wgpu::Buffer) {
        let mut encoder = self.device.create_command_encoder(&Default::default());
        encoder.clear_buffer(buffer, 0, None);
        self.queue.submit([encoder.finish()]);
    }

    fn buffer<T: Pod>(&self, contents: &[T], usage: wgpu::BufferUsages) -> wgpu::Buffer {
        // no binding is of an empty array
        let contents = if contents.is_empty() { &[0; LEAST] } else { bytemuck::cast_slice(contents) };
        self.device.create_buffer_init(&BufferInitDescriptor { label: None, contents, usage })
    }

    pub(crate) fn pipeline(&self, shader: &str, entry_point: &str) -> wgpu::ComputePipeline {
        let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(shader.into()),
        });
        self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: Some(entry_point),
            compilation_options: Default::default(),
            cache: None,
        })
    }

    /// Bindings of a pipeline's first group, in their order.
    pub(crate) fn bindings(&self, pipeline: &wgpu::ComputePipeline, buffers: &[&wgpu::Buffer]) -> wgpu::BindGroup {
        self.some_bindings(pipeline, (0..).zip(buffers.iter().copied()))
    }

    /// Bindings by their numbers, of a pipeline that has these alone.
    pub(crate) fn some_bindings<'b>(
        &self,
        pipeline: &wgpu::ComputePipeline,
        buffers: impl Iterator<Item = (u32, &'b wgpu::Buffer)>,
    ) -> wgpu::BindGroup {
        let entry = |(binding, buffer): (u32, &'b wgpu::Buffer)| wgpu::BindGroupEntry {
            binding,
            resource: buffer.as_entire_binding(),
        };
        let entries: Vec<_> = buffers.map(entry).collect();
        let layout = &pipeline.get_bind_group_layout(0);
        self.device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
    }

    /// Dispatches workgroups of 64 threads.
    pub(crate) fn dispatch(&self, pass: &mut wgpu::ComputePass, threads: usize) {
        let groups = threads.div_ceil(GROUP);
        let rows = groups.div_ceil(MAX_GROUPS).max(1);
        pass.dispatch_workgroups(groups.div_ceil(rows) as u32, rows as u32, 1);
    }

    /// Contents of a buffer.
    pub(crate) fn read<T: Pod>(&self, from: &wgpu::Buffer) -> Vec<T> {
        self.read_first(from, from.size() as usize / size_of::<T>())
    }

    /// Its first `count` entries.
    pub(crate) fn read_first<T: Pod>(&self, from: &wgpu::Buffer, count: usize) -> Vec<T> {
        let size = (count * size_of::<T>()) as u64;
        let to = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = self.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(from, 0, &to, 0, size);
        self.queue.submit([encoder.finish()]);
        to.map_async(wgpu::MapMode::Read, .., |result| result.expect("the buffer is not mapped"));
        self.wait();
        let view = to.get_mapped_range(..).expect("the buffer is mapped");
        bytemuck::pod_collect_to_vec(&view[..])
    }

    /// Waits until all that was submitted is done.
    pub(crate) fn wait(&self) {
        self.device.poll(wgpu::PollType::wait_indefinitely()).expect("the device is not lost");
    }
}

fn names(all: &[Found]) -> String {
    all.iter().map(Found::name).collect::<Vec<_>>().join("; ")
}

/// Copies of buffers, to go back to.
pub(crate) struct Saved {
    /// Each buffer, and its copy.
    buffers: Vec<[wgpu::Buffer; 2]>,
}

impl Saved {
    /// Room for copies of these buffers.
    pub(crate) fn new<'b>(device: &Device, buffers: impl Iterator<Item = &'b wgpu::Buffer>) -> Self {
        Self { buffers: buffers.map(|of| [of.clone(), device.room(of.size() as usize)]).collect() }
    }

    /// Makes the copies.
    pub(crate) fn save(&self, device: &Device) {
        self.copy(device, |[of, copy]| [of, copy]);
    }

    /// Sets the buffers to their copies.
    pub(crate) fn restore(&self, device: &Device) {
        self.copy(device, |[of, copy]| [copy, of]);
    }

    fn copy(&self, device: &Device, ends: impl Fn(&[wgpu::Buffer; 2]) -> [&wgpu::Buffer; 2]) {
        let mut encoder = device.device.create_command_encoder(&Default::default());
        for both in &self.buffers {
            let [from, to] = ends(both);
            encoder.copy_buffer_to_buffer(from, 0, to, 0, from.size());
        }
        device.queue.submit([encoder.finish()]);
    }
}
