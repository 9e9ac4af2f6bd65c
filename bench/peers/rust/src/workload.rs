// SPDX-License-Identifier: Apache-2.0
//! The two workloads: their names, sizes and right results. Sizes as in ../../../workloads.

#[derive(Clone, Copy)]
pub enum Workload {
    Fib,
    Skynet,
}

impl Workload {
    pub const ALL: [Workload; 2] = [Workload::Fib, Workload::Skynet];

    pub fn name(self) -> &'static str {
        match self {
            Workload::Fib => "fib",
            Workload::Skynet => "skynet",
        }
    }

    pub fn sizes(self) -> &'static [(&'static str, u64)] {
        match self {
            Workload::Fib => &[("smoke", 20), ("quick", 42), ("paper", 42)],
            Workload::Skynet => &[("smoke", 1_000), ("quick", 100_000_000), ("paper", 100_000_000), ("million", 1_000_000)],
        }
    }

    /// What is wrong with a size, if anything.
    pub fn refuses(self, n: u64) -> Option<&'static str> {
        match self {
            Workload::Fib if n > 93 => Some("allowed are 0 to 93"),
            Workload::Skynet if n == 0 || 10u64.checked_pow(n.ilog10()) != Some(n) => Some("allowed are powers of 10"),
            _ => None,
        }
    }

    pub fn right_result(self, n: u64) -> u64 {
        match self {
            Workload::Fib => (0..n).fold((0, 1), |(a, b): (u64, u64), _| (b, a.wrapping_add(b))).0,
            Workload::Skynet => n * (n - 1) / 2,
        }
    }
}
