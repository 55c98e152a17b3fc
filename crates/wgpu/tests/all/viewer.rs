//! The example draws a picture.

#[path = "../../examples/viewer.rs"]
#[allow(dead_code, reason = "tests open no window")]
mod example;

use crate::device::device;
use std::collections::BTreeSet;
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
    let colours = bytes.as_chunks::<4>().0;
    // The floor in the sun and in shadow. The latter sees the sky alone.
    let count = |floor: [u8; 3]| {
        colours.iter().filter(|colour| floor.iter().zip(*colour).all(|(a, b)| a.abs_diff(*b) < 3)).count()
    };
    let (lit, shadowed) = (count(colours[colours.len() - 1][..3].try_into().unwrap()), count([85, 94, 104]));
    assert!(lit > 4000 && shadowed > 100, "{lit} and {shadowed} pixels");
    let different: BTreeSet<_> = colours.iter().collect();
    assert!(different.len() > 200, "{} colours", different.len());
}
