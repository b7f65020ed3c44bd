use bdem_core::geometry::Vec3;
use ply_rs::ply::{
    Addable, ElementDef, Property, PropertyAccess, PropertyAccessResult, PropertyDef, PropertyType, ScalarType,
};

/// Number in a frame's binary form.
trait Scalar: Sized {
    const TYPE: ScalarType;
    fn float(self) -> Option<f32>;
    fn int(self) -> Option<i32>;
    fn from_property(property: &Property) -> Option<Self>;
}

impl Scalar for f32 {
    const TYPE: ScalarType = ScalarType::Float;

    fn float(self) -> Option<f32> {
        Some(self)
    }

    fn int(self) -> Option<i32> {
        None
    }

    fn from_property(property: &Property) -> Option<Self> {
        if let Property::Float(value) = property { Some(*value) } else { None }
    }
}

impl Scalar for i32 {
    const TYPE: ScalarType = ScalarType::Int;

    fn float(self) -> Option<f32> {
        None
    }

    fn int(self) -> Option<i32> {
        Some(self)
    }

    fn from_property(property: &Property) -> Option<Self> {
        if let Property::Int(value) = property { Some(*value) } else { None }
    }
}

/// Definition of a struct as an element of PLY files. Each field is the property of its name, in the order of the
/// fields.
macro_rules! element {
    ($(#[$about:meta])* struct $name:ident = $element:literal { $($(#[$note:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct $name {
            $($(#[$note])* pub $field: $type,)*
        }

        impl $name {
            /// Name in the header.
            pub(super) const NAME: &str = $element;
            /// Bytes of one element in the file.
            pub(super) const BYTES: usize = 0 $(+ size_of::<$type>())*;

            /// Header definition of `count` elements.
            pub(super) fn definition(count: usize) -> ElementDef {
                let mut element = ElementDef::new(Self::NAME.to_owned());
                element.count = count;
                $(
                    let scalar = PropertyType::Scalar(<$type as Scalar>::TYPE);
                    element.properties.add(PropertyDef::new(stringify!($field).to_owned(), scalar));
                )*
                element
            }
        }

        impl PropertyAccess for $name {
            fn new() -> Self {
                Self::default()
            }

            fn get_float(&self, name: &str) -> Option<f32> {
                match name {
                    $(stringify!($field) => self.$field.float(),)*
                    _ => None,
                }
            }

            fn get_int(&self, name: &str) -> Option<i32> {
                match name {
                    $(stringify!($field) => self.$field.int(),)*
                    _ => None,
                }
            }

            fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
                match name {
                    $(stringify!($field) => match Scalar::from_property(&property) {
                        Some(value) => self.$field = value,
                        None => return PropertyAccessResult::UnsupportedType,
                    },)*
                    _ => return PropertyAccessResult::Ignored,
                }
                PropertyAccessResult::Set
            }
        }
    };
}

element! {
    /// Particle of a frame, with the property names of other programs.
    struct Vertex = "vertex" {
        /// Position along x, m.
        x: f32,
        /// Position along y, m.
        y: f32,
        /// Position along z, m.
        z: f32,
        /// Velocity along x, m/s.
        vx: f32,
        /// Velocity along y, m/s.
        vy: f32,
        /// Velocity along z, m/s.
        vz: f32,
        /// Angular velocity about x in the world frame, rad/s.
        wx: f32,
        /// Angular velocity about y in the world frame, rad/s.
        wy: f32,
        /// Angular velocity about z in the world frame, rad/s.
        wz: f32,
        /// Orientation, x: a unit quaternion, body to world.
        orient_x: f32,
        /// Orientation, y.
        orient_y: f32,
        /// Orientation, z.
        orient_z: f32,
        /// Orientation, w: the real part.
        orient_w: f32,
        /// Radius, m.
        pscale: f32,
        /// Index of the particle. Exact below 2^24 in programs that read every property as a float.
        id: i32,
        /// Smallest id in the particle's piece.
        piece: i32,
        /// Broken share of the particle's first bonds.
        damage: f32,
        /// Largest sigma over the particle's bonds, Pa.
        stress: f32,
        /// Mean loss of stiffness of the particle's whole bonds: the property `softening` of frames whose bonds soften.
        softening: f32,
        /// Charge, C: the property `charge` of frames that have it.
        charge: f32,
    }
}

element! {
    /// Whole bond of a frame.
    struct Edge = "edge" {
        /// Index of its first particle.
        vertex1: i32,
        /// Index of its second particle.
        vertex2: i32,
    }
}

/// Properties that only some frames have: those of bonds that soften, and of charged particles.
pub(super) const OPTIONAL: [&str; 2] = ["softening", "charge"];

impl Vertex {
    /// Header definition of `count` particles, and bytes of one, with those of the [`OPTIONAL`] properties that it has.
    pub(super) fn layout(count: usize, has: [bool; 2]) -> (ElementDef, usize) {
        let (mut definition, mut bytes) = (Self::definition(count), Self::BYTES);
        for (name, _) in OPTIONAL.into_iter().zip(has).filter(|(_, has)| !has) {
            definition.properties.shift_remove(name);
            bytes -= size_of::<f32>();
        }
        (definition, bytes)
    }
}

impl Vertex {
    /// Position, m.
    pub fn place(&self) -> Vec3 {
        Vec3::new(self.x.into(), self.y.into(), self.z.into())
    }

    /// Velocity, m/s.
    pub fn velocity(&self) -> Vec3 {
        Vec3::new(self.vx.into(), self.vy.into(), self.vz.into())
    }
}
