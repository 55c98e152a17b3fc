//! A device that is lost is told about in a sentence.

use hedgerow_viewer::arguments::{Arguments, Subject};
use hedgerow_viewer::gpu::Gpu;
use hedgerow_viewer::gpu::canvas::{PICTURE, canvas};
use hedgerow_viewer::gpu::renderer::Settings;
use hedgerow_viewer::viewer::Viewer;

#[test]
fn a_lost_device_is_an_error_and_no_panic() {
    let arguments = Arguments { characters: 5, threads: 1, ..Arguments::new(Subject::Army) };
    let mut viewer = Viewer::new(Gpu::new().unwrap(), &arguments, PICTURE, Settings::default()).unwrap();
    let canvas = canvas(&viewer.gpu, [64, 32]);
    viewer.work(2.0).unwrap();
    viewer.draw(&canvas).unwrap();
    viewer.gpu.device.destroy();
    let drawn = viewer.work(2.0).and_then(|_| viewer.draw(&canvas));
    let told = drawn.unwrap_err().to_string();
    assert!(told.contains("device") && !told.contains('\n'), "{told}");
}
