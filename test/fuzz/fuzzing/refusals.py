"""What must be refused although it has the right form: forged, foreign, too late, once too often.

Each scenario belongs to an operation and is played once, after that operation's first success.
"""

import os
import uuid

from fuzzing import ledger
from fuzzing.actors import Device, admin, alice, bob, peer, stranger
from fuzzing.wire import DOMAIN, Key, b64, canonical_message_id, chance, demand, digest_header, now, respelled, send

scenarios: dict[str, list] = {}


def of(*operations):
    def register(play):
        for operation in operations:
            scenarios.setdefault(operation, []).append(play)
        return play

    return register


class Accepted(AssertionError):
    """Something was not refused as it must be."""


def refused(what: str, answer, status: int, error: str) -> None:
    told = None if answer.status_code < 400 else answer.json().get("error")
    if (answer.status_code, told) != (status, error):
        raise Accepted(f"{what} was answered {answer.status_code} {told}, not {status} {error}")


def holds(what: str, right: bool) -> None:
    if not right:
        raise Accepted(what)


# Registration


def announce(body: dict):
    return send("POST", "/api/v1/announce", body=body)


@of("announceWithProof")
def first_announcements():
    someone = Device()
    proof = {"vdf_proof": someone.proof()}
    refused("an announcement without a proof", announce(someone.announcement()), 403, "INVALID_PROOF")
    wrong = {**someone.proof(), "output": "00" * 32}
    refused("a wrong proof", announce(someone.announcement(vdf_proof=wrong)), 403, "INVALID_PROOF")
    foreign = {"vdf_proof": Device().proof()}
    refused("another device's proof", announce(someone.announcement(**foreign)), 403, "INVALID_PROOF")
    forged = {**someone.announcement(**proof), "signature": "ab" * 64}
    refused("a forged announcement", announce(forged), 403, "INVALID_SIGNATURE")
    lost = announce(someone.announcement(**proof))
    refused("a proof that a forgery has used up", lost, 410, "CHALLENGE_EXPIRED")


@of("announceWithProof")
def later_announcements():
    someone = Device()
    someone.token()
    at = now() - 400
    late = {**someone.announcement(), "timestamp": at, "signature": someone.key.sign(f"{someone.device_id}:{at}", DOMAIN)}
    refused("an old announcement", announce(late), 400, "INVALID_REQUEST")
    at = now() + 120
    early = {**late, "timestamp": at, "signature": someone.key.sign(f"{someone.device_id}:{at}", DOMAIN)}
    refused("an announcement from the future", announce(early), 400, "INVALID_REQUEST")
    plain = someone.announcement()
    elsewhere = someone.key.sign(f"{someone.device_id}:{plain['timestamp']}", "other.test")
    meant = {**plain, "signature": elsewhere, "audience": "other.test"}
    refused("an announcement meant for another server", announce(meant), 400, "INVALID_REQUEST")
    refused("one signed for another server", announce({**plain, "signature": elsewhere}), 403, "INVALID_SIGNATURE")
    used = someone.announcement()
    holds("a further announcement is not accepted", announce(used).status_code == 200)
    refused("an announcement that was used", announce(used), 409, "CONFLICT")
    other = {**plain, "public_key": Key().public}
    refused("another key for a known device", announce(other), 400, "INVALID_REQUEST")


@of("announceWithProof")
def sessions():
    someone = Device()
    before = someone.token()
    after = demand("POST", "/api/v1/announce", body=someone.announcement(revoke_others=True))["access_token"]
    refused("a session that was ended", send("GET", "/v1/messages", token=before), 401, "INVALID_TOKEN")
    holds("the session that ended the others is ended", send("GET", "/v1/messages", token=after).status_code == 200)
    again = demand("POST", "/v1/auth/refresh", token=after)["access_token"]
    holds("a refreshed session does not stand", send("GET", "/v1/messages", token=again).status_code == 200)


@of("createInvite")
def invites():
    code = ledger.make_invite(max_uses=1)
    holds("an invite is not accepted", announce(Device().announcement(invite_code=code)).status_code == 200)
    refused("an invite used twice", announce(Device().announcement(invite_code=code)), 403, "REGISTRATION_CLOSED")
    made = admin.asks("POST", "/admin/v1/invites", body={"max_uses": 5})
    ledger.invites[made["invite_id"]] = None
    admin.asks("DELETE", f"/admin/v1/invites/{made['invite_id']}")
    revoked = announce(Device().announcement(invite_code=made["invite_code"]))
    refused("a revoked invite", revoked, 403, "REGISTRATION_CLOSED")


@of("announceDevice")
def prefixes():
    someone, taken = Device(), bob.address().split("@")[0]
    at = now()
    body = {
        "device_id": someone.device_id,
        "public_key": someone.key.public,
        "delivery_address_prefixes": [taken],
        "timestamp": at,
        "vdf_proof": someone.proof(),
    }
    signed = {**body, "signature": someone.key.sign(f"{someone.device_id}.{taken}.{at}")}
    refused("another device's prefix", send("POST", "/api/v1/device/announce", body=signed), 409, "ADDRESS_TAKEN")
    own = str(uuid.uuid4())
    other = {**signed, "delivery_address_prefixes": [own]}
    refused("a prefix that was not signed", send("POST", "/api/v1/device/announce", body=other), 403, "INVALID_SIGNATURE")


@of("endAddress")
def ended_addresses():
    someone = Device()
    prefix = someone.address().split("@")[0]

    def end(by: Device):
        return send("DELETE", f"/api/v1/addresses/{prefix}", token=by.token())

    refused("another device's address", end(bob), 404, "ADDRESS_NOT_FOUND")
    holds("the own address cannot be ended", end(someone).status_code == 200)
    refused("an address ended before", end(someone), 404, "ADDRESS_NOT_FOUND")
    to_ended = sends(bob, f"{prefix}@{DOMAIN}")
    refused("a message to an ended address", to_ended, 404, "ADDRESS_NOT_FOUND")


# Messages


def sends(device: Device, recipient: str, **more):
    return send("POST", "/v1/messages", body=device.message(recipient, **more), token=device.token())


@of("sendMessage")
def unknown_recipients():
    refused("an unknown recipient", sends(alice, f"{uuid.uuid4()}@{DOMAIN}"), 404, "ADDRESS_NOT_FOUND")


@of("sendMessage", "acknowledgeMessage")
def queues_of_others():
    """What is sent to one device is seen, and acknowledged, by nobody else."""
    one, other = Device(), Device()
    message = other.message(one.address(), sender_signature=b64(os.urandom(64)))
    demand("POST", "/v1/messages", body=message, token=other.token())
    for _ in range(2):
        demand("POST", "/v1/messages", body=message, token=other.token())
    spelled = message["message_id"].replace("-", "").upper()
    mine = demand("DELETE", f"/v1/messages/{spelled}", token=other.token())
    holds("another device's message was acknowledged", mine == {"acknowledged": False})
    holds("another device's message is handed out", demand("GET", "/v1/messages", token=other.token())["messages"] == [])
    page = demand("GET", "/v1/messages", token=one.token())["messages"]
    holds("a repetition was stored, or the message is lost", len(page) == 1)
    holds("the ciphertext is another", page[0]["mls_ciphertext"] == message["mls_ciphertext"])
    holds("the signature is another", page[0]["sender_signature"] == message["sender_signature"])
    holds("the timestamp is another", page[0]["timestamp"] == message["timestamp"])
    holds("more is told than the message", page[0].keys() <= {*message, "received_at"})
    done = demand("DELETE", f"/v1/messages/{message['message_id']}", token=one.token())
    holds("the message was not acknowledged", done == {"acknowledged": True})
    holds("an acknowledged message is there", demand("GET", "/v1/messages", token=one.token())["messages"] == [])


@of("sendMessageToMany")
def all_or_nothing():
    """A full limit refuses every recipient or none, and nobody learns of the others."""
    one, other, sender = Device(), Device(), Device()
    many = sender.message("")
    many.pop("recipient_address")
    many["recipients"] = [one.address(), f"{uuid.uuid4()}@{DOMAIN}", other.address()]
    answer = demand("POST", "/v1/messages/multi", body=many | {"all_or_nothing": True}, token=sender.token())
    holds("a recipient has no status", [status["status"] for status in answer["recipient_statuses"]] == ["queued", "rejected", "queued"])
    for device in (one, other):
        page = demand("GET", "/v1/messages", token=device.token())["messages"]
        holds("the message is lost, or there twice", len(page) == 1)
        holds("more is told than the message", page[0].keys() <= {*many, "received_at"} - {"recipients"})


@of("pollMessages")
def pages():
    one, other = Device(), Device()
    sent = [other.message(one.address()) for _ in range(3)]
    for message in sent:
        demand("POST", "/v1/messages", body=message, token=other.token())
    ids = [canonical_message_id(message["message_id"]) for message in sent]
    page = demand("GET", "/v1/messages?limit=2", token=one.token())
    holds("the page is not the first two", [one["message_id"] for one in page["messages"]] == ids[:2])
    holds("has_more is not true", page["has_more"])
    later = demand("GET", f"/v1/messages?since={now() + 3600}", token=one.token())
    holds("since is not heeded", later["messages"] == [] and not later["has_more"])
    whole = demand("GET", "/v1/messages?limit=3", token=one.token())
    holds("the queue is out of order", [one["message_id"] for one in whole["messages"]] == ids)
    holds("has_more is not false", not whole["has_more"])


@of("setRateLimit")
def limits():
    device = Device()
    device.token()

    def limit(to):
        body = {"device_id": device.device_id, "custom_rate_limit": to, "reason": "fuzzing"}
        admin.asks("POST", "/admin/v1/trust/set-rate-limit", body=body)

    limit(2)
    to = Device().address()
    for _ in range(2):
        holds("a message within the limit was refused", sends(device, to).status_code == 202)
    refused("a message above the limit", sends(device, to), 429, "RATE_LIMIT_EXCEEDED")
    limit(None)
    holds("the limit cannot be removed", sends(device, to).status_code == 202)


@of("verifyDevice")
def verification():
    device = Device()
    device.token()
    body = {"device_id": device.device_id, "reason": "fuzzing"}
    admin.asks("POST", "/admin/v1/trust/verify", body=body)
    path = f"/admin/v1/devices/{device.device_id}"
    holds("the device is not verified", admin.asks("GET", path)["trust_tier"] == "verified")
    admin.asks("POST", "/admin/v1/trust/revoke", body=body)
    holds("the verification was not taken back", admin.asks("GET", path)["trust_tier"] != "verified")
    again = send("POST", "/admin/v1/trust/revoke", body=body, token=admin.token())
    refused("a verification taken back twice", again, 409, "CONFLICT")


@of("deleteVerification")
def deleted_verification():
    device = Device()
    device.token()
    path = f"/admin/v1/trust/verify/{device.spelled()}"
    refused("a verification that was not given", send("DELETE", path, token=admin.token()), 409, "CONFLICT")
    admin.asks("POST", "/admin/v1/trust/verify", body={"device_id": device.device_id, "reason": "fuzzing"})
    admin.asks("DELETE", path)
    tier = admin.asks("GET", f"/admin/v1/devices/{device.device_id}")["trust_tier"]
    holds("the verification was not taken back", tier != "verified")
    refused("a verification taken back twice", send("DELETE", path, token=admin.token()), 409, "CONFLICT")
    nobody = send("DELETE", f"/admin/v1/trust/verify/{Device().device_id}", token=admin.token())
    refused("a verification of nobody", nobody, 404, "DEVICE_NOT_FOUND")


# Packages and linking


@of("uploadKeyPackages")
def key_packages():
    def upload(body):
        return send("POST", "/api/v1/keypackage/upload", body=body, token=alice.token())

    refused("another device's packages", upload(bob.key_packages(1)), 400, "INVALID_REQUEST")
    good = alice.key_packages(1)
    forged = {**good, "key_packages": [b64(os.urandom(80))]}
    refused("packages that were not signed", upload(forged), 403, "INVALID_SIGNATURE")
    at = now() - 400
    text = f"{alice.device_id}.{','.join(good['key_packages'])}.{at}"
    refused("an old upload", upload({**good, "timestamp": at, "signature": alice.key.sign(text)}), 400, "INVALID_REQUEST")


@of("fetchKeyPackage")
def one_package_each():
    owner = Device()
    body = owner.key_packages(2, last_resort_key_package=b64(os.urandom(80)))
    demand("POST", "/api/v1/keypackage/upload", body=owner.signed_packages(body), token=owner.token())
    path = f"/api/v1/keypackage/fetch?device_id={owner.device_id}"
    got = [demand("GET", path, token=alice.token()) for _ in range(4)]
    packages = [one["key_package"] for one in got]
    holds("packages are not handed out once each, the oldest first", packages[:2] == body["key_packages"])
    holds("the last resort is not handed out again", packages[2:] == [body["last_resort_key_package"]] * 2)
    holds("remaining is wrong", [one["remaining"] for one in got] == [1, 0, 0, 0])


@of("claimKeyPackages")
def one_package_for_each_claim():
    owner = Device()
    body = owner.key_packages(2)
    demand("POST", "/api/v1/keypackage/upload", body=body, token=owner.token())

    def claim(claim_id: str, by: Device):
        asked = {"claim_id": claim_id, "addresses": [owner.address()]}
        return demand("POST", "/api/v1/keypackage/claim", body=asked, token=by.token())["claims"][0]

    same = os.urandom(32).hex()
    got = [claim(same, alice).get("key_package"), claim(same, alice).get("key_package")]
    holds("a repeated claim does not get the same package", got == body["key_packages"][:1] * 2)
    holds("another device gets it by the same id", claim(same, bob).get("key_package") == body["key_packages"][1])
    holds("a claim gets a package that is not there", claim(os.urandom(32).hex(), bob).get("error") == "NO_KEY_PACKAGES")


@of("uploadInfoPackage")
def info_packages():
    def upload(**more):
        body = {"ciphertext": b64(b"something"), "package_type": "identity", "ttl_seconds": 60, **more}
        return demand("POST", "/v1/infopackages/upload", body=body, token=alice.token())["url_segment"]

    path = f"/v1/infopackages/{upload(max_uses=2)}"
    left = [demand("GET", path)["remaining_uses"] for _ in range(2)]
    holds("remaining_uses is wrong", left == [1, 0])
    refused("a use too many", send("GET", path), 410, "INFOPACKAGE_EXHAUSTED")
    path = f"/v1/infopackages/{upload()}"
    refused("the package of another device", send("DELETE", path, token=bob.token()), 403, "UNAUTHORIZED")
    demand("DELETE", path, token=alice.token())
    refused("a revoked package", send("GET", path), 404, "NOT_FOUND")
    segment = upload()
    other = send("GET", f"/api/v1/infopackages/{segment.replace('-', '')}")
    refused("a package by another variant's address", other, 404, "NOT_FOUND")


@of("createRevocableInfoPackage")
def revocable_packages():
    made = demand("POST", "/api/v1/infopackages", body={"ciphertext": b64(b"something"), "ttl_seconds": 60})
    path = f"/api/v1/infopackages/{made['url'].rsplit('/', 1)[-1]}"
    wrong = send("DELETE", path, headers={"X-Revocation-Token": "ab" * 32})
    refused("a wrong revocation token", wrong, 403, "UNAUTHORIZED")
    holds("the package is lost", send("GET", path).status_code == 200)
    other = path.replace("/api/v1/infopackages/", "/v1/info-packages/")
    refused("a package by another variant's address", send("GET", other), 404, "NOT_FOUND")
    demand("DELETE", path, headers={"X-Revocation-Token": made["revocation_token"]})
    refused("a revoked package", send("GET", path), 404, "NOT_FOUND")


@of("createProvisioning")
def linking():
    body = {"ephemeral_public_key": Key().public, "ttl_seconds": 60, "timestamp": now()}
    made = demand("POST", "/api/v1/provisioning/create", body=body)
    path = f"/api/v1/provisioning/{made['provisioning_address'].split('@')[0]}"
    right = {"X-Poll-Token": made["poll_token"]}
    holds("an empty address is not pending", send("GET", path, headers=right).status_code == 202)
    method, other = chance.sample(["PUT", "POST"], 2)
    demand(method, path, body={"ciphertext": b64(b"blob")}, token=alice.token())
    for again in (method, other):
        second = send(again, path, body={"ciphertext": b64(b"other")}, token=bob.token())
        refused("a second blob", second, 409, "CONFLICT")
    refused("a wrong poll token", send("GET", path, headers={"X-Poll-Token": "ab" * 32}), 403, "UNAUTHORIZED")
    holds("the blob is another", demand("GET", path, headers=right)["ciphertext"] == b64(b"blob"))
    refused("a blob that was taken", send("GET", path, headers=right), 404, "NOT_FOUND")
    late = {**body, "timestamp": now() - 400}
    refused("an old request", send("POST", "/api/v1/provisioning/create", body=late), 400, "INVALID_REQUEST")


@of("createBlob")
def blobs():
    _, blob = ledger.make_blob(b"what was meant")
    blob_token = {"X-Upload-Token": blob.upload_token}
    part, right = f"{blob.path}/parts/0", {**blob_token, "Content-Digest": digest_header(blob.content)}
    foreign = {**right, "X-Upload-Token": blob.delete_token}
    refused("a part by another token", send("PUT", part, data=blob.content, headers=foreign), 403, "UNAUTHORIZED")
    refused("other bytes", send("PUT", part, data=b"what was chang", headers=right), 400, "DIGEST_MISMATCH")
    short = {**blob_token, "Content-Digest": digest_header(b"what")}
    refused("a part that is too short", send("PUT", part, data=b"what", headers=short), 400, "INVALID_REQUEST")
    beyond = send("PUT", f"{blob.path}/parts/1", data=blob.content, headers=right)
    refused("a part that the blob has not", beyond, 400, "INVALID_REQUEST")
    missing = send("POST", f"{blob.path}/complete", headers=blob_token)
    refused("a blob without its parts", missing, 409, "CONFLICT")
    blob.put()
    refused("a blob that is not complete", send("GET", blob.path), 404, "NOT_FOUND")
    other = send("POST", f"{blob.path}/complete", headers={"X-Upload-Token": "ab" * 32})
    refused("a completion by another token", other, 403, "UNAUTHORIZED")
    blob.finish()
    refused("a part of a complete blob", send("PUT", part, data=blob.content, headers=right), 409, "CONFLICT")
    holds("the blob is another", send("GET", blob.path).content == blob.content)
    refused("bytes behind the end", send("GET", blob.path, headers={"Range": "bytes=99-"}), 416, "RANGE_NOT_SATISFIABLE")
    wrong = send("DELETE", blob.path, headers={"X-Delete-Token": blob.upload_token})
    refused("a deletion by another token", wrong, 403, "UNAUTHORIZED")
    demand("DELETE", blob.path, headers={"X-Delete-Token": blob.delete_token})
    blob.gone = True
    refused("a blob that was deleted", send("GET", blob.path), 404, "NOT_FOUND")


# Administration


@of("loginAdmin")
def logins():
    def login(body):
        return send("POST", "/admin/v1/auth", body=body)

    refused("a forged login", login({**admin.login(), "challenge_signature": "ab" * 64}), 401, "INVALID_ADMIN")
    known = admin.login()
    holds("a login is refused", login(known).status_code == 200)
    refused("a challenge used twice", login(known), 410, "CHALLENGE_EXPIRED")
    nobody = {**admin.login(), "device_id": bob.device_id}
    refused("a login by no admin", login(nobody), 401, "INVALID_ADMIN")
    refused("an old login", login({**admin.login(), "timestamp": now() - 400}), 400, "INVALID_REQUEST")
    made_up = {**admin.login(), "challenge": "ab" * 32, "challenge_signature": admin.key.sign("ab" * 32)}
    refused("a challenge that nobody gave", login(made_up), 410, "CHALLENGE_EXPIRED")


@of("blockServer")
def blocks():
    domain = f"b{uuid.uuid4().hex[:8]}.fuzz.test"
    before = admin.asks("GET", "/admin/v1/audit?limit=1")["total_count"]
    admin.asks("POST", "/admin/v1/federation/block", body={"server_domain": domain, "reason": "fuzzing"})
    holds("the block is not in the audit log", admin.asks("GET", "/admin/v1/audit?limit=1")["total_count"] > before)
    below = send("POST", "/federation/v1/challenge", body={"origin_server": f"below.{domain}"})
    refused("a server below a blocked one", below, 403, "SERVER_BLOCKED")
    refused("a message to a blocked server", sends(alice, f"{uuid.uuid4()}@{domain}"), 502, "FEDERATION_FAILED")
    published = demand("GET", "/.well-known/svc-blocklist")["blocked_servers"]
    holds("the block is not published", any(one["domain"] == domain for one in published))
    admin.asks("DELETE", f"/admin/v1/federation/block/{domain}")
    demand("POST", "/federation/v1/challenge", body={"origin_server": domain})


# Federation


@of("authenticateServer")
def certificates():
    def authenticate(body):
        return send("POST", "/federation/v1/auth", body=body)

    refused("a stranger's certificate", authenticate(stranger.proof()), 403, "INVALID_CERTIFICATE")
    good = peer.proof()
    holds("a certificate is refused", authenticate(good).status_code == 200)
    refused("a nonce used twice", authenticate(good), 403, "INVALID_CERTIFICATE")
    other = {**peer.proof(), "challenge_response": stranger.proof()["challenge_response"]}
    refused("an answer by another key", authenticate(other), 403, "INVALID_CERTIFICATE")
    renamed = {**peer.proof(), "origin_server": "other.fuzz.test"}
    refused("a certificate for another domain", authenticate(renamed), 403, "INVALID_CERTIFICATE")
    elsewhere = peer.proof(said={"aud": "other.test"})
    refused("an answer for another server", authenticate(elsewhere), 403, "INVALID_CERTIFICATE")


@of("deliverTransaction")
def transactions():
    receiver, sender = Device(), Device()
    body = peer.transaction([sender.message(receiver.address()) for _ in range(2)])

    def deliver(sent, origin=peer.domain):
        path = f"/federation/v1/deliver/{body['transaction_id']}"
        return send("PUT", path, body=sent, headers={"X-Origin-Server": origin}, token=peer.token())

    refused("a delivery for another server", deliver({**body, "origin_server": "other.test"}), 400, "INVALID_REQUEST")
    refused("a header of another server", deliver(body, "other.test"), 400, "INVALID_REQUEST")
    first, second = deliver(body), deliver(body)
    holds("a repetition is answered otherwise", (first.status_code, first.text) == (second.status_code, second.text))

    def received():
        return [ledger.as_queued(one) for one in demand("GET", "/v1/messages", token=receiver.token())["messages"]]

    once = received()
    holds("a repetition is delivered again", len(once) == 2)
    fewer = {**body, "messages": body["messages"][1:]}
    holds("a part of the messages is answered otherwise", deliver(fewer).text == first.text)
    one = body["messages"][0]
    changed = {**one, "message_id": respelled(one["message_id"]), "mls_ciphertext": b64(b"changed")}
    holds("a changed message is answered otherwise", deliver({**body, "messages": [changed]}).text == first.text)
    longer = {**body, "messages": [*body["messages"], sender.message(receiver.address())]}
    refused("the same transaction with one more message", deliver(longer), 409, "CONFLICT")
    twice = {**body, "messages": [one, one]}
    refused("the same transaction with a message twice", deliver(twice), 409, "CONFLICT")
    other = {**body, "messages": [sender.message(receiver.address())]}
    refused("the same transaction with other messages", deliver(other), 409, "CONFLICT")
    holds("what changed in a repetition was delivered", received() == once)
    renewed = peer.deliver(body["messages"]).json()
    sent = [one["message_id"] for one in body["messages"]]
    holds("a known message is not accepted by its id as it was sent", renewed["accepted_messages"] == sent)
    holds("a known message is delivered again", received() == once)
    nowhere = peer.deliver([sender.message(f"{uuid.uuid4()}@{DOMAIN}")]).json()
    holds("a message for nobody is accepted", nowhere["status"] == "rejected")
