# A client of what openapi-generator makes of the contract for Python.
import json
import sys

from openapi_client import ApiClient, Configuration
from openapi_client.api import MessagesApi, RegistrationApi
from openapi_client.exceptions import ApiException, NotFoundException
from openapi_client.models import AcknowledgeMessagesRequest, AnnounceDeviceRequest, ErrorBody, SendMessageRequest

with open(sys.argv[1]) as file:
    task = json.load(file)

sessions = []
for announcement in task["announcements"]:
    registration = RegistrationApi(ApiClient(Configuration(host=task["url"])))
    answer = registration.announce_device(AnnounceDeviceRequest.from_dict(announcement))
    configuration = Configuration(host=task["url"], access_token=answer.access_token)
    sessions.append(MessagesApi(ApiClient(configuration)))
sender, recipient = sessions


def message(name: str) -> SendMessageRequest:
    return SendMessageRequest.from_dict(task[name])


assert sender.send_message(message("message")).status == "queued"
polled = recipient.poll_messages(limit=10)
assert [each.mls_ciphertext for each in polled.messages] == [task["message"]["mls_ciphertext"]], polled
ids = AcknowledgeMessagesRequest(message_ids=[polled.messages[0].message_id])
assert recipient.acknowledge_messages(ids).acknowledged_count == 1
assert recipient.poll_messages().messages == []

try:
    sender.send_message(message("unknown"))
    raise SystemExit("an unknown address was not refused")
except NotFoundException as refused:
    assert isinstance(refused.data, ErrorBody) and refused.data.error == "ADDRESS_NOT_FOUND", refused
try:
    sender.send_message(message("over"))
    raise SystemExit("the limit was not told")
except ApiException as refused:
    assert refused.status == 429 and isinstance(refused.data, ErrorBody), refused
    assert (refused.data.error, refused.data.limit) == ("RATE_LIMIT_EXCEEDED", 1), refused
print("done")
