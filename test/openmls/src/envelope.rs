//! Envelopes (spec/decisions/0197-envelopes.md).

use crate::Outcome;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{ChaCha20Poly1305, Key, Nonce};
use hmac::{Hmac, Mac};
use rand::RngCore;
use sha2::Sha256;

const VERSION: u8 = 1;
const HINT: std::ops::Range<usize> = 1..5;
const NONCE: std::ops::Range<usize> = 5..17;
const TAG_BYTES: usize = 16;
const LENGTH_BYTES: usize = 4;
const MIN_BYTES: usize = 512;

pub struct EpochKeys {
    pub seal: Vec<u8>,
    pub hint: Vec<u8>,
}

pub fn seal(keys: &EpochKeys, content: &[u8]) -> Outcome<Vec<u8>> {
    let mut nonce = [0; 12];
    rand::thread_rng().fill_bytes(&mut nonce);
    let mut envelope = vec![VERSION];
    envelope.extend(hint(keys, &nonce)?);
    envelope.extend(nonce);
    let size = padme(NONCE.end + TAG_BYTES + LENGTH_BYTES + content.len());
    let mut padded = u32::try_from(content.len())?.to_be_bytes().to_vec();
    padded.extend(content);
    padded.resize(size - NONCE.end - TAG_BYTES, 0);
    let payload = Payload { msg: &padded, aad: &envelope[..HINT.end] };
    let sealed = cipher(keys).encrypt(Nonce::from_slice(&nonce), payload).map_err(|_| "cannot be sealed")?;
    envelope.extend(sealed);
    Ok(envelope)
}

/// None for what is no envelope of these keys.
pub fn open(keys: &EpochKeys, envelope: &[u8]) -> Option<Vec<u8>> {
    if envelope.len() < NONCE.end + TAG_BYTES || envelope[0] != VERSION {
        return None;
    }
    let nonce = &envelope[NONCE];
    if hint(keys, nonce).ok()? != envelope[HINT] {
        return None;
    }
    let payload = Payload { msg: &envelope[NONCE.end..], aad: &envelope[..HINT.end] };
    let padded = cipher(keys).decrypt(Nonce::from_slice(nonce), payload).ok()?;
    let (length, rest) = padded.split_at_checked(LENGTH_BYTES)?;
    let length = u32::from_be_bytes(length.try_into().ok()?) as usize;
    let (content, zeros) = rest.split_at_checked(length)?;
    zeros.iter().all(|&byte| byte == 0).then(|| content.to_vec())
}

fn cipher(keys: &EpochKeys) -> ChaCha20Poly1305 {
    ChaCha20Poly1305::new(Key::from_slice(&keys.seal))
}

fn hint(keys: &EpochKeys, nonce: &[u8]) -> Outcome<Vec<u8>> {
    let mut mac = <Hmac<Sha256> as Mac>::new_from_slice(&keys.hint)?;
    mac.update(nonce);
    Ok(mac.finalize().into_bytes()[..4].to_vec())
}

/// Padmé: the exponent of a size, and as many further bits as the exponent has, are kept.
fn padme(bytes: usize) -> usize {
    let bytes = bytes.max(MIN_BYTES);
    let exponent = bytes.ilog2();
    let step = 1 << (exponent - (exponent.ilog2() + 1));
    bytes.div_ceil(step) * step
}
