// Messages to members that nothing links but their time, their length, and the transaction that stores them: each recipient gets
// another id, other bytes, and another signature. They count as much as those of `sendToGroup`, which takes less work and lets a
// copy of the database show which messages are copies.

import {
  canBeReported as canIdBeReported,
  newPlainId,
  newReportableId,
  reportHandleBytes,
} from "../../protocol/report-handles.js";
import type { CallOptions, Schemas } from "../connection/calls.js";
import type { Connection } from "../connection/connection.js";
import { type EpochKeys, sealEnvelope } from "../crypto/envelope.js";
import { signInEpoch } from "../crypto/message-signatures.js";
import type { DeviceClient } from "../device/client.js";
import { demandLifetime, type OutgoingMessage } from "../messages/messages.js";
import { demandAddress, demandArray, demandClient, demandConnection, demandOptions } from "../runtime/arguments.js";
import { sealWelcome, type WelcomeRecipient } from "./sealed-welcomes.js";

/** A message as it is sent, and sent again after a lost answer: store it before it is sent. */
export type SealedMessage = Required<Omit<OutgoingMessage, "systemEvent" | "expiresInSeconds">> &
  Pick<OutgoingMessage, "expiresInSeconds">;

const minuteSeconds = 60;
const maxRecipients = 100_000;
const maxBatch = 100;
/** A batch may take 32 MiB in base64. */
const maxBatchBytes = 16 * 1024 * 1024;
const signatureBytes = 64;

/**
 * What is sealed. A function gets the handle that a copy needs to be reported, which the content then has to carry: the recipient checks it with
 * `canBeReported`. What a device sends without its user's doing is `isAutomatic`, and nobody can report it.
 */
export type SealedContent<Name extends string> =
  | { [N in Name]: (handle: Uint8Array) => Uint8Array }
  | ({ [N in Name]: Uint8Array } & { isAutomatic?: boolean | undefined });

/**
 * Seals content, such as an MLS message, for each recipient, with the keys of the epoch in which they can read it. For nobody, that
 * is nothing.
 */
export async function sealMessages(
  {
    to,
    keys,
    expiresInSeconds,
    ...sealed
  }: { to: readonly string[]; keys: EpochKeys } & SealedContent<"content"> & Pick<OutgoingMessage, "expiresInSeconds">,
  connection: Connection,
): Promise<SealedMessage[]> {
  demandArray(to, { what: "to", min: 0, max: maxRecipients }, demandAddress);
  demandConnection(connection, "connection");
  if (typeof sealed.content !== "function") demandLifetime(expiresInSeconds, sealed.content);
  const maxBytes = await maxBytesOf(connection);
  const { randomBytes } = connection.runtime;
  const messages: SealedMessage[] = [];
  for (const address of to) {
    const { bytes, ...idAndTime } = oneOf(sealed.content, "isAutomatic" in sealed && sealed.isAutomatic, connection);
    const ciphertext = sealEnvelope(keys, bytes, { maxBytes, randomBytes });
    const signature = await signInEpoch(keys, ciphertext);
    const lifetime = expiresInSeconds === undefined ? {} : { expiresInSeconds };
    messages.push({ to: address, ciphertext, signature, ...idAndTime, ...lifetime });
  }
  return messages;
}

/** Seals a Welcome to the key package of one joiner. Instead of a signature it has random bytes: nobody could check one. */
export async function sealWelcomeMessage(
  { to, recipient, ...sealed }: { to: string; recipient: WelcomeRecipient } & SealedContent<"welcome">,
  connection: Connection,
): Promise<SealedMessage> {
  demandAddress(to, "to");
  demandConnection(connection, "connection");
  const { bytes, ...idAndTime } = oneOf(sealed.welcome, "isAutomatic" in sealed && sealed.isAutomatic, connection);
  const ciphertext = await sealWelcome(recipient, bytes, { maxBytes: await maxBytesOf(connection) });
  return { to, ciphertext, signature: connection.runtime.randomBytes(signatureBytes), ...idAndTime };
}

/** The relay has rejected some messages. It has accepted the others. */
export class RejectedError extends Error {
  override name = "RejectedError";
  /** Of all messages, in order. */
  readonly statuses: readonly Schemas["MessageStatus"][];
  /** The rejected messages, and why. Those that may pass later have `retry_after`, in seconds. */
  readonly rejected: readonly (Schemas["MessageStatus"] & { message: SealedMessage })[];

  constructor(messages: readonly SealedMessage[], statuses: readonly Schemas["MessageStatus"][]) {
    const pairs = messages.map((message, index) => ({ ...(statuses[index] as Schemas["MessageStatus"]), message }));
    const rejected = pairs.filter(({ status }) => status === "rejected");
    const names = [...new Set(rejected.map(({ error }) => error))].join(", ");
    super(`the relay has rejected ${rejected.length} of ${messages.length} messages: ${names}`);
    this.statuses = statuses;
    this.rejected = rejected;
  }
}

/**
 * Sends messages in as few requests as possible, and returns the status of each, in order. Those of one request are for different
 * recipients and count as one message to many, as far as the relay can do that. Throws RejectedError if the relay has
 * rejected some. If a request fails or is aborted, some may have been sent: send all of them again, which sends none twice.
 */
export async function sendSealed(
  device: DeviceClient,
  messages: readonly SealedMessage[],
  options?: CallOptions,
): Promise<Schemas["MessageStatus"][]> {
  demandClient(device, "device");
  demandArray(messages, { what: "messages", min: 0, max: maxRecipients }, demandOptions);
  const statuses: Schemas["MessageStatus"][] = [];
  for (const batch of batchesOf(messages)) {
    statuses.push(...(await device.sendBatch(batch, { ...options, oneMessage: batch.length > 1 })).message_statuses);
  }
  if (statuses.some(({ status }) => status === "rejected")) throw new RejectedError(messages, statuses);
  return statuses;
}

async function maxBytesOf(connection: Connection): Promise<number> {
  return (await connection.discover()).capabilities.max_message_size;
}

/** One copy: its bytes, id and time. The id begins with a time, too. */
function oneOf(
  content: Uint8Array | ((handle: Uint8Array) => Uint8Array),
  isAutomatic: boolean | undefined,
  { clock, runtime: { randomBytes } }: Connection,
): { bytes: Uint8Array; messageId: string; timestamp: number } {
  const timestamp = minuteSeconds * Math.floor(clock.nowSeconds() / minuteSeconds);
  const handle = randomBytes(reportHandleBytes);
  const doesCommit = typeof content === "function" || isAutomatic;
  const nowMillis = 1000 * timestamp;
  const messageId = doesCommit ? newReportableId(nowMillis, handle) : newPlainId(nowMillis, randomBytes);
  return { bytes: typeof content === "function" ? content(handle) : content, messageId, timestamp };
}

function batchesOf(messages: readonly SealedMessage[]): SealedMessage[][] {
  const batches: SealedMessage[][] = [];
  let [batch, bytes]: [SealedMessage[], number] = [[], 0];
  const recipients = new Set<string>();
  for (const message of messages) {
    const isFull = batch.length === maxBatch || bytes + message.ciphertext.length > maxBatchBytes;
    if (batch.length > 0 && (isFull || recipients.has(message.to))) {
      batches.push(batch);
      [batch, bytes] = [[], 0];
      recipients.clear();
    }
    batch.push(message);
    recipients.add(message.to);
    bytes += message.ciphertext.length;
  }
  return batch.length === 0 ? batches : [...batches, batch];
}

/** Whether a message can be reported, by a recipient to whom its content gave this handle, or none. */
export function canBeReported(messageId: string, handle?: Uint8Array): boolean {
  return canIdBeReported(messageId, handle);
}
