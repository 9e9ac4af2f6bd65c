// SPDX-License-Identifier: Apache-2.0
use super::mersenne_twister::MersenneTwister;
use super::{Problem, Workload, USUAL_STACK};
use crate::pools::Pool;
use chili::Scope;

pub const WORKLOAD: Workload = Workload {
    name: "quicksort",
    variants: &Pool::NAMES,
    sizes: &[("smoke", 10_000), ("quick", 10_000_000), ("paper", 100_000_000)],
    make: |n| Ok(Box::new(Quicksort::new(n as usize))),
    stack_bytes: |_| USUAL_STACK,
};

/// Ranges up to this length are not split further.
const CUTOFF: usize = 32;

struct Quicksort {
    unsorted: Vec<i32>,
    data: Vec<i32>,
    sum: u64,
    sorted: bool,
}

impl Quicksort {
    fn new(size: usize) -> Self {
        let mut random = MersenneTwister::new(1);
        let unsorted: Vec<i32> = (0..size).map(|_| random.next() as i32).collect();
        let sum = checksum(&unsorted);
        Quicksort { data: vec![0; size], unsorted, sum, sorted: false }
    }
}

impl Problem for Quicksort {
    fn prepare(&mut self) {
        self.data.copy_from_slice(&self.unsorted);
        self.sorted = false;
    }
    fn run(&mut self, pool: &Pool) {
        match pool {
            Pool::Rayon(pool) => pool.install(|| quicksort_rayon(&mut self.data)),
            Pool::Chili(pool) => quicksort_chili(&mut self.data, &mut pool.scope()),
        }
        self.sorted = true;
    }
    fn error(&self) -> Option<String> {
        if !self.data.is_sorted() {
            return Some("not sorted".into());
        }
        (checksum(&self.data) != self.sum).then(|| "other numbers than were given".into())
    }
    fn result(&self) -> String {
        self.sorted.to_string()
    }
}

// Independent of the order, and wrong for a number lost and another doubled.
fn checksum(values: &[i32]) -> u64 {
    values.iter().fold(0, |total: u64, &value| {
        let x = u64::from(value as u32) + 1;
        total.wrapping_add(x.wrapping_mul(x).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    })
}

fn insertion_sort(range: &mut [i32]) {
    for i in 1..range.len() {
        let value = range[i];
        let mut hole = i;
        while hole > 0 && value < range[hole - 1] {
            range[hole] = range[hole - 1];
            hole -= 1;
        }
        range[hole] = value;
    }
}

/// Hoare's partition about the median of three. Nothing before the cut is greater than anything from it on, and both sides are
/// shorter than the whole.
fn partition(range: &mut [i32]) -> usize {
    let (a, b, c) = (range[0], range[range.len() / 2], range[range.len() - 1]);
    let pivot = a.min(b).max(a.max(b).min(c));
    let mut low = 0;
    let mut high = range.len() - 1;
    loop {
        while range[low] < pivot {
            low += 1;
        }
        while pivot < range[high] {
            high -= 1;
        }
        if low >= high {
            return low.max(1);
        }
        range.swap(low, high);
        low += 1;
        high -= 1;
    }
}

fn quicksort_rayon(range: &mut [i32]) {
    if range.len() <= CUTOFF {
        return insertion_sort(range);
    }
    let cut = partition(range);
    let (left, right) = range.split_at_mut(cut);
    rayon::join(|| quicksort_rayon(left), || quicksort_rayon(right));
}

fn quicksort_chili(range: &mut [i32], scope: &mut Scope<'_>) {
    if range.len() <= CUTOFF {
        return insertion_sort(range);
    }
    let cut = partition(range);
    let (left, right) = range.split_at_mut(cut);
    scope.join(|s| quicksort_chili(left, s), |s| quicksort_chili(right, s));
}
