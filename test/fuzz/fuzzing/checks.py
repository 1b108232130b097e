"""Checks that no general tool has."""

import base64
import json
import os
import re

import requests
import schemathesis

from fuzzing import ledger, nulls
from fuzzing.actors import alice, bob, holders, viewer
from fuzzing.asking import operation_id, scheme_of
from fuzzing.refusals import scenarios
from fuzzing.wire import Key, b64url, claims


def resolved(case, part: dict) -> dict:
    """A part of the document, or what it refers to."""
    return nulls.resolved(case.operation.schema.raw_schema, part)


def is_own(case, response) -> bool:
    """Whether the request was one to this operation at all."""
    return response.request.method == case.operation.method.upper()


# A code of the server's own terminal, a peer that publishes a list, a code that a push service was given: nothing that
# requests bring about.
beyond_reach = {
    ("loginWithLink", "200"),
    ("getPeerBlocklist", "200"),
    ("confirmPushSubscription", "200"),
    ("testPushSubscription", "200"),
    ("testDevicePush", "200"),
}


@schemathesis.check
class Reached:
    """Every operation must have given every success that it documents."""

    def __init__(self):
        self.wanted: set[tuple[str, str]] = set()
        self.seen: set[tuple[str, str]] = set()

    def after_response(self, ctx, response, case):
        statuses = case.operation.definition.raw["responses"]
        self.wanted |= {(operation_id(case), status) for status in statuses if status.startswith("2")}
        if is_own(case, response):
            self.seen.add((operation_id(case), str(response.status_code)))

    def after_run(self, ctx):
        if os.environ.get("FUZZ_PARTIAL"):
            return  # A few operations, or phases, need not come so far.
        missing = sorted(self.wanted - self.seen - beyond_reach)
        if missing:
            raise AssertionError("never seen: " + ", ".join(f"{name} {status}" for name, status in missing))


@schemathesis.check
def agrees_with_the_ledger(ctx, response, case):
    """What was answered agrees with everything that was answered before."""
    found = ledger.objections(response)
    if found:
        raise AssertionError("; ".join(found))


@schemathesis.check
def error_is_documented(ctx, response, case):
    """An error is one that the operation names for this status, and is told as the catalogue has it."""
    if response.status_code < 400 or not is_own(case, response):
        return
    documented = case.operation.definition.raw["responses"].get(str(response.status_code))
    if documented is None:
        return
    examples = resolved(case, documented)["content"]["application/json"]["examples"].values()
    examples = [resolved(case, one) for one in examples]
    body = json.loads(response.content)
    told = (body.get("error"), body.get("code"))
    if told not in {(one["value"]["error"], one["value"]["code"]) for one in examples}:
        raise AssertionError(f"{told} is not among the operation's errors with status {response.status_code}")


# Within a token any few letters come by chance: names of the database's own count where a word begins.
inside = re.compile(rb"node_modules|\bat [\w.<>]+ \(|\.ts:\d+|\bselect .{1,80} from |\binsert into |ECONNREFUSED|(?<![\w-])pg_[a-z]|syntax error at")
secret_names = {"access_token", "admin_token", "federation_token", "poll_token", "revocation_token", "decryption_key", "invite_code"}
secret_names |= {"upload_token", "delete_token"}
token_form = re.compile(r"[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|\b[0-9a-f]{64}\b")


@schemathesis.check
class NoSecrets:
    """No answer tells what happens inside, or repeats a secret that an earlier one has given to somebody."""

    def __init__(self):
        self.given: dict[str, str] = {}

    def after_response(self, ctx, response, case):
        found = inside.search(response.content)
        if found:
            raise AssertionError(f"the answer tells of the inside: {found.group(0)!r}")
        text = response.content.decode("utf8", "replace")
        # What the caller knows is no secret: the generator uses parts of earlier answers as names.
        asked = f"{case.path_parameters} {case.query} {case.body}".lower()
        for word in token_form.findall(text):
            if word in self.given and word.lower() not in asked:
                raise AssertionError(f"the answer repeats a secret that {self.given[word]} gave out")
        self.remember(case, text)

    def remember(self, case, text: str) -> None:
        try:
            body = json.loads(text)
        except ValueError:
            return
        if isinstance(body, dict):
            for name in secret_names & body.keys():
                if isinstance(body[name], str):
                    self.given[body[name]] = operation_id(case)


def forged(token: str) -> dict[str, str | None]:
    """Tokens that look right and are not."""
    header, payload, signature = token.split(".")
    said = claims(token)
    kid = json.loads(base64.urlsafe_b64decode(header + "=" * (-len(header) % 4)))

    def part(value: dict) -> str:
        return b64url(json.dumps(value).encode())

    own = Key()
    text = f"{header}.{payload}"
    longer = part({**said, "exp": said["exp"] + 86400})
    other = part({**said, "sub": bob.device_id})
    flipped = ("A" if signature[0] != "A" else "B") + signature[1:]
    return {
        "none at all": None,
        "another key's signature": f"{text}.{b64url(own.sign_bytes(text.encode()))}",
        "no algorithm": f"{part({**kid, 'alg': 'none'})}.{payload}.",
        "a changed end": f"{header}.{longer}.{signature}",
        "a changed subject": f"{header}.{other}.{signature}",
        "a changed signature": f"{text}.{flipped}",
        "no signature": f"{text}.",
        "nonsense": "x.y.z",
    }


@schemathesis.check
class ForgedTokens:
    """Every operation that needs a token refuses one that is forged, or that is for somebody else."""

    def __init__(self):
        self.tried: set[str] = set()

    def after_response(self, ctx, response, case):
        scheme = scheme_of(case)
        name = operation_id(case)
        if scheme is None or name in self.tried or not 200 <= response.status_code < 300:
            return
        self.tried.add(name)
        tokens = forged(holders[scheme].token())
        tokens |= {f"one for {kind}": one.token() for kind, one in holders.items() if kind != scheme}
        for what, token in tokens.items():
            self.refuse(response.request, what, token)

    def refuse(self, request, what: str, token: str | None) -> None:
        headers = {name: value for name, value in request.headers.items() if name.lower() != "authorization"}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        body = request.body if isinstance(request.body, (bytes, str, type(None))) else bytes(request.body)
        answer = send_raw(request.method, request.url, body, headers)
        if answer.status_code != 401:
            raise AssertionError(f"a token with {what} was answered {answer.status_code}")
        if answer.json()["error"] != "INVALID_TOKEN" or "Bearer" not in answer.headers.get("WWW-Authenticate", ""):
            raise AssertionError(f"a token with {what} was not refused as the contract says")


@schemathesis.check
class Refusals:
    """What must be refused is, and what follows from a success holds: the scenarios of each operation, once."""

    def __init__(self):
        self.played: set = set()

    def after_response(self, ctx, response, case):
        if not 200 <= response.status_code < 300 or not is_own(case, response):
            return
        for play in scenarios.get(operation_id(case), []):
            if play not in self.played:
                self.played.add(play)
                play()


@schemathesis.check
class Permissions:
    """An administrator may only do what the list allows."""

    def __init__(self):
        self.tried: set[str] = set()

    def after_response(self, ctx, response, case):
        name = operation_id(case)
        if scheme_of(case) != "adminToken" or name in self.tried or not 200 <= response.status_code < 300:
            return
        self.tried.add(name)
        documented = case.operation.definition.raw["responses"].get("403")
        examples = {} if documented is None else resolved(case, documented)["content"]["application/json"]["examples"]
        if "INSUFFICIENT_PERMISSIONS" not in examples or case.path.startswith("/admin/v1/metrics"):
            return
        request = response.request
        headers = {**request.headers, "Authorization": f"Bearer {viewer.token()}"}
        answer = send_raw(request.method, request.url, request.body, headers)
        if answer.status_code != 403 or answer.json()["error"] != "INSUFFICIENT_PERMISSIONS":
            raise AssertionError(f"an administrator without the permission was answered {answer.status_code}")


def send_raw(method, url, body, headers):
    return requests.request(method, url, data=body, headers=headers, timeout=30)


@schemathesis.check
class QueuesHold:
    """At the end the queues hold what was accepted and not acknowledged: nothing lost, nothing twice, nothing of others."""

    def after_run(self, ctx):
        for name, device in (("alice", alice), ("bob", bob)):
            expected = sorted(ledger.queues[device.device_id])
            found = sorted(ledger.poll_all(device)) if expected or device.addresses else []
            if found != expected:
                lost = [one for one in expected if one not in found]
                raise AssertionError(f"{name}'s queue: {len(found)} messages, {len(expected)} expected, {len(lost)} lost")
            ledger.queues[device.device_id].clear()
