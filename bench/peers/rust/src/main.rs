// SPDX-License-Identifier: Apache-2.0
//! One measurement in one process, with the command line and the line of JSON of the C++ programs (../../harness).

mod pools;
mod process;
mod workloads;

use pools::Pool;
use std::process::exit;
use std::time::Instant;
use workloads::{Problem, Workload};

const USAGE_ERROR: i32 = 2;

struct Settings {
    workload: String,
    variant: String,
    workers: usize,
    size: String,
    n: Option<u64>,
    repetitions: usize,
    keep_warm_up_above: f64,
    warm_up: bool,
    list: bool,
}

fn refuse(message: &str) -> ! {
    eprintln!("{message}");
    exit(USAGE_ERROR);
}

fn parse() -> Settings {
    let mut s = Settings {
        workload: String::new(),
        variant: String::new(),
        workers: 1,
        size: "smoke".into(),
        n: None,
        repetitions: 1,
        keep_warm_up_above: 5.0,
        warm_up: true,
        list: false,
    };
    fn value<T: std::str::FromStr>(option: &str, given: Option<String>) -> T {
        let given = given.unwrap_or_else(|| refuse(&format!("{option} needs a value")));
        given.parse().unwrap_or_else(|_| refuse(&format!("{option}: bad value '{given}'")))
    }
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--workload" => s.workload = value(&word, words.next()),
            "--variant" => s.variant = value(&word, words.next()),
            "--workers" => s.workers = value(&word, words.next()),
            "--size" => s.size = value(&word, words.next()),
            "--n" => s.n = Some(value(&word, words.next())),
            "--repetitions" => s.repetitions = value(&word, words.next()),
            "--keep-warm-up-above" => s.keep_warm_up_above = value(&word, words.next()),
            "--no-warm-up" => s.warm_up = false,
            "--list" => s.list = true,
            "--help" => {
                println!(
                    "--workload W --variant V [--workers P] [--size S | --n N] [--repetitions R]\n\
                     [--keep-warm-up-above SECONDS] [--no-warm-up] | --list"
                );
                exit(0);
            }
            _ => refuse(&format!("unknown option '{word}', see --help")),
        }
    }
    if s.workers == 0 || s.repetitions == 0 {
        refuse("--workers and --repetitions must be at least 1");
    }
    s
}

fn peer(variant: &str) -> String {
    format!("{{\"name\":\"{variant}\",\"version\":\"{}\"}}", Pool::version(variant))
}

fn list() {
    let mut entries = Vec::new();
    for workload in workloads::ALL {
        let sizes: Vec<String> = workload.sizes.iter().map(|(name, n)| format!("\"{name}\":{n}")).collect();
        for &variant in workload.variants {
            entries.push(format!(
                "{{\"workload\":\"{}\",\"variant\":\"{variant}\",\"parallel\":true,\"sizes\":{{{}}},\"peer\":{}}}",
                workload.name,
                sizes.join(","),
                peer(variant)
            ));
        }
    }
    println!("[{}]", entries.join(","));
}

fn timed_run(pool: &Pool, problem: &mut dyn Problem, s: &Settings, n: u64) -> f64 {
    problem.prepare();
    let begin = Instant::now();
    problem.run(pool);
    let seconds = begin.elapsed().as_secs_f64();
    if let Some(why) = problem.error() {
        eprintln!("FAILED: {} {} n={n} workers={}: wrong result: {why}", s.workload, s.variant, s.workers);
        exit(1);
    }
    seconds
}

fn main() {
    let s = parse();
    if s.list {
        return list();
    }
    let names = workloads::ALL.map(|w| w.name).join(" ");
    let workload = workloads::ALL
        .into_iter()
        .find(|w| w.name == s.workload)
        .unwrap_or_else(|| refuse(&format!("no workload '{}' in this program\nworkloads: {names}", s.workload)));
    let n = s.n.unwrap_or_else(|| {
        let found = workload.sizes.iter().find(|(name, _)| *name == s.size);
        found.map(|(_, n)| *n).unwrap_or_else(|| {
            let sizes: Vec<_> = workload.sizes.iter().map(|(name, _)| *name).collect();
            refuse(&format!("workload '{}' has no size '{}'; sizes: {}", s.workload, s.size, sizes.join(" ")))
        })
    });
    with_stacks_of((workload.stack_bytes)(n), move || measure(&s, &workload, n));
}

/// Runs `f` on a thread whose stack holds so many bytes, as those of the threads hold that it starts.
fn with_stacks_of(bytes: usize, f: impl FnOnce() + Send + 'static) {
    std::env::set_var("RUST_MIN_STACK", bytes.to_string());
    let thread = std::thread::Builder::new().stack_size(bytes).spawn(f).expect("a thread with a stack that large");
    if thread.join().is_err() {
        exit(1);
    }
}

fn measure(s: &Settings, workload: &Workload, n: u64) {
    let mut problem =
        (workload.make)(n).unwrap_or_else(|allowed| refuse(&format!("{}: n is {n}, {allowed}", s.workload)));
    problem.prepare();
    let before_workers = process::resident_bytes();
    let pool = Some(&s.variant).filter(|v| workload.variants.contains(&v.as_str()));
    let pool = pool.and_then(|v| Pool::new(v, s.workers)).unwrap_or_else(|| {
        let variants = workload.variants.join(" ");
        refuse(&format!("no variant '{}' of this workload\nvariants: {variants}", s.variant))
    });

    let mut seconds = Vec::new();
    let mut warm_up = "null".to_string();
    let mut usage = process::Usage::now();
    if s.warm_up {
        let first = timed_run(&pool, &mut *problem, s, n);
        warm_up = first.to_string();
        if first > s.keep_warm_up_above {
            seconds.push(first);
        } else {
            usage = process::Usage::now();
        }
    }
    while seconds.len() < s.repetitions {
        seconds.push(timed_run(&pool, &mut *problem, s, n));
    }
    let usage = usage.since();

    let seconds: Vec<String> = seconds.iter().map(f64::to_string).collect();
    println!(
        "{{\"workload\":\"{}\",\"variant\":\"{}\",\"workers\":{},\"n\":{n},\"seconds\":[{}],\"warm_up_seconds\":{warm_up},\
         \"correct\":true,\"result\":{},\"peak_rss_bytes\":{},\"rss_before_workers_bytes\":{before_workers},\
         \"usage\":{usage},\"runtime\":null,\"peer\":{},\
         \"build\":{{\"compiler\":\"{}\",\"flags\":\"{}\"}},\"machine\":{}}}",
        s.workload,
        s.variant,
        s.workers,
        seconds.join(","),
        problem.result(),
        process::peak_resident_bytes(),
        peer(&s.variant),
        env!("BENCH_RUSTC"),
        env!("BENCH_FLAGS"),
        process::machine(),
    );
}
