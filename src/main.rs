//! The command `bdem`; everything it does is in the library.

fn main() -> std::process::ExitCode {
    bdem::cli::main()
}
