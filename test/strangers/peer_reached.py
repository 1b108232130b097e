"""Steps in which the relay under test calls this one: a device of it sends a message here."""

import base64
import json
import re
import ssl
import time
import uuid

from peer_server import NAMED, NONCE, Peer, accepted, error
from relay_under_test import GIVEN, call, new_message
from steps import step

def reached(peer, expected=1):
    """Sends messages to this relay's domain, and says what came in place of them."""
    try:
        sent = []
        for _ in range(expected):
            body = new_message(f"{uuid.uuid4()}@{peer.domain}")
            status, answer = call("POST", "/v1/messages", body, GIVEN["token"])
            if status != 202 or answer["status"] != "federated":
                return f"the message was not taken: {status} {answer}"
            sent.append(body["message_id"])
        if peer.wait_for(lambda: set(sent) <= set(peer.arrived)):
            return None if sorted(peer.arrived) == sorted(sent) else f"some came more than once: {peer.arrived}"
        return f"no message came; problems: {peer.problems}; calls: {peer.calls[:20]}"
    finally:
        peer.stop()


def new_peer(**readings):
    peer = Peer(GIVEN)
    for name, value in readings.items():
        setattr(peer, name, value)
    return peer


def complete(peer, **members):
    """What most would guess of a discovery document that is complete."""
    url = f"https://{peer.domain}"
    return {**NAMED, "server": peer.domain, "federation_url": url, "versions": {"federation": ["v1"]}, **members}


def document(title, make):
    @step("document", title)
    def _():
        peer = new_peer()
        peer.document = lambda: make(peer)
        return reached(peer)


def without(peer, *names):
    return {name: value for name, value in complete(peer).items() if name not in names}


document("names all that the relay's own names", lambda peer: complete(peer, base_url=f"https://{peer.domain}"))
document("has the members that the specification names, and no other", lambda peer: NAMED)
document("has nothing but federation_enabled", lambda peer: {"federation_enabled": True})
document("is empty", lambda peer: {})
document("names no server", lambda peer: without(peer, "server"))
document("names no federation_url", lambda peer: without(peer, "federation_url"))
document("names no versions", lambda peer: without(peer, "versions"))
document("names versions, but none of federation", lambda peer: complete(peer, versions={"protocol": "1.0"}))
UNKNOWN = dict.fromkeys(("server", "federation_url", "versions", "capabilities", "links"))
document("has null for what it does not know", lambda peer: complete(peer, **UNKNOWN))
document("has members that nobody knows", lambda peer: complete(peer, capabilities={"jetpack": True}, motto=["a", {}]))
document("writes its name in capitals", lambda peer: complete(peer, server=peer.domain.upper()))


def challenge(title, methods, document=None):
    @step("challenge", title)
    def _():
        peer = new_peer(challenge=methods)
        peer.document = lambda: complete(peer, **(document or {}))
        return reached(peer) or answered_by_jws(peer)


def answered_by_jws(peer):
    """Whether the nonce was signed in a JWS that says what it is for. A bare signature would sign whatever a peer sends."""
    for answer in peer.answers:
        header, payload, _ = (part + "=" * (-len(part) % 4) for part in answer.split("."))
        claims = json.loads(base64.urlsafe_b64decode(payload))
        typ = json.loads(base64.urlsafe_b64decode(header)).get("typ")
        expected = {"nonce": NONCE, "origin_server": GIVEN["domain"], "aud": peer.domain}
        if typ != "svc-federation-answer+jwt" or claims != expected:
            return f"the answer was {typ} {claims}"
    return None


def expires():
    return int(time.time()) + 300


challenge("is asked for by POST", {"POST": lambda: (200, {"nonce": NONCE, "expires_at": expires()})})
challenge("is named challenge", {"POST": lambda: (200, {"challenge": NONCE, "expires_at": expires()})})
challenge("is given with 201", {"POST": lambda: (201, {"nonce": NONCE})})
challenge("is asked for by GET", {"GET": lambda: (200, {"nonce": NONCE, "expires_at": expires()})})
challenge("is asked for by GET and named challenge", {"GET": lambda: (200, {"challenge": NONCE, "expires_at": expires()})})
challenge("is in the discovery document", {}, {"nonce": NONCE})
challenge("is in the discovery document and named challenge", {}, {"challenge": NONCE})


@step("challenge", "is answered by a certificate in DER, leaf first")
def _():
    peer = new_peer()
    peer.document = lambda: complete(peer)
    problem = reached(peer)
    for certificate in peer.certificates:
        ssl.create_default_context(cadata=ssl.DER_cert_to_PEM_cert(base64.b64decode(certificate, validate=True)))
    return problem


@step("challenge", "is never answered by a bare signature")
def _():
    peer = new_peer(accepts_answer=lambda answer: re.fullmatch("[0-9a-f]{128}", answer) is not None)
    peer.document = lambda: complete(peer)
    body = new_message(f"{uuid.uuid4()}@{peer.domain}")
    call("POST", "/v1/messages", body, GIVEN["token"])
    asked = peer.wait_for(lambda: len(peer.answers) >= 2)
    peer.stop()
    return answered_by_jws(peer) if asked else "it was not answered at all"


def delivery(title, expected=1, check=lambda peer: None, **readings):
    @step("delivery", title)
    def _():
        peer = new_peer(**readings)
        peer.document = lambda: complete(peer)
        return reached(peer, expected) or check(peer)


def was_repeated(peer):
    first, second = peer.attempts[:2]
    return None if first == second else "the repetition has another id or another body"


def listed(write):
    """A receipt that accepts all, in which each id is written in this way."""

    def receipt(transaction_id, messages):
        ids = [write(message["message_id"]) for message in messages]
        return {**accepted(transaction_id, messages), "accepted_messages": ids}

    return receipt


delivery("has the members that the specification names, and no other", expected=3)
delivery("may be answered with ids without hyphens", receipt=listed(lambda one: one.replace("-", "")))
delivery("may be answered with ids in capitals", receipt=listed(str.upper))
delivery("may be answered with objects for ids", receipt=listed(lambda one: {"message_id": one}))
delivery("may be answered with 201", receipt=lambda *about: (201, accepted(*about)))
delivery("is repeated under its id after an error of the server", first=[error(500, "INTERNAL", 5000)], check=was_repeated)
delivery("waits while the limit is reached", first=[error(429, "RATE_LIMIT_EXCEEDED", 4004)])
delivery("gets a new token for 401 and 4008", forgets_token_at=1, refusal=error(401, "INVALID_TOKEN", 4008))
delivery("gets a new token for 403 and 4008", forgets_token_at=1, refusal=error(403, "INVALID_TOKEN", 4008))
delivery("gets a new token for 400 and 4008", forgets_token_at=1, refusal=error(400, "INVALID_TOKEN", 4008))
delivery("gets a new token for 403 and 4001", forgets_token_at=1, refusal=error(403, "INVALID_CERTIFICATE", 4001))
delivery("gets a new token for 200 and 4008", forgets_token_at=1, refusal=error(200, "INVALID_TOKEN", 4008))
