//! Faults of meshes, buffers and animations that are repaired, and files that were never fetched.

use crate::faults::triangle;
use crate::gltf_file::glb;
use hedgerow_gltf::{BufferProblem, ImportErrorKind, ImportOptions, OtherFile, Skipped};
use serde_json::json;

/// The text of a Git LFS pointer, in place of the 36 bytes of a triangle.
const LFS: &str = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 36\n";

#[test]
fn buffers_and_images_that_are_git_lfs_pointers_are_refused() {
    let folder = std::env::temp_dir().join(format!("hedgerow-gltf-lfs-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("x.bin"), LFS).unwrap();
    let data = format!("data:,{}", LFS.replace('\n', "%0A").replace(' ', "%20"));
    let text = triangle().json_text();
    let with = |uri: &str| text.replace(r#""byteLength":36}]"#, &format!(r#""byteLength":36,"uri":"{uri}"}}]"#));
    for (bytes, options) in [
        (with("x.bin").into_bytes(), ImportOptions::new()),
        (with("x.bin").into_bytes(), ImportOptions::new().nodes_only()),
        (with(&data).into_bytes(), ImportOptions::new()),
        (glb(text.as_bytes(), LFS.as_bytes()), ImportOptions::new()),
    ] {
        let error = options.from_slice(&bytes, Some(&folder)).map(drop).unwrap_err();
        let ImportErrorKind::Buffer { problem: BufferProblem::GitLfsPointer, .. } = error.kind() else {
            panic!("{error}")
        };
        assert!(error.to_string().ends_with("run `git lfs pull`, or download it"), "{error}");
    }
    let main_file = hedgerow_gltf::from_slice(LFS.as_bytes(), None).map(drop).unwrap_err();
    assert_eq!(main_file.kind(), &ImportErrorKind::NotGltf(OtherFile::GitLfsPointer));

    // An image that is not there is no error, and neither is its pointer.
    let mut file = triangle();
    let view = file.view(LFS.as_bytes());
    file.json["images"] = json!([{"uri": "x.bin"}, {"uri": "x.bin"}, {"uri": data}, {"bufferView": view}]);
    let imported = ImportOptions::new().from_slice(&file.glb(), Some(&folder)).unwrap().imported;
    let expected: Vec<_> =
        (0..4).map(|image| Skipped::Image { image, problem: BufferProblem::GitLfsPointer }).collect();
    assert_eq!(imported.skipped, expected);
    assert!(imported.images.iter().all(|image| image.bytes.is_empty()));
    std::fs::remove_dir_all(&folder).unwrap();
}
