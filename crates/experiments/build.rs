//! Asks the compiler for its name and version, which every result states.

use std::process::Command;

fn main() {
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(compiler).arg("--version").output();
    let version = output.ok().and_then(|output| String::from_utf8(output.stdout).ok());
    // Only name and version: the hash and the date are left out.
    let version = version.map(|version| version.split(' ').take(2).collect::<Vec<_>>().join(" "));
    println!("cargo::rustc-env=HEDGEROW_COMPILER={}", version.as_deref().unwrap_or("rustc of unknown version").trim());
    println!("cargo::rerun-if-changed=build.rs");
}
