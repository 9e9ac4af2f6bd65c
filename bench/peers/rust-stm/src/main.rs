// SPDX-License-Identifier: Apache-2.0
//! nopal-bench-rust-stm CRATE WORKLOAD THREADS [SHARE]: the smallest transactions, with the line of JSON of the C++
//! programs (../../../stm).

#[allow(dead_code)]
#[path = "../../rust/src/process.rs"]
mod process;

use std::sync::Arc;
use std::time::Instant;

const OPERATIONS: u64 = 4_000_000;

/// Each thread increments a counter, in turn: of its own, or one that all share. Returns the seconds that it takes.
macro_rules! counting {
    ($name:ident, $stm:ident) => {
        fn $name(shared: bool, threads: u64, operations: u64) -> f64 {
            let counters: Vec<_> = (0..threads).map(|_| Arc::new($stm::TVar::new(0u64))).collect();
            let each = operations / threads;
            let begin = Instant::now();
            std::thread::scope(|s| {
                for i in 0..threads as usize {
                    let counter = counters[if shared { 0 } else { i }].clone();
                    s.spawn(move || {
                        for _ in 0..each {
                            $stm::atomically(|t| {
                                let x = counter.read(t)?;
                                counter.write(t, x + 1)
                            });
                        }
                    });
                }
            });
            let took = begin.elapsed().as_secs_f64();
            let sum: u64 = counters.iter().map(|c| $stm::atomically(|t| c.read(t))).sum();
            assert_eq!(sum, each * threads, "an increment is lost");
            took
        }
    };
}
counting!(by_stm, stm);
counting!(by_fast_stm, fast_stm);

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize| words.get(i).map_or(Some(1), |w| w.parse::<u64>().ok().filter(|&n| n > 0));
    let run = match words.first().map(String::as_str) {
        Some("stm") => by_stm,
        Some("fast-stm") => by_fast_stm,
        _ => refuse(),
    };
    let shared = match words.get(1).map(String::as_str) {
        Some("one-var-local") => false,
        Some("one-var-shared") => true,
        _ => refuse(),
    };
    let (Some(threads), Some(share)) = (number(2), number(3)) else { refuse() };
    let cpus = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let usage = process::Usage::now();
    let seconds = run(shared, threads, OPERATIONS / share);
    let version = if words[0] == "stm" { "0.4.0" } else { "0.7.1" };
    println!(
        "{{\"workload\":\"{}\",\"variant\":\"{}\",\"workers\":{threads},\"oversubscribed\":{},\"seconds\":[{seconds}],\
         \"cpu_seconds\":[{}],\"commits\":0,\"conflicts\":0,\"read_set\":0,\"read_sets\":[],\"peak_rss_bytes\":{},\
         \"peer\":{{\"name\":\"{}\",\"version\":\"{version}\"}},\
         \"build\":{{\"compiler\":\"{}\",\"flags\":\"{}\"}},\"machine\":{}}}",
        words[1],
        words[0],
        threads > cpus,
        usage.cpu_seconds(),
        process::peak_resident_bytes(),
        words[0],
        env!("BENCH_RUSTC"),
        env!("BENCH_FLAGS"),
        process::machine(),
    );
}

fn refuse() -> ! {
    eprintln!("usage: nopal-bench-rust-stm stm|fast-stm one-var-local|one-var-shared THREADS [SHARE]");
    std::process::exit(2);
}
