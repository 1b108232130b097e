# A client over httpx, with the models that datamodel-code-generator makes of the contract.
import json
import sys

import httpx
from models import (
    AcknowledgeMessagesRequest,
    AcknowledgeMessagesResponse,
    AnnounceDeviceRequest,
    AnnounceDeviceResponse,
    ErrorBody,
    PollMessagesResponse,
    SendMessageRequest,
    SendMessageResponse,
)

with open(sys.argv[1]) as file:
    task = json.load(file)
relay = httpx.Client(base_url=task["url"])


def post(path, body, headers=None):
    return relay.post(path, json=body.model_dump(mode="json", exclude_none=True), headers=headers)


sessions = []
for announcement in task["announcements"]:
    answer = post("/api/v1/device/announce", AnnounceDeviceRequest.model_validate(announcement))
    token = AnnounceDeviceResponse.model_validate(answer.json()).access_token.root
    sessions.append({"Authorization": f"Bearer {token}"})
sender, recipient = sessions


def send(name):
    return post("/v1/messages", SendMessageRequest.model_validate(task[name]), sender)


def poll():
    return PollMessagesResponse.model_validate(relay.get("/v1/messages", headers=recipient).json()).messages


assert SendMessageResponse.model_validate(send("message").json()).status.value == "queued"
[got] = poll()
assert got.mls_ciphertext.root == task["message"]["mls_ciphertext"]
ids = AcknowledgeMessagesRequest(message_ids=[got.message_id.root])
acknowledged = AcknowledgeMessagesResponse.model_validate(post("/v1/messages/ack", ids, recipient).json())
assert acknowledged.acknowledged_count == 1
assert poll() == []

unknown = send("unknown")
assert (unknown.status_code, ErrorBody.model_validate(unknown.json()).error.root) == (404, "ADDRESS_NOT_FOUND")
over = send("over")
refusal = ErrorBody.model_validate(over.json())
assert (over.status_code, refusal.error.root, refusal.limit.root) == (429, "RATE_LIMIT_EXCEEDED", 1)
print("done")
