//! The example draws a picture.

#[path = "../../examples/viewer.rs"]
#[allow(dead_code, reason = "tests open no window")]
mod example;

use crate::device::device;
use std::ffi::OsString;
use std::fs::File;
use std::io::BufReader;

#[test]
fn the_example_draws_a_picture_with_shadows() {
    if device(wgpu::Features::empty()).is_none() {
        return;
    }
    let path = std::env::temp_dir().join(format!("hedgerow-wgpu-{}.png", std::process::id()));
    let mut arguments: Vec<OsString> = ["--size", "160x100", "--time", "2", "--picture"].map(OsString::from).to_vec();
    arguments.push(path.clone().into());
    example::run(arguments.into_iter()).unwrap();
    let mut reader = png::Decoder::new(BufReader::new(File::open(&path).unwrap())).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    std::fs::remove_file(path).unwrap();
    assert_eq!((info.width, info.height), (160, 100));
    let mut colours = bytes.as_chunks::<4>().0.to_vec();
    colours.sort_unstable();
    colours.dedup();
    assert!(colours.len() > 200, "{} colours", colours.len());
}
