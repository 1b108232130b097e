"""Keys, signatures, proofs and requests: a second implementation of what the contract asks of clients."""

import base64
import hashlib
import json
import os
import random
import re
import time
import uuid

import requests
from blake3 import blake3
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

URL = os.environ["FUZZ_URL"]
DOMAIN = os.environ["FUZZ_DOMAIN"]

# The choices of the hooks follow the seed of the run; what must never repeat is really random.
chance = random.Random(os.environ.get("FUZZ_SEED") or None)


def now() -> int:
    return int(time.time())


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def b64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def message_id() -> str:
    """A UUIDv7 in one of its spellings."""
    raw = bytearray(int(time.time() * 1000).to_bytes(6, "big") + os.urandom(10))
    raw[6] = 0x70 | (raw[6] & 0x0F)
    raw[8] = 0x80 | (raw[8] & 0x3F)
    return respelled(str(uuid.UUID(bytes=bytes(raw))))


message_id_form = re.compile(
    "[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}"
)


def canonical_message_id(text) -> str | None:
    """A message id as queues have it; nothing for what is none."""
    if not isinstance(text, str) or not message_id_form.fullmatch(text.lower()):
        return None
    return str(uuid.UUID(text))


def respelled(text: str) -> str:
    """The same UUID with or without hyphens, in either case."""
    hyphenated = str(uuid.UUID(text))
    made = hyphenated if chance.random() < 0.5 else hyphenated.replace("-", "")
    return made.upper() if chance.random() < 0.3 else made


def carriable(text) -> str:
    """A text as answers repeat it; a value of another type counts as absent."""
    return re.sub("[\x00\ud800-\udfff]", "\ufffd", text) if isinstance(text, str) else ""


def network_address() -> str:
    return ".".join(str(part) for part in (10, *os.urandom(3)))


class Refused(Exception):
    """The relay refused what must succeed."""


_connection = requests.Session()


def digest_header(content: bytes) -> str:
    return f"sha-256=:{b64(hashlib.sha256(content).digest())}:"


def send(method: str, path: str, *, body=None, data=None, token=None, headers=None) -> requests.Response:
    """A request from a network address of its own; `body` is sent as JSON, `data` as bytes."""
    sent = {"X-Forwarded-For": network_address(), **(headers or {})}
    if data is not None:
        sent["Content-Type"] = "application/octet-stream"
    if token is not None:
        sent["Authorization"] = f"Bearer {token}"
    return _connection.request(method, URL + path, json=body, data=data, headers=sent, timeout=30)


def demand(method: str, path: str, **given) -> dict:
    """The body of an answer that must be a success."""
    answer = send(method, path, **given)
    if answer.status_code >= 300:
        raise Refused(f"{method} {path} was answered {answer.status_code}: {answer.text[:500]}")
    return answer.json()


class Key:
    """An Ed25519 key and what names it."""

    def __init__(self, secret: bytes | None = None):
        self._key = Ed25519PrivateKey.from_private_bytes(secret or os.urandom(32))
        raw = self._key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        self.public = raw.hex()
        self.device_id = blake3(raw).hexdigest()

    def sign(self, text: str, audience: str | None = None) -> str:
        whole = text if audience is None else f"{text}\n{audience}"
        return self._key.sign(whole.encode()).hex()

    def sign_bytes(self, data: bytes) -> bytes:
        return self._key.sign(data)


def delay_proof(challenge: str, public_key: str, iterations: int, *, checkpoints: bool) -> dict:
    source = bytes.fromhex(challenge + public_key)
    states = [hashlib.sha256(source).digest()]
    for _ in range(iterations):
        states.append(hashlib.sha256(states[-1]).digest())
    proof = {"input": source.hex(), "iterations": iterations, "output": states[-1].hex()}
    if checkpoints:
        proof["checkpoints"] = [states[number * iterations // 64].hex() for number in range(1, 64)]
    return proof


def claims(token: str) -> dict:
    part = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
