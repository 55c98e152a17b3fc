//! Pictures of memory, by `Scene::layout_svg`.

use crate::canvas::write_png;
use hedgerow::{Node, NodeHandle, Scene, SceneConfig};
use std::error::Error;
use std::path::{Path, PathBuf};

/// Draws a slice before and after it is reconstituted, and the slices of a scene of 20,000 nodes.
pub(crate) fn draw(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut files = Vec::new();
    let mut scene = churned(1500, SceneConfig::DEFAULT)?;
    files.extend(save(&scene.layout_svg(1), folder, "slice-before")?);
    scene.reconstitute_all();
    files.extend(save(&scene.layout_svg(1), folder, "slice-after")?);
    let scene = churned(20_000, SceneConfig::DEFAULT)?;
    files.extend(save(&scene.layout_svg(2), folder, "slices")?);
    Ok(files)
}

/// A tree of seven subtrees that grow by turns, a fifth of which is removed again and half of that inserted elsewhere.
fn churned(count: usize, config: SceneConfig) -> Result<Scene, hedgerow::Error> {
    let mut scene = Scene::with_config(config)?;
    let mut nodes: Vec<NodeHandle> = Vec::new();
    for _ in 0..7 {
        nodes.push(scene.insert(scene.root(), Node::group())?);
    }
    // Steps of a prime go everywhere.
    for step in 0..count {
        let parent = nodes[(step * 7919 + step / 3) % nodes.len()];
        nodes.push(scene.insert(parent, Node::group())?);
    }
    let mut left = Vec::new();
    for (at, &node) in nodes.iter().enumerate().skip(7) {
        let is_leaf = scene.first_child(node).is_none() && scene.contains(node);
        if at % 3 == 0 && is_leaf {
            scene.remove(node)?;
        } else if scene.contains(node) {
            left.push(node);
        }
    }
    for step in 0..count / 20 {
        scene.insert(left[step * 7907 % left.len()], Node::group())?;
    }
    Ok(scene)
}

/// Writes a picture of a layout as it is, and its rectangles as pixels.
fn save(svg: &str, folder: &Path, name: &str) -> Result<[PathBuf; 2], Box<dyn Error>> {
    let [to_svg, to_png] = ["svg", "png"].map(|kind| folder.join(format!("{name}.{kind}")));
    std::fs::write(&to_svg, svg)?;
    let number = |text: &str| text.parse::<usize>().map_err(|_| format!("{text} is no number"));
    let attribute = |line: &str, name: &str| -> Option<String> {
        Some(line.split_once(&format!(" {name}=\""))?.1.split('"').next()?.to_owned())
    };
    let head = svg.lines().next().unwrap_or_default();
    let size = ["width", "height"].map(|name| attribute(head, name).unwrap_or_default());
    let (width, height) = (number(&size[0])?, number(&size[1])?);
    let mut pixels = vec![0xee; 3 * width * height];
    for line in svg.lines() {
        let (Some(fill), Some(path)) = (attribute(line, "fill"), attribute(line, "d")) else { continue };
        let Ok(colour) = u32::from_str_radix(fill.trim_start_matches('#'), 16) else { continue };
        for rectangle in path.split('M').skip(1) {
            let numbers: Vec<&str> =
                rectangle.split(|letter: char| !letter.is_ascii_digit()).filter(|text| !text.is_empty()).collect();
            let [x, y, across, down, ..] = numbers[..] else { continue };
            let (x, y, across, down) = (number(x)?, number(y)?, number(across)?, number(down)?);
            for row in y..y + down {
                for pixel in pixels[3 * (row * width + x)..][..3 * across].chunks_exact_mut(3) {
                    pixel.copy_from_slice(&colour.to_be_bytes()[1..]);
                }
            }
        }
    }
    write_png(&to_png, (u32::try_from(width)?, u32::try_from(height)?), &pixels)?;
    Ok([to_svg, to_png])
}
