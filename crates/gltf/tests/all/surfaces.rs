//! glTF import of materials with every extension, textures, samplers, and images from buffers, URIs and files. The
//! files are made here.

use hedgerow::glam::Vec2;
use hedgerow_gltf::material::{AlphaMode, MagFilter, Material, MinFilter, Sampler, TextureRef, TextureTransform, Wrap};
use hedgerow_gltf::{BufferProblem, ImportOptions, Imported, Parts, Skipped};
use hedgerow_testkit::gltf::GltfFile;
use serde_json::json;
use std::fs;

/// Returns three materials: one with every property, one of the older model, and one with few values.
fn paints() -> GltfFile {
    let moved =
        json!({"KHR_texture_transform": {"offset": [0.5, 0.25], "rotation": 1.5, "scale": [2, 3], "texCoord": 1}});
    let mut file = GltfFile::new(json!({
        "materials": [
            {"name": "all",
                "pbrMetallicRoughness": {"baseColorFactor": [0.1, 0.2, 0.3, 0.4], "metallicFactor": 0.5,
                    "roughnessFactor": 0.25, "baseColorTexture": {"index": 0, "texCoord": 1},
                    "metallicRoughnessTexture": {"index": 1, "texCoord": 2, "extensions": moved}},
                "normalTexture": {"index": 2, "scale": 0.75, "extensions": moved},
                "occlusionTexture": {"index": 1, "strength": 0.5, "texCoord": 3},
                "emissiveTexture": {"index": 0}, "emissiveFactor": [1, 0.5, 0],
                "alphaMode": "BLEND", "doubleSided": true, "extras": {"coats": 2},
                "extensions": {
                    "KHR_materials_emissive_strength": {"emissiveStrength": 5},
                    "KHR_materials_ior": {"ior": 1.25},
                    "KHR_materials_specular": {"specularFactor": 0.5, "specularColorFactor": [1, 2, 3],
                        "specularTexture": {"index": 0}, "specularColorTexture": {"index": 1}},
                    "KHR_materials_transmission": {"transmissionFactor": 0.75, "transmissionTexture": {"index": 2}},
                    "KHR_materials_volume": {"thicknessFactor": 2, "attenuationDistance": 4,
                        "attenuationColor": [0.5, 1, 1], "thicknessTexture": {"index": 1}},
                    "KHR_materials_clearcoat": {"clearcoatFactor": 1}}},
            {"alphaMode": "MASK", "alphaCutoff": 0.25, "extensions": {"KHR_materials_pbrSpecularGlossiness": {
                "diffuseFactor": [1, 0, 0, 0.5], "specularFactor": [0, 1, 0], "glossinessFactor": 0.5,
                "diffuseTexture": {"index": 2}, "specularGlossinessTexture": {"index": 0}}}},
            {"alphaMode": "MASK", "extensions": {"KHR_materials_unlit": {}, "KHR_materials_volume": {}}}
        ],
        "textures": [
            {"name": "bricks", "source": 0, "sampler": 0, "extras": 1},
            {"source": 1, "sampler": 1},
            {"extensions": {"EXT_texture_webp": {"source": 2}, "KHR_texture_basisu": {"source": 0}}}],
        "samplers": [
            {"magFilter": 9728, "minFilter": 9987, "wrapS": 33071, "wrapT": 33648},
            {}],
        "images": [
            {"name": "in the buffer", "mimeType": "image/png", "bufferView": 0, "extras": {"dpi": 72}},
            {"uri": "data:image/jpeg;base64,/9j/"},
            {"mimeType": "image/webp", "uri": "data:,RIFF"}]
    }));
    file.view(b"\x89PNG and so on");
    file
}

fn load(file: &GltfFile) -> Imported {
    hedgerow_gltf::from_slice(&file.glb(), None).unwrap().imported
}

/// Returns the index and the coordinate set of a reference without a transform.
fn of(reference: Option<TextureRef>) -> Option<(usize, u32)> {
    reference.inspect(|it| assert_eq!(it.transform, None)).map(|it| (it.texture, it.texcoord))
}

#[test]
fn every_factor_and_texture_of_a_material_comes() {
    let imported = load(&paints());
    let [all, old, little, default] = &imported.materials[..] else { panic!("{:?}", imported.materials) };
    assert_eq!((all.name.as_deref(), all.base_color), (Some("all"), [0.1, 0.2, 0.3, 0.4]));
    assert_eq!((all.metallic, all.roughness, all.normal_scale, all.occlusion_strength), (0.5, 0.25, 0.75, 0.5));
    assert_eq!((all.emissive, all.emissive_strength, all.ior), ([1.0, 0.5, 0.0], 5.0, 1.25));
    assert_eq!((all.alpha_mode, all.double_sided, all.unlit), (AlphaMode::Blend, true, false));
    assert_eq!(of(all.base_color_texture), Some((0, 1)));
    assert_eq!((of(all.occlusion_texture), of(all.emissive_texture)), (Some((1, 3)), Some((0, 0))));
    // The coordinate set of the transform overrides that of the reference.
    let transform = Some(TextureTransform { offset: [0.5, 0.25], rotation: 1.5, scale: [2.0, 3.0] });
    for (reference, texture) in [(all.metallic_roughness_texture, 1), (all.normal_texture, 2)] {
        let reference = reference.unwrap();
        assert_eq!((reference.texture, reference.texcoord, reference.transform), (texture, 1, transform));
    }
    let specular = all.specular.unwrap();
    assert_eq!((specular.strength, specular.color), (0.5, [1.0, 2.0, 3.0]));
    assert_eq!((of(specular.texture), of(specular.color_texture)), (Some((0, 0)), Some((1, 0))));
    let transmission = all.transmission.unwrap();
    assert_eq!((transmission.factor, of(transmission.texture)), (0.75, Some((2, 0))));
    let volume = all.volume.unwrap();
    assert_eq!((volume.thickness, volume.attenuation_distance, volume.attenuation_color), (2.0, 4.0, [0.5, 1.0, 1.0]));
    assert_eq!(of(volume.thickness_texture), Some((1, 0)));
    assert_eq!(all.extensions["KHR_materials_clearcoat"]["clearcoatFactor"], 1);
    assert_eq!((all.extensions.len(), all.extras.value().unwrap()["coats"].as_u64()), (1, Some(2)));

    assert_eq!((old.alpha_mode, old.specular), (AlphaMode::Mask { cutoff: 0.25 }, None));
    let model = old.specular_glossiness.unwrap();
    assert_eq!((model.diffuse, model.specular, model.glossiness), ([1.0, 0.0, 0.0, 0.5], [0.0, 1.0, 0.0], 0.5));
    assert_eq!((of(model.diffuse_texture), of(model.specular_glossiness_texture)), (Some((2, 0)), Some((0, 0))));

    let expected = Material::default();
    assert_eq!((little.alpha_mode, little.unlit), (AlphaMode::Mask { cutoff: 0.5 }, true));
    assert_eq!(little.volume.unwrap().attenuation_distance, f32::INFINITY);
    assert_eq!(
        (little.base_color, little.metallic, little.ior),
        (expected.base_color, expected.metallic, expected.ior)
    );
    assert_eq!(default, &expected);
    assert_eq!(imported.material(imported.default_material), Some(&expected));
}

#[test]
fn textures_have_their_samplers_and_images_their_bytes() {
    let imported = load(&paints());
    let [bricks, plain, others] = &imported.textures[..] else { panic!("{:?}", imported.textures) };
    assert_eq!((bricks.name.as_deref(), bricks.image, bricks.extras.text()), (Some("bricks"), Some(0), Some("1")));
    let Sampler { mag_filter, min_filter, wrap_u, wrap_v, .. } = bricks.sampler;
    assert_eq!((mag_filter, min_filter), (Some(MagFilter::Nearest), Some(MinFilter::LinearMipmapLinear)));
    assert_eq!((wrap_u, wrap_v), (Wrap::ClampToEdge, Wrap::MirroredRepeat));
    assert_eq!((plain.image, plain.sampler), (Some(1), Sampler::default()));
    assert_eq!((plain.sampler.wrap_u, plain.sampler.mag_filter), (Wrap::Repeat, None));
    assert_eq!(others.image, None);
    let formats: Vec<_> = others.other_images.iter().map(|(format, image)| (format.as_str(), *image)).collect();
    assert_eq!(formats, [("KHR_texture_basisu", 0), ("EXT_texture_webp", 2)]);

    let [buffer, jpeg, webp] = &imported.images[..] else { panic!("{:?}", imported.images) };
    assert_eq!((buffer.name.as_deref(), buffer.mime_type.as_deref()), (Some("in the buffer"), Some("image/png")));
    assert_eq!((&buffer.bytes[..], buffer.extras.text()), (&b"\x89PNG and so on"[..], Some(r#"{"dpi":72}"#)));
    assert_eq!((jpeg.mime_type.as_deref(), &jpeg.bytes[..]), (Some("image/jpeg"), &[0xFF, 0xD8, 0xFF][..]));
    assert_eq!((webp.mime_type.as_deref(), &webp.bytes[..]), (Some("image/webp"), &b"RIFF"[..]));
    assert_eq!((&buffer.uri, &jpeg.uri), (&None, &None));
    assert_eq!(imported.skipped, []);

    // Images are listed also if their bytes are not imported.
    let without = ImportOptions::new().with_parts(Parts { images: false, ..Parts::ALL });
    let images = without.from_slice(&paints().glb(), None).unwrap().imported.images;
    assert!(images.len() == 3 && images.iter().all(|image| image.bytes.is_empty()));
    assert_eq!(images[0].mime_type.as_deref(), Some("image/png"));
}

#[test]
fn images_in_files_are_read_and_those_that_are_not_there_are_listed() {
    let folder = std::env::temp_dir().join(format!("hedgerow-gltf-images-{}", std::process::id()));
    fs::create_dir_all(folder.join("textures")).unwrap();
    fs::write(folder.join("textures/a b.png"), b"pixels").unwrap();
    let file = GltfFile::new(json!({"images": [
        {"uri": "textures/a%20b.png", "mimeType": "image/png"}, {"uri": "gone.png"}, {"uri": "textures/a%20b.png"},
        {"uri": "https://example.org/far.png"}, {}, {"uri": "gone.png"}, {"uri": "textures"}]}));
    let bytes = file.glb();
    fs::write(folder.join("file.glb"), &bytes).unwrap();
    let imported = hedgerow_gltf::load(folder.join("file.glb")).unwrap().imported;
    let contents: Vec<&[u8]> = imported.images.iter().map(|image| &image.bytes[..]).collect();
    assert_eq!(contents, [b"pixels", &b""[..], b"pixels", b"", b"", b"", b""]);
    let image = &imported.images[0];
    assert_eq!((image.uri.as_deref(), image.mime_type.as_deref()), (Some("textures/a%20b.png"), Some("image/png")));
    assert_eq!(imported.images[3].uri.as_deref(), Some("https://example.org/far.png"));
    let gone = BufferProblem::Read { path: folder.join("gone.png"), reason: std::io::ErrorKind::NotFound };
    let folder_as_image =
        BufferProblem::Read { path: folder.join("textures"), reason: std::io::ErrorKind::InvalidInput };
    let skipped = [
        (1, gone.clone()),
        (3, BufferProblem::UnsupportedUri),
        (4, BufferProblem::NoData),
        (5, gone),
        (6, folder_as_image),
    ];
    assert_eq!(imported.skipped, skipped.map(|(image, problem)| Skipped::Image { image, problem }));
    fs::remove_dir_all(&folder).unwrap();

    // Bytes in memory have no folder.
    let imported = hedgerow_gltf::from_slice(&bytes, None).unwrap().imported;
    assert_eq!(imported.skipped[0], Skipped::Image { image: 0, problem: BufferProblem::NoFolder });
}

#[test]
fn images_that_share_bytes_are_bounded() {
    let mut file = GltfFile::new(json!({}));
    file.view(&vec![7; 1 << 20]);
    file.json["images"] = json!(vec![json!({"bufferView": 0}); 257]);
    let error = hedgerow_gltf::from_slice(&file.glb(), None).map(|_| ()).unwrap_err().to_string();
    assert!(error.starts_with("image 255: with it 268"), "{error}");
    let more = ImportOptions::new().with_max_bytes(u64::MAX);
    assert_eq!(more.from_slice(&file.glb(), None).unwrap().imported.images.len(), 257);
    let without = ImportOptions::new().with_parts(Parts { images: false, ..Parts::ALL });
    assert_eq!(without.from_slice(&file.glb(), None).unwrap().imported.images.len(), 257);
}

/// A JSON pointer, the value to put there, and the error of the import.
const BROKEN: &[(&str, &str, &str)] = &[
    ("/materials/1/alphaCutoff", "1e39", "material 1: alphaCutoff must be finite"),
    (
        "/materials/0/pbrMetallicRoughness/roughnessFactor",
        "-1e39",
        r#"material 0 "all": roughnessFactor must be finite"#,
    ),
    ("/materials/0/extensions/KHR_materials_ior/ior", "1e39", r#"material 0 "all": ior must be finite"#),
    (
        "/materials/0/normalTexture/extensions/KHR_texture_transform/scale",
        "4",
        r#"material 0 "all": normalTexture.extensions.KHR_texture_transform: it must have an offset, a rotation and a scale"#,
    ),
    (
        "/materials/0/normalTexture/extensions/KHR_texture_transform/rotation",
        "1e39",
        r#"material 0 "all": normalTexture.extensions.KHR_texture_transform must be finite"#,
    ),
    ("/textures/0/source", "3", r#"texture 0 "bricks": source is 3, but the file has 3 of these"#),
    (
        "/textures/2/extensions/EXT_texture_webp/source",
        "3",
        "texture 2: extensions.EXT_texture_webp.source is 3, but the file has 3 of these",
    ),
    (
        "/textures/2/extensions/EXT_texture_webp/source",
        "-1",
        "texture 2: extensions.EXT_texture_webp.source: it must be the index of an image",
    ),
    ("/images/0/bufferView", "1", r#"image 0 "in the buffer": bufferView is 1, but the file has 1 of these"#),
];

#[test]
fn surfaces_that_make_no_sense_are_refused_by_name() {
    for &(at, value, expected) in BROKEN {
        let mut file = paints();
        file.put(at, serde_json::from_str(value).unwrap());
        let error = hedgerow_gltf::from_slice(&file.glb(), None).map(|_| ()).unwrap_err();
        assert_eq!(error.to_string(), expected, "{at}");
        assert!(ImportOptions::new().with_parts(Parts::NODES).from_slice(&file.glb(), None).is_ok(), "{at}");
    }
}

#[test]
fn a_texture_transform_is_the_matrix_of_its_extension() {
    let transform = TextureTransform { offset: [0.1, 0.2], rotation: 0.5, scale: [2.0, 3.0] };
    let (sin, cos) = 0.5_f32.sin_cos();
    for point in [Vec2::ZERO, Vec2::X, Vec2::Y, Vec2::new(0.3, 0.8)] {
        let scaled = point * Vec2::new(2.0, 3.0);
        let turned = Vec2::new(cos * scaled.x + sin * scaled.y, -sin * scaled.x + cos * scaled.y);
        let found = transform.to_affine().transform_point2(point);
        assert!((found - turned - Vec2::new(0.1, 0.2)).length() < 1e-6, "{point}");
    }
}
