"""Who takes part: devices, administrators and another relay, each with real keys."""

import json
import os
import time
import uuid
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils

from fuzzing.wire import DOMAIN, Key, b64, b64url, chance, claims, delay_proof, demand, message_id, now, send

# Tokens live for an hour (administrators, peers) or a day; a long run begins new sessions well before.
SESSION_SECONDS = 1500


class Session:
    """A token that is fetched anew when it has become old, or when its holder has had to give it up."""

    def __init__(self, fetch):
        self._fetch = fetch
        self._token: str | None = None
        self._until = 0.0

    def token(self) -> str:
        if self._token is None or time.monotonic() > self._until:
            self._token = self._fetch()
            self._until = time.monotonic() + SESSION_SECONDS
        return self._token

    def forget(self) -> None:
        self._token = None


class Device:
    """A device with addresses. Registers when it is first asked for a token or an address."""

    def __init__(self):
        self.key = Key()
        self.device_id = self.key.device_id
        self.addresses: list[str] = []
        self.session = Session(self._announce)
        self.signed_at: set[int] = set()

    def token(self) -> str:
        return self.session.token()

    def address(self) -> str:
        self.token()
        return chance.choice(self.addresses)

    def spelled(self) -> str:
        """Its id in one of the two spellings."""
        self.token()
        return self.device_id if chance.random() < 0.7 else self.key.public

    def unused_second(self) -> int:
        """A timestamp for an announcement: a signed announcement is good once, so each has a second of its own."""
        at = now()
        while at in self.signed_at:
            at -= 1
        self.signed_at.add(at)
        return at

    def announcement(self, **more) -> dict:
        at = self.unused_second()
        signature = self.key.sign(f"{self.device_id}:{at}", DOMAIN)
        who = {"device_id": self.device_id, "public_key": self.key.public}
        return {**who, "signature": signature, "timestamp": at, "audience": DOMAIN, **more}

    def proof(self, *, checkpoints: bool = True) -> dict:
        asked = demand("POST", "/api/v1/announce/challenge", body={"public_key": self.key.public})
        return delay_proof(asked["challenge"], self.key.public, asked["iterations"], checkpoints=checkpoints)

    def _announce(self) -> str:
        first = {} if self.addresses else {"vdf_proof": self.proof()}
        body = demand("POST", "/api/v1/announce", body=self.announcement(**first))
        self.addresses.append(body["delivery_address"]["full_address"])
        return body["access_token"]

    def message(self, recipient: str, **more) -> dict:
        return {
            "message_id": message_id(),
            "recipient_address": recipient,
            "mls_ciphertext": b64(os.urandom(48)),
            "sender_signature": os.urandom(64).hex(),
            "timestamp": now(),
            **more,
        }

    def key_packages(self, count: int, **more) -> dict:
        """The body of an upload."""
        self.token()
        packages = [b64(os.urandom(80)) for _ in range(count)]
        return self.signed_packages({"key_packages": packages, **more})

    def signed_packages(self, body: dict) -> dict:
        at = now()
        text = f"{self.device_id}.{','.join(body['key_packages'])}.{at}"
        if "replace" in body or "last_resort_key_package" in body or "address" in body:
            replace = str(body.get("replace", False)).lower()
            text += f".{replace}.{body.get('last_resort_key_package', '')}"
        if "address" in body:
            text += f".{body['address']}"
        signed = {**body, "device_id": self.device_id, "timestamp": at}
        return {**signed, "signature": self.key.sign(text, body.get("audience"))}


class Admin:
    def __init__(self, secret: str):
        self.key = Key(bytes.fromhex(secret))
        self.session = Session(self.log_in)

    def token(self) -> str:
        return self.session.token()

    def login(self, **more) -> dict:
        """The body of a login with a fresh challenge."""
        challenge = demand("GET", "/admin/v1/auth/challenge")["challenge"]
        body = {"device_id": self.key.device_id, "challenge": challenge, "timestamp": now(), **more}
        return {**body, "challenge_signature": self.key.sign(challenge, body.get("audience"))}

    def log_in(self) -> str:
        return demand("POST", "/admin/v1/auth", body=self.login(audience=DOMAIN))["admin_token"]

    def asks(self, method: str, path: str, body=None):
        return demand(method, path, body=body, token=self.token())


class Peer:
    """Another relay, by its certificate."""

    def __init__(self, certificate: str, key: str):
        self.domain = os.environ["FUZZ_PEER_DOMAIN"]
        chain = x509.load_pem_x509_certificates(Path(certificate).read_bytes())
        self._chain = b"".join(one.public_bytes(serialization.Encoding.DER) for one in chain)
        self._key = serialization.load_pem_private_key(Path(key).read_bytes(), password=None)
        self.session = Session(self._begin)

    def token(self) -> str:
        return self.session.token()

    def proof(self, said: dict | None = None, **more) -> dict:
        """The body of an authentication with a fresh nonce; `said` replaces what the answer says."""
        asked = demand("POST", "/federation/v1/challenge", body={"origin_server": self.domain})
        says = {"nonce": asked["nonce"], "origin_server": self.domain, "aud": DOMAIN, **(said or {})}
        proved = {"server_certificate": b64(self._chain), "challenge_response": self._sign(says)}
        return {**more, "origin_server": self.domain, **proved}

    def transaction(self, messages: list[dict], **more) -> dict:
        return {**more, "origin_server": self.domain, "transaction_id": str(uuid.uuid4()), "timestamp": now(), "messages": messages}

    def deliver(self, messages: list[dict]):
        body = self.transaction(messages)
        headers = {"X-Origin-Server": self.domain}
        return send("PUT", f"/federation/v1/deliver/{body['transaction_id']}", body=body, headers=headers, token=self.token())

    def _begin(self) -> str:
        return demand("POST", "/federation/v1/auth", body=self.proof())["federation_token"]

    def _sign(self, said: dict) -> str:
        header = {"alg": "ES256", "typ": "svc-federation-answer+jwt"}
        text = f"{b64url(json.dumps(header).encode())}.{b64url(json.dumps(said).encode())}"
        r, s = utils.decode_dss_signature(self._key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
        return f"{text}.{b64url(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"


# The device that asks, one that keeps to itself, one that writes to both, and those that administrators judge.
alice = Device()
bob = Device()
carol = Device()
crowd = [Device() for _ in range(3)]
admin = Admin(os.environ["FUZZ_ADMIN_KEY"])
viewer = Admin(os.environ["FUZZ_VIEWER_KEY"])
peer = Peer(os.environ["FUZZ_PEER_CERT"], os.environ["FUZZ_PEER_KEY"])
stranger = Peer(os.environ["FUZZ_STRANGER_CERT"], os.environ["FUZZ_STRANGER_KEY"])

holders = {"deviceToken": alice, "adminToken": admin, "federationToken": peer}


def token_kind(token: str) -> str:
    return claims(token)["aud"]
