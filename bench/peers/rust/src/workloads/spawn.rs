// SPDX-License-Identifier: Apache-2.0
use super::{Problem, Workload, USUAL_STACK};
use crate::pools::Pool;

pub const WORKLOAD: Workload = Workload {
    name: "spawn",
    variants: &["rayon"], // chili joins in pairs and has nothing to spawn with
    sizes: &[("smoke", 1_000), ("quick", 10_000_000), ("paper", 10_000_000)],
    make: |n| Ok(Box::new(Spawn { marks: vec![0; n as usize], joined: false })),
    stack_bytes: |_| USUAL_STACK,
};

struct Spawn {
    marks: Vec<u8>,
    joined: bool,
}

impl Problem for Spawn {
    fn prepare(&mut self) {
        self.marks.fill(0);
        self.joined = false;
    }
    fn run(&mut self, pool: &Pool) {
        if let Pool::Rayon(pool) = pool {
            pool.scope(|scope| {
                for mark in &mut self.marks {
                    scope.spawn(move |_| *mark += 1);
                }
            });
        }
        self.joined = true;
    }
    fn error(&self) -> Option<String> {
        let wrong = self.marks.iter().position(|&mark| mark != 1)?;
        Some(format!("function {wrong} ran {} times", self.marks[wrong]))
    }
    fn result(&self) -> String {
        self.joined.to_string()
    }
}
