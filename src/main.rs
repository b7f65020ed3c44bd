//! The command `bdem`. Its code is in the library.

mod allocator;

#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator;

fn main() -> std::process::ExitCode {
    bdem::main()
}
