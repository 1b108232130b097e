"""Checks the test vectors of a folder, with other libraries than the relay's: python check.py spec/vectors"""

import base64
import hashlib
import hmac
import json
import re
import sys
from pathlib import Path
from uuid import UUID

import jwt
import rfc8785
from blake3 import blake3
from cryptography import x509
from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives import hashes, hpke
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa, x25519
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDF, HKDFExpand

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
# The signed texts; an audience follows each.
TEMPLATES = {
    "announcement": "{device_id}:{timestamp}",
    "prefix_announcement": "{device_id}.{delivery_address_prefixes}.{timestamp}",
    "key_packages": "{device_id}.{key_packages}.{timestamp}",
    "admin_challenge": "{challenge}",
    "block_list": "{canonical}",
    "slot_receipt": "mls-relay commit slot receipt 1\n{domain}\n{slot}\n{content_hash}",
    "slot_taking": "mls-relay commit slot taking 1\n{domain}\n{slot}\n{content_hash}",
}


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
    return str(UUID(match("[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{32}", text.lower())))


# The rules that relays and the devices that call them must apply alike.


def domain(text):
    host, _, port = match("[A-Za-z0-9.:-]+", text).lower().partition(":")
    demand(not port or re.fullmatch("[1-9][0-9]{0,4}", port) and int(port) < 65536)
    host, label = host.removesuffix("."), "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
    last = match(rf"({label}\.)+{label}", host).rpartition(".")[2]
    demand(len(host) < 254 and last != "localhost" and not re.fullmatch("[0-9]+|0x[0-9a-f]*", last))
    return f"{host}:{port}" if port else host


def uuid7(text):
    return match(".{14}7.{4}[89ab].*", uuid(text))


def invite_handle(text):
    letters = re.sub("[ -]", "", match("[0-9A-Za-z]{4}([ -]?[0-9A-Za-z]{4}){4}", text)).upper()
    letters = letters.translate(str.maketrans("ILO", "110"))
    values = [CROCKFORD.index(letter) for letter in letters]
    weighted = [value * (1 + (i + 1) % 2) for i, value in enumerate(values)]
    demand(sum(value // 32 + value % 32 for value in weighted) % 32 == 0)
    return "-".join(letters[at : at + 4] for at in range(0, 20, 4))


def signed_text(kind, **given):
    template = TEMPLATES[kind]
    if "replace" in given or "last_resort_key_package" in given:
        template += f".{json.dumps(given.get('replace', False))}.{given.get('last_resort_key_package', '')}"
    if "audience" in given:
        template += "\n{audience}"
    document = {name: value for name, value in given.get("document", {}).items() if name != "signature"}
    members = {name: ",".join(value) if isinstance(value, list) else value for name, value in given.items()}
    return template.format(**members, canonical=rfc8785.dumps(document).decode())


def montgomery(public_key):
    y = int.from_bytes(public_key, "little") % 2**255
    demand(y < P)
    return x25519.X25519PublicKey.from_public_bytes(((1 + y) * pow(1 - y, -1, P) % P).to_bytes(32, "little"))


def verify(public_key, text, signature):
    key = from_hex(public_key, 32)
    # The exchange refuses points of small order.
    x25519.X25519PrivateKey.generate().exchange(montgomery(key))
    ed25519.Ed25519PublicKey.from_public_bytes(key).verify(from_hex(signature, 64), text.encode())
    return True


def slot_text(kind, content, **given):
    return signed_text(kind, content_hash=hashlib.sha256(base64.b64decode(content)).hexdigest(), **given)


def slot_receipt(slot_key, receipt, **given):
    return verify(slot_key, slot_text("slot_receipt", **given), receipt)


def slot_taking(seed, **given):
    private = ed25519.Ed25519PrivateKey.from_private_bytes(from_hex(seed, 32))
    public = private.public_key().public_bytes_raw()
    slot = hashlib.sha256(public).hexdigest()
    signature = private.sign(slot_text("slot_taking", slot=slot, **given).encode())
    return {"slot": slot, "public_key": public.hex(), "signature": signature.hex()}


def node_above(one, other):
    return hashlib.sha256(min(one, other) + max(one, other)).digest()


def slot_taking_check(slot, public_key, signature, path=(), **given):
    node = hashlib.sha256(from_hex(public_key, 32)).digest()
    for beside in path:
        node = node_above(node, from_hex(beside, 32))
    demand(node.hex() == slot, "INVALID_REQUEST")
    return verify(public_key, slot_text("slot_taking", slot=slot, **given), signature)


def edwards_add(one, other):
    (x1, y1), (x2, y2) = one, other
    product = -121665 * pow(121666, -1, P) * x1 * x2 * y1 * y2
    x = (x1 * y2 + x2 * y1) * pow(1 + product, -1, P)
    y = (y1 * y2 + x1 * x2) * pow(1 - product, -1, P)
    return x % P, y % P


def edwards_point(key):
    number = int.from_bytes(key, "little")
    y = number % 2**255
    square = (y * y - 1) * pow(1 - 121665 * pow(121666, -1, P) * y * y, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if (x * x - square) % P == 0 else x * pow(2, (P - 1) // 4, P) % P
    demand(y < P and (x * x - square) % P == 0)
    return (x if x % 2 == number >> 255 else P - x), y


def blinded_key(public_key, secret):
    digest = hashlib.sha512(b"mls-relay blinded key 1\n" + secret + public_key).digest()
    point, double = edwards_point(public_key), edwards_point(bytes.fromhex("58" + "66" * 31))
    scalar = int.from_bytes(digest, "little") % ORDER
    while scalar:
        point = edwards_add(point, double) if scalar % 2 else point
        double, scalar = edwards_add(double, double), scalar // 2
    return (point[1] | (point[0] % 2) << 255).to_bytes(32, "little")


def slot_of_takers(secret, users, taken):
    blinding = from_hex(secret, 32)
    left = [keys for user, keys in enumerate(users) if user not in taken]
    nodes = [hashlib.sha256(blinded_key(from_hex(key, 32), blinding)).digest() for keys in left for key in keys]
    demand(nodes)
    for level in range(16):
        filler = hashlib.sha256(blinding + f"{2 + len(taken)} {level}".encode()).digest()
        nodes = nodes + [filler] if len(nodes) % 2 else nodes
        nodes = [node_above(*nodes[at : at + 2]) for at in range(0, len(nodes), 2)]
    return nodes[0].hex()


def delay_proof(challenge, public_key, iterations):
    first = from_hex(challenge, 32) + from_hex(public_key, 32)
    states = [hashlib.sha256(first).digest()]
    for _ in range(iterations):
        states.append(hashlib.sha256(states[-1]).digest())
    checkpoints = [states[i * iterations // 64].hex() for i in range(1, 64)]
    return {"input": first.hex(), "output": states[-1].hex(), "checkpoints": checkpoints}


def key_id(public_key):
    text = '{"crv":"Ed25519","kty":"OKP","x":"%s"}' % to_base64url(from_hex(public_key, 32))
    return to_base64url(hashlib.sha256(text.encode()).digest())


def token(token, kind, domain, now, keys):
    head, body, signature = (from_base64url(part) for part in token.split("."))
    header, claims = json.loads(head), json.loads(body)
    (key,) = [key["x"] for key in keys if key["kid"] == header["kid"]]
    demand(header == {"alg": "EdDSA", "typ": f"svc-{kind}+jwt", "kid": header["kid"]})
    verify(from_base64url(key).hex(), token.rpartition(".")[0], signature.hex())
    types = {**dict.fromkeys(("iss", "aud", "sub", "sid", "jti"), str), **dict.fromkeys(("iat", "auth_time", "exp"), int)}
    demand(all(type(claims.get(name)) is type_ for name, type_ in types.items()) and now < claims["exp"])
    demand(claims["iss"] == domain and claims["aud"] == (domain if kind == "invite" else kind))
    return claims["sub"]


def sent_proof(secret, sender_id, message_id, recipient_prefix):
    sent = uuid7(message_id)
    minutes = int(sent.replace("-", "")[:12], 16) // 60_000
    texts = [text.encode() for text in ("device", sender_id, sent, uuid(recipient_prefix), "")]
    digest = hashlib.sha3_256(from_hex(secret, 32) + b"".join(len(text).to_bytes(4, "big") + text for text in texts)).digest()
    return f"{minutes // 1440:04x}{minutes % 1440:04x}{digest[:11].hex()}"


def reportable_id(millis, handle):
    time = (millis // 60_000 * 60_000).to_bytes(6, "big")
    commitment = bytearray(hashlib.sha256(b"mls-relay report handle 1" + time + bytes.fromhex(handle)).digest()[:8])
    commitment[0] &= 0x3F
    mark = hashlib.sha256(b"mls-relay reportable id 1" + time + commitment).digest()[:2]
    value = int.from_bytes(time + mark + commitment) & ~(0xF << 76) | 0x7 << 76 | 0b10 << 62
    return str(UUID(int=value))


def reportable_id_check(message_id, handle=""):
    sent = UUID(uuid7(message_id))
    millis = sent.int >> 80
    settled = (sent.int & (1 << 62) - 1).to_bytes(8, "big")
    mark = hashlib.sha256(b"mls-relay reportable id 1" + millis.to_bytes(6, "big") + settled).digest()[:2]
    commits = millis % 60_000 == 0 and (sent.int >> 64) & 0xFFF == int.from_bytes(mark, "big") & 0xFFF
    return demand(not commits or (len(handle) == 32 and reportable_id(millis, handle) == str(sent)))


def leaf_identity(identity, signature_key):
    value = json.loads(identity)
    successors = value.get("successors", [])
    demand(isinstance(successors, list) and len(successors) <= 32)
    keys = [value["user"], *(one["key"] for one in successors)]
    for key in [*keys, value["device"], value["device_key"]]:
        match("[0-9a-f]{64}", key)
    demand(isinstance(value["name"], str) and is_address(value["address"]))
    demand(blake3(bytes.fromhex(value["device_key"])).hexdigest() == value["device"])
    signed = f"mls-relay user device\n{' '.join(keys)}\n{value['device']}\n{signature_key}"
    texts = ["\n".join(["mls-relay user successor", *keys[: at + 2]]) for at in range(len(successors))]
    signatures = [one["signature"] for one in successors] + [value["user_signature"], value["device_signature"]]
    for key, text, signature in zip([*keys, value["device_key"]], [*texts, signed, signed], signatures, strict=True):
        verify(key, text, match("[0-9a-f]{128}", signature))
    recovery = value.get("recovery")
    shown = {"recovery": recovery} if isinstance(recovery, str) and re.fullmatch("[0-9a-f]{64}", recovery) else {}
    return {"keys": keys, "device": value["device"], "address": value["address"], **shown}


def user_keys_newer(keys, than):
    length = min(len(keys), len(than))
    return len(keys) > len(than) if keys[:length] == than[:length] else keys < than


def challenge_answer(nonce, origin_server, domain, server_certificate, challenge_response):
    key = x509.load_der_x509_certificate(base64.b64decode(server_certificate)).public_key()
    algorithms = {"EdDSA": ed25519.Ed25519PublicKey, "ES256": ec.EllipticCurvePublicKey, "PS256": rsa.RSAPublicKey}
    fitting = [name for name, kind in algorithms.items() if isinstance(key, kind)]
    answer = jwt.PyJWS().decode_complete(challenge_response, key, fitting)
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


def federation_transcript(domain, origin_server, discovery, challenge, authentication, delivery, **last):
    versions = discovery.get("versions", {}).get("federation", ["v1"])
    demand(discovery.get("server", domain) == domain and "v1" in versions, "UNREADABLE")
    within("challenge_answer", nonce=challenge["nonce"], domain=domain, **authentication)
    body, path = delivery["body"], delivery["path"]
    demand(delivery["headers"]["x-origin-server"] == body["origin_server"], "INVALID_REQUEST")
    demand(body["origin_server"] == origin_server, "INVALID_TOKEN")
    demand(uuid(path.rpartition("/")[2]) == uuid(body["transaction_id"]), "INVALID_REQUEST")
    given = {"body": last["receipt"], "transaction_id": body["transaction_id"], "count": len(body["messages"])}
    return {"url": discovery.get("federation_url", f"https://{domain}") + path, **within("receipt", **given)}


# The rules that clients must apply alike, and of which a relay knows nothing.


def expand_with_label(secret, label, context):
    info = b"\0\x20" + bytes([8 + len(label)]) + b"MLS 1.0 " + label + bytes([len(context)]) + context
    return HKDFExpand(hashes.SHA256(), 32, info).derive(secret)


def envelope_keys(exporter_secret):
    def derive(label):
        secret = expand_with_label(bytes.fromhex(exporter_secret), b"mls-relay " + label, b"")
        return expand_with_label(secret, b"exported", hashlib.sha256().digest()).hex()

    return {"seal_key": derive(b"envelope"), "hint_key": derive(b"envelope hint"), "signature_key": derive(b"signature")}


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


def door_keys(secret):
    def derive(label):
        info = b"mls-relay groups door mls-relay " + label
        return HKDF(hashes.SHA256(), 32, None, info).derive(bytes.fromhex(secret)).hex()

    return {"seal_key": derive(b"envelope"), "hint_key": derive(b"envelope hint"), "signature_key": derive(b"signature")}


def invitation_link(link):
    found = re.search(r"[#&?]mls-relay-group=([\w-]*)", link, re.ASCII)
    demand(found)
    text = found[1]
    value = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    names = ("group", "name", "invitation", "secret", "expires_at")
    demand(isinstance(value, dict) and all(isinstance(value.get(name), str) for name in ("group", "name", "invitation", "secret")))
    asked = value.get("to")
    demand(isinstance(asked, dict))
    to = []
    for domain, text in asked.items():
        prefixes = from_base64(text)
        demand(len(prefixes) % 16 == 0)
        to += [f"{UUID(bytes=prefixes[at : at + 16])}@{domain}" for at in range(0, len(prefixes), 16)]
    demand(0 < len(to) <= 32)
    demand(is_count(value.get("expires_at")) and value["expires_at"] < 253_402_300_800)
    demand(len(from_base64(value["secret"])) == 32)
    return {name: value[name] for name in names} | {"to": sorted(to)}


def join_request(content):
    value = json.loads(bytes.fromhex(content))
    demand(isinstance(value, dict) and value.get("type") == "join" and isinstance(value.get("key_package"), str))
    from_base64(value["key_package"])
    return value["key_package"]


def mls_vector(data, at):
    """The content of a vector (RFC 9420, section 2.1.2), and where it ends."""
    demand(at < len(data))
    size = 1 << (data[at] >> 6)
    demand(size <= 4)
    length = int.from_bytes(data[at : at + size], "big") & ((1 << (8 * size - 2)) - 1)
    end = at + size + length
    demand(at + size <= len(data) and end <= len(data))
    return data[at + size : end], end


def to_mls_vector(content):
    size = 1 if len(content) < 64 else 2 if len(content) < 16384 else 4
    return (len(content) | (size.bit_length() - 1) << (8 * size - 2)).to_bytes(size, "big") + content


def joiner_welcome(content, relay, group_info=None):
    framing = bytes([0, 1, 0, 3])
    data = bytes.fromhex(content)
    if data.startswith(framing):
        return {"welcome": base64.b64encode(data).decode()}
    value = json.loads(data)
    demand(value["version"] == 1)
    welcome = from_base64(value["welcome"])
    if "group_info" not in value:
        return {"welcome": base64.b64encode(welcome).decode()}
    blob = value["group_info"]
    for member in ("blob", "key", "plaintext_hash"):
        match("[0-9a-f]{64}", blob.get(member, ""))
    demand(type(blob["file_size"]) is int and 0 <= blob["file_size"] <= 4 * 1024 * 1024)
    demand(welcome.startswith(framing))
    secrets, end = mls_vector(welcome, 6)
    _, end = mls_vector(welcome, end)
    demand(end == len(welcome))
    whole = welcome[:6] + to_mls_vector(secrets) + to_mls_vector(from_base64(group_info))
    return {"welcome": base64.b64encode(whole).decode(), "url": f"{relay}/v1/blobs/{blob['blob']}"}


def blob_chunks(key, file_bytes):
    size = max(512, file_bytes)
    exponent = size.bit_length() - 1
    step = 1 << (exponent - exponent.bit_length())
    file = bytes(at % 251 for at in range(file_bytes))
    padded = file + bytes(-(-size // step) * step - file_bytes)
    pieces = [padded[at : at + 65536] for at in range(0, len(padded), 65536)]
    cipher = ChaCha20Poly1305(bytes.fromhex(key))
    nonces = [bytes(7) + at.to_bytes(4, "big") + bytes([at == len(pieces) - 1]) for at in range(len(pieces))]
    return file, [cipher.encrypt(nonce, piece, None) for nonce, piece in zip(nonces, pieces)], cipher, nonces


def blob_seal(key, file_bytes):
    file, sealed, _, _ = blob_chunks(key, file_bytes)
    blob = b"".join(sealed)
    return {"sealed_bytes": len(blob), "sealed_sha256": hashlib.sha256(blob).hexdigest(), "plaintext_hash": blake3(file).hexdigest()}


def blob_open(key, file_bytes, plaintext_hash, blob):
    _, made, _, _ = blob_chunks(blob["key"], blob["file_bytes"])
    data = bytearray(b"".join(made[at] for at in blob["chunks"]))
    if "flipped" in blob:
        data[blob["flipped"]] ^= 1
    data = bytes(data[: len(data) - blob.get("cut", 0)])
    _, expected, cipher, nonces = blob_chunks(key, file_bytes)
    demand(len(data) == sum(map(len, expected)))
    opened = b"".join(cipher.decrypt(nonce, data[at * 65552 : (at + 1) * 65552], None) for at, nonce in enumerate(nonces))
    file, padding = opened[:file_bytes], opened[file_bytes:]
    demand(not any(padding) and blake3(file).hexdigest() == plaintext_hash)
    return hashlib.sha256(file).hexdigest()


def welcome_open(cipher_suite, init_private_key, sealed):
    data, aead = from_base64(sealed), {1: hpke.AEAD.AES_128_GCM, 3: hpke.AEAD.CHACHA20_POLY1305}[cipher_suite]
    demand(data[:1] == b"\2")
    key = x25519.X25519PrivateKey.from_private_bytes(bytes.fromhex(init_private_key))
    return unpadded(hpke.Suite(hpke.KEM.X25519, hpke.KDF.HKDF_SHA256, aead).decrypt(data[1:], key, b"mls-relay welcome 1"))


def agree(secret, theirs, sender, recipient):
    info = b"mls-relay device linking 1" + sender + recipient
    material = HKDF(hashes.SHA256(), 37, None, info).derive(secret.exchange(theirs))
    number = int.from_bytes(material[32:], "big")
    letters = "".join(CROCKFORD[number >> shift & 31] for shift in range(35, -1, -5))
    return ChaCha20Poly1305(material[:32]), f"{letters[:4]}-{letters[4:]}"


def linking_seal(payload, ephemeral_public_key, provisioning_address, sender_secret):
    recipient = montgomery(bytes.fromhex(ephemeral_public_key))
    secret = x25519.X25519PrivateKey.from_private_bytes(bytes.fromhex(sender_secret))
    sender = secret.public_key().public_bytes_raw()
    cipher, code = agree(secret, recipient, sender, recipient.public_bytes_raw())
    sealed = cipher.encrypt(bytes(12), bytes.fromhex(payload), provisioning_address.encode())
    return {"ciphertext": base64.b64encode(b"\1" + sender + sealed).decode(), "code": code}


def linking_open(ciphertext, secret_key, provisioning_address):
    data = from_base64(ciphertext)
    demand(data[0] == 1)
    secret = x25519.X25519PrivateKey.from_private_bytes(hashlib.sha512(bytes.fromhex(secret_key)).digest()[:32])
    sender = x25519.X25519PublicKey.from_public_bytes(data[1:33])
    cipher, code = agree(secret, sender, data[1:33], secret.public_key().public_bytes_raw())
    return {"payload": cipher.decrypt(bytes(12), data[33:], provisioning_address.encode()).hex(), "code": code}


def info_package_open(ciphertext, key):
    data = from_base64(ciphertext)
    return json.loads(ChaCha20Poly1305(bytes.fromhex(key)).decrypt(data[:12], data[12:], None))


def info_link(link):
    url, _, key = link.partition("#")
    return {"url": match("https://.+", url), "key": from_hex(key, 32).hex()}


def slot_seed_context(attempt, domain):
    demand(attempt < 2**32)
    return (attempt.to_bytes(4, "big") + domain.encode()).hex()


def is_text(most, least=0):
    return lambda value: isinstance(value, str) and least <= len(value) <= most


def is_count(value):
    return type(value) is int and value >= 0


def is_address(value):
    return "result" in outcome("address", {"text": value})


def is_file(value):
    file_id = "[0-9a-f]{64}:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
    return bool(match(file_id, value["file_id"]) and is_count(value["file_size"]) and from_hex(value["plaintext_hash"], 32))


def is_millis(value):
    return is_count(value) and value < 253_402_300_800_000


def are_ids(value):
    return isinstance(value, list) and 0 < len(value) <= 1000 and all(map(IS_ID, value))


def are_emojis(value):
    return isinstance(value, list) and len(value) <= 6 and all(map(is_text(100, 1), value))


def are_mentions(value):
    end = 0
    for one in value if isinstance(value, list) and len(value) <= 100 else [{}]:
        demand(match("[0-9a-f]{64}", one["user"]) and is_count(one["start"]) and is_count(one["length"]))
        demand(one["start"] >= end and one["length"] > 0)
        end = one["start"] + one["length"]
    return True


IS_ID, IS_TEXT, IS_NAME = is_text(100, 1), is_text(1_000_000), is_text(200)
# Members of each kind of message; those that end with a question mark may be missing.
MESSAGES = {
    "text": {"text": IS_TEXT, "mentions?": are_mentions, "reply_to?": IS_ID},
    "reaction": {"target": IS_ID, "emoji": is_text(100), "emojis?": are_emojis},
    "edit": {"target": IS_ID, "text": IS_TEXT, "mentions?": are_mentions},
    "custom": {
        "content_type": lambda value: bool(match("[a-z0-9][a-z0-9.+/-]{0,99}", value)),
        "content_version": lambda value: is_count(value) and 1 <= value <= 1_000_000,
        "content": lambda value: isinstance(value, dict),
        "text?": IS_TEXT,
        "reply_to?": IS_ID,
    },
    "attachment": {"file": is_file, "name": IS_NAME, "media_type": IS_NAME, "text?": IS_TEXT, "reply_to?": IS_ID},
    "persona_update": {"name": IS_NAME},
    "receipt": {
        "targets": are_ids,
        "status": lambda status: status in ("delivered", "read"),
    },
    "typing": {"is_typing": lambda value: isinstance(value, bool)},
}
OPERATIONS = {"leave": {}, "address_rotation": {"address": is_address}}


def known_members(content, kind, shapes, **common):
    value = json.loads(content)
    demand(isinstance(value, dict) and value.get("version") == 1 and value.get(kind, kind) in shapes)
    found = {}
    for name, holds in {**common, kind: lambda _: True, **shapes[value.get(kind, kind)]}.items():
        plain = name.removesuffix("?")
        if plain in value:
            demand(holds(value[plain]))
            found[plain] = value[plain]
        else:
            demand(plain != name or name == "contact")
    return found


def svc_message(content):
    common = {"message_id": IS_ID, "sent_at_millis": is_millis, "delivered?": are_ids, "read?": are_ids}
    return known_members(content, "type", MESSAGES, **common)


def system_operation(content):
    return known_members(content, "operation", OPERATIONS)


def contact_request(content):
    shape = {"name": IS_NAME, "address": is_address, "key_package?": from_base64, "text?": IS_TEXT}
    return known_members(content, "contact", {"contact": shape})


# The rules that end with each error, whatever they refuse; all others end with REFUSED.
RULES_OF_ERRORS = {
    "INVALID_REQUEST": "hex base64 device_id message_id invite_handle timestamp key_id sent_proof",
    "INVALID_ADDRESS": "address_prefix domain address",
    "INVALID_SIGNATURE": "signed_request verify slot_receipt slot_taking_check",
    "INVALID_PROOF": "delay_proof_check",
    "INVALID_TOKEN": "token",
    "INVALID_CERTIFICATE": "challenge_answer",
    "UNREADABLE": "receipt",
}
ERRORS = {rule: error for error, rules in RULES_OF_ERRORS.items() for rule in rules.split()}
# Rules of one expression. Every other rule is the function that has its name.
RULES = {
    "hex": lambda text: from_hex(text, len(text) // 2).hex(),
    "base64": lambda text: from_base64(text).hex(),
    "device_id": lambda public_key: blake3(from_hex(public_key, 32)).hexdigest(),
    "message_id": uuid7,
    "address_prefix": uuid,
    "address": lambda text: {"prefix": uuid(text.partition("@")[0]), "domain": domain(text.partition("@")[2])},
    "signed_request": lambda public_key, signature, **given: verify(public_key, signed_text(**given), signature),
    "sign": lambda secret_key, text: (
        ed25519.Ed25519PrivateKey.from_private_bytes(bytes.fromhex(secret_key)).sign(text.encode()).hex()
    ),
    "message_reference": lambda sender, message_id: (
        hashlib.sha256(f"mls-relay message\n{sender}\n{message_id}".encode()).hexdigest()[:32]
    ),
    "timestamp": lambda timestamp, now: demand(now - 300 <= timestamp <= now + 60),
    "delay_proof_check": lambda challenge, public_key, iterations, **shown: demand(
        delay_proof(challenge, public_key, iterations).items() >= shown.items()
    ),
    "sent_proof_check": lambda kept, **given: demand(sent_proof(**given) == kept),
}


def outcome(name, given):
    try:
        return {"result": (RULES.get(name) or globals()[name])(**given)}
    except Refused as refused:
        return {"error": refused.args[0]}
    except (ValueError, InvalidSignature, InvalidTag, jwt.PyJWTError):
        return {"error": ERRORS.get(name, "REFUSED")}


def within(name, **given):
    seen = outcome(name, given)
    demand("result" in seen, seen.get("error"))
    return seen["result"]


cases = [case for file in sorted(Path(sys.argv[1]).glob("*.json")) for case in json.loads(file.read_text()).get("cases", [])]
unexpected = 0
for case in cases:
    seen = outcome(case["rule"], case["given"])
    if seen != {name: case[name] for name in ("result", "error") if name in case}:
        unexpected += 1
        print(f"{case['rule']}: {case['name']}: {seen}")
print(f"{len(cases) - unexpected} of {len(cases)} cases as expected")
