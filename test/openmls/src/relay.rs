//! Commit slots over HTTP.

use crate::Outcome;
use base64::{Engine, engine::general_purpose::STANDARD as BASE64};
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(200);

/// The relay with the group's slots, and how this member reaches it.
#[derive(Deserialize)]
pub struct SlotRelay {
    /// Of the member's own relay.
    pub url: String,
    pub token: String,
    /// Its domain if it is another one than the relay with the slots, which it then asks.
    pub asks: bool,
    pub domain: String,
    pub slot_key: String,
}

/// The name of the slot that a key takes.
pub fn name_of(key: &SigningKey) -> String {
    hex::encode(Sha256::digest(key.verifying_key().as_bytes()))
}

pub enum Found {
    Taken(Vec<u8>),
    Free,
}

impl SlotRelay {
    /// Takes the slot of a key; returns the content that it has.
    pub fn put(&self, key: &SigningKey, content: &[u8]) -> Outcome<Vec<u8>> {
        let slot = &name_of(key);
        let (domain, hash) = (&self.domain.to_lowercase(), hex::encode(Sha256::digest(content)));
        let text = format!("mls-relay commit slot taking 1\n{domain}\n{slot}\n{hash}");
        let mut body = json!({
            "content": BASE64.encode(content),
            "slot_key": self.slot_key,
            "public_key": hex::encode(key.verifying_key().as_bytes()),
            "signature": hex::encode(key.sign(text.as_bytes()).to_bytes()),
        });
        if self.asks {
            body["domain"] = self.domain.clone().into();
        }
        let (status, answer) = self.ask(|agent| {
            let request = agent.put(format!("{}/v1/slots/{slot}", self.url));
            request
                .header("Authorization", format!("Bearer {}", self.token))
                .header("Content-Type", "application/json")
                .send(body.to_string())
        })?;
        if status != 200 {
            return Err(format!("{status}: {answer}").into());
        }
        let taken = match answer["won"].as_bool() {
            Some(true) => content.to_vec(),
            _ => BASE64.decode(answer["content"].as_str().unwrap_or_default())?,
        };
        self.check(&answer["receipt"], slot, &taken)?;
        Ok(taken)
    }

    pub fn get(&self, slot: &str) -> Outcome<Found> {
        // The contract wants reserved characters encoded, like the colon before a port.
        let query = if self.asks { format!("?domain={}", self.domain.replace(':', "%3A")) } else { String::new() };
        let (status, answer) = self.ask(|agent| {
            let request = agent.get(format!("{}/v1/slots/{slot}{query}", self.url));
            // Only who asks for another relay's slot needs a token.
            if self.asks { request.header("Authorization", format!("Bearer {}", self.token)) } else { request }.call()
        })?;
        match status {
            404 => Ok(Found::Free),
            200 => {
                let content = BASE64.decode(answer["content"].as_str().unwrap_or_default())?;
                self.check(&answer["receipt"], slot, &content)?;
                Ok(Found::Taken(content))
            }
            _ => Err(format!("{status}: {answer}").into()),
        }
    }

    /// Asks again while the answer decides nothing.
    fn ask(
        &self,
        send: impl Fn(&ureq::Agent) -> Result<ureq::http::Response<ureq::Body>, ureq::Error>,
    ) -> Outcome<(u16, Value)> {
        let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        let end = Instant::now() + PATIENCE;
        loop {
            let last = match send(&agent) {
                Ok(mut answer) => {
                    let status = answer.status().as_u16();
                    let text = answer.body_mut().with_config().limit(4 << 20).read_to_string()?;
                    if status < 500 || status == 507 {
                        return Ok((status, serde_json::from_str(&text)?));
                    }
                    text
                }
                Err(problem) => problem.to_string(),
            };
            if Instant::now() > end {
                return Err(format!("no answer decides: {last}").into());
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Only a receipt proves what a slot has.
    fn check(&self, receipt: &Value, slot: &str, content: &[u8]) -> Outcome<()> {
        let hash = hex::encode(Sha256::digest(content));
        let fits = receipt["domain"].as_str().is_some_and(|domain| domain.eq_ignore_ascii_case(&self.domain))
            && receipt["slot"] == slot
            && receipt["content_sha256"] == hash.as_str()
            && receipt["slot_key"] == self.slot_key.as_str();
        if !fits {
            return Err(format!("the receipt is for something else: {receipt}").into());
        }
        let domain = receipt["domain"].as_str().unwrap_or_default();
        let text = format!("mls-relay commit slot receipt 1\n{domain}\n{slot}\n{hash}");
        let signature = hex::decode(receipt["signature"].as_str().unwrap_or_default())?;
        let key: [u8; 32] = hex::decode(&self.slot_key)?.try_into().map_err(|_| "the slot key is no key")?;
        let key = VerifyingKey::from_bytes(&key)?;
        Ok(key.verify_strict(text.as_bytes(), &Signature::from_slice(&signature)?)?)
    }
}
