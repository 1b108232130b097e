"""The rules that clients must apply alike, and of which a relay knows nothing."""

import base64
import hashlib
import hmac
import json

from cryptography.hazmat.primitives import hashes, hpke
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDF, HKDFExpand
from relay import CROCKFORD, P
from values import demand, from_base64, from_hex, match


def expand_with_label(secret, label, context):
    info = b"\0\x20" + bytes([8 + len(label)]) + b"MLS 1.0 " + label + bytes([len(context)]) + context
    return HKDFExpand(hashes.SHA256(), 32, info).derive(secret)


def envelope_keys(exporter_secret):
    labels = {"seal_key": b"envelope", "hint_key": b"envelope hint", "signature_key": b"signature"}
    secrets = {name: expand_with_label(bytes.fromhex(exporter_secret), b"mls-relay " + label, b"") for name, label in labels.items()}
    return {name: expand_with_label(secret, b"exported", hashlib.sha256().digest()).hex() for name, secret in secrets.items()}


def envelope_head(hint_key, nonce):
    return b"\1" + hmac.digest(bytes.fromhex(hint_key), nonce, "sha256")[:4]


def envelope_seal(seal_key, hint_key, nonce, content, max_bytes):
    content, nonce, head = bytes.fromhex(content), bytes.fromhex(nonce), envelope_head(hint_key, bytes.fromhex(nonce))
    demand(37 + len(content) <= max_bytes)
    size = max(512, 37 + len(content))
    exponent = size.bit_length() - 1
    step = 1 << exponent - exponent.bit_length()
    padded = (len(content).to_bytes(4, "big") + content).ljust(min(max_bytes, -(-size // step) * step) - 33, b"\0")
    return base64.b64encode(head + nonce + ChaCha20Poly1305(bytes.fromhex(seal_key)).encrypt(nonce, padded, head)).decode()


def unpadded(data):
    end = 4 + int.from_bytes(data[:4], "big")
    demand(4 <= end <= len(data) and not any(data[end:]))
    return data[4:end].hex()


def envelope_open(seal_key, hint_key, envelope):
    data = from_base64(envelope)
    demand(data[:5] == envelope_head(hint_key, data[5:17]))
    return unpadded(ChaCha20Poly1305(bytes.fromhex(seal_key)).decrypt(data[5:17], data[17:], data[:5]))


def welcome_open(cipher_suite, init_private_key, sealed):
    data, aead = from_base64(sealed), {1: hpke.AEAD.AES_128_GCM, 3: hpke.AEAD.CHACHA20_POLY1305}[cipher_suite]
    demand(data[:1] == b"\2")
    key = X25519PrivateKey.from_private_bytes(bytes.fromhex(init_private_key))
    return unpadded(hpke.Suite(hpke.KEM.X25519, hpke.KDF.HKDF_SHA256, aead).decrypt(data[1:], key, b"mls-relay welcome 1"))


def agree(secret, theirs, sender, recipient):
    info = b"mls-relay device linking 1" + sender + recipient
    shared = secret.exchange(X25519PublicKey.from_public_bytes(theirs))
    material = HKDF(hashes.SHA256(), 37, None, info).derive(shared)
    number = int.from_bytes(material[32:], "big")
    letters = "".join(CROCKFORD[number >> 5 * i & 31] for i in range(7, -1, -1))
    return ChaCha20Poly1305(material[:32]), f"{letters[:4]}-{letters[4:]}"


def linking_seal(payload, ephemeral_public_key, provisioning_address, sender_secret):
    y = int.from_bytes(bytes.fromhex(ephemeral_public_key), "little") % 2**255
    recipient = ((1 + y) * pow(1 - y, -1, P) % P).to_bytes(32, "little")
    secret = X25519PrivateKey.from_private_bytes(bytes.fromhex(sender_secret))
    sender = secret.public_key().public_bytes_raw()
    cipher, code = agree(secret, recipient, sender, recipient)
    sealed = cipher.encrypt(bytes(12), bytes.fromhex(payload), provisioning_address.encode())
    return {"ciphertext": base64.b64encode(b"\1" + sender + sealed).decode(), "code": code}


def linking_open(ciphertext, secret_key, provisioning_address):
    data = from_base64(ciphertext)
    demand(data[0] == 1)
    secret = X25519PrivateKey.from_private_bytes(hashlib.sha512(bytes.fromhex(secret_key)).digest()[:32])
    cipher, code = agree(secret, data[1:33], data[1:33], secret.public_key().public_bytes_raw())
    return {"payload": cipher.decrypt(bytes(12), data[33:], provisioning_address.encode()).hex(), "code": code}


def info_package_open(ciphertext, key):
    data = from_base64(ciphertext)
    return json.loads(ChaCha20Poly1305(bytes.fromhex(key)).decrypt(data[:12], data[12:], None))


def info_link(link):
    url, _, key = link.partition("#")
    return {"url": match("https://.+", url), "key": from_hex(key, 32).hex()}


def slot_name_context(attempt, domain):
    demand(attempt < 2**32)
    return (attempt.to_bytes(4, "big") + domain.encode()).hex()
