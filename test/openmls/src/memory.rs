//! What OpenMLS keeps in memory, as a value that can be stored.

use crate::Outcome;
use openmls_rust_crypto::OpenMlsRustCrypto;
use openmls_traits::OpenMlsProvider;

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
