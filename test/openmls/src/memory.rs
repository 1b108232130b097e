//! What OpenMLS keeps in memory, as a value that can be stored.

use crate::Outcome;
use openmls::prelude::MlsGroup;
use openmls_rust_crypto::OpenMlsRustCrypto;
use openmls_traits::OpenMlsProvider;
use openmls_traits::storage::{CURRENT_VERSION, Entity, StorageProvider, traits};
use serde::{Deserialize, Serialize};

/// Keys and values in hex.
pub type Memory = Vec<(String, String)>;

pub fn read(provider: &OpenMlsRustCrypto) -> Outcome<Memory> {
    let values = provider.storage().values.read().map_err(|_| "poisoned")?;
    Ok(values.iter().map(|(key, value)| (hex::encode(key), hex::encode(value))).collect())
}

pub fn provider_with(memory: &Memory) -> Outcome<OpenMlsRustCrypto> {
    let provider = OpenMlsRustCrypto::default();
    let mut values = provider.storage().values.write().map_err(|_| "poisoned")?;
    for (key, value) in memory {
        values.insert(hex::decode(key)?, hex::decode(value)?);
    }
    drop(values);
    Ok(provider)
}

/// The secrets of past epochs for resumption, as the library stores them.
#[derive(Serialize, Deserialize)]
struct ResumptionPsks {
    max_number_of_secrets: usize,
    resumption_psk: [(); 0],
    cursor: usize,
}

impl Entity<CURRENT_VERSION> for ResumptionPsks {}
impl traits::ResumptionPskStore<CURRENT_VERSION> for ResumptionPsks {}

/// A group that was founded, with no room for the secrets of past epochs: the library's builder keeps 32 of them, whatever number it is given.
pub fn without_resumption_psks(provider: &OpenMlsRustCrypto, group: MlsGroup) -> Outcome<MlsGroup> {
    let none = ResumptionPsks { max_number_of_secrets: 0, resumption_psk: [], cursor: 0 };
    provider.storage().write_resumption_psk_store(group.group_id(), &none)?;
    Ok(MlsGroup::load(provider.storage(), group.group_id())?.ok_or("no group is stored")?)
}
