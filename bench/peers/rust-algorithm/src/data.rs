// SPDX-License-Identifier: Apache-2.0
//! The elements of ../../../algorithm/data.cpp: the same ones, and the same sums of them.

use std::cmp::Ordering;

#[derive(Clone, Copy)]
pub enum Distribution {
    Random,
    Sorted,
    Reversed,
    Few,
    Exponential,
    Almost,
    Runs,
}

pub const DISTRIBUTIONS: [(&str, Distribution); 7] = [
    ("random", Distribution::Random),
    ("sorted", Distribution::Sorted),
    ("reversed", Distribution::Reversed),
    ("few", Distribution::Few),
    ("exponential", Distribution::Exponential),
    ("almost", Distribution::Almost),
    ("runs", Distribution::Runs),
];

pub fn mixed(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

fn ascending(i: u64, n: u64) -> u64 {
    let step = u64::MAX / n;
    i * step + mixed(i) % step
}

fn key(d: Distribution, i: u64, n: u64, bits: u32) -> u64 {
    let away = 64 - bits;
    match d {
        Distribution::Random => mixed(i) >> away,
        Distribution::Sorted => ascending(i, n) >> away,
        Distribution::Reversed => ascending(n - 1 - i, n) >> away,
        Distribution::Few => mixed(mixed(i) % 100) >> away,
        Distribution::Exponential => (mixed(i) >> away) >> (mixed(i + n) % u64::from(bits)),
        Distribution::Almost if mixed(i + n) % 100 == 0 => mixed(i) >> away,
        Distribution::Almost => ascending(i, n) >> away,
        Distribution::Runs => mixed((i + (mixed(i) & 1)) / 2) >> away,
    }
}

/// What is sorted. Floating-point numbers have no order of their own here.
pub trait Element: Clone + Send + Sync {
    const BITS: u32 = 64;
    fn make(key: u64, i: u64) -> Self;
    fn order(&self, other: &Self) -> Ordering;
    fn hash(&self) -> u64;
}

impl Element for u32 {
    const BITS: u32 = 32;
    fn make(key: u64, _: u64) -> Self {
        key as u32
    }
    fn order(&self, other: &Self) -> Ordering {
        self.cmp(other)
    }
    fn hash(&self) -> u64 {
        mixed(u64::from(*self))
    }
}

impl Element for u64 {
    fn make(key: u64, _: u64) -> Self {
        key
    }
    fn order(&self, other: &Self) -> Ordering {
        self.cmp(other)
    }
    fn hash(&self) -> u64 {
        mixed(*self)
    }
}

impl Element for f64 {
    fn make(key: u64, _: u64) -> Self {
        key as f64
    }
    fn order(&self, other: &Self) -> Ordering {
        self.total_cmp(other)
    }
    fn hash(&self) -> u64 {
        mixed(self.to_bits())
    }
}

pub type Pair = (u64, u64);

impl Element for Pair {
    fn make(key: u64, i: u64) -> Self {
        (key, mixed(i))
    }
    fn order(&self, other: &Self) -> Ordering {
        self.cmp(other)
    }
    fn hash(&self) -> u64 {
        mixed(mixed(self.0).wrapping_add(self.1))
    }
}

impl Element for String {
    fn make(key: u64, _: u64) -> Self {
        let length = 5 + (mixed(key >> 39) % 46) as usize;
        let mut more = key;
        let letter = |at: usize| {
            if at % 13 == 0 && at != 0 {
                more = mixed(more);
            }
            char::from(b'A' + ((more << (at % 13 * 5)) >> 59) as u8)
        };
        (0..length).map(letter).collect()
    }
    fn order(&self, other: &Self) -> Ordering {
        self.cmp(other)
    }
    fn hash(&self) -> u64 {
        let step = |hash: u64, c: u8| (hash ^ u64::from(c)).wrapping_mul(0x100_0000_01b3);
        mixed(self.bytes().fold(self.len() as u64, step))
    }
}

#[derive(Clone)]
pub struct Record {
    key: u64,
    place: u64,
    _more: [u64; 6],
}

impl Element for Record {
    fn make(key: u64, i: u64) -> Self {
        Record { key, place: i, _more: [i; 6] }
    }
    fn order(&self, other: &Self) -> Ordering {
        self.key.cmp(&other.key)
    }
    fn hash(&self) -> u64 {
        mixed(self.key)
    }
}

impl Record {
    pub fn place(&self) -> u64 {
        self.place
    }
}

pub fn make_data<T: Element>(d: Distribution, n: usize) -> Vec<T> {
    let n = n as u64;
    (0..n).map(|i| T::make(key(d, i, n, T::BITS), i)).collect()
}

pub fn calls_of(n: usize) -> usize {
    ((1 << 17) / n).clamp(1, 1000)
}

pub fn sum(of: impl Iterator<Item = u64>) -> u64 {
    of.fold(0, u64::wrapping_add)
}

/// A number of elements in their order.
pub fn checksum<T: Element>(elements: &[T]) -> u64 {
    sum(elements.iter().enumerate().map(|(i, x)| x.hash().wrapping_mul(2 * i as u64 + 1)))
}
