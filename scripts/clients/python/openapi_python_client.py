# A client of what openapi-python-client makes of the contract.
import json
import sys

from mls_relay_client import AuthenticatedClient, Client
from mls_relay_client.api.messages import acknowledge_messages, poll_messages, send_message
from mls_relay_client.api.registration import announce_device
from mls_relay_client.models import (
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

sessions = []
for announcement in task["announcements"]:
    answer = announce_device.sync(client=Client(base_url=task["url"]), body=AnnounceDeviceRequest.from_dict(announcement))
    assert isinstance(answer, AnnounceDeviceResponse), answer
    sessions.append(AuthenticatedClient(base_url=task["url"], token=answer.access_token))
sender, recipient = sessions

sent = send_message.sync(client=sender, body=SendMessageRequest.from_dict(task["message"]))
assert isinstance(sent, SendMessageResponse) and sent.status == "queued", sent
polled = poll_messages.sync(client=recipient, limit=10)
assert isinstance(polled, PollMessagesResponse) and len(polled.messages) == 1, polled
assert polled.messages[0].mls_ciphertext == task["message"]["mls_ciphertext"]
ids = AcknowledgeMessagesRequest(message_ids=[polled.messages[0].message_id])
acknowledged = acknowledge_messages.sync(client=recipient, body=ids)
assert isinstance(acknowledged, AcknowledgeMessagesResponse) and acknowledged.acknowledged_count == 1, acknowledged
rest = poll_messages.sync(client=recipient)
assert isinstance(rest, PollMessagesResponse) and rest.messages == [], rest

unknown = send_message.sync(client=sender, body=SendMessageRequest.from_dict(task["unknown"]))
assert isinstance(unknown, ErrorBody) and unknown.error == "ADDRESS_NOT_FOUND", unknown
over = send_message.sync(client=sender, body=SendMessageRequest.from_dict(task["over"]))
assert isinstance(over, ErrorBody) and (over.error, over.limit) == ("RATE_LIMIT_EXCEEDED", 1), over
print("done")
