// SPDX-License-Identifier: Apache-2.0
//! What /proc says of this process and machine, as in ../../../harness.

use std::fs::read_to_string;

/// The number on the line of a status file that begins with a key, 0 where there is none.
fn number_after(text: &str, key: &str) -> u64 {
    let line = text.lines().find_map(|l| l.strip_prefix(key));
    line.and_then(|l| l.split_whitespace().next()).and_then(|n| n.parse().ok()).unwrap_or(0)
}

fn status_bytes(key: &str) -> u64 {
    number_after(&read_to_string("/proc/self/status").unwrap_or_default(), key) * 1024
}

pub fn peak_resident_bytes() -> u64 {
    status_bytes("VmHWM:")
}

pub fn resident_bytes() -> u64 {
    status_bytes("VmRSS:")
}

const SECONDS_PER_TICK: f64 = 0.01; // USER_HZ is 100 on every architecture that this runs on

/// Counters of the whole process so far.
#[derive(Clone, Copy)]
pub struct Usage {
    minor_page_faults: u64,
    major_page_faults: u64,
    voluntary_switches: u64,
    involuntary_switches: u64,
    user_ticks: u64,
    system_ticks: u64,
}

/// Context switches of all threads alive, voluntary and not: Linux counts them for each thread.
fn context_switches() -> (u64, u64) {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    threads.fold((0, 0), |(voluntary, involuntary), thread| {
        let text = read_to_string(thread.path().join("status")).unwrap_or_default();
        (
            voluntary + number_after(&text, "voluntary_ctxt_switches:"),
            involuntary + number_after(&text, "nonvoluntary_ctxt_switches:"),
        )
    })
}

impl Usage {
    pub fn now() -> Self {
        // The second field is a name in parentheses that may hold blanks: count from its end.
        let text = read_to_string("/proc/self/stat").unwrap_or_default();
        let fields: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let (voluntary_switches, involuntary_switches) = context_switches();
        let field = |number: usize| fields.get(number - 3).and_then(|f| f.parse().ok()).unwrap_or(0);
        Usage {
            minor_page_faults: field(10),
            major_page_faults: field(12),
            voluntary_switches,
            involuntary_switches,
            user_ticks: field(14),
            system_ticks: field(15),
        }
    }

    /// Of all threads since then, for the other program that has this file.
    #[allow(dead_code)]
    pub fn cpu_seconds(self) -> f64 {
        let now = Usage::now();
        let ticks = now.user_ticks + now.system_ticks - self.user_ticks - self.system_ticks;
        ticks as f64 * SECONDS_PER_TICK
    }

    /// What has been used since, as JSON.
    pub fn since(self) -> String {
        let now = Usage::now();
        format!(
            "{{\"minor_page_faults\":{},\"major_page_faults\":{},\"voluntary_context_switches\":{},\
             \"involuntary_context_switches\":{},\"user_seconds\":{:.2},\"system_seconds\":{:.2}}}",
            now.minor_page_faults - self.minor_page_faults,
            now.major_page_faults - self.major_page_faults,
            now.voluntary_switches - self.voluntary_switches,
            now.involuntary_switches - self.involuntary_switches,
            (now.user_ticks - self.user_ticks) as f64 * SECONDS_PER_TICK,
            (now.system_ticks - self.system_ticks) as f64 * SECONDS_PER_TICK,
        )
    }
}

/// CPU model, CPUs open to this process and kernel, as JSON.
pub fn machine() -> String {
    let cpuinfo = read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cpu = cpuinfo
        .lines()
        .find(|l| l.starts_with("model name") || l.starts_with("CPU part"))
        .and_then(|l| l.split(": ").nth(1))
        .unwrap_or("unknown");
    let kernel = read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let cpus = std::thread::available_parallelism().map_or(0, |n| n.get());
    format!(
        "{{\"cpu\":\"{cpu}\",\"cpus\":{cpus},\"kernel\":\"Linux {}\",\"architecture\":\"{}\"}}",
        kernel.trim(),
        std::env::consts::ARCH
    )
}
