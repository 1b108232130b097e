"""The relay under test, as somebody sees it who calls it. Where it is stands in JSON on standard input."""

import base64
import http.client
import json
import os
import ssl
import sys
import time
import uuid

GIVEN = json.load(sys.stdin)


def call(*request, **more):
    """An answer of the relay: its status, and its body as JSON. An overloaded relay is asked again."""
    for _ in range(30):
        answer = call_once(*request, **more)
        if answer[0] != 503:
            break
        time.sleep(1)
    return answer


def call_once(method, path, body=None, token=None, headers=None):
    context = ssl.create_default_context(cafile=GIVEN["ca"])
    connection = http.client.HTTPSConnection(GIVEN["domain"], context=context, timeout=180)
    try:
        sent = {"content-type": "application/json"} if body is not None else {}
        if token is not None:
            sent["authorization"] = f"Bearer {token}"
        content = None if body is None else json.dumps(body)
        connection.request(method, path, content, {**sent, **(headers or {})})
        answer = connection.getresponse()
        text = answer.read()
        return answer.status, json.loads(text) if text else None
    finally:
        connection.close()


def new_message_id():
    """A UUIDv7."""
    number = int(time.time() * 1000) << 80 | int.from_bytes(os.urandom(10), "big")
    number = number & ~(0xF << 76) & ~(0x3 << 62) | 7 << 76 | 2 << 62
    return str(uuid.UUID(int=number))


def new_message(recipient, **members):
    return {
        "message_id": new_message_id(),
        "recipient_address": recipient,
        "mls_ciphertext": base64.b64encode(os.urandom(40)).decode(),
        "sender_signature": os.urandom(64).hex(),
        "timestamp": int(time.time()),
        **members,
    }


def expect(answer, wanted, **members):
    """What came in place of an answer with this status and these members, if anything did."""
    status, body = answer
    found = {name: (body or {}).get(name) for name in members}
    return None if status == wanted and found == members else f"expected {wanted} {members}, got {answer}"
