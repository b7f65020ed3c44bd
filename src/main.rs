//! The command `bdem`. Its code is in the library.

fn main() -> std::process::ExitCode {
    bdem::main()
}
