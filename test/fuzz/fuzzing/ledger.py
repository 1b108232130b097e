"""What the relay has promised so far, by what it answered; and whether its answers agree with it.

`note` reads every exchange. What an answer says against the ledger is kept for the check that comes after it.
"""

import hashlib
import json
import re
import uuid
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cache
from urllib.parse import parse_qs, unquote, urlsplit

from fuzzing.actors import Device, admin, alice, bob, crowd, peer
from fuzzing.nulls import without_nulls
from fuzzing.wire import DOMAIN, Key, b64, canonical_message_id, carriable, claims, demand, digest_header, now, send

# Announcements under way, by their signatures.
announcers: dict[str, Device] = {}
# What announcements were answered with: addresses, and ids of devices as they were spelled.
addresses: set[str] = set()
devices: set[str] = set()
# Ids of messages that alice has been handed and has not acknowledged.
handed_out: dict[str, None] = {}
# Deliveries, and what each transaction id was answered with.
transactions: list[dict] = []
receipts: dict[str, dict] = {}
# For whom the messages with a tag were.
tagged: dict[str, str] = {}
# Tokens of sessions that were begun to be ended.
passing_sessions: dict[str, str] = {}
blocked: dict[str, None] = {}
invites: dict[str, None] = {}


@dataclass
class Package:
    content: str | None
    owner: Device | None
    left: int | None
    token: str | None = None
    gone: bool = False
    """Until when it can be downloaded, Unix seconds; on a busy machine a run outlasts the shortest times to live."""
    ends: int | None = None


@dataclass
class Linking:
    poll_token: str
    blob: str | None = None
    taken: bool = False
    code: str | None = None
    qr: str | None = None


@dataclass
class Holder:
    """Who takes a commit slot, and the path from their key to its name."""

    key: Key
    path: list[str]


packages: dict[str, dict[str, Package]] = defaultdict(dict)
# What each commit slot took, by its name in lower case; and who takes them.
slots: dict[str, str] = {}
holders: dict[str, Holder] = {}
linkings: dict[str, Linking] = {}

# Messages by recipient: how often an id was accepted with which ciphertexts and signatures, less what was acknowledged.
queues: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
accepted: set[tuple[str, ...]] = set()
key_packages: dict[str, set[str]] = defaultdict(set)
fetched: set[str] = set()
last_resorts: set[str] = set()
# Every secret given out, and to whom it was given.
secrets: dict[str, str] = {}

_readers = {}
_objections: dict[int, list[str]] = {}


def reads(*operations):
    def register(reader):
        for operation in operations:
            _readers[operation] = reader
        return reader

    return register


@dataclass
class Exchange:
    operation: str
    path: dict
    query: dict
    headers: dict
    sent: dict
    status: int
    body: dict
    objections: list[str] = field(default_factory=list)

    def expect(self, holds: bool, rule: str) -> None:
        if not holds:
            self.objections.append(rule)


def note(operation: str, case, response) -> None:
    if operation == "downloadBlob":
        _objections[id(response)] = downloaded(case, response)
        return
    reader = _readers.get(operation)
    if reader is None:
        return
    exchange = read(operation, case, response)
    if exchange is not None:
        reader(exchange)
        if exchange.objections:
            _objections[id(response)] = exchange.objections


def objections(response) -> list[str]:
    return _objections.pop(id(response), [])


def read(operation: str, case, response) -> Exchange | None:
    """What was really sent and answered; nothing where either is no JSON object."""
    request = response.request
    is_bytes = request.headers.get("Content-Type") == "application/octet-stream"
    try:
        sent = json.loads(request.body) if request.body and not is_bytes else {}
        body = json.loads(response.content) if response.content else {}
    except ValueError:
        return None
    if not isinstance(sent, dict) or not isinstance(body, dict):
        return None
    url = urlsplit(request.url)
    return Exchange(
        operation=operation,
        path=match_path(case.operation.path, url.path),
        query={name: values[-1] for name, values in parse_qs(url.query).items()},
        headers={name.lower(): value for name, value in request.headers.items()},
        sent=without_nulls(case, sent),
        status=response.status_code,
        body=body,
    )


def match_path(template: str, path: str) -> dict:
    pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]*)", re.escape(template))
    matched = re.fullmatch(pattern, path)
    return {} if matched is None else {name: unquote(value) for name, value in matched.groupdict().items()}


# Devices


@reads("announceWithProof", "announceDevice")
def announced(exchange: Exchange) -> None:
    device = announcers.pop(str(exchange.sent.get("signature")), None)
    if exchange.status != 200:
        return
    exchange.expect(device is not None, "an announcement that nobody signed was accepted")
    body = exchange.body
    taken = body.get("announced_addresses") or [body["delivery_address"]["full_address"]]
    addresses.update(taken)
    devices.add(body["device_id"])
    if device is None:
        return
    device.addresses.extend(taken)
    if exchange.sent.get("revoke_others"):
        device.session.forget()
    answer = send("GET", "/v1/messages", token=body["access_token"])
    exchange.expect(answer.status_code == 200, f"the new token was answered {answer.status_code}")


ended: set[str] = set()


def spare_prefixes() -> list[str]:
    """Prefixes of alice: a new one, and those that she has ended."""
    prefix, at = uuid.uuid4().hex, now()
    body = {"device_id": alice.device_id, "delivery_address_prefixes": [prefix], "timestamp": at}
    body["signature"] = alice.key.sign(f"{alice.device_id}.{prefix}.{at}")
    taken = send("POST", "/api/v1/device/announce", body=body)
    return [*sorted(ended)[-2:], *([prefix] if taken.status_code == 200 else [])]


@reads("endAddress")
def ended_address(exchange: Exchange) -> None:
    prefix = exchange.path["prefix"].replace("-", "").lower()
    if exchange.status == 200:
        exchange.expect(prefix not in ended, "an address was ended twice")
        named = canonical_address(exchange.body["full_address"])
        exchange.expect(named == f"{prefix}@{DOMAIN}", "the answer names another address")
        ended.add(prefix)


@reads("listAddresses")
def listed_addresses(exchange: Exchange) -> None:
    if exchange.status != 200:
        return
    listed = [canonical_address(one["full_address"]) for one in exchange.body["addresses"]]
    exchange.expect(not ended.intersection(one.split("@")[0] for one in listed), "an ended address is listed")
    held = {canonical_address(one) for one in alice.addresses}
    exchange.expect(held.issubset(listed), "an address is not listed")


# Messages


def owner_of(address: str) -> Device | None:
    bytes_of = address.split("@")[0].replace("-", "").lower()
    for device in (alice, bob, *crowd):
        if any(one.split("@")[0].replace("-", "") == bytes_of for one in device.addresses):
            return device
    return None


def canonical_address(address: str) -> str:
    prefix, _, domain = address.lower().partition("@")
    return f"{prefix.replace('-', '')}@{domain}"


def queue(sender: str, message: dict, known_as: tuple | None = None) -> None:
    """A message was accepted; a repetition is kept once, and what is only for open streams is not kept."""
    if message.get("expires_in_seconds") == 0:
        return
    device = owner_of(message["recipient_address"])
    message_id = canonical_message_id(message["message_id"])
    known_as = (sender, *(known_as or (message_id, canonical_address(message["recipient_address"]))))
    if device is None or known_as in accepted:
        return
    accepted.add(known_as)
    queues[device.device_id].append((message_id, message["mls_ciphertext"], message["sender_signature"]))


def was_sent(device: Device, message: dict) -> bool:
    message_id = canonical_message_id(message["message_id"])
    return (device.device_id, message_id, canonical_address(message["recipient_address"])) in accepted


@reads("sendMessage")
def sent_message(exchange: Exchange) -> None:
    if exchange.status == 202:
        same = exchange.sent["message_id"] == exchange.body["message_id"]
        exchange.expect(same, "the answer names another message")
        queue(alice.device_id, exchange.sent)


@reads("sendMessageBatch")
def sent_batch(exchange: Exchange) -> None:
    if exchange.status != 202:
        return
    statuses = exchange.body["message_statuses"]
    exchange.expect(len(statuses) == len(exchange.sent["messages"]), "not one status per message")
    good = sum(one["status"] != "rejected" for one in statuses)
    exchange.expect(good == exchange.body["accepted_count"], "accepted_count is not what the statuses say")
    exchange.expect(len(statuses) - good == exchange.body["rejected_count"], "rejected_count is not what the statuses say")
    for message, status in zip(exchange.sent["messages"], statuses):
        exchange.expect(status["message_id"] == carriable(message["message_id"]), "a status names another message")
        if status["status"] == "queued":
            queue(alice.device_id, message)


@reads("sendMessageToMany")
def sent_to_many(exchange: Exchange) -> None:
    if exchange.status != 202:
        return
    statuses = exchange.body["recipient_statuses"]
    named = [one["recipient_address"] for one in statuses]
    exchange.expect(exchange.sent["message_id"] == exchange.body["message_id"], "the answer names another message")
    exchange.expect(named == [carriable(one) for one in exchange.sent["recipients"]], "not one status per recipient")
    good = sum(one["status"] != "rejected" for one in statuses)
    exchange.expect(good == exchange.body["accepted_count"], "accepted_count is not what the statuses say")
    exchange.expect(len(statuses) - good == exchange.body["rejected_count"], "rejected_count is not what the statuses say")
    for address, status in zip(exchange.sent["recipients"], statuses):
        if status["status"] == "queued":
            queue(alice.device_id, exchange.sent | {"recipient_address": address})


def with_ciphertext(message: dict, messages: list) -> dict:
    """A delivered message with the ciphertext that it shares with another."""
    shared = message.get("ciphertext_from")
    if message.get("mls_ciphertext") is not None or not isinstance(shared, int) or shared >= len(messages):
        return message
    return message | {"mls_ciphertext": messages[shared].get("mls_ciphertext")}


def compared(text) -> str:
    """An id without regard to its case and hyphens."""
    return carriable(text).lower().replace("-", "")


def judged(receipt: dict) -> list[str]:
    """The ids that a receipt names."""
    return [*receipt["accepted_messages"], *(one["message_id"] for one in receipt["rejected_messages"])]


def is_named(messages: list[dict], receipt: dict) -> bool:
    """Whether a receipt answers for all of these messages."""
    sent = Counter(compared(one.get("message_id")) for one in messages)
    return sent <= Counter(map(compared, judged(receipt)))


@reads("deliverTransaction")
def delivered(exchange: Exchange) -> None:
    if exchange.status not in (200, 409):
        return
    messages = exchange.sent["messages"]
    known = receipts.get(compared(exchange.sent["transaction_id"]))
    if known is not None or exchange.status == 409:
        repeated(exchange, known)
        return
    taken = exchange.body["accepted_messages"]
    right = sorted(judged(exchange.body)) == sorted(carriable(one.get("message_id")) for one in messages)
    exchange.expect(right, "not every message was judged by the id that it came with")
    transactions.append(exchange.sent)
    receipts[compared(exchange.sent["transaction_id"])] = exchange.body
    left = list(taken)
    for sent in messages:
        message = with_ciphertext(sent, messages)
        if message.get("message_id") in left:
            left.remove(message["message_id"])
            tag = message.get("dedup_tag")
            name = canonical_message_id(message["message_id"])
            whole = (name, canonical_address(message["recipient_address"]), message["mls_ciphertext"])
            queue(peer.domain, message, whole if tag is None else (tag,))
    exchange.expect(not left, "messages were accepted that nobody sent")


def repeated(exchange: Exchange, receipt: dict | None) -> None:
    """A known transaction is answered like the first time, whatever became of its messages, and has no new ones."""
    named = receipt is not None and is_named(exchange.sent["messages"], receipt)
    if exchange.status == 409:
        exchange.expect(not named, "a repetition of known messages is a conflict")
        return
    exchange.expect(named, "a message was added to a transaction")
    again = {**exchange.body, "transaction_id": receipt["transaction_id"]}
    exchange.expect(again == receipt, "a repetition is answered otherwise")
    same = exchange.body["transaction_id"] == exchange.sent["transaction_id"]
    exchange.expect(same, "the receipt names another transaction")


def as_queued(message: dict) -> tuple[str, str, str]:
    return (message["message_id"], message["mls_ciphertext"], message["sender_signature"])


@reads("pollMessages")
def polled(exchange: Exchange) -> None:
    if exchange.status != 200:
        return
    mine = queues[alice.device_id]
    last = 0
    for message in exchange.body["messages"]:
        found = as_queued(message) in mine
        exchange.expect(found, f"the queue holds {message['message_id']}, which nobody sent to this device as it is")
        exchange.expect(message["received_at"] >= last, "received_at falls along the queue")
        last = message["received_at"]
        handed_out[message["message_id"]] = None
    if "since" not in exchange.query:
        limit = int(exchange.query.get("limit", 100))
        exchange.expect(len(exchange.body["messages"]) == min(limit, len(mine)), "messages are missing from the queue")
    exchange.expect(len(exchange.body["messages"]) <= int(exchange.query.get("limit", 100)), "the page is too long")


def acknowledge(message_id: str | None) -> bool:
    mine = queues[alice.device_id]
    for index, (known_as, *_) in enumerate(mine):
        if known_as == message_id:
            del mine[index]
            if all(one != message_id for one, *_ in mine):
                handed_out.pop(message_id, None)
            return True
    return False


@reads("acknowledgeMessage")
def acknowledged(exchange: Exchange) -> None:
    if exchange.status == 200:
        was_there = acknowledge(canonical_message_id(exchange.path["message_id"]))
        exchange.expect(was_there == exchange.body["acknowledged"], "acknowledged is not what was queued")


@reads("acknowledgeMessages")
def acknowledged_list(exchange: Exchange) -> None:
    if exchange.status == 200:
        were_there = sum(map(acknowledge, map(canonical_message_id, exchange.sent["message_ids"])))
        exchange.expect(were_there == exchange.body["acknowledged_count"], "acknowledged_count is not what was queued")
        counted = were_there + exchange.body["failed_count"]
        exchange.expect(counted == len(exchange.sent["message_ids"]), "not every acknowledgement is counted")


def sent_by(sender: Device) -> str:
    """The id of a message that the device has sent to alice."""
    message = sender.message(alice.address())
    demand("POST", "/v1/messages", body=message, token=sender.token())
    queue(sender.device_id, message)
    return message["message_id"]


def poll_all(device: Device) -> list[tuple[str, str, str]]:
    """Everything in a device's queue, page by page, each acknowledged."""
    found: list[tuple[str, str, str]] = []
    while True:
        page = demand("GET", "/v1/messages?limit=1000", token=device.token())["messages"]
        if not page:
            return found
        found.extend(map(as_queued, page))
        ids = [one["message_id"] for one in page]
        demand("POST", "/v1/messages/ack", body={"message_ids": ids}, token=device.token())


# Key packages


@reads("uploadKeyPackages")
def uploaded(exchange: Exchange) -> None:
    if exchange.status == 200:
        key_packages[alice.device_id].update(exchange.sent["key_packages"])
        if "last_resort_key_package" in exchange.sent:
            last_resorts.add(exchange.sent["last_resort_key_package"])


@reads("fetchKeyPackage")
def fetched_package(exchange: Exchange) -> None:
    if exchange.status != 200:
        return
    package = exchange.body["key_package"]
    asked = exchange.query["device_id"].lower()
    device = next((one for one in (alice, bob) if asked in (one.device_id, one.key.public)), None)
    exchange.expect(device is not None, "a package was handed out of a device that has uploaded none")
    if device is None:
        return
    if exchange.body.get("last_resort"):
        exchange.expect(package in last_resorts, "the last-resort package is not one")
        return
    exchange.expect(package in key_packages[device.device_id], "the package is not of this device")
    claim = (exchange.headers.get("x-claim-id", "").lower(), package)
    if claim in fetched_by_claim:
        return  # A repetition gets the same package.
    if claim[0] != "":
        fetched_by_claim.add(claim)
    exchange.expect(package not in fetched, "a package was handed out twice")
    fetched.add(package)


# The ids that fetches were sent with, each with its package.
fetched_by_claim: set[tuple[str, str]] = set()
claim_ids: dict[str, None] = {}
# What a claim got, by claimer, id and address.
claimed: dict[tuple, str] = {}


@reads("claimKeyPackages", "claimKeyPackagesForPeer")
def claimed_packages(exchange: Exchange) -> None:
    if exchange.status != 200:
        return
    claim_id = exchange.sent["claim_id"].lower()
    claim_ids[claim_id] = None
    claims = exchange.body["claims"]
    exchange.expect([one["address"] for one in claims] == exchange.sent["addresses"], "the answer has other addresses")
    for one in claims:
        package = one.get("key_package")
        exchange.expect((package is None) == ("error" in one), "a claim has neither a package nor an error, or both")
        if package is None:
            continue
        known = (exchange.operation, claim_id, canonical_address(one["address"]))
        is_new = known not in claimed
        exchange.expect(claimed.setdefault(known, package) == package, "a repeated claim got another package")
        owner = owner_of(one["address"])
        exchange.expect(owner is not None, "a package was handed out for an address that nobody has")
        if owner is None or not is_new:
            continue
        if one.get("last_resort"):
            exchange.expect(package in last_resorts, "the last-resort package is not one")
            continue
        exchange.expect(package in key_packages[owner.device_id], "the package is not of this device")
        exchange.expect(package not in fetched, "a package was handed out twice")
        fetched.add(package)


def stock_of(device: Device) -> Device:
    """The device, with at least one package more than it had."""
    body = device.key_packages(2)
    demand("POST", "/api/v1/keypackage/upload", body=body, token=device.token())
    key_packages[device.device_id].update(body["key_packages"])
    return device


# Info packages


def keep_package(kind: str, name: str, package: Package, ttl_seconds: int | None = None) -> None:
    package.ends = None if ttl_seconds is None else now() + ttl_seconds
    packages[kind][name] = package


"""An answer takes a while to be read here, so the end is not known to the second."""
doubt_seconds = 30


def has_ended(package: Package) -> bool:
    return package.ends is not None and now() >= package.ends - doubt_seconds


@reads("uploadInfoPackage")
def uploaded_info(exchange: Exchange) -> None:
    if exchange.status == 200:
        keep_package(
            "infopackages",
            exchange.body["url_segment"],
            Package(exchange.sent["ciphertext"], alice, exchange.sent.get("max_uses")),
            exchange.sent["ttl_seconds"],
        )


@reads("uploadPlainInfoPackage")
def uploaded_plain(exchange: Exchange) -> None:
    if exchange.status == 200:
        name = exchange.body["url"].rsplit("/", 1)[-1]
        keep_package("info-packages", name, Package(None, alice, exchange.sent.get("max_uses")), exchange.sent["ttl_seconds"])
        exchange.expect(exchange.body["max_uses"] == exchange.sent.get("max_uses"), "max_uses is another")


@reads("createRevocableInfoPackage")
def uploaded_revocable(exchange: Exchange) -> None:
    if exchange.status == 200:
        name = exchange.body["url"].rsplit("/", 1)[-1]
        token = exchange.body["revocation_token"]
        kept = Package(exchange.sent["ciphertext"], None, exchange.sent.get("max_uses"), token)
        keep_package("revocable", name, kept, exchange.sent["ttl_seconds"])


@cache
def slot_key() -> str:
    return demand("GET", "/.well-known/svc")["slots"]["key"]


@reads("takeSlot")
def took_slot(exchange: Exchange) -> None:
    if exchange.status != 200:
        return
    took = slots.setdefault(exchange.path["slot"].lower(), exchange.sent["content"])
    is_of_many = bool(exchange.sent.get("path"))
    exchange.expect(("taker" in exchange.body) == is_of_many, "a slot of several keys does not say which one took it")
    exchange.expect(exchange.body["won"] == (took == exchange.sent["content"]), "a slot was won twice")
    exchange.expect(exchange.body.get("content", took) == took, "a slot has other content")


@reads("askSlot")
def asked_slot(exchange: Exchange) -> None:
    if exchange.status != 200:
        return
    slot, content = exchange.sent["slot"].lower(), exchange.sent.get("content")
    took = slots.get(slot) if content is None else slots.setdefault(slot, content)
    exchange.expect(exchange.body["won"] == (content is not None and took == content), "a slot was won twice")
    exchange.expect(exchange.body.get("content", took) == took, "a slot has other content")


@reads("getSlot")
def read_slot(exchange: Exchange) -> None:
    took = slots.get(exchange.path["slot"].lower())
    if took is not None and exchange.query.get("domain", DOMAIN) == DOMAIN:
        exchange.expect(exchange.status not in (404, 410), "a slot is lost")
    if exchange.status == 200:
        exchange.expect(exchange.body["content"] == took, "a slot has other content")


@reads("readSlots")
def read_many_slots(exchange: Exchange) -> None:
    if exchange.status != 200:
        return
    exchange.expect([one["slot"] for one in exchange.body["slots"]] == exchange.sent["slots"], "slots are out of order")
    for one in exchange.body["slots"]:
        took = slots.get(one["slot"].lower())
        exchange.expect(one["taken"] or took is None, "a slot is lost")
        exchange.expect(one.get("content", took) == took, "a slot has other content")


kinds = {"InfoPackage": "infopackages", "PlainInfoPackage": "info-packages", "RevocableInfoPackage": "revocable"}


def package_of(exchange: Exchange) -> Package | None:
    kind = kinds[exchange.operation.removeprefix("get").removeprefix("revoke")]
    name = exchange.path.get("url_segment") or exchange.path.get("segment") or ""
    return packages[kind].get(name.lower())


@reads("getInfoPackage", "getPlainInfoPackage", "getRevocableInfoPackage")
def downloaded(exchange: Exchange) -> None:
    package = package_of(exchange)
    if package is None:
        exchange.expect(exchange.status != 200, "a package was given out that nobody uploaded")
        return
    if package.gone:
        exchange.expect(exchange.status == 404, "a revoked package was not answered 404")
    elif package.left == 0:
        exchange.expect(exchange.status in (404, 410) if has_ended(package) else exchange.status == 410, "a used-up package was not answered 410")
    elif has_ended(package):
        exchange.expect(exchange.status in (200, 404), "an expired package was not answered 404")
        if exchange.status == 200 and package.left is not None:
            package.left -= 1
    else:
        exchange.expect(exchange.status == 200, "a package is lost")
        if package.left is not None:
            package.left -= 1
    if exchange.status == 200 and package.content is not None:
        exchange.expect(exchange.body["ciphertext"] == package.content, "the package has other content")
    if exchange.status == 200 and "remaining_uses" in exchange.body:
        exchange.expect(exchange.body["remaining_uses"] == package.left, "remaining_uses is wrong")


@reads("revokeInfoPackage", "revokePlainInfoPackage", "revokeRevocableInfoPackage")
def revoked(exchange: Exchange) -> None:
    package = package_of(exchange)
    if exchange.status != 200:
        return
    exchange.expect(package is not None and not package.gone, "a package was revoked that is not there")
    if package is None:
        return
    package.gone = True
    if package.owner is not None:
        exchange.expect(package.owner is alice, "the package of another device was revoked")
    if package.token is not None:
        given = exchange.headers.get("x-revocation-token", "").lower()
        exchange.expect(given == package.token, "a package was revoked without its token")


def alive(kind: str, ended: bool = True) -> list[str]:
    """Packages that can be downloaded, or could until their time ended; a new one where there is none."""
    found = [
        name
        for name, package in packages[kind].items()
        if not package.gone and package.left != 0 and (ended or not has_ended(package))
    ]
    return found or [make_package(kind)]


def make_package(kind: str) -> str:
    body = {"ttl_seconds": 86400}
    body |= {"content": {"display_name": "Alice"}} if kind == "info-packages" else {"ciphertext": b64(b"of alice")}
    body |= {} if kind == "revocable" else {"package_type": "identity"}
    path = "/api/v1/infopackages" if kind == "revocable" else f"/v1/{kind}/upload"
    answer = demand("POST", path, body=body, token=None if kind == "revocable" else alice.token())
    name = answer.get("url_segment") or answer["url"].rsplit("/", 1)[-1]
    owner = None if kind == "revocable" else alice
    keep_package(kind, name, Package(body.get("ciphertext"), owner, None, answer.get("revocation_token")))
    return name


_bobs: dict[str, str] = {}


def of_bob(kind: str) -> str:
    """A package that another device has uploaded."""
    if kind not in _bobs:
        body = {"package_type": "identity", "ttl_seconds": 86400}
        body |= {"content": {"display_name": "Bob"}} if kind == "info-packages" else {"ciphertext": b64(b"of bob")}
        answer = demand("POST", f"/v1/{kind}/upload", body=body, token=bob.token())
        _bobs[kind] = answer.get("url_segment") or answer["url"].rsplit("/", 1)[-1]
        keep_package(kind, _bobs[kind], Package(body.get("ciphertext"), bob, None))
    return _bobs[kind]


# Linking


def open_linkings(empty: bool = False) -> list[str]:
    """Addresses whose blob has not been taken, or not even been put; a new one if there is none."""
    found = [name for name, linking in linkings.items() if not linking.taken and not (empty and linking.blob)]
    if not found:
        body = {"ephemeral_public_key": alice.key.public, "ttl_seconds": 300, "timestamp": now()}
        made = demand("POST", "/api/v1/provisioning/create", body=body)
        found.append(made["provisioning_address"].split("@")[0])
        linkings[found[0]] = Linking(made["poll_token"])
    return found


def open_codes() -> list[str]:
    """Short codes that name something; a new one if there is none."""
    found = [linking.code for linking in linkings.values() if linking.code and not (linking.blob or linking.taken)]
    if not found:
        body = {"ephemeral_public_key": alice.key.public, "ttl_seconds": 300, "timestamp": now()}
        made = demand("POST", "/api/v1/provisioning/create", body=body)
        name, token, qr = made["provisioning_address"].split("@")[0], made["poll_token"], "{}"
        path = f"/api/v1/provisioning/{name}/code"
        code = demand("POST", path, body={"qr": qr}, headers={"X-Poll-Token": token})["linking_code"]
        linkings[name] = Linking(token, code=code, qr=qr)
        found.append(code)
    return found


@reads("createLinkingCode")
def made_code(exchange: Exchange) -> None:
    linking = linkings.get(exchange.path.get("id", "").lower().split("@")[0])
    if exchange.status != 200:
        return
    rightly = linking is not None and exchange.headers.get("x-poll-token", "").lower() == linking.poll_token
    exchange.expect(rightly, "a code was given out without the token of its address")
    if linking is None:
        return
    exchange.expect(linking.code in (None, exchange.body["linking_code"]), "an address has two codes")
    if linking.code is None:
        linking.code, linking.qr = exchange.body["linking_code"], exchange.sent["qr"]


@reads("getLinkingCode")
def got_code(exchange: Exchange) -> None:
    linking = next((one for one in linkings.values() if one.code == exchange.path.get("code")), None)
    if exchange.status == 404 and linking is not None:
        linking.taken = True  # It has expired, or has a blob.
    if exchange.status == 200 and linking is not None:
        exchange.expect(exchange.body["qr"] == linking.qr, "the code names another text")


@reads("createProvisioning")
def opened_linking(exchange: Exchange) -> None:
    if exchange.status == 200:
        linking = exchange.body["provisioning_address"].split("@")[0]
        linkings[linking] = Linking(exchange.body["poll_token"])


@reads("putProvisioningBlob", "postProvisioningBlob")
def put_blob(exchange: Exchange) -> None:
    linking = linkings.get(exchange.path.get("id", "").lower().split("@")[0])
    if exchange.status == 200:
        exchange.expect(linking is not None and linking.blob is None, "a blob was stored where there is no room for it")
        if linking is not None:
            linking.blob = exchange.sent["ciphertext"]
    elif exchange.status == 404 and linking is not None:
        linking.taken = True  # It has expired, and is of no use to later requests.


@reads("pollProvisioningBlob")
def polled_blob(exchange: Exchange) -> None:
    linking = linkings.get(exchange.path.get("id", "").lower().split("@")[0])
    rightly = linking is not None and exchange.headers.get("x-poll-token", "").lower() == linking.poll_token
    if exchange.status == 404 and rightly:
        linking.taken = True  # It has expired.
    if exchange.status not in (200, 202):
        return
    exchange.expect(rightly, "a poll without its token was answered")
    if linking is None:
        return
    if exchange.status == 202:
        exchange.expect(linking.blob is None, "a stored blob is pending")
        return
    exchange.expect(exchange.body["ciphertext"] == linking.blob, "the blob is another")
    exchange.expect(not linking.taken, "a blob was handed out twice")
    linking.taken = True


# Blobs


@dataclass
class Blob:
    content: bytes
    upload_token: str
    delete_token: str
    path: str
    uploaded: bool = False
    complete: bool = False
    gone: bool = False

    def put(self) -> None:
        headers = {"X-Upload-Token": self.upload_token, "Content-Digest": digest_header(self.content)}
        demand("PUT", f"{self.path}/parts/0", data=self.content, headers=headers)
        self.uploaded = True

    def finish(self) -> None:
        demand("POST", f"{self.path}/complete", headers={"X-Upload-Token": self.upload_token})
        self.complete = True


blobs: dict[str, Blob] = {}


def make_blob(content: bytes = b"a file", *, uploaded: bool = False, complete: bool = False) -> tuple[str, Blob]:
    """A new blob of one part."""
    made = demand("POST", "/v1/blobs", body={"size": len(content), "lifetime_seconds": 86400}, token=alice.token())
    name = made["blob_id"]
    blob = Blob(content, made["upload_token"], made["delete_token"], f"/v1/blobs/{name}")
    blobs[name] = blob
    if uploaded or complete:
        blob.put()
    if complete:
        blob.finish()
    return name, blob


def blob_of(path: dict) -> Blob | None:
    return blobs.get(path.get("blob_id", "").lower())


@reads("uploadBlobPart")
def put_part(exchange: Exchange) -> None:
    blob = blob_of(exchange.path)
    if exchange.status != 200 or blob is None:
        return
    rightly = exchange.headers.get("x-upload-token", "").lower() == blob.upload_token
    exchange.expect(rightly, "a part was stored without the upload token")
    exchange.expect(exchange.headers.get("content-digest") == digest_header(blob.content), "other bytes were stored")
    exchange.expect(not blob.complete and not blob.gone, "a part was stored in a blob that takes none")
    blob.uploaded = True


@reads("getBlobUpload")
def upload_state(exchange: Exchange) -> None:
    blob = blob_of(exchange.path)
    if exchange.status == 200 and blob is not None:
        stored = [0] if blob.uploaded and not blob.complete else []
        exchange.expect(exchange.body["stored_parts"] == stored, "the stored parts are others")
        exchange.expect(exchange.body["complete"] == blob.complete, "the blob is not as far as it is said to be")


@reads("completeBlob")
def completed(exchange: Exchange) -> None:
    blob = blob_of(exchange.path)
    if exchange.status == 200 and blob is not None:
        exchange.expect(blob.uploaded and not blob.gone, "a blob without its parts is complete")
        blob.complete = True


@reads("deleteBlob", "removeBlob")
def deleted_blob(exchange: Exchange) -> None:
    blob = blob_of(exchange.path)
    if exchange.status == 200 and blob is not None:
        exchange.expect(not blob.gone, "a blob was deleted twice")
        if exchange.operation == "deleteBlob":
            rightly = exchange.headers.get("x-delete-token", "").lower() == blob.delete_token
            exchange.expect(rightly, "a blob was deleted without its token")
        blob.gone = True


def downloaded(case, response) -> list[str]:
    """Whether these are the bytes of the blob."""
    blob = blob_of(match_path(case.operation.path, urlsplit(response.request.url).path))
    if blob is None or response.request.method != "GET" or response.status_code not in (200, 206):
        return []
    found = [] if blob.complete and not blob.gone else ["a blob was given out that is not there"]
    expected = blob.content
    if response.status_code == 206:
        first, last = re.match(r"bytes (\d+)-(\d+)/", response.headers["content-range"][0]).groups()
        expected = expected[int(first) : int(last) + 1]
    return found if response.content == expected else [*found, "other bytes were given out"]


# Wake-up pushes


@reads("subscribeToPush")
def subscribed(exchange: Exchange) -> None:
    if exchange.status == 200:
        shown, sent = exchange.body["subscription"], exchange.sent
        hashed = hashlib.sha256(sent["endpoint"].encode()).hexdigest()
        exchange.expect(shown["endpoint_sha256"] == hashed, "the subscription is another")
        exchange.expect(not shown["confirmed"], "a subscription is confirmed without its code")
        exchange.expect(exchange.body["push"]["status_class"] is None, "a push service that nobody runs has answered")


@reads("confirmPushSubscription", "testPushSubscription", "testDevicePush")
def used_subscription(exchange: Exchange) -> None:
    exchange.expect(exchange.status >= 400, "a subscription was used without the code that was pushed")


# Administration

base_config: dict | None = None


def settings() -> dict:
    return admin.asks("GET", "/admin/v1/config")


def restore() -> None:
    """Puts the configuration back to what it was, so that the rest of the run finds the relay open."""
    demand("PATCH", "/admin/v1/config", body=base_config, token=admin.token())
    policy = admin.asks("GET", "/admin/v1/federation/policy")
    if policy["allowlist"]:
        admin.asks("PUT", "/admin/v1/federation/policy", body={**policy, "allowlist": []})


def remember_config() -> None:
    global base_config
    if base_config is None:
        base_config = settings()


@reads("updateConfig")
def updated_config(exchange: Exchange) -> None:
    if exchange.status != 200:
        return
    found = settings()
    for group, members in exchange.sent.items():
        for name, value in members.items():
            exchange.expect(found[group][name] == value, f"{group}.{name} is not what was set")
    restore()


@reads("setFederationPolicy")
def updated_policy(exchange: Exchange) -> None:
    if exchange.status != 200:
        return
    found = admin.asks("GET", "/admin/v1/federation/policy")
    exchange.expect(found == exchange.body["current_policy"], "the policy is not what was answered")
    for name in ("allowlist_mode", "auto_block_threshold", "require_certificate_validation", "publish_blocklist"):
        exchange.expect(found[name] == exchange.sent[name], f"{name} is not what was set")
    if "allowlist" in exchange.sent:
        exchange.expect(sorted(found["allowlist"]) == sorted(set(exchange.sent["allowlist"])), "the allowlist is another")
    restore()


@reads("blockServer")
def blocked_server(exchange: Exchange) -> None:
    if exchange.status == 200:
        domain = exchange.body["server_domain"]
        blocked[domain] = None
        asked = send("POST", "/federation/v1/challenge", body={"origin_server": domain})
        exchange.expect(asked.status_code == 403, "a blocked server may still call")


@reads("unblockServer")
def unblocked_server(exchange: Exchange) -> None:
    domain = exchange.path.get("server_domain", "").lower()
    if exchange.status == 200:
        exchange.expect(blocked.pop(domain, 0) is None, "a server was unblocked that was not blocked")
        listed = admin.asks("GET", "/admin/v1/federation/blocklist?limit=1000")["blocked_servers"]
        exchange.expect(all(one["domain"] != domain for one in listed), "the server is still on the list")


@reads("createInvite")
def created_invite(exchange: Exchange) -> None:
    if exchange.status == 201:
        invites[exchange.body["invite_id"]] = None


@reads("revokeInvite")
def revoked_invite(exchange: Exchange) -> None:
    if exchange.status == 200:
        exchange.expect(exchange.path["invite_id"].lower() in invites, "an invite was revoked that is none")


def make_invite(max_uses: int) -> str:
    made = admin.asks("POST", "/admin/v1/invites", body={"max_uses": max_uses, "expires_at": now() + 3600})
    invites[made["invite_id"]] = None
    return made["invite_code"]


@reads("logoutAdmin")
def logged_out(exchange: Exchange) -> None:
    if exchange.status == 200:
        token = exchange.headers["authorization"].removeprefix("Bearer ")
        answer = send("GET", "/admin/v1/config", token=token)
        exchange.expect(answer.status_code == 401, "a session goes on after its logout")


def passing_session() -> str:
    """The id of a session that nobody needs."""
    token = admin.log_in()
    session_id = claims(token)["sid"]
    passing_sessions[session_id] = token
    return session_id


@reads("endAdminSession")
def ended_session(exchange: Exchange) -> None:
    token = passing_sessions.get(exchange.path.get("session_id", ""))
    if exchange.status == 200 and token is not None:
        answer = send("GET", "/admin/v1/config", token=token)
        exchange.expect(answer.status_code == 401, "a session goes on after it was ended")


@reads("revokeVerification", "deleteVerification")
def revoked_verification(exchange: Exchange) -> None:
    if exchange.status == 200:
        tier = admin.asks("GET", f"/admin/v1/devices/{exchange.body['device_id']}")["trust_tier"]
        exchange.expect(tier == exchange.body["trust_tier"] != "verified", "the verification was not taken back")


@reads("setRateLimit")
def set_rate_limit(exchange: Exchange) -> None:
    if exchange.status == 200:
        found = admin.asks("GET", f"/admin/v1/devices/{exchange.sent['device_id']}")
        limit = exchange.sent["custom_rate_limit"]
        exchange.expect(limit is None or exchange.body["rate_limit"] == limit, "the limit is not what was set")
        exchange.expect(found["rate_limiting"]["current_limit"] == exchange.body["rate_limit"], "the limit does not hold")


def destination() -> str:
    """A server for which messages wait."""
    domain = f"d{uuid.uuid4().hex[:8]}.fuzz.test"
    demand("POST", "/v1/messages", body=alice.message(f"{uuid.uuid4()}@{domain}"), token=alice.token())
    return domain
