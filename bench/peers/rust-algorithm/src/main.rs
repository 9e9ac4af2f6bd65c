// SPDX-License-Identifier: Apache-2.0
//! One measurement in one process, with the command line and the line of JSON of nopal-bench-algorithm
//! (../../../algorithm).

mod cases;
mod data;
#[allow(dead_code)]
#[path = "../../rust/src/process.rs"]
mod process;
mod sorts;

use cases::{Case, Library, VARIANTS};
use std::time::Instant;

fn refuse(message: &str) -> ! {
    eprintln!("{message}");
    std::process::exit(2);
}

/// The value of an option, or what stands for it where it is not given.
fn option<T: std::str::FromStr>(name: &str, otherwise: Option<T>) -> T {
    let words: Vec<String> = std::env::args().collect();
    match words.iter().position(|w| w == name) {
        Some(at) => words.get(at + 1).and_then(|w| w.parse().ok()).unwrap_or_else(|| refuse(&format!("{name}: ?"))),
        None => otherwise.unwrap_or_else(|| {
            refuse("--workload W --variant V --n N [--workers P] [--repetitions R] | --list");
        }),
    }
}

fn peer(variant: &str) -> String {
    let (name, version) =
        if variant == "rust" { ("Rust, serial", env!("BENCH_RUSTC")) } else { ("rayon", env!("BENCH_RAYON")) };
    format!("{{\"name\":\"{name}\",\"version\":\"{version}\"}}")
}

fn list() {
    let entry = |workload: &str, variant: &str| {
        format!(
            "{{\"workload\":\"{workload}\",\"variant\":\"{variant}\",\"parallel\":{},\"sizes\":{{}},\"peer\":{}}}",
            variant != "rust",
            peer(variant)
        )
    };
    let all: Vec<String> =
        cases::all().iter().flat_map(|(w, variants)| variants.iter().map(|v| entry(w, v)).collect::<Vec<_>>()).collect();
    println!("[{}]", all.join(","));
}

fn timed_run(pool: &rayon::ThreadPool, case: &mut dyn Case, library: Library) -> f64 {
    case.prepare();
    let begin = Instant::now();
    if library == Library::Std {
        case.run(library);
    } else {
        pool.install(|| case.run(library));
    }
    let seconds = begin.elapsed().as_secs_f64();
    if let Some(why) = case.error() {
        eprintln!("FAILED: wrong result: {why}");
        std::process::exit(1);
    }
    seconds
}

fn main() {
    if std::env::args().any(|w| w == "--list") {
        return list();
    }
    let (workload, variant) = (option::<String>("--workload", None), option::<String>("--variant", None));
    let (n, workers) = (option::<usize>("--n", None), option("--workers", Some(1)));
    let repetitions = option("--repetitions", Some(1));
    let is_known = cases::all().iter().any(|(w, variants)| *w == workload && variants.contains(&variant.as_str()));
    if !is_known || n == 0 || workers == 0 {
        refuse(&format!("no variant '{variant}' of '{workload}' with n = {n} and {workers} workers, see --list"));
    }
    let library = VARIANTS.iter().find(|v| v.0 == variant).expect("a variant of --list").1;
    let mut case = cases::make(&workload, n).expect("a workload of --list");
    case.prepare();
    let before_workers = process::resident_bytes();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(workers).build().expect("a pool of threads");

    let warm_up = timed_run(&pool, &mut *case, library);
    let usage = process::Usage::now();
    let seconds: Vec<String> = (0..repetitions).map(|_| timed_run(&pool, &mut *case, library).to_string()).collect();
    let usage = usage.since();
    println!(
        "{{\"workload\":\"{workload}\",\"variant\":\"{variant}\",\"workers\":{workers},\"n\":{n},\"seconds\":[{}],\
         \"warm_up_seconds\":{warm_up},\"correct\":true,\"result\":{},\"peak_rss_bytes\":{},\
         \"rss_before_workers_bytes\":{before_workers},\"usage\":{usage},\"runtime\":{{\"calls\":{}}},\"peer\":{},\
         \"build\":{{\"compiler\":\"{}\",\"flags\":\"{}\"}},\"machine\":{}}}",
        seconds.join(","),
        case.result(),
        process::peak_resident_bytes(),
        data::calls_of(n),
        peer(&variant),
        env!("BENCH_RUSTC"),
        env!("BENCH_FLAGS"),
        process::machine(),
    );
}
