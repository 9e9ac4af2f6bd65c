// SPDX-License-Identifier: Apache-2.0
//! Sorts, by Rust's library and by rayon.

use crate::cases::{Case, Library};
use crate::data::{calls_of, checksum, make_data, sum, Distribution, Element, Record};
use rayon::slice::ParallelSliceMut;

pub struct Sorting<T> {
    n: usize,
    is_stable: bool,
    made: Vec<T>,
    now: Vec<T>,
}

impl<T: Element> Sorting<T> {
    pub fn new(d: Distribution, n: usize, is_stable: bool) -> Self {
        Sorting { n, is_stable, made: make_data(d, n * calls_of(n)), now: Vec::new() }
    }
}

impl<T: Element + 'static> Case for Sorting<T> {
    fn prepare(&mut self) {
        self.now.clone_from(&self.made);
    }

    fn run(&mut self, library: Library) {
        for part in self.now.chunks_exact_mut(self.n) {
            match (library, self.is_stable) {
                (Library::Std, false) => part.sort_unstable_by(T::order),
                (Library::Std, true) => part.sort_by(T::order),
                (_, false) => part.par_sort_unstable_by(T::order),
                (_, true) => part.par_sort_by(T::order),
            }
        }
    }

    fn error(&self) -> Option<String> {
        let is_sorted = |part: &[T]| part.windows(2).all(|two| two[0].order(&two[1]).is_le());
        if !self.now.chunks_exact(self.n).all(is_sorted) {
            return Some("not in order".into());
        }
        if self.is_stable && !self.keeps_places() {
            return Some("not stable".into());
        }
        let hashes = |all: &[T]| sum(all.iter().map(T::hash));
        (hashes(&self.made) != hashes(&self.now)).then(|| "not the elements that there were".into())
    }

    fn result(&self) -> u64 {
        sum(self.now.chunks_exact(self.n).map(checksum))
    }
}

impl<T: Element + 'static> Sorting<T> {
    /// Only records know where they were made.
    fn keeps_places(&self) -> bool {
        let Some(all) = (&self.now as &dyn std::any::Any).downcast_ref::<Vec<Record>>() else { return true };
        let is_kept = |two: &[Record]| two[0].order(&two[1]).is_lt() || two[0].place() < two[1].place();
        all.chunks_exact(self.n).all(|part| part.windows(2).all(is_kept))
    }
}
