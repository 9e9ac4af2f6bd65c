// SPDX-License-Identifier: Apache-2.0
// Notes for the record what the program was built with: compiler, flags, versions of the crate.
use std::process::Command;

fn main() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let version = Command::new(rustc).arg("--version").output().expect("rustc --version");
    println!("cargo:rustc-env=BENCH_RUSTC={}", String::from_utf8_lossy(&version.stdout).trim());

    let flags = std::env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default().replace('\u{1f}', " ");
    println!("cargo:rustc-env=BENCH_FLAGS=--release {flags}");

    let lock = std::fs::read_to_string("Cargo.lock").expect("Cargo.lock");
    for name in ["rayon"] {
        let entry = lock.split("[[package]]").find(|e| e.contains(&format!("name = \"{name}\"\n"))).expect(name);
        let version = entry.split("version = \"").nth(1).and_then(|v| v.split('"').next()).expect("version");
        println!("cargo:rustc-env=BENCH_{}={version}", name.to_uppercase());
    }
    println!("cargo:rerun-if-changed=Cargo.lock");
    println!("cargo:rerun-if-changed=build.rs");
}
