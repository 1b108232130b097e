//! A member of a group by OpenMLS, whose commits go through the commit slots of a relay. It was written from the contract
//! (`PUT` and `GET /v1/slots/{slot}`) and from the decisions on commit slots and envelopes, without the TypeScript client.
//!
//! It reads commands from standard input, one JSON object a line, and answers each with one. What must survive a crash is in
//! `state.json` of its folder.

mod envelope;
mod memory;
mod relay;

use base64::{Engine, engine::general_purpose::STANDARD as BASE64};
use ed25519_dalek::SigningKey;
use envelope::EpochKeys;
use openmls::prelude::tls_codec::Deserialize as _;
use openmls::prelude::*;
use openmls_basic_credential::SignatureKeyPair;
use openmls_rust_crypto::OpenMlsRustCrypto;
use relay::{Found, SlotRelay, name_of};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::error::Error;
use std::io::{BufRead, Write};
use std::path::PathBuf;

const SUITE: Ciphersuite = Ciphersuite::MLS_128_DHKEMX25519_CHACHA20POLY1305_SHA256_Ed25519;
const MAX_ATTEMPTS: u32 = 16;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// What the program is started with.
#[derive(Deserialize)]
struct Settings {
    name: String,
    folder: PathBuf,
    relay: SlotRelay,
}

/// A commit that is decided, but perhaps not known to be.
#[derive(Clone, Serialize, Deserialize)]
struct Pending {
    content: String,
    slot: String,
    attempt: u32,
}

#[derive(Serialize, Deserialize)]
struct Disk {
    values: memory::Memory,
    public_key: String,
    group: Option<String>,
    pending: Option<Pending>,
}

struct Member {
    settings: Settings,
    provider: OpenMlsRustCrypto,
    signer: SignatureKeyPair,
    group: Option<MlsGroup>,
    pending: Option<Pending>,
}

/// How a member evaluates the content of a slot.
enum Evaluated {
    Valid(Box<StagedCommit>),
    Void,
    Unusable(String),
}

fn main() -> Outcome<()> {
    let settings: Settings = serde_json::from_str(&std::env::args().nth(1).ok_or("no settings")?)?;
    let mut member = Member::open(settings)?;
    for line in std::io::stdin().lock().lines() {
        let command: Value = serde_json::from_str(&line?)?;
        let answer = member.obey(&command).unwrap_or_else(|problem| json!({ "error": problem.to_string() }));
        let mut out = std::io::stdout().lock();
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

impl Member {
    /// Starts from an empty folder, or continues with the state that an earlier process left there.
    fn open(settings: Settings) -> Outcome<Self> {
        let Ok(text) = std::fs::read_to_string(settings.folder.join("state.json")) else {
            let provider = OpenMlsRustCrypto::default();
            let signer = SignatureKeyPair::new(SUITE.signature_algorithm())?;
            signer.store(provider.storage())?;
            return Ok(Self { settings, provider, signer, group: None, pending: None });
        };
        let disk: Disk = serde_json::from_str(&text)?;
        let provider = memory::provider_with(&disk.values)?;
        let public_key = hex::decode(disk.public_key)?;
        let signer = SignatureKeyPair::read(provider.storage(), &public_key, SUITE.signature_algorithm())
            .ok_or("the signature key is lost")?;
        let group = match disk.group {
            Some(id) => MlsGroup::load(provider.storage(), &GroupId::from_slice(&hex::decode(id)?))?,
            None => None,
        };
        Ok(Self { settings, provider, signer, group, pending: disk.pending })
    }

    fn save(&self) -> Outcome<()> {
        let disk = Disk {
            values: memory::read(&self.provider)?,
            public_key: hex::encode(self.signer.public()),
            group: self.group.as_ref().map(|group| hex::encode(group.group_id().as_slice())),
            pending: self.pending.clone(),
        };
        let target = self.settings.folder.join("state.json");
        let draft = target.with_extension("draft");
        std::fs::write(&draft, serde_json::to_vec(&disk)?)?;
        Ok(std::fs::rename(draft, target)?)
    }

    fn obey(&mut self, command: &Value) -> Outcome<Value> {
        let text = |name: &str| command[name].as_str().map(str::to_owned).ok_or(format!("{name} is missing"));
        let bytes = |name: &str| -> Outcome<Vec<u8>> { Ok(BASE64.decode(text(name)?)?) };
        Ok(match command["do"].as_str().unwrap_or_default() {
            "key package" => json!({ "key_package": BASE64.encode(self.key_package()?) }),
            "key package of mls-rs" => json!({ "key_package": BASE64.encode(key_package_of_mls_rs(&self.settings.name)?) }),
            "join" => {
                self.join(&bytes("welcome")?)?;
                self.state()?
            }
            "prepare" => {
                let applied = self.follow()?;
                self.prepare()?;
                json!({ "applied": applied })
            }
            "take" => json!({ "won": self.resume()? }),
            "take and die" => {
                // The request is carried out, and the process ends before it knows.
                let pending = self.pending.clone().ok_or("no commit was prepared")?;
                self.settings.relay.put(&self.slot_key(pending.attempt)?, &BASE64.decode(&pending.content)?)?;
                std::process::abort()
            }
            "follow" => {
                let applied = self.follow()?;
                let mut state = self.state()?;
                state["applied"] = applied.into();
                state
            }
            "state" => self.state()?,
            other => return Err(format!("unknown command {other}").into()),
        })
    }

    /// As an MLS message, which is what members pass on.
    fn key_package(&self) -> Outcome<Vec<u8>> {
        let identity = BasicCredential::new(self.settings.name.clone().into_bytes());
        let credential = CredentialWithKey { credential: identity.into(), signature_key: self.signer.public().into() };
        let bundle = KeyPackage::builder().build(SUITE, &self.provider, &self.signer, credential)?;
        let message = MlsMessageOut::from(bundle.key_package().clone()).to_bytes()?;
        self.save()?;
        Ok(message)
    }

    /// With a Welcome that has the ratchet tree in it.
    fn join(&mut self, welcome: &[u8]) -> Outcome<()> {
        let MlsMessageBodyIn::Welcome(welcome) = MlsMessageIn::tls_deserialize_exact(welcome)?.extract() else {
            return Err("this is no Welcome".into());
        };
        // Content of slots must be public messages, so that all members evaluate the same bytes alike.
        let config = MlsGroupJoinConfig::builder().wire_format_policy(PURE_PLAINTEXT_WIRE_FORMAT_POLICY).build();
        let staged = StagedWelcome::new_from_welcome(&self.provider, &config, welcome, None)?;
        self.group = Some(staged.into_group(&self.provider)?);
        self.save()
    }

    fn group(&self) -> Outcome<&MlsGroup> {
        self.group.as_ref().ok_or("not in a group".into())
    }

    fn state(&self) -> Outcome<Value> {
        let group = self.group()?;
        let authenticator = hex::encode(group.epoch_authenticator().as_slice());
        Ok(json!({ "epoch": group.epoch().as_u64(), "authenticator": authenticator }))
    }

    fn export(&self, label: &str, context: &[u8]) -> Outcome<Vec<u8>> {
        Ok(self.group()?.export_secret(self.provider.crypto(), label, context, 32)?)
    }

    /// The key that takes the present epoch's slot.
    fn slot_key(&self, attempt: u32) -> Outcome<SigningKey> {
        let context = [&attempt.to_be_bytes(), self.settings.relay.domain.as_bytes()].concat();
        let seed: [u8; 32] = self.export("mls-relay commit slot", &context)?.try_into().map_err(|_| "no seed")?;
        Ok(SigningKey::from_bytes(&seed))
    }

    fn slot(&self, attempt: u32) -> Outcome<String> {
        Ok(name_of(&self.slot_key(attempt)?))
    }

    fn keys(&self) -> Outcome<EpochKeys> {
        Ok(EpochKeys {
            seal: self.export("mls-relay envelope", &[])?,
            hint: self.export("mls-relay envelope hint", &[])?,
        })
    }

    /// Makes a commit with fresh keys, and saves it before anybody can know of it.
    fn prepare(&mut self) -> Outcome<()> {
        let keys = self.keys()?;
        let slot = self.slot(0)?;
        let group = self.group.as_mut().ok_or("not in a group")?;
        let made = group.self_update(&self.provider, &self.signer, LeafNodeParameters::default())?;
        let content = BASE64.encode(envelope::seal(&keys, &made.into_commit().to_bytes()?)?);
        self.pending = Some(Pending { content, slot, attempt: 0 });
        self.save()
    }

    /// Finishes the commit that is pending. Returns whether it has won.
    fn resume(&mut self) -> Outcome<bool> {
        while let Some(pending) = self.pending.clone() {
            if pending.slot != self.slot(pending.attempt)? {
                self.drop_pending()?;
                break;
            }
            let own = BASE64.decode(&pending.content)?;
            let taken = self.settings.relay.put(&self.slot_key(pending.attempt)?, &own)?;
            if taken == own {
                self.group.as_mut().ok_or("not in a group")?.merge_pending_commit(&self.provider)?;
                self.pending = None;
                self.save()?;
                return Ok(true);
            }
            match self.evaluate(&taken)? {
                Evaluated::Valid(staged) => {
                    self.apply(*staged)?;
                    return Ok(false);
                }
                Evaluated::Unusable(why) => return Err(format!("rejoin: {why}").into()),
                Evaluated::Void if pending.attempt + 1 == MAX_ATTEMPTS => return Err("rejoin: no attempt left".into()),
                Evaluated::Void => {
                    let attempt = pending.attempt + 1;
                    self.pending = Some(Pending { slot: self.slot(attempt)?, attempt, ..pending });
                    self.save()?;
                }
            }
        }
        Ok(false)
    }

    fn drop_pending(&mut self) -> Outcome<()> {
        let group = self.group.as_mut().ok_or("not in a group")?;
        group.clear_pending_commit(self.provider.storage())?;
        self.pending = None;
        self.save()
    }

    /// Applies what the slots of the present and the following epochs have taken. Returns how many commits that were.
    fn follow(&mut self) -> Outcome<u32> {
        let mut applied = 0;
        if self.pending.is_some() {
            let before = self.group()?.epoch();
            self.resume()?;
            applied += u32::from(self.group()?.epoch() != before);
        }
        let mut attempt = 0;
        while attempt < MAX_ATTEMPTS {
            let Found::Taken(content) = self.settings.relay.get(&self.slot(attempt)?)? else { return Ok(applied) };
            match self.evaluate(&content)? {
                Evaluated::Void => attempt += 1,
                Evaluated::Unusable(why) => return Err(format!("rejoin: {why}").into()),
                Evaluated::Valid(staged) => {
                    self.apply(*staged)?;
                    (applied, attempt) = (applied + 1, 0);
                }
            }
        }
        Err("rejoin: no attempt left".into())
    }

    fn apply(&mut self, staged: StagedCommit) -> Outcome<()> {
        let group = self.group.as_mut().ok_or("not in a group")?;
        group.merge_staged_commit(&self.provider, staged)?;
        self.pending = None;
        self.save()
    }

    /// Void is only what no member accepts.
    fn evaluate(&mut self, content: &[u8]) -> Outcome<Evaluated> {
        let Some(plain) = envelope::open(&self.keys()?, content) else { return Ok(Evaluated::Void) };
        let Ok(message) = MlsMessageIn::tls_deserialize_exact(plain) else { return Ok(Evaluated::Void) };
        let MlsMessageBodyIn::PublicMessage(message) = message.extract() else { return Ok(Evaluated::Void) };
        let group = self.group.as_mut().ok_or("not in a group")?;
        Ok(match group.process_message(&self.provider, message) {
            Ok(processed) => match processed.into_content() {
                ProcessedMessageContent::StagedCommitMessage(staged) => Evaluated::Valid(staged),
                _ => Evaluated::Void,
            },
            Err(ProcessMessageError::ValidationError(
                ValidationError::WrongGroupId
                | ValidationError::WrongEpoch
                | ValidationError::UnknownMember
                | ValidationError::MissingMembershipTag
                | ValidationError::InvalidMembershipTag
                | ValidationError::InvalidSignature,
            )) => Evaluated::Void,
            Err(problem) => Evaluated::Unusable(problem.to_string()),
        })
    }
}

/// A package that another library of MLS makes, also as an MLS message.
fn key_package_of_mls_rs(name: &str) -> Outcome<Vec<u8>> {
    use mls_rs::identity::{SigningIdentity, basic};
    use mls_rs::{CipherSuite, CipherSuiteProvider, Client, CryptoProvider};
    let suite = CipherSuite::CURVE25519_CHACHA;
    let crypto = mls_rs_crypto_rustcrypto::RustCryptoProvider::default();
    let provider = crypto.cipher_suite_provider(suite).ok_or("mls-rs lacks the cipher suite")?;
    let (secret, public) = provider.signature_key_generate()?;
    let identity = basic::BasicCredential::new(name.as_bytes().to_vec()).into_credential();
    let client = Client::builder()
        .identity_provider(basic::BasicIdentityProvider)
        .crypto_provider(crypto)
        .signing_identity(SigningIdentity::new(identity, public), secret, suite)
        .build();
    Ok(client.generate_key_package_message(Default::default(), Default::default(), None)?.to_bytes()?)
}
