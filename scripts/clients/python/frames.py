# Reads frames as the stream sends them into the models that Modelina makes.
import json
import sys

from frames.error_frame import ErrorFrame
from frames.message_frame import MessageFrame
from frames.status_frame import StatusFrame

models = {"message": MessageFrame, "status": StatusFrame, "error": ErrorFrame}
with open(sys.argv[1]) as file:
    document = json.load(file)
for kind, model in models.items():
    for example in document["components"]["messages"][kind]["examples"]:
        frame = model.model_validate({**example["payload"], "added_later": True})
        assert frame.type.value == kind, frame
print("done")
