"""A stranger's device: keys, ids, and the requests that need more than a body."""

import base64
import hashlib
import os
import time
import uuid

from blake3 import blake3
from ed25519 import public_key, sign
from guesses import Answer, Server, now


class Device:
    def __init__(self, server: Server):
        self.server = server
        self.secret = os.urandom(32)
        self.public_key = public_key(self.secret).hex()
        self.device_id = blake3(bytes.fromhex(self.public_key)).hex()
        self.token = ""
        self.address = ""
        self._second = now() - 5

    def sign(self, text: str) -> str:
        return sign(self.secret, text.encode()).hex()

    def next_second(self) -> int:
        self._second += 1
        return self._second

    def challenge(self) -> Answer:
        return self.server.call("POST", "/api/v1/announce/challenge", {"public_key": self.public_key})

    def proof(self, challenge: Answer, **changes) -> dict:
        state = bytes.fromhex(challenge["challenge"] + self.public_key)
        proof = {"input": state.hex(), "iterations": challenge["iterations"]}
        state = hashlib.sha256(state).digest()
        for _ in range(challenge["iterations"]):
            state = hashlib.sha256(state).digest()
        return {**proof, "output": state.hex(), **changes}

    def announcement(self, **changes) -> dict:
        timestamp = self.next_second()
        signature = self.sign(f"{self.device_id}:{timestamp}")
        body = {"device_id": self.device_id, "public_key": self.public_key, "signature": signature, "timestamp": timestamp}
        return {**body, **changes}

    def prefix_announcement(self, prefixes: list[str], device_id: str | None = None, **changes) -> dict:
        timestamp = self.next_second()
        spelled = device_id or self.device_id
        signature = self.sign(f"{spelled}.{','.join(prefixes)}.{timestamp}")
        body = {"device_id": spelled, "delivery_address_prefixes": prefixes, "signature": signature, "timestamp": timestamp}
        return {**body, **changes}

    def announce(self, **changes) -> Answer:
        """Announces and keeps address and token."""
        return self._keep(self.server.call("POST", "/api/v1/announce", self.announcement(**changes)))

    def register(self) -> "Device":
        answer = self.announce(vdf_proof=self.proof(self.challenge()))
        if answer.status != 200:
            raise RuntimeError(f"a device could not register: {answer}")
        return self

    def call(self, method: str, path: str, body=None, **more) -> Answer:
        return self.server.call(method, path, body, self.token, **more)

    def message(self, recipient: str, **changes) -> dict:
        ciphertext = os.urandom(48)
        body = {
            "message_id": message_id(),
            "recipient_address": recipient,
            "mls_ciphertext": b64(ciphertext),
            "sender_signature": sign(self.secret, ciphertext).hex(),
            "timestamp": now(),
        }
        return {**body, **changes}

    def send(self, recipient: str, **changes) -> Answer:
        return self.call("POST", "/v1/messages", self.message(recipient, **changes))

    def poll(self, query: str = "") -> Answer:
        return self.call("GET", f"/v1/messages{query}")

    def key_packages(self, count: int, signed=None) -> dict:
        packages = [b64(os.urandom(300)) for _ in range(count)]
        timestamp = now()
        text = f"{self.device_id}.{','.join(packages)}.{timestamp}" if signed is None else signed(packages, timestamp)
        return {"device_id": self.device_id, "key_packages": packages, "signature": self.sign(text), "timestamp": timestamp}

    def _keep(self, answer: Answer) -> Answer:
        if answer.status == 200:
            self.token = answer["access_token"]
            self.address = answer["delivery_address"]["full_address"]
        return answer


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def prefix() -> str:
    """16 random bytes."""
    return os.urandom(16).hex()


def message_id() -> str:
    """A UUIDv7."""
    value = int(time.time() * 1000) << 80 | int.from_bytes(os.urandom(10), "big")
    value = value & ~(0xF << 76) | 7 << 76
    return str(uuid.UUID(int=value & ~(0x3 << 62) | 0x2 << 62))
