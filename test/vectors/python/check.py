"""Checks the test vectors of a folder, with other libraries than the relay's: python check.py spec/vectors"""

import json
import sys
from pathlib import Path

import client
import relay
from blake3 import blake3
from cryptography.exceptions import InvalidSignature, InvalidTag
from jwt import InvalidTokenError
from values import Refused, demand, from_base64, from_hex, uuid

# Each rule, and the error that it ends with for whatever it refuses.
RULES = {
    "hex": (lambda text: from_hex(text, len(text) // 2).hex(), "INVALID_REQUEST"),
    "base64": (lambda text: from_base64(text).hex(), "INVALID_REQUEST"),
    "device_id": (lambda public_key: blake3(from_hex(public_key, 32)).hexdigest(), "INVALID_REQUEST"),
    "message_id": (relay.message_id, "INVALID_REQUEST"),
    "address_prefix": (uuid, "INVALID_ADDRESS"),
    "invite_handle": (relay.invite_handle, "INVALID_REQUEST"),
    "domain": (relay.domain, "INVALID_ADDRESS"),
    "address": (relay.address, "INVALID_ADDRESS"),
    "signed_text": (relay.signed_text, None),
    "signed_request": (relay.signed_request, "INVALID_SIGNATURE"),
    "sign": (relay.sign, "REFUSED"),
    "verify": (relay.verify, "INVALID_SIGNATURE"),
    "timestamp": (lambda timestamp, now: demand(now - 300 <= timestamp <= now + 60), "INVALID_REQUEST"),
    "delay_proof": (relay.delay_proof, "REFUSED"),
    "delay_proof_check": (relay.delay_proof_check, "INVALID_PROOF"),
    "key_id": (relay.key_id, "INVALID_REQUEST"),
    "token": (relay.token, "INVALID_TOKEN"),
    "sent_proof": (relay.sent_proof, "INVALID_REQUEST"),
    "sent_proof_check": (relay.sent_proof_check, "REFUSED"),
    "challenge_answer": (relay.challenge_answer, "INVALID_CERTIFICATE"),
    "receipt": (relay.receipt, "UNREADABLE"),
    "federation_transcript": (relay.federation_transcript, None),
    "slot_name_context": (client.slot_name_context, "REFUSED"),
    "slot_receipt": (relay.slot_receipt, "INVALID_SIGNATURE"),
    "envelope_keys": (client.envelope_keys, None),
    "envelope_seal": (client.envelope_seal, "REFUSED"),
    "envelope_open": (client.envelope_open, "REFUSED"),
    "welcome_open": (client.welcome_open, "REFUSED"),
    "linking_seal": (client.linking_seal, "REFUSED"),
    "linking_open": (client.linking_open, "REFUSED"),
    "info_package_open": (client.info_package_open, "REFUSED"),
    "info_link": (client.info_link, "REFUSED"),
}


def outcome(rule, given):
    try:
        return {"result": rule[0](**given)}
    except Refused as refused:
        return {"error": refused.args[0]}
    except (ValueError, InvalidSignature, InvalidTag, InvalidTokenError):
        return {"error": rule[1]}


cases = [case for file in sorted(Path(sys.argv[1]).glob("*.json")) for case in json.loads(file.read_text()).get("cases", [])]
unexpected = 0
for case in cases:
    seen = outcome(RULES[case["rule"]], case["given"])
    if seen != {name: case[name] for name in ("result", "error") if name in case}:
        unexpected += 1
        print(f"{case['rule']}: {case['name']}: {seen}")
print(f"{len(cases) - unexpected} of {len(cases)} cases as expected")
