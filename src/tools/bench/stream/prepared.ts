import { type BenchDevice, newId, newText } from "../load-clients.js";
import { framed } from "../raw-stream.js";
import { requestText } from "../wire.js";

/** Bytes that send a message; only its id and its recipient change. To make them costs the driver about a microsecond. */
export interface PreparedMessage {
  readonly bytes: Buffer;
  /** Makes it a new message to this device, and gives its id. */
  renew(to: BenchDevice): string;
}

/** A message as a request of POST /v1/messages. */
export function preparedRequest(sender: BenchDevice, recipient: BenchDevice): PreparedMessage {
  const { id, text } = newText(recipient);
  const request = requestText("POST", "/v1/messages", { token: sender.token, json: text });
  return prepared(Buffer.from(request), id, recipient);
}

/** A message as a `send` frame. */
export function preparedFrame(recipient: BenchDevice): PreparedMessage {
  const { id, text } = newText(recipient);
  return prepared(framed(`{"type":"send","message":${text}}`), id, recipient);
}

/** All devices' addresses have one length. */
function prepared(bytes: Buffer, firstId: string, { address }: BenchDevice): PreparedMessage {
  const [idAt, addressAt] = [bytes.indexOf(firstId), bytes.indexOf(address)];
  return {
    bytes,
    renew(to) {
      const id = newId();
      bytes.write(id, idAt, "latin1");
      bytes.write(to.address, addressAt, "latin1");
      return id;
    },
  };
}
