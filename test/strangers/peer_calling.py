"""Steps in which this relay calls the one under test."""

import base64
import functools
import json
import os
import re
import ssl
import time
import uuid

import ed25519
from peer_server import AUTH, CHALLENGE, DELIVER, DISCOVERY, NONCE, Peer
from relay_under_test import GIVEN, call, expect, new_message, new_message_id
from steps import step

def certificates():
    """The chain in PEM, leaf first."""
    with open(GIVEN["cert"], encoding="ascii") as file:
        return re.findall(r"-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n?", file.read())


def der(pem):
    return ssl.PEM_cert_to_DER_cert(pem)


def seed():
    with open(GIVEN["key"], encoding="ascii") as file:
        body = re.sub("-----[^-]+-----", "", file.read())
    return base64.b64decode(body)[-32:]


def urlsafe(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def jws(claims, header=None):
    header = header or {"alg": "EdDSA", "typ": "svc-federation-answer+jwt"}
    signed = ".".join(urlsafe(json.dumps(part).encode()) for part in (header, claims))
    return f"{signed}.{urlsafe(ed25519.sign(seed(), signed.encode()))}"


def authenticate(domain, certificate=None):
    status, asked = call("POST", CHALLENGE, {"origin_server": domain})
    if status != 200:
        return status, asked
    claims = {"nonce": asked["nonce"], "origin_server": domain, "aud": GIVEN["domain"]}
    if certificate is None:
        certificate = base64.b64encode(b"".join(map(der, certificates()))).decode()
    return answer_challenge(domain, certificate, challenge_response=jws(claims))


def answer_challenge(domain, certificate, **response):
    return call("POST", AUTH, {"origin_server": domain, "server_certificate": certificate, **response})


@step("authentication", "finds the relay by its document")
def _():
    status, found = call("GET", DISCOVERY)
    return None if status == 200 and found["federation_enabled"] is True else f"{status} {found}"


def says_how(answer):
    """Whether a refusal says how the nonce is got and what is to be signed."""
    message = (answer[1] or {}).get("message", "")
    needed = (f"POST {CHALLENGE}", "svc-federation-answer+jwt", "nonce", "origin_server", "aud")
    missing = [text for text in needed if text not in message]
    return f"{answer[0]}: the text lacks {missing}: {message}" if missing else None


def leaf():
    return base64.b64encode(der(certificates()[0])).decode()


@step("authentication", "is told how if it answers no challenge")
def _():
    return says_how(answer_challenge("localhost", leaf()))


@step("authentication", "is told how if it signs a nonce of its own")
def _():
    signature = ed25519.sign(seed(), os.urandom(32)).hex()
    return says_how(answer_challenge("localhost", leaf(), challenge_response=signature))


@step("authentication", "is told how if its answer has no type and no audience")
def _():
    return says_how(answer_challenge("localhost", leaf(), challenge_response=jws({"nonce": NONCE}, {"alg": "EdDSA"})))


def certificate(title, write):
    @step("authentication", f"with its certificate as {title}")
    def _():
        return expect(authenticate("localhost:8443", write(certificates())), 200)


def chain(pems):
    return b"".join(map(der, pems))


certificate("base64 of DER", lambda pems: base64.b64encode(chain(pems)).decode())
certificate("base64 in lines", lambda pems: base64.encodebytes(chain(pems)).decode())
certificate("base64 for URLs", lambda pems: base64.urlsafe_b64encode(chain(pems)).decode())
certificate("PEM", lambda pems: "".join(pems))
certificate("PEM with lines as on Windows", lambda pems: "".join(pems).replace("\n", "\r\n"))
certificate("base64 of PEM", lambda pems: base64.b64encode("".join(pems).encode()).decode())


@step("authentication", "with the leaf alone, as its TLS completes it")
def _():
    peer = Peer(GIVEN)
    answer = authenticate(peer.domain, leaf())
    peer.stop()
    return expect(answer, 200)


@step("authentication", "by its name in capitals")
def _():
    return expect(authenticate("LOCALHOST:8443"), 200)


@functools.cache
def token():
    return authenticate("localhost:8443")[1]["federation_token"]


def deliver(messages, transaction_id=None, **different):
    transaction_id = transaction_id or str(uuid.uuid4())
    body = {
        "origin_server": "localhost:8443",
        "transaction_id": transaction_id,
        "timestamp": int(time.time()),
        "messages": messages,
        **different,
    }
    return call("PUT", DELIVER + transaction_id, body, token(), {"X-Origin-Server": "localhost:8443"})


def mine(**members):
    """A message for the device of the relay under test."""
    return new_message(GIVEN["address"], **members)


def polled():
    return [one["message_id"] for one in call("GET", "/v1/messages?limit=1000", token=GIVEN["token"])[1]["messages"]]


@step("calls", "deliver messages")
def _():
    messages = [mine(), mine()]
    ids = [one["message_id"] for one in messages]
    problem = expect(deliver(messages), 200, status="accepted", accepted_messages=ids, rejected_messages=[])
    return problem or (None if set(ids) <= set(polled()) else "they are not in the queue")


def spelled(title, write):
    @step("calls", f"get ids back as they were sent: {title}")
    def _():
        good = mine(message_id=write(new_message_id()))
        bad = new_message(nobody(), message_id=write(new_message_id()))
        status, answer = deliver([good, bad])
        rejected = [one["message_id"] for one in answer.get("rejected_messages", [])]
        found = (status, answer.get("accepted_messages"), rejected)
        expected = (200, [good["message_id"]], [bad["message_id"]])
        return None if found == expected else f"expected {expected}, got {found}"


spelled("in capitals", str.upper)
spelled("without hyphens", lambda text: text.replace("-", ""))


def transaction(title, write):
    @step("calls", f"get the transaction's id back as it was sent: {title}")
    def _():
        transaction_id = write(str(uuid.uuid4()))
        return expect(deliver([mine()], transaction_id), 200, transaction_id=transaction_id)


transaction("in capitals", str.upper)
transaction("without hyphens", lambda text: text.replace("-", ""))


def malformed(title, spoil):
    @step("calls", f"get a message rejected alone {title}")
    def _():
        bad, good = mine(), mine()
        status, answer = deliver([spoil(bad), good])
        rejected = len(answer.get("rejected_messages", []))
        found = (status, answer.get("status"), answer.get("accepted_messages"), rejected)
        expected = (200, "partial", [good["message_id"]], 1)
        return None if found == expected else f"expected {expected}, got {found} {answer}"


def nobody():
    return f"{uuid.uuid4()}@{GIVEN['domain']}"


def lacking(name):
    return lambda message: {key: value for key, value in message.items() if key != name}


malformed("without sender_signature", lacking("sender_signature"))
malformed("without a timestamp", lacking("timestamp"))
malformed("without an id", lacking("message_id"))
malformed("without a recipient", lacking("recipient_address"))
malformed("with a time in text", lambda message: {**message, "timestamp": "2026-11-23T14:00:00Z"})
malformed("with null for its signature", lambda message: {**message, "sender_signature": None})
malformed("that is no object", lambda message: message["message_id"])
malformed("for an address that nobody has", lambda message: {**message, "recipient_address": nobody()})


def retried(title, change):
    @step("calls", f"get the first receipt again for the same id and {title}")
    def _():
        messages, transaction_id = [mine(), mine()], str(uuid.uuid4())
        first = deliver(messages, transaction_id)
        second = deliver(change(messages), transaction_id)
        return None if first[0] == 200 and second == first else f"expected {first}, got {second}"


retried("the same messages", lambda messages: messages)
retried("fewer messages", lambda messages: messages[1:])
retried("changed messages", lambda messages: [{**one, "sender_signature": os.urandom(64).hex()} for one in messages])


@step("calls", "are told to take a new id for a message that the first one did not have")
def _():
    messages, transaction_id = [mine(), mine()], str(uuid.uuid4())
    deliver(messages[:1], transaction_id)
    status, answer = deliver(messages, transaction_id)
    text = answer.get("message", "")
    return None if status == 409 and "new transaction_id" in text else f"{status} {text}"


@step("calls", "may have members that nobody knows")
def _():
    return expect(deliver([mine(mood="good")], weather="fine"), 200, status="accepted")


@step("calls", "are told to get a new token by 4008")
def _():
    body = {"origin_server": "localhost:8443", "transaction_id": str(uuid.uuid4()), "timestamp": 1, "messages": [mine()]}
    answer = call("PUT", DELIVER + body["transaction_id"], body, "expired", {"X-Origin-Server": "localhost:8443"})
    return expect(answer, 401, error="INVALID_TOKEN", code=4008)
