"""Checks the test vectors of a folder, with other libraries than the relay's: python check.py spec/vectors"""

import base64
import hashlib
import hmac
import json
import re
import sys
from pathlib import Path

import jwt
import rfc8785
from blake3 import blake3
from cryptography import x509
from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives import hashes, hpke
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDF, HKDFExpand

P = 2**255 - 19
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
# The y of the points of order 1, 2, 4 and 8.
SMALL_ORDER = {0, 1, P - 1, *(int.from_bytes(bytes.fromhex(y), "little") for y in (
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"))}  # fmt: skip


class Refused(ValueError):
    """Ends a rule with an error that is not the usual one of the rule."""


def demand(holds, error=None):
    if not holds:
        raise Refused(error) if error else ValueError
    return True


def match(pattern, text):
    demand(re.fullmatch(pattern, text, re.ASCII))
    return text


def from_hex(text, length):
    return bytes.fromhex(match("[0-9a-fA-F]{%d}" % (2 * length), text))


def from_base64(text):
    data = base64.b64decode(match("[A-Za-z0-9+/]*={0,2}", text))
    demand(base64.b64encode(data).decode() == text)
    return data


def to_base64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def from_base64url(text):
    data = base64.urlsafe_b64decode(match("[A-Za-z0-9_-]*", text) + "==")
    demand(to_base64url(data) == text)
    return data


def uuid(text):
    with_hyphens = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
    digits = match(f"{with_hyphens}|[0-9a-f]{{32}}", text.lower()).replace("-", "")
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def invite_handle(text):
    letters = re.sub("[ -]", "", match("[0-9A-Za-z]{4}([ -]?[0-9A-Za-z]{4}){4}", text)).upper()
    letters = letters.translate(str.maketrans("ILO", "110"))
    values = [CROCKFORD.index(letter) for letter in letters]
    doubled = [value * (2 - i % 2) for i, value in enumerate(reversed(values[:-1]))]
    demand((values[-1] + sum(value // 32 + value % 32 for value in doubled)) % 32 == 0)
    return "-".join(letters[at : at + 4] for at in range(0, 20, 4))


def domain(text):
    host, _, port = match("[A-Za-z0-9.:-]+", text).lower().partition(":")
    demand(not port or re.fullmatch("[1-9][0-9]{0,4}", port) and int(port) < 65536)
    host, label = host.removesuffix("."), "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
    last = match(f"({label}\\.)+{label}", host).rpartition(".")[2]
    demand(len(host) < 254 and last != "localhost" and not re.fullmatch("[0-9]+|0x[0-9a-f]*", last))
    return f"{host}:{port}" if port else host


def signed_text(kind, device_id="", timestamp=0, audience=None, **given):
    if kind == "announcement":
        text = f"{device_id}:{timestamp}"
    elif kind == "prefix_announcement":
        text = f"{device_id}.{','.join(given['delivery_address_prefixes'])}.{timestamp}"
    elif kind == "key_packages":
        text = f"{device_id}.{','.join(given['key_packages'])}.{timestamp}"
        if "replace" in given or "last_resort_key_package" in given:
            text += f".{json.dumps(given.get('replace', False))}.{given.get('last_resort_key_package', '')}"
    elif kind == "admin_challenge":
        text = given["challenge"]
    elif kind == "block_list":
        text = rfc8785.dumps({name: value for name, value in given["document"].items() if name != "signature"}).decode()
    elif kind == "slot_receipt":
        text = "\n".join(("mls-relay commit slot receipt 1", given["domain"], given["slot"], given["content_hash"]))
    return text if audience is None else f"{text}\n{audience}"


def verify(public_key, text, signature):
    key = from_hex(public_key, 32)
    y = int.from_bytes(key, "little") % 2**255
    demand(y < P and y not in SMALL_ORDER)
    Ed25519PublicKey.from_public_bytes(key).verify(from_hex(signature, 64), text.encode())
    return True


def delay_proof(challenge, public_key, iterations):
    first = bytes.fromhex(challenge + public_key)
    states = [hashlib.sha256(first).digest()]
    for _ in range(iterations):
        states.append(hashlib.sha256(states[-1]).digest())
    checkpoints = [states[i * iterations // 64].hex() for i in range(1, 64)]
    return {"input": first.hex(), "output": states[-1].hex(), "checkpoints": checkpoints}


def delay_proof_check(challenge, public_key, iterations, **shown):
    return demand(delay_proof(challenge, public_key, iterations).items() >= shown.items())


def key_id(public_key):
    text = '{"crv":"Ed25519","kty":"OKP","x":"%s"}' % to_base64url(bytes.fromhex(public_key))
    return to_base64url(hashlib.sha256(text.encode()).digest())


def token(token, kind, domain, now, keys):
    signed, _, _ = token.rpartition(".")
    head, body, signature = (from_base64url(part) for part in token.split("."))
    header, claims = json.loads(head), json.loads(body)
    (key,) = [key["x"] for key in keys if key["kid"] == header["kid"]]
    demand(header == {"alg": "EdDSA", "typ": f"svc-{kind}+jwt", "kid": header["kid"]})
    verify(from_base64url(key).hex(), signed, signature.hex())
    demand(all(type(claims.get(name)) is str for name in ("iss", "aud", "sub", "sid", "jti")))
    demand(all(type(claims.get(name)) is int for name in ("iat", "auth_time", "exp")) and now < claims["exp"])
    demand(claims["iss"] == domain and claims["aud"] == (domain if kind == "invite" else kind))
    return claims["sub"]


def slot_receipt(slot_key, domain, slot, content, receipt):
    digest = hashlib.sha256(base64.b64decode(content)).hexdigest()
    return verify(slot_key, signed_text("slot_receipt", domain=domain, slot=slot, content_hash=digest), receipt)


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


def challenge_answer(nonce, origin_server, domain, server_certificate, challenge_response):
    key = x509.load_der_x509_certificate(base64.b64decode(server_certificate)).public_key()
    algorithm = "EdDSA" if isinstance(key, Ed25519PublicKey) else "PS256" if isinstance(key, RSAPublicKey) else "ES256"
    answer = jwt.PyJWS().decode_complete(challenge_response, key, [algorithm])
    demand(answer["header"].get("typ") == "svc-federation-answer+jwt")
    return demand(json.loads(answer["payload"]) == {"nonce": nonce, "origin_server": origin_server, "aud": domain})


def receipt(body, transaction_id, count):
    demand(isinstance(body, dict) and "error" not in body)
    demand(uuid(body.get("transaction_id", transaction_id)) == uuid(transaction_id))
    rejected = [{"message_id": uuid(one["message_id"]), "error": one["error"]} for one in body["rejected_messages"]]
    accepted = body["accepted_messages"]
    if isinstance(accepted, list):
        return {"accepted": [uuid(text) for text in accepted], "rejected": rejected}
    demand(accepted + len(rejected) == count)
    return {"accepted": "others", "rejected": rejected}


def ending_with(error, rule, **given):
    try:
        return rule(**given)
    except (ValueError, InvalidSignature, jwt.InvalidTokenError) as problem:
        raise Refused(error) from problem


def federation_transcript(domain, origin_server, discovery, challenge, authentication, delivery, **last):
    versions = discovery.get("versions", {}).get("federation", ["v1"])
    demand(discovery.get("server", domain) == domain and "v1" in versions, "UNREADABLE")
    ending_with("INVALID_CERTIFICATE", challenge_answer, nonce=challenge["nonce"], domain=domain, **authentication)
    body, path = delivery["body"], delivery["path"]
    demand(delivery["headers"]["x-origin-server"] == body["origin_server"], "INVALID_REQUEST")
    demand(body["origin_server"] == origin_server, "INVALID_TOKEN")
    demand(uuid(path.rpartition("/")[2]) == uuid(body["transaction_id"]), "INVALID_REQUEST")
    given = {"body": last["receipt"], "transaction_id": body["transaction_id"], "count": len(body["messages"])}
    url = discovery.get("federation_url", f"https://{domain}") + path
    return {"url": url, **ending_with("UNREADABLE", receipt, **given)}


# Each rule, and the error that it ends with for whatever it refuses.
RULES = {
    "hex": (lambda text: from_hex(text, len(text) // 2).hex(), "INVALID_REQUEST"),
    "base64": (lambda text: from_base64(text).hex(), "INVALID_REQUEST"),
    "device_id": (lambda public_key: blake3(from_hex(public_key, 32)).hexdigest(), "INVALID_REQUEST"),
    "message_id": (lambda text: match(".{14}7.{4}[89ab].*", uuid(text)), "INVALID_REQUEST"),
    "address_prefix": (uuid, "INVALID_ADDRESS"),
    "invite_handle": (invite_handle, "INVALID_REQUEST"),
    "domain": (domain, "INVALID_ADDRESS"),
    "address": (lambda text: dict(prefix=uuid(text[: text.index("@")]), domain=domain(text[text.index("@") + 1 :])), "INVALID_ADDRESS"),
    "signed_text": (signed_text, None),
    "sign": (lambda secret_key, text: Ed25519PrivateKey.from_private_bytes(bytes.fromhex(secret_key)).sign(text.encode()).hex(), None),
    "verify": (verify, "INVALID_SIGNATURE"),
    "timestamp": (lambda timestamp, now: demand(now - 300 <= timestamp <= now + 60), "INVALID_REQUEST"),
    "delay_proof": (delay_proof, None),
    "delay_proof_check": (delay_proof_check, "INVALID_PROOF"),
    "key_id": (key_id, None),
    "token": (token, "INVALID_TOKEN"),
    "slot_name_context": (lambda attempt, domain: (attempt.to_bytes(4, "big") + domain.encode()).hex(), None),
    "slot_receipt": (slot_receipt, "INVALID_SIGNATURE"),
    "envelope_keys": (envelope_keys, None),
    "envelope_seal": (envelope_seal, "REFUSED"),
    "envelope_open": (envelope_open, "REFUSED"),
    "welcome_open": (welcome_open, "REFUSED"),
    "linking_seal": (linking_seal, None),
    "linking_open": (linking_open, "REFUSED"),
    "info_package_open": (info_package_open, "REFUSED"),
    "info_link": (lambda link: dict(url=match("https://[^#]+", link.partition("#")[0]), key=from_hex(link.partition("#")[2], 32).hex()), "REFUSED"),
    "challenge_answer": (challenge_answer, "INVALID_CERTIFICATE"),
    "federation_transcript": (federation_transcript, None),
    "receipt": (receipt, "UNREADABLE"),
}


def outcome(rule, given):
    try:
        return {"result": RULES[rule][0](**given)}
    except Refused as refused:
        return {"error": refused.args[0]}
    except (ValueError, InvalidSignature, InvalidTag, jwt.InvalidTokenError):
        return {"error": RULES[rule][1]}


cases = [case for file in sorted(Path(sys.argv[1]).glob("*.json")) for case in json.loads(file.read_text()).get("cases", [])]
unexpected = 0
for case in cases:
    seen = outcome(case["rule"], case["given"])
    if seen != {name: case[name] for name in ("result", "error") if name in case}:
        unexpected += 1
        print(f"{case['rule']}: {case['name']}: {seen}")
print(f"{len(cases) - unexpected} of {len(cases)} cases as expected")
