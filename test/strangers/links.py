"""Info packages and the linking of devices, as the specification describes them."""

import json
import os
import re
import urllib.parse

from device import Device, b64
from guesses import HEX64, UUID4, Answer, Ledger, Server, now, soon

# What HttpURLConnection of Java sends if nobody sets it.
JAVA = {"Accept": "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2"}
NAVIGATION = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "Sec-Fetch-Mode": "navigate"}
URL = re.compile(r"https://[^/]+(/\S+)")


def exchange_links(server: Server, ledger: Ledger, devices: list[Device]) -> None:
    uploaders = iter(devices)
    sealed_packages(server, ledger, next(uploaders), next(uploaders))
    revocable_packages(server, ledger)
    plain_packages(server, ledger, next(uploaders))
    upload_limit(ledger, next(uploaders))
    linking(server, ledger, next(uploaders))


def sealed_packages(server: Server, ledger: Ledger, device: Device, other: Device) -> None:
    answered, refused = ledger.answered, ledger.refused
    path = "/v1/infopackages/upload"
    ciphertext = b64(os.urandom(400))
    body = {"ciphertext": ciphertext, "package_type": "identity", "ttl_seconds": 3600}
    uploaded = {"url_segment": UUID4, "expires_at": soon(3600), "max_uses": None}
    answered("an info package is uploaded without a number of uses", device.call("POST", path, body), 200, uploaded)
    endless = answered("an info package has null for any number of uses", device.call("POST", path, {**body, "max_uses": None}), 200, uploaded)
    at = f"/v1/infopackages/{endless['url_segment']}"
    package = {"ciphertext": ciphertext, "package_type": "identity", "created_at": soon(0), "expires_at": int, "remaining_uses": None}
    answered("an info package is downloaded", server.call("GET", at), 200, package)
    answered("an info package is downloaded by Java", server.call("GET", at, headers=JAVA), 200, package)
    answered("an info package is downloaded as JSON", server.call("GET", at, headers={"Accept": "application/json"}), 200, package)
    refused("another device may not revoke it", other.call("DELETE", at), 403, "UNAUTHORIZED", None)
    answered("its uploader may", device.call("DELETE", at), 200, {"revoked": True, "revoked_at": soon(0)})
    refused("a revoked package is not found", server.call("GET", at), 404, "NOT_FOUND", None)
    refused("a revoked package is not revoked again", device.call("DELETE", at), 404, "NOT_FOUND", None)

    uploaded["max_uses"] = 2
    twice = answered("an info package has two uses", device.call("POST", path, {**body, "max_uses": 2}), 200, uploaded)
    at = f"/v1/infopackages/{twice['url_segment']}"
    page = server.call("GET", at, headers=NAVIGATION)
    ledger.note("a browser that opens the link uses nothing up", page.status != 200 and page.headers.get_content_type() == "text/html", page)
    answered("the first use leaves one", server.call("GET", at), 200, {**package, "remaining_uses": 1})
    answered("the second use leaves none", server.call("GET", at), 200, {**package, "remaining_uses": 0})
    refused("there is no third use", server.call("GET", at), 410, "INFOPACKAGE_EXHAUSTED", None)
    for ttl in (59, 2592001):
        refused(f"a package may not live for {ttl} seconds", device.call("POST", path, {**body, "ttl_seconds": ttl}), 400, "INVALID_CONFIG", 4013)
    for uses in (0, 1001):
        refused(f"a package may not have {uses} uses", device.call("POST", path, {**body, "max_uses": uses}), 400, None, None, "max_uses")


def revocable_packages(server: Server, ledger: Ledger) -> None:
    answered, refused = ledger.answered, ledger.refused
    ciphertext = b64(os.urandom(100))
    body = {"ciphertext": ciphertext, "ttl_seconds": 600}
    shape = {"url": URL, "revocation_token": HEX64, "expires_at": soon(600), "max_uses": None}
    made = answered("a package with a revocation token is uploaded", server.call("POST", "/api/v1/infopackages", body), 200, shape)
    at = path_of(made)
    ledger.note("its segment is 16 bytes in hex", re.fullmatch("/api/v1/infopackages/[0-9a-f]{32}", at), at)
    answered("it is downloaded", server.call("GET", at), 200, {"ciphertext": ciphertext, "created_at": soon(0)})
    wrong = server.call("DELETE", at, headers={"X-Revocation-Token": "00" * 32})
    ledger.note("a wrong token does not revoke it", wrong.status in (401, 403), wrong)
    ledger.note("its token revokes it", server.call("DELETE", at, headers={"X-Revocation-Token": made["revocation_token"]}).status == 200)
    refused("then it is not found", server.call("GET", at), 404, "NOT_FOUND", None)


def plain_packages(server: Server, ledger: Ledger, device: Device) -> None:
    answered = ledger.answered
    path = "/v1/info-packages/upload"
    profile = {"user_id": "u1", "default_persona": "p", "personas": {"p": {"display_name": "Ada"}}, "profile_picture": None}
    body = {"package_type": "identity", "content": profile, "ttl_seconds": 3600, "max_uses": None}
    shape = {"url": URL, "decryption_key": HEX64, "expires_at": soon(3600), "max_uses": None, "qr_data": str}
    made = answered("a package is uploaded for the server to encrypt", device.call("POST", path, body), 200, shape)
    code = json.loads(made["qr_data"])
    wanted = {"infopackage_url": made["url"], "infopackage_key": made["decryption_key"], "package_type": "identity", "display_name": "Ada"}
    ledger.note("its code has exactly the named members", code == wanted, code)
    at = path_of(made)
    answered("it is downloaded", server.call("GET", at), 200, {"ciphertext": str, "package_type": "identity", "created_at": soon(0)})
    invite = {"group_id": "g-17", "group_name": "Chess", "welcome_message": "AAAA", "invited_by": "u1", "invited_by_name": "Ada"}
    made_invite = answered("an invite is uploaded for the server to encrypt", device.call("POST", path, {**body, "package_type": "group_invite", "content": invite}), 200, shape)
    code = json.loads(made_invite["qr_data"])
    ledger.note("the code of an invite carries the group's id", code.get("group_id") == "g-17", code)
    ledger.note("its uploader revokes it", device.call("DELETE", at).status == 200)
    ledger.refused("then it is not found", server.call("GET", at), 404, "NOT_FOUND", None)


def upload_limit(ledger: Ledger, device: Device) -> None:
    body = {"ciphertext": b64(os.urandom(40)), "package_type": "identity", "ttl_seconds": 60}
    answers = [device.call("POST", "/v1/infopackages/upload", body) for _ in range(11)]
    ledger.note("a device uploads 10 packages an hour", all(one.status == 200 for one in answers[:10]), answers[9])
    over = ledger.refused("the eleventh package is refused", answers[10], 429, "INFOPACKAGE_RATE_LIMIT", 4009)
    ledger.note("the refusal says when to try again", over.body.get("retry_after", 0) > 0, over)


def linking(server: Server, ledger: Ledger, device: Device) -> None:
    shape = {"provisioning_address": str, "expires_at": soon(300)}
    blob = {"ciphertext": b64(os.urandom(200))}

    def open_address(guess: str) -> Answer:
        body = {"ephemeral_public_key": Device(server).public_key, "ttl_seconds": 300, "timestamp": now()}
        return ledger.answered(guess, server.call("POST", "/api/v1/provisioning/create", body), 200, shape)

    def collect(guess: str, at: str, opened: Answer, status: int) -> None:
        # The token is no part of the specification; the refusal without it names the header.
        ledger.refused(f"{guess}, and the refusal without a token names the header", server.call("GET", at), 400, None, None, "x-poll-token")
        got = server.call("GET", at, headers={"X-Poll-Token": opened["poll_token"]})
        ledger.answered(guess, got, status, {"ciphertext": blob["ciphertext"]} if status == 200 else None)

    opened = open_address("a linking address is opened")
    at = f"/api/v1/provisioning/{opened['provisioning_address']}"
    collect("the new device asks at the full address", at, opened, 202)
    ledger.answered("the blob is put at the full address", device.call("PUT", at, blob), 200)
    collect("the new device gets the blob", at, opened, 200)
    opened = open_address("a second linking address is opened")
    at = f"/api/v1/provisioning/{urllib.parse.quote(opened['provisioning_address'], safe='')}"
    ledger.answered("the blob is posted to the full address, escaped", device.call("POST", at, blob), 200)
    collect("the new device gets what was posted", at, opened, 200)
    opened = open_address("a third linking address is opened")
    at = f"/api/v1/provisioning/{opened['provisioning_address'].split('@')[0]}"
    ledger.answered("the blob is put at the part before the @", device.call("PUT", at, blob), 200)
    ledger.refused("a second blob is refused", device.call("POST", at, blob), 409, "CONFLICT", None)


def path_of(made: Answer) -> str:
    return URL.fullmatch(made["url"]).group(1)
