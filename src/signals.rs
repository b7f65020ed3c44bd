use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::Duration;

use bdem_core::interrupt::Interrupt;
use bdem_run::output::remove_unfinished;
use bdem_run::run::LogOptions;
#[cfg(target_os = "linux")]
use signal_hook::consts::SIGHUP;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::{flag, low_level};

use super::CliError;

/// Request to stop the runs of this process, by its signals.
pub(super) static INTERRUPT: LazyLock<Interrupt> = LazyLock::new(Interrupt::default);

/// Interval of the checks for a signal, s.
const INTERVAL: Duration = Duration::from_millis(50);

/// Time within which another signal is the same request: `timeout` and schedulers signal a process and then its group.
const SAME: Duration = Duration::from_millis(500);

/// Signals that ask a process to end.
fn asking() -> Vec<i32> {
    let signals = vec![SIGINT, SIGTERM];
    #[cfg(target_os = "linux")]
    let signals = if is_ignored(SIGHUP) { signals } else { [signals, vec![SIGHUP]].concat() };
    signals
}

/// Whether a signal has been ignored since the start of the process, as SIGHUP by `nohup`.
#[cfg(target_os = "linux")]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    // signals count from one
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Handler of SIGINT, SIGTERM and SIGHUP, on a thread of its own. A run in progress writes a checkpoint and ends. Other
/// commands end at once, and leave whole files only. A second signal ends any process at once, but for one that comes right
/// after the first. SIGXFSZ is caught, so that files beyond the limit are errors of output.
pub(super) fn listen(log: LogOptions) -> Result<(), CliError> {
    let failed = |e| CliError { code: 5, message: format!("cannot listen to signals: {e}") };
    let came = Arc::new(AtomicUsize::new(0));
    let before = Arc::new(AtomicBool::new(false));
    for signal in asking() {
        flag::register_usize(signal, Arc::clone(&came), signal as usize).map_err(failed)?;
        flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&before)).map_err(failed)?;
    }
    // a write beyond the limit on files (ulimit -f) then fails, as on a full disk, and does not end the process
    #[cfg(unix)]
    flag::register(signal_hook::consts::SIGXFSZ, Arc::default()).map_err(failed)?;
    let watch = move || {
        loop {
            match came.load(Ordering::Relaxed) as i32 {
                0 => thread::sleep(INTERVAL),
                signal if INTERRUPT.request(signal) => {
                    thread::sleep(SAME);
                    return before.store(true, Ordering::Relaxed);
                }
                signal => end(signal, log),
            }
        }
    };
    thread::Builder::new().name("signals".into()).spawn(watch).map_err(failed)?;
    Ok(())
}

/// End of a process that has nothing to save.
fn end(signal: i32, log: LogOptions) {
    remove_unfinished();
    let code = 128 + signal;
    log.fail(&format!("stopped by signal {signal}; the files written so far are whole"), code as u8);
    low_level::exit(code);
}
