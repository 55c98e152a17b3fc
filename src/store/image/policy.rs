//! The policy of a scene as numbers.

use crate::SceneConfig;
use crate::config::StoragePolicy;
use crate::record::{BytesError, ensure};

/// Calls `field` with every field of a policy as a 32-bit number, in the order of the file, and stores the result.
fn each_field(config: &mut SceneConfig, field: &mut dyn FnMut(&mut u32)) {
    let mut factor = config.expansion_factor.to_bits();
    field(&mut factor);
    config.expansion_factor = f32::from_bits(factor);
    field(&mut config.initial_slice_storage_size);
    field(&mut config.initial_slice_max_num_nodes);
    field(&mut config.max_nodes);
    field(&mut config.min_nodes);
    let SceneConfig { bounds, changes, storage, .. } = config;
    let StoragePolicy { share_slices, reuse_holes, grow_in_place, .. } = storage;
    for flag in [share_slices, reuse_holes, grow_in_place, bounds, changes] {
        let mut bit = u32::from(*flag);
        field(&mut bit);
        *flag = bit != 0;
    }
    field(&mut config.storage.max_table_entries);
    field(&mut config.storage.max_generation);
}

/// All fields.
pub(super) fn config_words(config: &SceneConfig) -> Vec<u32> {
    let (mut config, mut words) = (*config, Vec::new());
    each_field(&mut config, &mut |field| words.push(*field));
    words
}

/// The policy of these fields, if it is valid.
pub(super) fn config_of(words: &[u32]) -> Result<SceneConfig, BytesError> {
    let mut config = SceneConfig::DEFAULT;
    let mut fields = 0;
    each_field(&mut config, &mut |_| fields += 1);
    ensure!(words.len() == fields, "the policy has another number of fields");
    let mut words = words.iter();
    each_field(&mut config, &mut |field| *field = words.next().copied().unwrap_or_default());
    config.checked().map_err(|_| BytesError::invalid("the policy makes no sense"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_comes_back_field_by_field() {
        for config in [SceneConfig::DEFAULT, SceneConfig::THESIS] {
            assert_eq!(config_of(&config_words(&config)), Ok(config));
        }
        assert!(config_of(&[]).is_err());
        let senseless = SceneConfig {
            storage: StoragePolicy { max_table_entries: 0, ..StoragePolicy::DEFAULT },
            ..SceneConfig::DEFAULT
        };
        assert!(config_of(&config_words(&senseless)).is_err());
    }
}
