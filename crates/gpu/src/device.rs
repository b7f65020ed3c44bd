//! A graphics card: its device, buffers and pipelines.

use bytemuck::Pod;
use thiserror::Error;
use wgpu::util::{BufferInitDescriptor, DeviceExt};

/// Reason that there is no device.
#[derive(Debug, Error)]
pub enum DeviceError {
    /// No adapter.
    #[error("no graphics card with a Vulkan driver: {0}")]
    NoAdapter(#[from] wgpu::RequestAdapterError),
    /// No 64-bit integers.
    #[error("the graphics card `{0}` has no 64-bit integers in shaders, which rest vectors are rotated with")]
    NoLongIntegers(String),
    /// The driver gives no device.
    #[error("the graphics card `{name}` gives no device: {why}")]
    NoDevice {
        /// Name of the card.
        name: String,
        /// The driver's reason.
        #[source]
        why: wgpu::RequestDeviceError,
    },
}

/// Least size of a buffer in bytes, above that of any entry.
const LEAST: usize = 256;

/// Device of a graphics card.
#[derive(Clone)]
pub struct Device {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    name: String,
}

impl Device {
    /// The system's first one.
    pub fn new() -> Result<Self, DeviceError> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))?;
        let info = adapter.get_info();
        let name = format!("{} ({:?}, {})", info.name, info.backend, info.driver_info);
        if !adapter.features().contains(wgpu::Features::SHADER_INT64) {
            return Err(DeviceError::NoLongIntegers(name));
        }
        let descriptor = wgpu::DeviceDescriptor {
            // slots of a million particles exceed the default size of a binding
            required_limits: adapter.limits(),
            required_features: wgpu::Features::SHADER_INT64,
            ..Default::default()
        };
        match pollster::block_on(adapter.request_device(&descriptor)) {
            Ok((device, queue)) => Ok(Self { device, queue, name }),
            Err(why) => Err(DeviceError::NoDevice { name, why }),
        }
    }

    /// Name of the card, its interface and driver.
    pub fn name(&self) -> &str {
        &self.name
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
        let entries: Vec<_> = (0..)
            .zip(buffers)
            .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
            .collect();
        let layout = &pipeline.get_bind_group_layout(0);
        self.device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
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
