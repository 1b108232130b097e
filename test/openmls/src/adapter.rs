//! OpenMLS behind the interface `Mls` of the groups package, for `adapter.ts`. States are values: a request has the state that it is about, and the
//! answer has the next one. Requests and answers are JSON objects, one a line, with byte strings in base64.

mod crypto;
mod memory;

use base64::{Engine, engine::general_purpose::STANDARD as BASE64};
use crypto::WithPathSecret;
use memory::Memory;
use openmls::prelude::tls_codec::{Deserialize as _, Serialize as _, VLBytes};
use openmls::prelude::*;
use openmls_basic_credential::SignatureKeyPair;
use openmls_rust_crypto::OpenMlsRustCrypto;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};
use std::error::Error;
use std::io::{BufRead, Write};

const SUITE: Ciphersuite = Ciphersuite::MLS_128_DHKEMX25519_AES128GCM_SHA256_Ed25519;
/// Extension types of the context of groups. The library refuses them in members whose capabilities do not name them.
const EXTENSIONS: [u16; 3] = [0xf000, 0xf042, REPLACES];
/// In a key package, it names the leaf whose place its device takes again.
const REPLACES: u16 = 0xf043;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// A byte string, which is base64 in JSON.
struct Bytes(Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&BASE64.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        BASE64.decode(String::deserialize(deserializer)?).map(Bytes).map_err(serde::de::Error::custom)
    }
}

/// Contents of a group's context by extension type.
type Contents = Vec<(u16, Bytes)>;

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
enum Request {
    NewSigner,
    PublicKey { signer: Bytes },
    NewKeyPackage { identity: Bytes, signer: Bytes, replaces: Option<Bytes> },
    ReadKeyPackage { key_package: Bytes },
    Found { group_id: Bytes, identity: Bytes, signer: Bytes, extensions: Contents },
    Join { welcome: Bytes, private_keys: Bytes },
    View { state: Bytes },
    Export { state: Bytes, label: String, context: Bytes, length: usize },
    Encrypt { state: Bytes, content: Bytes },
    Decrypt { state: Bytes, message: Bytes },
    Commit { state: Bytes, add: Vec<Bytes>, remove: Vec<u32>, extensions: Option<Contents>, identity: Option<Bytes> },
    /// Enters the next epoch by a commit that ts-mls has judged; with a path secret that another member has opened, in place of this member's own.
    Apply { state: Bytes, commit: Bytes, path_secret: Option<Bytes> },
    /// The pairs of keys to which others seal path secrets.
    PathKeys { state: Bytes },
}

/// What the library needs to join with a key package.
#[derive(Serialize, Deserialize)]
struct PrivateKeys {
    memory: Memory,
    signer: SignatureKeyPair,
}

/// What is stored of a group.
#[derive(Serialize, Deserialize)]
struct Saved {
    memory: Memory,
    signer: SignatureKeyPair,
    group_id: Vec<u8>,
    is_member: bool,
}

struct State {
    provider: OpenMlsRustCrypto,
    signer: SignatureKeyPair,
    group: MlsGroup,
    is_member: bool,
}

fn main() -> Outcome<()> {
    for line in std::io::stdin().lock().lines() {
        let answer = match serde_json::from_str(&line?) {
            Ok(request) => answer(request).unwrap_or_else(|problem| json!({ "error": problem.to_string() })),
            Err(problem) => json!({ "error": problem.to_string() }),
        };
        let mut out = std::io::stdout().lock();
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

fn answer(request: Request) -> Outcome<Value> {
    Ok(match request {
        Request::NewSigner => {
            let signer = SignatureKeyPair::new(SUITE.signature_algorithm())?;
            json!({ "signer": Bytes(serde_json::to_vec(&signer)?) })
        }
        Request::PublicKey { signer } => json!({ "public_key": Bytes(signer_in(&signer)?.to_public_vec()) }),
        Request::NewKeyPackage { identity, signer, replaces } => {
            new_key_package(identity, signer_in(&signer)?, replaces)?
        }
        Request::ReadKeyPackage { key_package } => {
            let read = key_package_in(&OpenMlsRustCrypto::default(), &key_package)?;
            let replaces = read.extensions().unknown(REPLACES).map(|UnknownExtension(content)| Bytes(content.clone()));
            json!({
                "replaces": replaces,
                "cipher_suite": u16::from(read.ciphersuite()),
                "init_key": Bytes(read.hpke_init_key().as_slice().to_vec()),
                "identity": identity_of(read.leaf_node().credential()),
                "signature_key": Bytes(read.leaf_node().signature_key().as_slice().to_vec()),
            })
        }
        Request::Found { group_id, identity, signer, extensions } => {
            let (provider, signer) = (OpenMlsRustCrypto::default(), signer_in(&signer)?);
            let credential = credential_of(identity, &signer);
            let group = MlsGroup::builder()
                .with_group_id(GroupId::from_slice(&group_id.0))
                .ciphersuite(SUITE)
                .with_wire_format_policy(PURE_PLAINTEXT_WIRE_FORMAT_POLICY)
                .use_ratchet_tree_extension(true)
                .sender_ratchet_configuration(ratchets())
                .with_capabilities(capabilities())
                .with_group_context_extensions(context_with(Extensions::empty(), extensions)?)
                .build(&provider, &signer, credential)?;
            let group = memory::without_resumption_psks(&provider, group)?;
            State { provider, signer, group, is_member: true }.answer()?
        }
        Request::Join { welcome, private_keys } => join(&welcome, parse(&private_keys)?)?,
        Request::View { state } => json!({ "view": State::load(&state)?.view()? }),
        Request::Export { state, label, context, length } => {
            let State { provider, group, .. } = State::load(&state)?;
            json!({ "secret": Bytes(group.export_secret(provider.crypto(), &label, &context.0, length)?) })
        }
        Request::Encrypt { state, content } => {
            let mut state = State::load(&state)?;
            let message = state.group.create_message(&state.provider, &state.signer, &content.0)?;
            let mut answer = state.answer()?;
            answer["message"] = json!(Bytes(message.to_bytes()?));
            answer
        }
        Request::Decrypt { state, message } => State::load(&state)?.decrypt(&message)?,
        Request::Commit { state, add, remove, extensions, identity } => {
            let mut state = State::load(&state)?;
            let adding = add.iter().map(|one| key_package_in(&state.provider, one)).collect::<Outcome<Vec<_>>>()?;
            let is_only_adding = !adding.is_empty() && remove.is_empty() && extensions.is_none() && identity.is_none();
            let mut leaf = LeafNodeParameters::builder();
            if let Some(identity) = identity {
                leaf = leaf.with_credential_with_key(credential_of(identity, &state.signer));
            }
            let State { provider, signer, group, .. } = &mut state;
            let (provider, signer) = (&*provider, &*signer);
            let context = group.extensions().clone();
            let mut builder = group
                .commit_builder()
                .force_self_update(!is_only_adding)
                .leaf_node_parameters(leaf.build())
                .propose_removals(remove.into_iter().map(LeafNodeIndex::new))
                .propose_adds(adding);
            if let Some(changed) = extensions {
                builder = builder.propose_group_context_extensions(context_with(context, changed)?)?;
            }
            let made = builder
                .load_psks(provider.storage())?
                .build(provider.rand(), provider.crypto(), signer, |_| true)?
                .stage_commit(provider)?;
            group.merge_pending_commit(provider)?;
            let mut answer = state.answer()?;
            answer["commit"] = json!(Bytes(made.commit().to_bytes()?));
            if let Some(welcome) = made.to_welcome_msg() {
                answer["welcome"] = json!(Bytes(welcome.to_bytes()?));
            }
            answer
        }
        Request::Apply { state, commit, path_secret } => State::load(&state)?.apply(&commit, path_secret)?,
        Request::PathKeys { state } => {
            let State { provider, group, .. } = State::load(&state)?;
            json!({ "keys": crypto::path_keys(&provider, &group)? })
        }
    })
}

impl State {
    fn load(saved: &Bytes) -> Outcome<Self> {
        let Saved { memory, signer, group_id, is_member } = parse(saved)?;
        let provider = memory::provider_with(&memory)?;
        let group = MlsGroup::load(provider.storage(), &GroupId::from_slice(&group_id))?.ok_or("no group is stored")?;
        Ok(Self { provider, signer, group, is_member })
    }

    /// The state and what can be seen of it.
    fn answer(self) -> Outcome<Value> {
        let view = self.view()?;
        let Self { provider, signer, group, is_member } = self;
        let group_id = group.group_id().as_slice().to_vec();
        let saved = Saved { memory: memory::read(&provider)?, signer, group_id, is_member };
        Ok(json!({ "state": Bytes(serde_json::to_vec(&saved)?), "view": view }))
    }

    fn view(&self) -> Outcome<Value> {
        let Self { group, is_member, .. } = self;
        let leaf = |one: Member| {
            json!({
                "index": one.index.u32(),
                "identity": identity_of(&one.credential),
                "signature_key": Bytes(one.signature_key),
                "encryption_key": Bytes(one.encryption_key),
            })
        };
        let outline = [
            group.public_group().group_context().tls_serialize_detached()?,
            group.export_ratchet_tree().tls_serialize_detached()?,
            confirmation_tag_of(group)?,
        ];
        Ok(json!({
            "outline": Bytes(outline.concat()),
            "group_id": Bytes(group.group_id().as_slice().to_vec()),
            "epoch": group.epoch().as_u64(),
            "is_member": is_member,
            "own_leaf": group.own_leaf_index().u32(),
            "leaves": group.members().map(leaf).collect::<Vec<_>>(),
            "extensions": contents_of(group.extensions())?,
        }))
    }

    fn decrypt(mut self, message: &Bytes) -> Outcome<Value> {
        let MlsMessageBodyIn::PrivateMessage(message) = MlsMessageIn::tls_deserialize_exact(&message.0)?.extract() else {
            return Err("not an MLSMessage with a PrivateMessage".into());
        };
        let message = ProtocolMessage::from(message);
        if message.epoch() != self.group.epoch() {
            return Err("the message is of another epoch".into());
        }
        let processed = self.group.process_message(&self.provider, message)?;
        let Sender::Member(sender) = *processed.sender() else { return Err("the sender is no member".into()) };
        let ProcessedMessageContent::ApplicationMessage(content) = processed.into_content() else {
            return Err("not an application message".into());
        };
        let mut answer = self.answer()?;
        answer["content"] = json!(Bytes(content.into_bytes()));
        answer["sender"] = sender.u32().into();
        Ok(answer)
    }

    fn apply(mut self, commit: &Bytes, path_secret: Option<Bytes>) -> Outcome<Value> {
        let Some(message) = public_commit_in(commit) else { return Ok(json!({ "kind": "void" })) };
        let provider = WithPathSecret::new(&self.provider, path_secret.map(|Bytes(secret)| secret));
        let (committer, staged) = match self.group.process_message(&provider, message) {
            Ok(processed) => match (processed.sender().clone(), processed.into_content()) {
                (Sender::Member(committer), ProcessedMessageContent::StagedCommitMessage(staged)) => (committer, *staged),
                _ => return Ok(json!({ "kind": "void" })),
            },
            Err(ProcessMessageError::ValidationError(
                ValidationError::MissingMembershipTag | ValidationError::InvalidMembershipTag,
            )) => return Ok(json!({ "kind": "void" })),
            // Without a path, all members know what the tag must be.
            Err(ProcessMessageError::InvalidCommit(StageCommitError::ConfirmationTagMismatch)) => {
                return Ok(json!({ "kind": if self.has_path(commit)? { "unusable" } else { "void" } }));
            }
            Err(problem) => return Ok(json!({ "kind": "unusable", "why": problem.to_string() })),
        };
        if staged.self_removed() {
            // The library would go on to the next epoch, of which this member knows nothing.
            self.is_member = false;
        } else {
            self.group.merge_staged_commit(&self.provider, staged)?;
        }
        let mut answer = self.answer()?;
        answer["kind"] = "valid".into();
        answer["committer"] = committer.u32().into();
        Ok(answer)
    }

    fn has_path(&self, commit: &Bytes) -> Outcome<bool> {
        let message = public_commit_in(commit).ok_or("it is no commit")?;
        let public = PublicGroup::load(self.provider.storage(), self.group.group_id())?.ok_or("no group is stored")?;
        let content = public.process_message(self.provider.crypto(), message)?.into_content();
        let ProcessedMessageContent::StagedCommitMessage(staged) = content else { return Ok(false) };
        Ok(staged.update_path_leaf_node().is_some())
    }
}

fn new_key_package(identity: Bytes, signer: SignatureKeyPair, replaces: Option<Bytes>) -> Outcome<Value> {
    let provider = OpenMlsRustCrypto::default();
    let credential = credential_of(identity, &signer);
    let replaces = replaces.map(|Bytes(content)| Extension::Unknown(REPLACES, UnknownExtension(content)));
    let bundle = KeyPackage::builder()
        .leaf_node_capabilities(capabilities())
        .key_package_extensions(Extensions::from_vec(replaces.into_iter().collect())?)
        .build(SUITE, &provider, &signer, credential)?;
    let private_keys = PrivateKeys { memory: memory::read(&provider)?, signer };
    Ok(json!({
        "key_package": Bytes(MlsMessageOut::from(bundle.key_package().clone()).to_bytes()?),
        "private_keys": Bytes(serde_json::to_vec(&private_keys)?),
        "init_private_key": Bytes(bundle.init_private_key().to_vec()),
    }))
}

fn join(welcome: &Bytes, PrivateKeys { memory, signer }: PrivateKeys) -> Outcome<Value> {
    let MlsMessageBodyIn::Welcome(welcome) = MlsMessageIn::tls_deserialize_exact(&welcome.0)?.extract() else {
        return Err("not an MLSMessage with a Welcome".into());
    };
    let provider = memory::provider_with(&memory)?;
    let config = MlsGroupJoinConfig::builder()
        .wire_format_policy(PURE_PLAINTEXT_WIRE_FORMAT_POLICY)
        .use_ratchet_tree_extension(true)
        .sender_ratchet_configuration(ratchets())
        .number_of_resumption_psks(0)
        .build();
    // Clocks differ, so nobody asks when a key package was good.
    let staged = StagedWelcome::build_from_welcome(&provider, &config, welcome)?.skip_lifetime_validation().build()?;
    let by = staged.welcome_sender_index().u32();
    let group = staged.into_group(&provider)?;
    let mut answer = State { provider, signer, group, is_member: true }.answer()?;
    answer["sender"] = by.into();
    Ok(answer)
}

/// The bytes of the tag, without their length.
fn confirmation_tag_of(group: &MlsGroup) -> Outcome<Vec<u8>> {
    let tag = group.confirmation_tag().tls_serialize_detached()?;
    Ok(VLBytes::tls_deserialize_exact(&tag)?.into())
}

/// None for what is no commit of a member.
fn public_commit_in(bytes: &Bytes) -> Option<PublicMessageIn> {
    let MlsMessageBodyIn::PublicMessage(message) = MlsMessageIn::tls_deserialize_exact(&bytes.0).ok()?.extract() else {
        return None;
    };
    let is_of_member = message.content_type() == ContentType::Commit && matches!(message.sender(), Sender::Member(_));
    is_of_member.then_some(message)
}

fn contents_of(extensions: &Extensions<GroupContext>) -> Outcome<Contents> {
    extensions.iter().map(content_of).collect()
}

fn content_of(extension: &Extension) -> Outcome<(u16, Bytes)> {
    let bytes = extension.tls_serialize_detached()?;
    let content = VLBytes::tls_deserialize_exact(&bytes[2..])?;
    Ok((extension.extension_type().into(), Bytes(content.as_slice().to_vec())))
}

fn context_with(mut extensions: Extensions<GroupContext>, changed: Contents) -> Outcome<Extensions<GroupContext>> {
    for (number, content) in changed {
        let bytes = [number.to_be_bytes().to_vec(), VLBytes::new(content.0).tls_serialize_detached()?].concat();
        extensions.add_or_replace(Extension::tls_deserialize_exact(bytes)?)?;
    }
    Ok(extensions)
}

fn capabilities() -> Capabilities {
    let extensions = EXTENSIONS.map(ExtensionType::from).to_vec();
    Capabilities::builder().ciphersuites(vec![SUITE]).extensions(extensions).build()
}

/// As many messages may be missing before one as in the adapter of ts-mls.
fn ratchets() -> SenderRatchetConfiguration {
    SenderRatchetConfiguration::new(1_000, 10_000)
}

fn credential_of(identity: Bytes, signer: &SignatureKeyPair) -> CredentialWithKey {
    CredentialWithKey { credential: BasicCredential::new(identity.0).into(), signature_key: signer.public().into() }
}

fn identity_of(credential: &Credential) -> Bytes {
    Bytes(BasicCredential::try_from(credential.clone()).map(|basic| basic.identity().to_vec()).unwrap_or_default())
}

fn key_package_in(provider: &OpenMlsRustCrypto, bytes: &Bytes) -> Outcome<KeyPackage> {
    let MlsMessageBodyIn::KeyPackage(read) = MlsMessageIn::tls_deserialize_exact(&bytes.0)?.extract() else {
        return Err("not an MLSMessage with a key package".into());
    };
    let key_package = read.validate(provider.crypto(), ProtocolVersion::Mls10)?;
    if key_package.ciphersuite() != SUITE {
        return Err("the key package has another cipher suite".into());
    }
    Ok(key_package)
}

fn signer_in(bytes: &Bytes) -> Outcome<SignatureKeyPair> {
    parse(bytes)
}

fn parse<T: DeserializeOwned>(bytes: &Bytes) -> Outcome<T> {
    Ok(serde_json::from_slice(&bytes.0)?)
}
