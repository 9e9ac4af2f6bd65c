// SPDX-License-Identifier: Apache-2.0
//! The algorithms that are no sorts, and all of them by name.

use crate::data::{calls_of, checksum, make_data, mixed, sum, Distribution, Pair, DISTRIBUTIONS};
use crate::sorts::Sorting;
use rayon::prelude::*;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Rust's own, serial; rayon; rayon without an order where it has both.
#[derive(Clone, Copy, PartialEq)]
pub enum Library {
    Std,
    Rayon,
    RayonAny,
}

pub trait Case: Send {
    /// Before each run, not timed.
    fn prepare(&mut self);
    fn run(&mut self, library: Library);
    fn error(&self) -> Option<String>;
    fn result(&self) -> u64;
}

/// Hashes integers as quickly as the hash tables of the C++ programs do.
#[derive(Default)]
pub struct Mixing(u64);

impl Hasher for Mixing {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, _: &[u8]) {
        unreachable!("keys are integers");
    }
    fn write_u64(&mut self, x: u64) {
        self.0 = mixed(x);
    }
}

type Map<V> = HashMap<u64, V, BuildHasherDefault<Mixing>>;

const BUCKETS: usize = 1024;

#[derive(Clone, Copy, PartialEq)]
enum Algorithm {
    CopyIf(u64),
    Partition,
    Unique,
    Find(usize),
    Min,
    SumOfSquares,
    Histogram,
    ReduceByKey,
    GroupBy,
}

/// All cases that are none of sorts: each call has a number as result.
struct Plain {
    n: usize,
    algorithm: Algorithm,
    made: Vec<u64>,
    now: Vec<u64>,
    squares: Vec<f64>,
    pairs: Vec<Pair>,
    found: Vec<Found>,
}

/// What a call has returned, kept until the clock stands still.
enum Found {
    Number(u64),
    Some(Vec<u64>),
    Counts(Vec<u64>),
    Sums(Map<u64>),
    Groups(Map<Vec<u64>>),
}

impl Plain {
    fn new(algorithm: Algorithm, d: Distribution, n: usize) -> Self {
        let all = n * calls_of(n);
        let mut case = Plain {
            n,
            algorithm,
            made: Vec::new(),
            now: Vec::new(),
            squares: Vec::new(),
            pairs: Vec::new(),
            found: Vec::new(),
        };
        match algorithm {
            Algorithm::ReduceByKey | Algorithm::GroupBy => case.pairs = make_data(d, all),
            Algorithm::SumOfSquares => {
                let whole = |x: &f64| (x / (1u64 << 54) as f64).trunc();
                case.squares = make_data(d, all).iter().map(whole).collect();
            }
            _ => case.made = make_data(d, all),
        }
        if let Algorithm::Find(percent) = algorithm {
            if percent < 100 {
                case.made.chunks_exact_mut(n).for_each(|part| part[percent * n / 100] = NEEDLE);
            }
        }
        case
    }
}

const NEEDLE: u64 = u64::MAX - 1;

fn number(at: Option<usize>, n: usize) -> Found {
    Found::Number(at.unwrap_or(n) as u64)
}

fn numbers(algorithm: Algorithm, part: &mut [u64], library: Library) -> Found {
    let is_serial = library == Library::Std;
    let n = part.len();
    match algorithm {
        Algorithm::CopyIf(many) => {
            let limit = u64::MAX / many;
            Found::Some(if is_serial {
                part.iter().copied().filter(|&x| x < limit).collect()
            } else {
                part.par_iter().copied().filter(|&x| x < limit).collect()
            })
        }
        Algorithm::Partition => {
            let limit = u64::MAX / 2;
            let (below, _): (Vec<u64>, Vec<u64>) = if is_serial {
                part.iter().partition(|&&x| x < limit)
            } else {
                part.par_iter().partition(|&&x| x < limit)
            };
            Found::Some(below)
        }
        Algorithm::Find(_) => match library {
            Library::Std => number(part.iter().position(|&x| x == NEEDLE), n),
            Library::Rayon => number(part.par_iter().position_first(|&x| x == NEEDLE), n),
            Library::RayonAny => number(part.par_iter().position_any(|&x| x == NEEDLE), n),
        },
        Algorithm::Min if is_serial => number(part.iter().enumerate().min_by_key(|at| at.1).map(|at| at.0), n),
        Algorithm::Min => number(part.par_iter().enumerate().min_by_key(|at| at.1).map(|at| at.0), n),
        _ => Found::Counts(histogram(part, is_serial)),
    }
}

fn histogram(part: &[u64], is_serial: bool) -> Vec<u64> {
    let count = |mut counts: Vec<u64>, &x: &u64| {
        counts[x as usize % BUCKETS] += 1;
        counts
    };
    let none = || vec![0; BUCKETS];
    if is_serial {
        return part.iter().fold(none(), count);
    }
    let add = |a: Vec<u64>, b: Vec<u64>| a.into_iter().zip(b).map(|(a, b)| a + b).collect();
    part.par_iter().fold(none, count).reduce(none, add)
}

fn sums(part: &[Pair], is_serial: bool) -> Map<u64> {
    let add = |mut sums: Map<u64>, &(key, value): &Pair| {
        let sum = sums.entry(key).or_default();
        *sum = sum.wrapping_add(value);
        sums
    };
    if is_serial {
        return part.iter().fold(Map::default(), add);
    }
    let merge = |a: Map<u64>, b: Map<u64>| {
        let (few, many) = if a.len() < b.len() { (a, b) } else { (b, a) };
        few.iter().fold(many, |sums, (&key, &sum)| add(sums, &(key, sum)))
    };
    part.par_iter().fold(Map::default, add).reduce(Map::default, merge)
}

fn groups(part: &[Pair], is_serial: bool) -> Map<Vec<u64>> {
    let add = |mut groups: Map<Vec<u64>>, &(key, value): &Pair| {
        groups.entry(key).or_default().push(value);
        groups
    };
    if is_serial {
        return part.iter().fold(Map::default(), add);
    }
    let merge = |mut a: Map<Vec<u64>>, b: Map<Vec<u64>>| {
        for (key, values) in b {
            a.entry(key).or_default().extend(values);
        }
        a
    };
    part.par_iter().fold(Map::default, add).reduce(Map::default, merge)
}

impl Case for Plain {
    fn prepare(&mut self) {
        self.now.clone_from(&self.made);
        self.found.clear();
    }

    fn run(&mut self, library: Library) {
        let is_serial = library == Library::Std;
        match self.algorithm {
            Algorithm::SumOfSquares => self.found.extend(self.squares.chunks_exact(self.n).map(|part| {
                let sum: f64 =
                    if is_serial { part.iter().map(|x| x * x).sum() } else { part.par_iter().map(|x| x * x).sum() };
                Found::Number(sum as u64)
            })),
            Algorithm::ReduceByKey => {
                self.found.extend(self.pairs.chunks_exact(self.n).map(|part| Found::Sums(sums(part, is_serial))));
            }
            Algorithm::GroupBy => {
                self.found.extend(self.pairs.chunks_exact(self.n).map(|part| Found::Groups(groups(part, is_serial))));
            }
            // A vector that forgets what comes twice in a row, of which a program has one.
            Algorithm::Unique => {
                for part in self.made.chunks_exact(self.n) {
                    let mut kept = part.to_vec();
                    kept.dedup();
                    self.found.push(Found::Some(kept));
                }
            }
            of => self.found.extend(self.now.chunks_exact_mut(self.n).map(|part| numbers(of, part, library))),
        }
    }

    /// The runner compares the results of all programs, and the C++ programs check theirs.
    fn error(&self) -> Option<String> {
        (self.found.len() != calls_of(self.n)).then(|| "a call is missing".into())
    }

    fn result(&self) -> u64 {
        let is_ordered = self.algorithm != Algorithm::Partition;
        sum(self.found.iter().map(|found| match found {
            Found::Number(x) => mixed(*x),
            Found::Some(kept) if is_ordered => checksum(kept),
            Found::Some(kept) => sum(kept.iter().map(|&x| mixed(x))),
            Found::Counts(counts) => sum(counts.iter().enumerate().map(|(i, c)| mixed(i as u64).wrapping_mul(*c))),
            Found::Sums(sums) => sum(sums.iter().map(|(key, sum)| mixed(mixed(*key).wrapping_add(*sum)))),
            Found::Groups(groups) => sum(groups.iter().map(|(key, values)| {
                let values = sum(values.iter().map(|&x| mixed(x)));
                mixed(mixed(*key).wrapping_add(values))
            })),
        }))
    }
}

pub const VARIANTS: [(&str, Library); 3] =
    [("rust", Library::Std), ("rayon", Library::Rayon), ("rayon-any", Library::RayonAny)];

const TYPES: [&str; 6] = ["u32", "u64", "double", "pair", "string", "record"];

const ALGORITHMS: [(&str, &str, &[&str], Algorithm); 11] = [
    ("copy_if_half", "u64", &["random"], Algorithm::CopyIf(2)),
    ("copy_if_few", "u64", &["random"], Algorithm::CopyIf(100)),
    ("partition", "u64", &["random"], Algorithm::Partition),
    ("unique", "u64", &["runs"], Algorithm::Unique),
    ("reduce_by_key", "pair", &["random", "few", "exponential"], Algorithm::ReduceByKey),
    ("histogram", "u64", &["random", "few", "exponential"], Algorithm::Histogram),
    ("group_by", "pair", &["random", "few", "exponential"], Algorithm::GroupBy),
    ("find_if_early", "u64", &["random"], Algorithm::Find(1)),
    ("find_if_half", "u64", &["random"], Algorithm::Find(50)),
    ("find_if_never", "u64", &["random"], Algorithm::Find(100)),
    ("min_element", "u64", &["random"], Algorithm::Min),
];
const SUMMING: (&str, &str, &[&str], Algorithm) =
    ("transform_reduce", "double", &["random"], Algorithm::SumOfSquares);

/// Workloads, each with its variants.
pub fn all() -> Vec<(String, Vec<&'static str>)> {
    let mut found = Vec::new();
    for sort in ["sort", "stable_sort"] {
        for of in TYPES {
            for (how, _) in &DISTRIBUTIONS[..6] {
                found.push((format!("{sort}-{of}-{how}"), vec!["rust", "rayon"]));
            }
        }
    }
    for (name, of, how, algorithm) in ALGORITHMS.iter().chain([&SUMMING]) {
        let variants = match algorithm {
            Algorithm::Unique => vec!["rust"],
            Algorithm::Find(_) => vec!["rust", "rayon", "rayon-any"],
            _ => vec!["rust", "rayon"],
        };
        found.extend(how.iter().map(|how| (format!("{name}-{of}-{how}"), variants.clone())));
    }
    found
}

/// None if there is no such workload.
pub fn make(workload: &str, n: usize) -> Option<Box<dyn Case>> {
    let (name, data) = workload.split_once('-')?;
    let (of, how) = data.split_once('-')?;
    let d = DISTRIBUTIONS.iter().find(|d| d.0 == how)?.1;
    if let Some(found) = ALGORITHMS.iter().chain([&SUMMING]).find(|a| a.0 == name) {
        return Some(Box::new(Plain::new(found.3, d, n)));
    }
    let is_stable = name == "stable_sort";
    match of {
        "u32" => Some(Box::new(Sorting::<u32>::new(d, n, is_stable))),
        "u64" => Some(Box::new(Sorting::<u64>::new(d, n, is_stable))),
        "double" => Some(Box::new(Sorting::<f64>::new(d, n, is_stable))),
        "pair" => Some(Box::new(Sorting::<Pair>::new(d, n, is_stable))),
        "string" => Some(Box::new(Sorting::<String>::new(d, n, is_stable))),
        "record" => Some(Box::new(Sorting::<crate::data::Record>::new(d, n, is_stable))),
        _ => None,
    }
}
