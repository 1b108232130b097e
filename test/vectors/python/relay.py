"""The rules that relays and the devices that call them must apply alike."""

import base64
import hashlib
import json
import re

import jwt
import rfc8785
from blake3 import blake3
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from values import Refused, demand, from_base64, from_base64url, from_hex, match, to_base64url, uuid

P = 2**255 - 19
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
# The y of the points of order 1, 2, 4 and 8.
SMALL_ORDER = {0, 1, P - 1, *(int.from_bytes(bytes.fromhex(y), "little") for y in (
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"))}  # fmt: skip
# The signed texts; an audience follows each.
TEMPLATES = {
    "announcement": "{device_id}:{timestamp}",
    "prefix_announcement": "{device_id}.{delivery_address_prefixes}.{timestamp}",
    "key_packages": "{device_id}.{key_packages}.{timestamp}",
    "admin_challenge": "{challenge}",
    "block_list": "{canonical}",
    "slot_receipt": "mls-relay commit slot receipt 1\n{domain}\n{slot}\n{content_hash}",
}


def message_id(text):
    return match(".{14}7.{4}[89ab].*", uuid(text))


def address(text):
    prefix, _, name = text.partition("@")
    return {"prefix": uuid(prefix), "domain": domain(name)}


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


def signed_text(kind, **given):
    template = TEMPLATES[kind]
    if "replace" in given or "last_resort_key_package" in given:
        template += f".{json.dumps(given.get('replace', False))}.{given.get('last_resort_key_package', '')}"
    if "audience" in given:
        template += "\n{audience}"
    document = {name: value for name, value in given.get("document", {}).items() if name != "signature"}
    members = {name: ",".join(value) if isinstance(value, list) else value for name, value in given.items()}
    return template.format(**members, canonical=rfc8785.dumps(document).decode())


def signed_request(public_key, signature, **given):
    return verify(public_key, signed_text(**given), signature)


def sign(secret_key, text):
    return Ed25519PrivateKey.from_private_bytes(bytes.fromhex(secret_key)).sign(text.encode()).hex()


def verify(public_key, text, signature):
    key = from_hex(public_key, 32)
    y = int.from_bytes(key, "little") % 2**255
    demand(y < P and y not in SMALL_ORDER)
    Ed25519PublicKey.from_public_bytes(key).verify(from_hex(signature, 64), text.encode())
    return True


def delay_proof(challenge, public_key, iterations):
    first = from_hex(challenge, 32) + from_hex(public_key, 32)
    states = [hashlib.sha256(first).digest()]
    for _ in range(iterations):
        states.append(hashlib.sha256(states[-1]).digest())
    checkpoints = [states[i * iterations // 64].hex() for i in range(1, 64)]
    return {"input": first.hex(), "output": states[-1].hex(), "checkpoints": checkpoints}


def delay_proof_check(challenge, public_key, iterations, **shown):
    return demand(delay_proof(challenge, public_key, iterations).items() >= shown.items())


def key_id(public_key):
    text = '{"crv":"Ed25519","kty":"OKP","x":"%s"}' % to_base64url(from_hex(public_key, 32))
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


def sent_proof(secret, sender_id, message_id, recipient_prefix):
    sent = match(".{14}7.{4}[89ab].*", uuid(message_id))
    minutes = int(sent.replace("-", "")[:12], 16) // 60_000
    texts = [text.encode() for text in ("device", sender_id, sent, uuid(recipient_prefix), "")]
    digest = hashlib.sha3_256(from_hex(secret, 32) + b"".join(len(text).to_bytes(4, "big") + text for text in texts)).digest()
    return f"{minutes // 1440:04x}{minutes % 1440:04x}{digest[:11].hex()}"


def sent_proof_check(kept, **given):
    return demand(sent_proof(**given) == kept)


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
