//! The configuration of a scene as numbers.

use crate::SceneConfig;
use crate::record::{BytesError, ensure};

/// Calls `field` with every field of a configuration as a 32-bit number, in the order of the file, and stores the
/// result.
fn each_field(config: &mut SceneConfig, field: &mut dyn FnMut(&mut u32)) {
    let mut factor = config.expansion_factor.to_bits();
    field(&mut factor);
    config.expansion_factor = f32::from_bits(factor);
    field(&mut config.initial_slice_storage_size);
    field(&mut config.initial_slice_max_num_nodes);
    field(&mut config.max_nodes);
    field(&mut config.min_nodes);
    for flag in [&mut config.bounds, &mut config.changes] {
        let mut bit = u32::from(*flag);
        field(&mut bit);
        *flag = bit != 0;
    }
}

/// All fields.
pub(super) fn config_words(config: &SceneConfig) -> Vec<u32> {
    let (mut config, mut words) = (*config, Vec::new());
    each_field(&mut config, &mut |field| words.push(*field));
    words
}

/// The configuration of these fields, if it is valid.
pub(super) fn config_of(words: &[u32]) -> Result<SceneConfig, BytesError> {
    let mut config = SceneConfig::DEFAULT;
    let mut fields = 0;
    each_field(&mut config, &mut |_| fields += 1);
    ensure!(words.len() == fields, "the configuration has another number of fields");
    let mut words = words.iter();
    each_field(&mut config, &mut |field| *field = words.next().copied().unwrap_or_default());
    config.checked().map_err(|_| BytesError::invalid("the configuration makes no sense"))
}
