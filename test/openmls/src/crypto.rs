//! What members need who help each other with path secrets, and OpenMLS has no calls for.

use crate::Outcome;
use openmls::prelude::MlsGroup;
use openmls::prelude::tls_codec::SecretVLBytes;
use openmls_rust_crypto::{MemoryStorage, OpenMlsRustCrypto, RustCrypto};
use openmls_traits::OpenMlsProvider;
use openmls_traits::crypto::OpenMlsCrypto;
use openmls_traits::storage::{CURRENT_VERSION, Entity, StorageProvider, traits};
use openmls_traits::types::{
    AeadType, Ciphersuite, CryptoError, ExporterSecret, HashType, HpkeCiphertext, HpkeConfig, HpkeKeyPair, KemOutput,
    SignatureScheme,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A pair of keys as the library stores it.
#[derive(Serialize, Deserialize)]
pub struct KeyPair(Value);

impl Entity<CURRENT_VERSION> for KeyPair {}
impl traits::HpkeKeyPair<CURRENT_VERSION> for KeyPair {}

/// The keys of a member's leaf and path, to which others seal path secrets.
pub fn path_keys(provider: &OpenMlsRustCrypto, group: &MlsGroup) -> Outcome<Vec<KeyPair>> {
    let own = group.own_leaf_index().u32();
    Ok(provider.storage().encryption_epoch_key_pairs(group.group_id(), &group.epoch(), own)?)
}

/// A provider that opens every path secret as one that another member has sealed, if there is one.
pub struct WithPathSecret<'a> {
    inner: &'a OpenMlsRustCrypto,
    crypto: Crypto<'a>,
}

impl<'a> WithPathSecret<'a> {
    pub fn new(inner: &'a OpenMlsRustCrypto, path_secret: Option<Vec<u8>>) -> Self {
        Self { inner, crypto: Crypto { inner: inner.crypto(), path_secret } }
    }
}

impl<'a> OpenMlsProvider for WithPathSecret<'a> {
    type CryptoProvider = Crypto<'a>;
    type RandProvider = RustCrypto;
    type StorageProvider = MemoryStorage;

    fn storage(&self) -> &MemoryStorage {
        self.inner.storage()
    }

    fn crypto(&self) -> &Crypto<'a> {
        &self.crypto
    }

    fn rand(&self) -> &RustCrypto {
        self.inner.rand()
    }
}

pub struct Crypto<'a> {
    inner: &'a RustCrypto,
    path_secret: Option<Vec<u8>>,
}

impl OpenMlsCrypto for Crypto<'_> {
    /// To process a commit, the library opens nothing but the path secret.
    fn hpke_open(
        &self,
        config: HpkeConfig,
        input: &HpkeCiphertext,
        sk_r: &[u8],
        info: &[u8],
        aad: &[u8],
    ) -> Result<Vec<u8>, CryptoError> {
        match &self.path_secret {
            Some(secret) => Ok(secret.clone()),
            None => self.inner.hpke_open(config, input, sk_r, info, aad),
        }
    }

    fn supports(&self, suite: Ciphersuite) -> Result<(), CryptoError> {
        self.inner.supports(suite)
    }

    fn supported_ciphersuites(&self) -> Vec<Ciphersuite> {
        self.inner.supported_ciphersuites()
    }

    fn hkdf_extract(&self, hash: HashType, salt: &[u8], ikm: &[u8]) -> Result<SecretVLBytes, CryptoError> {
        self.inner.hkdf_extract(hash, salt, ikm)
    }

    fn hmac(&self, hash: HashType, key: &[u8], message: &[u8]) -> Result<SecretVLBytes, CryptoError> {
        self.inner.hmac(hash, key, message)
    }

    fn hkdf_expand(&self, hash: HashType, prk: &[u8], info: &[u8], len: usize) -> Result<SecretVLBytes, CryptoError> {
        self.inner.hkdf_expand(hash, prk, info, len)
    }

    fn hash(&self, hash: HashType, data: &[u8]) -> Result<Vec<u8>, CryptoError> {
        self.inner.hash(hash, data)
    }

    fn aead_encrypt(
        &self,
        alg: AeadType,
        key: &[u8],
        data: &[u8],
        nonce: &[u8],
        aad: &[u8],
    ) -> Result<Vec<u8>, CryptoError> {
        self.inner.aead_encrypt(alg, key, data, nonce, aad)
    }

    fn aead_decrypt(
        &self,
        alg: AeadType,
        key: &[u8],
        ct_tag: &[u8],
        nonce: &[u8],
        aad: &[u8],
    ) -> Result<Vec<u8>, CryptoError> {
        self.inner.aead_decrypt(alg, key, ct_tag, nonce, aad)
    }

    fn signature_key_gen(&self, alg: SignatureScheme) -> Result<(Vec<u8>, Vec<u8>), CryptoError> {
        self.inner.signature_key_gen(alg)
    }

    fn verify_signature(
        &self,
        alg: SignatureScheme,
        data: &[u8],
        pk: &[u8],
        signature: &[u8],
    ) -> Result<(), CryptoError> {
        self.inner.verify_signature(alg, data, pk, signature)
    }

    fn sign(&self, alg: SignatureScheme, data: &[u8], key: &[u8]) -> Result<Vec<u8>, CryptoError> {
        self.inner.sign(alg, data, key)
    }

    fn hpke_seal(
        &self,
        config: HpkeConfig,
        pk_r: &[u8],
        info: &[u8],
        aad: &[u8],
        ptxt: &[u8],
    ) -> Result<HpkeCiphertext, CryptoError> {
        self.inner.hpke_seal(config, pk_r, info, aad, ptxt)
    }

    fn hpke_setup_sender_and_export(
        &self,
        config: HpkeConfig,
        pk_r: &[u8],
        info: &[u8],
        context: &[u8],
        length: usize,
    ) -> Result<(KemOutput, ExporterSecret), CryptoError> {
        self.inner.hpke_setup_sender_and_export(config, pk_r, info, context, length)
    }

    fn hpke_setup_receiver_and_export(
        &self,
        config: HpkeConfig,
        enc: &[u8],
        sk_r: &[u8],
        info: &[u8],
        context: &[u8],
        length: usize,
    ) -> Result<ExporterSecret, CryptoError> {
        self.inner.hpke_setup_receiver_and_export(config, enc, sk_r, info, context, length)
    }

    fn derive_hpke_keypair(&self, config: HpkeConfig, ikm: &[u8]) -> Result<HpkeKeyPair, CryptoError> {
        self.inner.derive_hpke_keypair(config, ikm)
    }
}
