"""A client that was written from the interface specification alone.

Usage: client.py URL DOMAIN ADMIN_SECRET. Prints the guesses, and what answers say beyond the specification, as JSON.
"""

import json
import os
import re
import sys
import uuid

from administrator import administer
from device import Device, b64, message_id, prefix
from guesses import HEX64, TOKEN, UUID4, Answer, Ledger, Server, now, soon
from links import exchange_links
from websocket import WebSocket

SERVER = Server(sys.argv[1], sys.argv[2])
LEDGER = Ledger()
note, answered, refused = LEDGER.note, LEDGER.answered, LEDGER.refused

MESSAGE = {"message_id": str, "mls_ciphertext": str, "sender_signature": str, "timestamp": int, "received_at": int}
ADDRESS = re.compile(rf"[0-9a-f-]{{32,36}}@{re.escape(SERVER.domain)}")
CAPABILITIES = {"max_message_size": int, "federation_enabled": bool, "supported_mls_versions": ["1.0"]}


def discovery() -> None:
    limits = ("max_connections_per_device", "max_message_backlog", "keepalive_interval_seconds", "connection_timeout_seconds")
    found = answered("discovery says whether federation is on", SERVER.call("GET", "/.well-known/svc"), 200)
    note("federation_enabled is a member of discovery", isinstance(found["federation_enabled"], bool), found)
    for limit in limits:
        note(f"{limit} is a member of discovery", type(found.body.get(limit)) is int, found)
    note("discovery links to the contract", "/openapi" in json.dumps(found.body), found)
    answered("no block list is published while publishing is off", SERVER.call("GET", "/.well-known/svc-blocklist"), 404)
    unknown = SERVER.call("GET", "/v1/message")
    refused("an unknown path is refused with the contract's place", unknown, 404, None, None, "/openapi.json")
    refused("an unknown path is refused with the path that is like it", unknown, 404, None, None, "/v1/messages")
    wrong = SERVER.call("PUT", "/v1/messages/ack", {})
    refused("a wrong method is refused with the right one", wrong, 405, None, None, "POST /v1/messages/ack", "/openapi.json")


def registration() -> Device:
    device = Device(SERVER)
    fresh = {"challenge": HEX64, "iterations": int, "expires_at": soon(300)}
    challenge = answered("a challenge is posted for", device.challenge(), 200, fresh)
    got = SERVER.call("GET", "/api/v1/announce/challenge", {"public_key": device.public_key})
    refused("a challenge by GET with a body is refused with the query that works", got, 400, None, None, "public_key")
    got = SERVER.call("GET", f"/api/v1/announce/challenge?public_key={device.public_key}")
    answered("a challenge by GET has the key in the query", got, 200, fresh)

    refused("a first announcement needs a proof", device.announce(), 403, None, None, "VDF proof required", "POST /api/v1/announce/challenge")
    other = Device(SERVER)
    foreign = other.proof(challenge, input=challenge["challenge"] + other.public_key)
    refused("a challenge of another device is refused", other.announce(vdf_proof=foreign), 403, None, None, "challenge issued to a different device")
    fewer = device.proof(challenge, iterations=challenge["iterations"] + 1)
    refused("another number of iterations is refused", device.announce(vdf_proof=fewer), 403, None, None, "VDF iterations mismatch")
    mixed = device.proof(challenge, input=challenge["challenge"] + other.public_key)
    refused("another input is refused", device.announce(vdf_proof=mixed), 403, None, None, "VDF input mismatch")
    proof = device.proof(challenge)
    wrong_id = device.announcement(vdf_proof=proof, device_id=other.device_id)
    refused("a device id of another key is refused", SERVER.call("POST", "/api/v1/announce", wrong_id), 400, None, None, "Blake3(public_key)")
    unsigned = device.announcement(vdf_proof=proof, signature=device.sign(device.device_id))
    signed = "<device_id>:<timestamp>"
    refused("a wrong signature is refused with the text to sign", SERVER.call("POST", "/api/v1/announce", unsigned), 403, "INVALID_SIGNATURE", 4001, "invalid signature", signed)

    device = Device(SERVER)
    proof = device.proof(device.challenge())
    shape = {
        "status": "success",
        "device_id": device.device_id,
        "delivery_address": {"full_address": ADDRESS, "prefix": UUID4, "created_at": soon(0)},
        "access_token": TOKEN,
        "expires_at": soon(86400),
    }
    first = answered("a device announces itself", device.announce(vdf_proof=proof, storage_preferences=None), 200, shape)
    note("the address is prefix and domain", first["delivery_address"]["full_address"] == f"{first['delivery_address']['prefix']}@{SERVER.domain}", first)
    again = answered("a known device rotates without a proof", device.announce(), 200, shape)
    note("a rotation gives another address", again["delivery_address"]["prefix"] != first["delivery_address"]["prefix"])
    late = device.announcement()
    late["timestamp"] -= 400
    late["signature"] = device.sign(f"{late['device_id']}:{late['timestamp']}")
    refused("an old announcement is refused", SERVER.call("POST", "/api/v1/announce", late), 400, None, None, "timestamp", "outside the acceptable window")
    refused("a signature is good once, and the refusal says what to do", replay(device), 409, None, None, "sign again", "newer timestamp")
    return device


def replay(device: Device) -> Answer:
    body = device.announcement()
    SERVER.call("POST", "/api/v1/announce", body)
    return SERVER.call("POST", "/api/v1/announce", body)


def prefixes() -> None:
    device = Device(SERVER)
    path = "/api/v1/device/announce"
    chosen = [prefix(), str(uuid.uuid4())]
    bare = SERVER.call("POST", path, device.prefix_announcement(chosen, device.public_key))
    refused("a first announcement of prefixes needs a proof", bare, 403, None, None, "VDF proof required", "POST /api/v1/announce/challenge")
    proof = device.proof(device.challenge())
    shape = {
        "status": "success",
        "device_id": device.public_key,
        "announced_addresses": [ADDRESS],
        "access_token": TOKEN,
        "expires_at": int,
        "server_capabilities": CAPABILITIES,
    }
    preferences = {"max_retention_days": 7, "offline_message_limit": None}
    body = device.prefix_announcement(chosen, device.public_key, vdf_proof=proof, storage_preferences=preferences)
    first = answered("prefixes are announced with a proof, by the public key as device id", SERVER.call("POST", path, body), 200, shape)
    note("the addresses are the prefixes and the domain", first["announced_addresses"] == [f"{one}@{SERVER.domain}" for one in chosen], first)
    shape["device_id"] = device.device_id
    body = device.prefix_announcement(chosen, storage_preferences=None)
    answered("prefixes are renewed, by the hash as device id", SERVER.call("POST", path, body), 200, shape)
    wrong = device.prefix_announcement(chosen, signature=device.sign("prefixes"))
    text = "<device_id>.<delivery_address_prefixes joined by commas>.<timestamp>"
    refused("a wrong signature over prefixes is refused with the text to sign", SERVER.call("POST", path, wrong), 403, "INVALID_SIGNATURE", 4001, "invalid signature", text)
    many = device.prefix_announcement([prefix() for _ in range(9)])
    refused("more than 10 active addresses are refused", SERVER.call("POST", path, many), 409, None, None, "too many active addresses for device")
    fast = device.prefix_announcement([prefix() for _ in range(4)])
    refused("more than 5 new addresses a day are refused", SERVER.call("POST", path, fast), 429, None, 4004, "address creation rate limit exceeded")
    answered("a third announcement in an hour is taken", SERVER.call("POST", path, device.prefix_announcement(chosen)), 200)
    often = SERVER.call("POST", path, device.prefix_announcement(chosen))
    refused("a fourth announcement in an hour is refused", often, 429, None, 4004, "rate limit exceeded")
    bad = SERVER.call("POST", path, device.prefix_announcement(["me"]))
    refused("a prefix that is no 16 bytes is refused", bad, 400, "INVALID_ADDRESS", 4005)


def key_packages(device: Device, group: list[Device]) -> None:
    path = "/api/v1/keypackage/upload"
    colons = device.key_packages(2, lambda packages, timestamp: f"{device.device_id}:{timestamp}")
    text = "<device_id>.<key_packages joined by commas>.<timestamp>"
    refused("a wrong signature over key packages is refused with the text to sign", device.call("POST", path, colons), 403, "INVALID_SIGNATURE", 4001, text)
    answered("100 key packages are uploaded", device.call("POST", path, {**device.key_packages(100), "replace": None}), 200)
    fetch = f"/api/v1/keypackage/fetch?device_id={device.device_id}"
    shape = {"device_id": device.device_id, "key_package": str, "remaining": 99}
    answered("a key package is fetched", group[0].call("GET", fetch), 200, shape)
    shape["remaining"] = 98
    answered("the next one is fetched", group[0].call("GET", fetch), 200, shape)
    by_key = group[0].call("GET", f"/api/v1/keypackage/fetch?device_id={device.public_key}")
    answered("a key package is fetched by public key", by_key, 200, {**shape, "device_id": device.public_key, "remaining": 97})
    refused("a fetch needs a token", SERVER.call("GET", fetch), 401, "INVALID_TOKEN", 4008)
    refused("a device without key packages has none", device.call("GET", f"/api/v1/keypackage/fetch?device_id={group[0].device_id}"), 404, None, None)
    refused("an unknown device has none", device.call("GET", f"/api/v1/keypackage/fetch?device_id={'ab' * 32}"), 404, None, None)
    for member in group:
        member.call("POST", path, member.key_packages(1))
    fetched = [device.call("GET", f"/api/v1/keypackage/fetch?device_id={member.device_id}") for member in group]
    refusal = next((one for one in fetched if one.status != 200), "")
    note("a new device fetches the key packages of a group of 100 within an hour", refusal == "", refusal)


def group_of(count: int) -> list[Device]:
    return [Device(SERVER).register() for _ in range(count)]


def messages(alice: Device, bob: Device) -> None:
    shape = {"message_id": str, "status": "queued", "delivery_estimate": {"immediate", "delayed"}}
    message = alice.message(bob.address)
    sent = answered("a message is sent", alice.call("POST", "/v1/messages", message), 202, shape)
    note("the answer has the message's id", sent["message_id"] == message["message_id"], sent)
    answered("the same message is sent again", alice.call("POST", "/v1/messages", message), 202, shape)
    plain_id = message_id().replace("-", "")
    sent = answered("a message id may be 32 hex characters", alice.send(bob.address, message_id=plain_id), 202, shape)
    note("the answer has the id in its spelling", sent["message_id"] == plain_id, sent)
    for form, signature in {
        "base64": b64(os.urandom(64)),
        "base64url without padding": b64(os.urandom(64)).replace("+", "-").replace("/", "_").rstrip("="),
        "hex with a prefix": "0x" + os.urandom(64).hex(),
        "a shorter text": "ed25519:" + b64(os.urandom(64)),
    }.items():
        answered(f"a sender's signature may be {form}", alice.send(bob.address, sender_signature=signature), 202, shape)
    refused("an unknown address is not found", alice.send(f"{uuid.uuid4()}@{SERVER.domain}"), 404, None, None)
    refused("a malformed address is refused", alice.send("bob"), 400, "INVALID_ADDRESS", 4005)
    refused("an empty ciphertext is refused", alice.send(bob.address, mls_ciphertext=""), 400, None, None, "mls_ciphertext")
    urlsafe = alice.send(bob.address, mls_ciphertext="_-_-")
    refused("base64 in another alphabet is refused with the form", urlsafe, 400, None, None, "mls_ciphertext", "base64", "RFC 4648")
    refused("a message id that is no UUIDv7 is refused", alice.send(bob.address, message_id=str(uuid.uuid4())), 400, None, None, "message_id", "UUIDv7")
    refused("a message without a token is refused", SERVER.call("POST", "/v1/messages", message), 401, "INVALID_TOKEN", 4008)
    form = SERVER.call("POST", "/v1/messages", message, alice.token, {"Content-Type": "text/plain"})
    refused("another content type is refused with the right one", form, 415, None, None, "application/json")

    batch = [alice.message(bob.address) for _ in range(3)]
    batch[1]["recipient_address"] = f"{uuid.uuid4()}@{SERVER.domain}"
    counted = {"accepted_count": 2, "rejected_count": 1, "message_statuses": [{"message_id": str, "status": str}]}
    sent = answered("a batch is sent", alice.call("POST", "/v1/messages/batch", {"messages": batch}), 202, counted)
    note("each message of a batch has a status", [one["message_id"] for one in sent["message_statuses"]] == [one["message_id"] for one in batch], sent)
    too_many = {"messages": [alice.message(bob.address) for _ in range(101)]}
    refused("a batch of 101 is refused", alice.call("POST", "/v1/messages/batch", too_many), 400, None, None)

    page = {"messages": [MESSAGE], "has_more": bool, "next_poll_interval": int, "server_timestamp": soon(0)}
    first = answered("the queue is polled", bob.poll(), 200, page)
    ids = [one["message_id"] for one in first["messages"]]
    note("the oldest message comes first", ids[:1] == [message["message_id"]], first)
    note("a polled message is the one that was sent", all(first["messages"][0][name] == message[name] for name in ("mls_ciphertext", "sender_signature", "timestamp")), first)
    note("what is not acknowledged comes again", [one["message_id"] for one in bob.poll()["messages"]] == ids)
    short = answered("a page has a limit", bob.poll("?limit=1"), 200, {**page, "has_more": True})
    note("a page of one has one", len(short["messages"]) == 1)
    answered("a page may have 1000", bob.poll("?limit=1000"), 200, page)
    refused("a page may not have 1001", bob.poll("?limit=1001"), 400, None, None, "limit")
    answered("a poll may begin at a time", bob.poll(f"?since={now() - 60}&limit=10"), 200, page)

    answered("a message is acknowledged", bob.call("DELETE", f"/v1/messages/{ids[0]}"), 200, {"acknowledged": True})
    answered("a message that is gone is not acknowledged", bob.call("DELETE", f"/v1/messages/{ids[0]}"), 200, {"acknowledged": False})
    plain = bob.call("DELETE", f"/v1/messages/{ids[1].replace('-', '').upper()}")
    answered("an id may be acknowledged in another spelling", plain, 200, {"acknowledged": True})
    listed = [ids[2], message_id(), "not an id", ids[3].replace("-", "")]
    acked = bob.call("POST", "/v1/messages/ack", {"message_ids": listed})
    answered("a list with a malformed id acknowledges the others", acked, 200, {"acknowledged_count": 2, "failed_count": 2})
    note("acknowledged messages are gone", [one["message_id"] for one in bob.poll()["messages"]] == ids[4:])


def sending_limit(device: Device, recipient: Device) -> None:
    answers = [device.send(recipient.address) for _ in range(11)]
    note("a new device sends 10 messages an hour", all(one.status == 202 for one in answers[:10]), answers[9])
    over = refused("the eleventh message is refused", answers[10], 429, None, 4004)
    note("the refusal says the limit and the reset time", over.body.get("limit") == 10 and over.body.get("reset_at", 0) > now(), over)
    status = device.call("POST", "/v1/messages/batch", {"messages": [device.message(recipient.address)]})
    counted = {"accepted_count": 0, "rejected_count": 1, "message_statuses": [{"message_id": str, "status": "rejected"}]}
    answered("a batch over the limit is rejected message by message", status, 202, counted)


def tokens(device: Device) -> None:
    shape = {"access_token": TOKEN, "expires_at": soon(86400)}
    answered("a token is refreshed without a body", device.call("POST", "/v1/auth/refresh"), 200, shape)
    fresh = answered("a token is refreshed with an empty object", device.call("POST", "/v1/auth/refresh", {}), 200, shape)
    answered("the new token works", SERVER.call("GET", "/v1/messages", token=fresh["access_token"]), 200)
    refused("a token that is none is refused", SERVER.call("GET", "/v1/messages", token="a.b.c"), 401, "INVALID_TOKEN", 4008)


def stream(alice: Device, bob: Device) -> None:
    host, port = re.fullmatch(r"http://(.*):(\d+)", SERVER.url).groups()
    bob.call("POST", "/v1/messages/ack", {"message_ids": [one["message_id"] for one in bob.poll()["messages"]]})
    socket = WebSocket(host, int(port), "/v1/stream")
    socket.send({"type": "auth", "access_token": bob.token})
    status = socket.receive()
    named = {"status": "connected", "server_timestamp": soon(0), "next_poll_fallback": int, "type": "status"}
    answered_frame("the stream answers the auth frame with its status", status, named)
    plain_id = message_id().replace("-", "")
    sent = alice.message(bob.address, message_id=plain_id)
    alice.call("POST", "/v1/messages", sent)
    pushed = socket.receive_type("message", "error")
    answered_frame("a message is pushed", pushed, {"type": "message", "data": MESSAGE})
    first = pushed["data"]["message_id"]
    socket.send({"type": "ack", "message_id": plain_id})
    confirmed = socket.receive_type("ack_confirmed", "error")
    answered_frame("an ack is confirmed in the id's spelling", confirmed, {"type": "ack_confirmed", "message_id": plain_id, "acknowledged": True})
    socket.send({"type": "ack", "message_id": first})
    answered_frame("an ack of what is gone is answered", socket.receive_type("ack_confirmed", "error"), {"type": "ack_confirmed", "message_id": first, "acknowledged": False})
    for _ in range(2):
        alice.send(bob.address)
    two = [socket.receive_type("message", "error")["data"]["message_id"] for _ in range(2)]
    socket.send({"type": "ack_batch", "message_ids": [two[0], "not an id", two[1], message_id()]})
    counted = {"type": "ack_batch_confirmed", "acknowledged_count": 2, "failed_count": 2}
    answered_frame("a batch with a malformed id acknowledges the others", socket.receive_type("ack_batch_confirmed", "error"), counted)
    socket.send({"type": "ping", "timestamp": now()})
    answered_frame("a ping is answered", socket.receive_type("status", "error"), named)
    socket.send({"type": "auth", "access_token": bob.token, "window": None})
    answered_frame("a stream is authenticated once more", socket.receive_type("status", "error"), named)
    socket.close()
    socket = WebSocket(host, int(port), "/v1/stream")
    socket.send({"type": "auth", "access_token": "a.b.c"})
    answered_frame("a wrong token is an error frame", socket.receive(), {"type": "error", "error": "INVALID_TOKEN", "message": str, "code": 4008})
    note("the stream is closed after it", "closed" in socket.receive())
    socket = WebSocket(host, int(port), "/v1/stream")
    socket.send({"type": "ping", "timestamp": now()})
    frame = socket.receive()
    note("the auth frame must come first", frame.get("type") == "error", frame)


def answered_frame(guess: str, frame: dict, shape: dict) -> None:
    """What else a frame has depends on the moment, and is no addition to be listed."""
    named = {name: value for name, value in frame.items() if name in shape}
    answered(guess, Answer(200, {}, json.dumps(named).encode()), 200, shape)


def spam(alice: Device, bob: Device) -> None:
    shape = {"report_id": UUID4, "reported_at": soon(0), "action_taken": "recorded"}
    for reason in ("spam", "Spam", "HARASSMENT", "phishing", "unsolicited commercial message"):
        message = alice.message(bob.address)
        alice.call("POST", "/v1/messages", message)
        report = {"message_id": message["message_id"], "sender_id": alice.device_id, "reason": reason}
        answered(f"a report may say: {reason}", bob.call("POST", "/v1/spam/report", report), 200, shape)
    report["details"] = None
    answered("a report may have no details", bob.call("POST", "/v1/spam/report", report), 200, shape)
    report["details"] = "sent the same text to the whole group"
    answered("a report may have details", bob.call("POST", "/v1/spam/report", report), 200, shape)
    stranger = {**report, "sender_id": "cd" * 32, "message_id": message_id()}
    refused("a report about an unknown device is refused", bob.call("POST", "/v1/spam/report", stranger), 404, "DEVICE_NOT_FOUND", 4014)


def main() -> None:
    device, group = Device(SERVER), []
    with LEDGER.chapter("discovery"):
        discovery()
    with LEDGER.chapter("registration"):
        device = registration()
    with LEDGER.chapter("prefixes"):
        prefixes()
    with LEDGER.chapter("a group"):
        group = group_of(99)
    with LEDGER.chapter("key packages"):
        key_packages(device, group)
    with LEDGER.chapter("administration"):
        administer(SERVER, LEDGER, sys.argv[3], group)
    alice, bob = group[0], group[1]
    chapters = {
        "messages": lambda: messages(alice, bob),
        "the limit of sending": lambda: sending_limit(group[90], group[91]),
        "tokens": lambda: tokens(alice),
        "the stream": lambda: stream(alice, bob),
        "spam": lambda: spam(alice, bob),
    }
    for name, chapter in chapters.items():
        with LEDGER.chapter(name):
            chapter()
    with LEDGER.chapter("info packages and linking"):
        exchange_links(SERVER, LEDGER, group[2:9])
    print(json.dumps({"guesses": LEDGER.guesses, "additions": sorted(LEDGER.additions)}))


main()
