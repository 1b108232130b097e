import { requestText } from "./http-connection.js";
import { type BenchDevice, newId, newText, newTextToMany } from "./load-clients.js";

/**
 * Bytes that send messages, made once: only ids, recipients and the sender's token are overwritten for the next
 * messages. Creating every message again would cost the driver more than sending it.
 */
export interface Prepared {
  readonly bytes: Buffer;
  /** The ids of its messages. */
  readonly ids: readonly string[];
  /** Turns them into new messages, the message at each index for the device at that index. */
  renew(recipientOf: (index: number) => BenchDevice): void;
  /** Turns them into messages of this sender. */
  from(sender: BenchDevice): void;
}

/** One message as a request of POST /v1/messages. */
export function preparedRequest(sender: BenchDevice, recipient: BenchDevice, ciphertextBytes?: number): Prepared {
  const json = newText(recipient, ciphertextBytes);
  const request = requestText("POST", "/v1/messages", { token: sender.token, json });
  return prepared(Buffer.from(request), { sender, recipients: [recipient] });
}

/** One message per recipient, as a request of POST /v1/messages/batch. */
export function preparedBatch(sender: BenchDevice, recipients: readonly BenchDevice[]): Prepared {
  const json = `{"messages":[${recipients.map((recipient) => newText(recipient)).join(",")}]}`;
  const request = requestText("POST", "/v1/messages/batch", { token: sender.token, json });
  return prepared(Buffer.from(request), { sender, recipients });
}

/** One message to many recipients, as a request of POST /v1/messages/multi. */
export function preparedToMany(sender: BenchDevice, recipients: readonly BenchDevice[]): Prepared {
  const json = newTextToMany(recipients);
  const request = requestText("POST", "/v1/messages/multi", { token: sender.token, json });
  return prepared(Buffer.from(request), { sender, recipients });
}

const idName = '"message_id":"';
const idLength = 36;

function prepared(
  bytes: Buffer,
  { sender, recipients }: { sender: BenchDevice; recipients: readonly BenchDevice[] },
): Prepared {
  const idsAt = placesOf(bytes, idName).map((at) => at + idName.length);
  const addressesAt = placesInOrder(bytes, recipients);
  const ids = idsAt.map((at) => bytes.toString("latin1", at, at + idLength));
  const addressLength = recipients[0]?.address.length ?? 0;
  const tokenAt = bytes.indexOf(sender.token);
  let { token } = sender;
  return {
    bytes,
    ids,
    renew(recipientOf) {
      for (let i = 0; i < idsAt.length; i++) {
        const id = newId();
        ids[i] = id;
        bytes.write(id, idsAt[i] as number, "latin1");
      }
      for (let i = 0; i < addressesAt.length; i++) {
        const { address } = recipientOf(i);
        if (address.length !== addressLength) throw new Error("the addresses of recipients differ in length");
        bytes.write(address, addressesAt[i] as number, "latin1");
      }
    },
    from(next) {
      if (next.token === token) return;
      if (next.token.length !== token.length) throw new Error("the tokens of senders differ in length");
      token = next.token;
      bytes.write(token, tokenAt, "latin1");
    },
  };
}

function placesOf(bytes: Buffer, text: string): number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) places.push(at);
  return places;
}

/** The offset of each recipient's address. They are in the order of the recipients. */
function placesInOrder(bytes: Buffer, recipients: readonly BenchDevice[]): number[] {
  let at = -1;
  return recipients.map(({ address }) => {
    at = bytes.indexOf(address, at + 1);
    return at;
  });
}
