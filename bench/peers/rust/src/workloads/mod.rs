// SPDX-License-Identifier: Apache-2.0
//! The workloads: their names, sizes and right results are those of ../../../workloads.

mod fib;
mod matmul;
mod matrix;
mod mersenne_twister;
mod nqueens;
mod quicksort;
mod skynet;
mod spawn;
mod uts;

use crate::pools::Pool;

/// A workload with its input, ready to run.
pub trait Problem {
    /// Before each run, not timed.
    fn prepare(&mut self) {}
    fn run(&mut self, pool: &Pool);
    /// What is wrong with the last result, if anything.
    fn error(&self) -> Option<String>;
    /// The last result, as JSON.
    fn result(&self) -> String;
}

/// An entry of the table of all workloads.
pub struct Workload {
    pub name: &'static str,
    /// The pools that have what it needs.
    pub variants: &'static [&'static str],
    pub sizes: &'static [(&'static str, u64)],
    /// The problem of a size; or, if there is none of that size, which are allowed.
    pub make: fn(u64) -> Result<Box<dyn Problem>, &'static str>,
    /// What the stack of each thread must hold.
    pub stack_bytes: fn(u64) -> usize,
}

pub const ALL: [Workload; 8] = [
    fib::WORKLOAD,
    matmul::WORKLOAD,
    nqueens::WORKLOAD,
    quicksort::WORKLOAD,
    skynet::WORKLOAD,
    spawn::WORKLOAD,
    uts::GEOMETRIC,
    uts::BINOMIAL,
];

const USUAL_STACK: usize = 8 << 20;

/// A problem whose result is a number that is known.
struct Count {
    n: u64,
    compute: fn(u64, &Pool) -> u64,
    right: u64,
    result: u64,
}

impl Count {
    fn new(n: u64, compute: fn(u64, &Pool) -> u64, right: u64) -> Box<dyn Problem> {
        Box::new(Count { n, compute, right, result: 0 })
    }
}

impl Problem for Count {
    fn run(&mut self, pool: &Pool) {
        self.result = (self.compute)(std::hint::black_box(self.n), pool);
    }
    fn error(&self) -> Option<String> {
        (self.result != self.right).then(|| format!("{}, not {}", self.result, self.right))
    }
    fn result(&self) -> String {
        self.result.to_string()
    }
}
