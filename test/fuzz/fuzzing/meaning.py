"""Makes valid requests meaningful: real signatures, fresh challenges, ids of things that exist.

What the generator chose stays wherever it can: optional members, lengths, spellings. Replaced is only what chance cannot
hit, and now and then not even that, so that unknown ids, addresses and servers are asked for as well. Requests that are
wrong on purpose are never touched.
"""

import base64
import copy
import hashlib
import itertools
import re
import string
import uuid

from fuzzing import ledger
from fuzzing.actors import Device, admin, alice, bob, carol, crowd, peer, viewer
from fuzzing.wire import DOMAIN, Key, b64, chance, claims, digest_header, message_id, now, respelled

meanings = {}


def of(*operations):
    def register(make):
        for operation in operations:
            meanings[operation] = make
        return make

    return register


def seldom(share: float = 0.15) -> bool:
    return chance.random() < share


def canonical(text: str, least: int = 1, most: int = 1 << 30) -> str:
    """The base64 of the bytes that a text of base64's letters would stand for."""
    bare = text.rstrip("=")
    bare = bare[: len(bare) - (len(bare) % 4 == 1)]
    data = base64.b64decode(bare + "=" * (-len(bare) % 4))
    return b64(data.ljust(least, b"\0")[:most])


def server(text: str = "") -> str:
    """A domain that can be one and never will be found, with some of the given letters; one made here stays itself."""
    if re.fullmatch(r"[a-z0-9]+\.fuzz\.test", text):
        return text
    label = re.sub("[^a-z0-9]", "", text.lower())[:20] or "".join(chance.choices(string.ascii_lowercase, k=6))
    return f"{label}.fuzz.test"


def storable(value):
    """Without what no text may hold: U+0000 and halves of surrogate pairs."""
    if isinstance(value, str):
        return re.sub("[\x00\ud800-\udfff]", "x", value)
    if isinstance(value, list):
        return [storable(one) for one in value]
    return {storable(name): storable(one) for name, one in value.items()} if isinstance(value, dict) else value


def known(chosen: str, pool, share: float = 0.15) -> str:
    """Something that exists, where there is something; what was chosen already, where that exists or for a change."""
    candidates = list(pool)
    if chosen in candidates or not candidates or seldom(share):
        return chosen
    return chance.choice(candidates[-5:])


def audience(body: dict) -> str | None:
    if "audience" in body:
        body["audience"] = DOMAIN
    return body.get("audience")


# Registration


def apply_for(body: dict, device: Device) -> dict:
    """The way in: a proof, or an invite where one was to be sent."""
    body.pop("challenge", None)
    body.pop("vdf_proof", None)
    if body.pop("invite_code", None) is not None:
        return {"invite_code": ledger.make_invite(max_uses=chance.randint(1, 3))}
    return {"vdf_proof": device.proof(checkpoints=seldom(0.5))}


@of("announceWithProof")
def announce_with_proof(case):
    body = case.body
    device = chance.choice(crowd) if seldom(0.3) else Device()
    way_in = {"vdf_proof": device.proof()} if not device.addresses and device in crowd else None
    if way_in is None:
        way_in = {} if device.addresses else apply_for(body, device)
    for name in ("challenge", "vdf_proof", "invite_code"):
        body.pop(name, None)
    at = device.unused_second()
    signature = device.key.sign(f"{device.device_id}:{at}", audience(body))
    who = {"device_id": device.device_id, "public_key": device.key.public}
    body.update(who, timestamp=at, signature=signature, **way_in)
    ledger.announcers[signature] = device


@of("announceDevice")
def announce_device(case):
    body = case.body
    device = chance.choice(crowd) if seldom(0.3) else Device()
    way_in = {} if device in crowd and device.token() else apply_for(body, device)
    for name in ("challenge", "vdf_proof", "invite_code"):
        body.pop(name, None)
    prefixes = [str(uuid.uuid4()) if "-" in one else uuid.uuid4().hex for one in body["delivery_address_prefixes"]]
    name = device.device_id if "public_key" in body or device in crowd else device.key.public
    if "public_key" in body:
        body["public_key"] = device.key.public
    at = now()
    signature = device.key.sign(f"{name}.{','.join(prefixes)}.{at}", audience(body))
    body.update(device_id=name, delivery_address_prefixes=prefixes, timestamp=at, signature=signature, **way_in)
    ledger.announcers[signature] = device


@of("endAddress")
def end_address(case):
    """One that alice can spare: she goes on with the others."""
    prefix, spare = case.path_parameters["prefix"], ledger.spare_prefixes()
    if any(ledger.canonical_address(one).startswith(prefix.replace("-", "").lower()) for one in alice.addresses):
        prefix = chance.choice(spare or [uuid.uuid4().hex])
    # The first one decides whether the run sees an address end at all.
    case.path_parameters["prefix"] = known(prefix, spare, 0.6 if ledger.ended else 0)


# Messages


def recipient(chosen: str) -> str:
    draw = chance.random()
    if chosen in ledger.addresses:
        return chosen
    if draw < 0.8:
        return chance.choice([alice, alice, bob, *crowd]).address()
    prefix = str(uuid.uuid4())
    return f"{prefix}@{server()}" if draw < 0.92 else f"{prefix}@{DOMAIN}"


def make_lasting(message: dict) -> None:
    """A lifetime that ends during the run would make it uncertain what a queue holds."""
    lifetime = message.get("expires_in_seconds")
    if isinstance(lifetime, int) and lifetime > 0:
        message["expires_in_seconds"] = max(86_400, lifetime)


def make_sendable(message: dict) -> dict:
    make_lasting(message)
    message["recipient_address"] = recipient(message["recipient_address"])
    message["mls_ciphertext"] = canonical(message["mls_ciphertext"])
    if not (seldom() or ledger.was_sent(alice, message)):
        message["message_id"] = message_id()
    return message


@of("sendMessage")
def send_message(case):
    make_sendable(case.body)


@of("sendMessageBatch")
def send_message_batch(case):
    """Some good ones among those that only have the shape."""
    for message in case.body["messages"]:
        make_lasting(message)
        if seldom(0.7):
            event = message.pop("system_event", None)
            message.update(alice.message(recipient("")))
            if event is not None and seldom(0.5):
                message["system_event"] = {"event": "epoch_change", "extension_type": "0xF000"}


@of("sendMessageToMany")
def send_message_to_many(case):
    """Recipients that exist among those that only have the shape, some of them twice."""
    body = case.body
    make_lasting(body)
    body["recipients"] = [recipient("") if seldom(0.7) else one for one in body["recipients"][:20]]
    body["mls_ciphertext"] = canonical(body["mls_ciphertext"])
    if not (seldom() or any(ledger.was_sent(alice, body | {"recipient_address": one}) for one in body["recipients"])):
        body["message_id"] = message_id()


@of("createBlob")
def create_blob(case):
    """The limit of this server is below the contract's."""
    case.body["size"] = min(case.body["size"], 65_552)


@of("uploadBlobPart")
def upload_blob_part(case):
    """The bytes stay what they are; the blob is one that they are the whole of."""
    if seldom():
        return
    content = case.body if isinstance(case.body, bytes) and 0 < len(case.body) < 65_552 else b"a part"
    name, blob = ledger.make_blob(content)
    case.path_parameters.update(blob_id=name, part="0")
    case.headers.update({"X-Upload-Token": blob.upload_token, "Content-Digest": digest_header(content)})
    case.body = content


@of("getBlobUpload")
def get_blob_upload(case):
    if not seldom():
        case.path_parameters["blob_id"], blob = ledger.make_blob(uploaded=seldom(0.5), complete=seldom(0.3))
        case.headers["X-Upload-Token"] = blob.upload_token


@of("completeBlob")
def complete_blob(case):
    if not seldom():
        case.path_parameters["blob_id"], blob = ledger.make_blob(uploaded=not seldom())
        case.headers["X-Upload-Token"] = blob.upload_token


downloads = itertools.count()


@of("downloadBlob")
def download_blob(case):
    if seldom():
        return
    case.path_parameters["blob_id"], _ = ledger.make_blob(complete=True)
    # Ranges by chance are nearly always malformed, and then all bytes are the answer.
    if next(downloads) % 2 == 0:
        case.headers["Range"] = chance.choice(["bytes=0-2", "bytes=1-", "bytes=-4", "bytes=2-99"])
        case.headers.pop("If-Range", None)


@of("deleteBlob", "removeBlob")
def delete_blob(case):
    if not seldom():
        case.path_parameters["blob_id"], blob = ledger.make_blob(uploaded=seldom(0.5), complete=seldom(0.5))
        if "X-Delete-Token" in case.headers:
            case.headers["X-Delete-Token"] = blob.delete_token


@of("acknowledgeMessage")
def acknowledge_message(case):
    case.path_parameters["message_id"] = respelled(known(case.path_parameters["message_id"], ledger.handed_out, 0.3))


@of("acknowledgeMessages")
def acknowledge_messages(case):
    ids = case.body["message_ids"]
    for index in range(min(len(ids), 3)):
        chosen = known(ids[index], ledger.handed_out, 0.3)
        ids[index] = respelled(chosen) if chosen in ledger.handed_out else chosen


# Federation


@of("createFederationChallenge")
def create_federation_challenge(case):
    case.body["origin_server"] = peer.domain if seldom(0.5) else server(case.body["origin_server"])


@of("authenticateServer")
def authenticate_server(case):
    more = {name: value for name, value in case.body.items() if name not in ("origin_server",)}
    case.body = peer.proof(**more)


def tag_honestly(messages: list[dict]) -> None:
    """A tag stands for a message to one recipient; the same tag for another recipient would be a peer's lie."""
    for message in messages:
        tag, address = message.get("dedup_tag"), message.get("recipient_address")
        if tag is None or not isinstance(address, str):
            continue
        if ledger.tagged.setdefault(tag, ledger.canonical_address(address)) != ledger.canonical_address(address):
            message["dedup_tag"] = uuid.uuid4().hex


def repeat(transaction: dict) -> dict:
    """A delivery once more: as it was, with fewer messages, with changed ones, or with one that it did not have."""
    body = copy.deepcopy(transaction)
    messages = body["messages"]
    body["transaction_id"] = respelled(body["transaction_id"])
    draw = chance.random()
    if draw < 0.25:
        body["messages"] = [one for one in messages if seldom(0.5)] or messages[:1]
    elif draw < 0.5:
        for message in messages:
            message.update(timestamp=now(), sender_signature="changed", mls_ciphertext=b64(b"changed"))
    elif draw < 0.65:
        messages.insert(chance.randrange(len(messages) + 1), alice.message(bob.address()))
    return body


@of("deliverTransaction")
def deliver_transaction(case):
    body = case.body
    if seldom(0.1) and ledger.transactions:
        body = repeat(chance.choice(ledger.transactions[-5:]))
    else:
        for index, message in enumerate(body["messages"]):
            if seldom(0.7):
                event = message.pop("system_event", None)
                message.update(alice.message(chance.choice([alice, bob, *crowd]).address()))
                if "ciphertext_from" in message and index > 0 and not seldom():
                    message.pop("mls_ciphertext")
                    message["ciphertext_from"] = chance.randrange(index)
                if event is not None:
                    message["system_event"] = {"event": "member_added"}
                if "dedup_tag" in message and not seldom():
                    message["dedup_tag"] = uuid.uuid4().hex
        tag_honestly(body["messages"])
        body["origin_server"] = peer.domain
        body["transaction_id"] = str(uuid.uuid4())
    case.body = body
    case.path_parameters["transaction_id"] = body["transaction_id"]
    case.headers["X-Origin-Server"] = peer.domain


@of("pushOnlineMessages")
def push_online_messages(case):
    for message in case.body["messages"]:
        if seldom(0.7):
            message.update(alice.message(chance.choice([alice, bob, *crowd]).address()))
    case.body["origin_server"] = peer.domain
    case.headers["X-Origin-Server"] = peer.domain


@of("forwardSpamReport")
def forward_spam_report(case):
    case.body["origin_server"] = peer.domain
    case.body["recipient_address"] = f"{uuid.uuid4()}@{peer.domain}"
    if seldom(0.7):
        case.body["sender_id"] = chance.choice([alice, bob, *crowd]).device_id
    case.headers["X-Origin-Server"] = peer.domain


# Packages


@of("uploadKeyPackages")
def upload_key_packages(case):
    body = case.body
    body["key_packages"] = [canonical(one, 64, 32768) for one in body["key_packages"]]
    if "last_resort_key_package" in body:
        body["last_resort_key_package"] = canonical(body["last_resort_key_package"], 64, 32768)
    if not body["key_packages"] and "last_resort_key_package" not in body:
        body["replace"] = True
    audience(body)
    if "address" in body:
        body["address"] = alice.address()
    case.body = alice.signed_packages(body)


@of("getKeyPackageStatus")
def get_key_package_status(case):
    if case.query and "address" in case.query:
        case.query["address"] = alice.address()


def claimable(chosen: str) -> str:
    """An address of this relay: another one would not answer, which is an error of the server."""
    if seldom(0.3):
        return f"{chosen.split('@')[0]}@{DOMAIN}"
    return ledger.stock_of(chance.choice([alice, bob])).address()


@of("claimKeyPackages")
def claim_key_packages(case):
    case.body["addresses"] = [claimable(one) for one in case.body["addresses"][:4]]
    case.body["claim_id"] = known(case.body["claim_id"], ledger.claim_ids, 0.7)


@of("claimKeyPackagesForPeer")
def claim_key_packages_for_peer(case):
    body = case.body
    body["origin_server"] = peer.domain
    case.headers["X-Origin-Server"] = peer.domain
    body["addresses"] = [claimable(one) for one in body["addresses"][:4]]
    body["claim_id"] = known(body["claim_id"], ledger.claim_ids, 0.7)


@of("fetchKeyPackage")
def fetch_key_package(case):
    if case.query["device_id"] not in ledger.devices and not seldom():
        case.query["device_id"] = ledger.stock_of(chance.choice([alice, bob])).spelled()


@of("uploadInfoPackage", "createRevocableInfoPackage")
def upload_info_package(case):
    case.body["ciphertext"] = canonical(case.body["ciphertext"])


def unnamed(case) -> None:
    """The ledger knows downloads without a name, each of which takes a use."""
    case.headers.pop("X-Download-Id", None)


def revoke(case, kind: str) -> None:
    """Mostly a package of the caller's, seldom another device's."""
    pool = [ledger.of_bob(kind)] if seldom() else ledger.alive(kind, ended=False)
    case.path_parameters["url_segment"] = known(case.path_parameters["url_segment"], pool)


@of("getInfoPackage")
def get_info_package(case):
    unnamed(case)
    segment = case.path_parameters["url_segment"]
    case.path_parameters["url_segment"] = known(segment, ledger.alive("infopackages"))


@of("revokeInfoPackage")
def revoke_info_package(case):
    revoke(case, "infopackages")


@of("getPlainInfoPackage")
def get_plain_info_package(case):
    unnamed(case)
    segment = case.path_parameters["url_segment"]
    case.path_parameters["url_segment"] = known(segment, ledger.alive("info-packages"))


@of("revokePlainInfoPackage")
def revoke_plain_info_package(case):
    revoke(case, "info-packages")


@of("getRevocableInfoPackage")
def get_revocable_info_package(case):
    unnamed(case)
    case.path_parameters["segment"] = known(case.path_parameters["segment"], ledger.alive("revocable"))


@of("revokeRevocableInfoPackage")
def revoke_revocable_info_package(case):
    segment = known(case.path_parameters["segment"], ledger.alive("revocable"))
    case.path_parameters["segment"] = segment
    if segment in ledger.packages["revocable"] and not seldom():
        case.headers["X-Revocation-Token"] = ledger.packages["revocable"][segment].token


# Commit slots


def holder(chosen: str, path: list[str]) -> tuple[str, ledger.Holder]:
    """A slot whose key is here, one of before or a new one, and who takes it; `path` leads from the key of a new one to its name."""
    slot = known(chosen, ledger.slots, 0.6)
    if slot not in ledger.holders:
        key = Key()
        node = hashlib.sha256(bytes.fromhex(key.public)).digest()
        for beside in map(bytes.fromhex, path):
            node = hashlib.sha256(min(node, beside) + max(node, beside)).digest()
        slot = node.hex()
        ledger.holders[slot] = ledger.Holder(key, path)
    return slot, ledger.holders[slot]


def take(slot: str, by: ledger.Holder, body: dict) -> None:
    body["content"] = canonical(body["content"])
    digest = hashlib.sha256(base64.b64decode(body["content"])).hexdigest()
    body["public_key"] = by.key.public
    body["path"] = by.path
    if not seldom():
        body["signature"] = by.key.sign(f"mls-relay commit slot taking 1\n{DOMAIN}\n{slot}\n{digest}")
    if not seldom():
        body["slot_key"] = ledger.slot_key()


@of("takeSlot")
def take_slot(case):
    slot, by = holder(case.path_parameters["slot"], case.body.get("path", []))
    case.path_parameters["slot"] = slot
    take(slot, by, case.body)
    # Another relay would not answer, which is an error of the server.
    if "domain" in case.body:
        case.body["domain"] = DOMAIN


@of("askSlot")
def ask_slot(case):
    body = case.body
    body["origin_server"] = peer.domain
    case.headers["X-Origin-Server"] = peer.domain
    if "content" in body:
        body["slot"], by = holder(body["slot"], body.get("path", []))
        body.setdefault("slot_key", ledger.slot_key())
        body.setdefault("signature", "00" * 64)
        take(body["slot"], by, body)
    else:
        body["slot"] = known(body["slot"], ledger.slots, 0.6)
        for member in ("slot_key", "public_key", "signature", "path"):
            body.pop(member, None)


@of("getSlot")
def get_slot(case):
    case.path_parameters["slot"] = known(case.path_parameters["slot"], ledger.slots)
    if case.query and "domain" in case.query:
        case.query["domain"] = DOMAIN


@of("readSlots")
def read_slots(case):
    case.body["slots"] = [known(slot, ledger.slots, 0.6) for slot in case.body["slots"]]
    if case.query and "domain" in case.query:
        case.query["domain"] = DOMAIN


# Linking


@of("createProvisioning")
def create_provisioning(case):
    case.body["timestamp"] = now()
    case.body["ephemeral_public_key"] = Key().public


@of("putProvisioningBlob", "postProvisioningBlob")
def put_provisioning_blob(case):
    case.path_parameters["id"] = known(case.path_parameters["id"], ledger.open_linkings(empty=not seldom()))
    case.body["ciphertext"] = canonical(case.body["ciphertext"])


polls = itertools.count()


@of("pollProvisioningBlob")
def poll_provisioning_blob(case):
    unnamed(case)
    # Every other one is of an address without a blob, which has an answer too.
    linking = known(case.path_parameters["id"], ledger.open_linkings(empty=next(polls) % 2 == 0))
    case.path_parameters["id"] = linking
    if linking in ledger.linkings and not seldom():
        case.headers["X-Poll-Token"] = ledger.linkings[linking].poll_token


@of("createLinkingCode")
def create_linking_code(case):
    linking = known(case.path_parameters["id"], ledger.open_linkings(empty=True))
    case.path_parameters["id"] = linking
    if linking in ledger.linkings and not seldom():
        case.headers["X-Poll-Token"] = ledger.linkings[linking].poll_token


@of("getLinkingCode")
def get_linking_code(case):
    case.path_parameters["code"] = known(case.path_parameters["code"], ledger.open_codes())


# Wake-up pushes

# The keys of the example in RFC 8291, appendix A.
push_public_key = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
push_secret = "BTBZMqHH6r4Tts7J_aSIgg"


@of("subscribeToPush")
def subscribe_to_push(case):
    case.body["endpoint"] = f"https://localhost:1/{uuid.uuid5(uuid.NAMESPACE_URL, case.body['endpoint'])}"
    case.body["p256dh"] = push_public_key
    case.body["auth"] = push_secret
    if case.body.get("expires_at") is not None:
        case.body["expires_at"] = now() + 86_400


# Spam


@of("reportSpam")
def report_spam(case):
    sender = carol if not seldom() else chance.choice(crowd)
    case.body["sender_id"] = sender.spelled()
    if sender is carol and not seldom(0.3):
        case.body["message_id"] = ledger.sent_by(sender)


# Administration


@of("getMetricsTimeseries")
def get_metrics_timeseries(case):
    if case.query and "metric" in case.query:
        case.query["metric"] = chance.choice(["messages_sent", "messages_expired", "blobs_created"])


@of("loginAdmin")
def login_admin(case):
    more = {"audience": DOMAIN} if "audience" in case.body else {}
    case.body = admin.login(**more)


@of("updateConfig")
def update_config(case):
    """Names of at least one visible letter."""
    name = case.body.get("server", {}).get("server_name")
    if name is not None and not name.strip():
        case.body["server"]["server_name"] = "a name"


@of("setFederationPolicy")
def set_federation_policy(case):
    if "allowlist" in case.body:
        case.body["allowlist"] = [server(one) for one in case.body["allowlist"]]


def verified_device() -> str:
    body = {"device_id": chance.choice(crowd).spelled(), "reason": "fuzzing"}
    admin.asks("POST", "/admin/v1/trust/verify", body=body)
    return body["device_id"]


@of("verifyDevice", "revokeVerification", "setRateLimit")
def judge_device(case):
    if case.body["device_id"] not in ledger.devices and not seldom():
        case.body["device_id"] = chance.choice(crowd).spelled()
    if case.operation.path.endswith("revoke") and not seldom(0.3):
        case.body["device_id"] = verified_device()
    if case.body.get("expires_at") is not None:
        case.body["expires_at"] = now() + 3600


@of("verifyDevices")
def judge_devices(case):
    for device in case.body["devices"]:
        if not seldom(0.3):
            device["device_id"] = chance.choice(crowd).spelled()


@of("deleteVerification")
def delete_verification(case):
    if not seldom(0.3):
        case.path_parameters["device_id"] = verified_device()


@of("getDevice", "testDevicePush")
def get_device(case):
    if case.path_parameters["device_id"] not in ledger.devices and not seldom():
        case.path_parameters["device_id"] = chance.choice([alice, bob, *crowd]).spelled()


@of("blockDevice", "deleteDevice")
def remove_device(case):
    case.path_parameters["device_id"] = passing_device()


@of("listDevices")
def list_devices(case):
    if case.query and "address" in case.query:
        case.query["address"] = chance.choice(crowd).address()


@of("getPeerBlocklist")
def get_peer_blocklist(case):
    case.path_parameters["server_domain"] = server(case.path_parameters["server_domain"])


@of("endAdminSession")
def end_admin_session(case):
    if not seldom(0.3):
        case.path_parameters["session_id"] = ledger.passing_session()


@of("blockServer")
def block_server(case):
    case.body["server_domain"] = server(case.body["server_domain"])
    if case.body["server_domain"] == peer.domain:
        case.body["server_domain"] = server()
    if case.body.get("expires_at") is not None:
        case.body["expires_at"] = now() + 3600


@of("unblockServer")
def unblock_server(case):
    chosen = case.path_parameters["server_domain"]
    case.path_parameters["server_domain"] = known(chosen if chosen in ledger.blocked else server(chosen), ledger.blocked)


@of("getServerReputation")
def get_server_reputation(case):
    peer.token()
    case.path_parameters["server_domain"] = peer.domain if not seldom() else server()


@of("retryOutbox", "purgeOutbox")
def handle_outbox(case):
    case.path_parameters["server_domain"] = server() if seldom() else ledger.destination()


@of("createInvite")
def create_invite(case):
    if case.body.get("expires_at") is not None:
        case.body["expires_at"] = now() + 3600
    if "domain" in case.body:
        case.body["domain"] = server(case.body["domain"])


@of("revokeInvite")
def revoke_invite(case):
    case.path_parameters["invite_id"] = known(case.path_parameters["invite_id"], ledger.invites)


# What the rest of the run needs


def passing_device() -> str:
    """The id of a device that nobody needs."""
    device = Device()
    device.token()
    return device.device_id


def is_needed(device_id) -> bool:
    named = str(device_id).lower()
    return any(named in (one.device_id, one.key.public) for one in (alice, bob, carol, *crowd))


def spare(operation: str, case) -> None:
    """
    The devices and administrators of this test go on asking, so nothing ends them: also not a request that is wrong on
    purpose, with an id that an earlier answer has told.
    """
    path, body = case.path_parameters, case.body
    if operation in ("blockDevice", "deleteDevice") and path and is_needed(path.get("device_id")):
        path["device_id"] = passing_device()
    elif operation == "endAdminSession" and path:
        if path.get("session_id") in [claims(one.token())["sid"] for one in (admin, viewer)]:
            path["session_id"] = ledger.passing_session()
    elif operation == "setRateLimit" and isinstance(body, dict) and is_needed(body.get("device_id")):
        if not any(body["device_id"].lower() in (one.device_id, one.key.public) for one in crowd):
            body["device_id"] = chance.choice(crowd).spelled()
