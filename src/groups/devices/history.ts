// The messages of the time before a device was linked: another device of the user stores them for it as an encrypted file.

import {
  AnswerError,
  type BlobReference,
  ConnectionError,
  downloadBlob,
  readBlobReference,
  uploadBlob,
} from "../../client/index.js";
import { utf8 } from "../../protocol/encodings.js";
import { decodeRecord } from "../encoding/records.js";
import type { DeviceCore } from "../sending/device-core.js";
import { atRelay } from "../sending/file-transfers.js";
import { isFinal } from "../sending/retry.js";
import type { Message } from "../store/events.js";
import { importMessages } from "../store/messages.js";
import { groupPrefix, localPrefix, messagePrefix, restOf } from "../store/record-keys.js";
import type { Entries } from "../store/records.js";
import { type LocalNews, toTell, userPrefix } from "./local-state.js";

const historyDays = 7;
/** Of one message to another device, in characters of its JSON. */
const maxTold = 50_000;

export async function uploadHistory({ ledger, device, closing }: DeviceCore): Promise<BlobReference> {
  const messages = (await ledger.readAll(messagePrefix)).map(([, message]) => message);
  const file = utf8(JSON.stringify(messages.sort((a, b) => a.seq - b.seq)));
  const { reference } = await uploadBlob(device, file, { lifetimeSeconds: historyDays * 86_400, signal: closing });
  return reference;
}

/** Stores what the other device has sent, and removes the record of the work. It is given up once no such file can be there any more. */
export async function takeHistory(
  core: DeviceCore,
  key: string,
  { reference, at = 0 }: { reference: unknown; at?: number | undefined },
): Promise<void> {
  const { ledger, device, account, closing, nowMillis, problem, sealing } = core;
  const { runtime } = device.connection;
  const isOver = at < nowMillis() / 1000 - historyDays * 86_400;
  // A user's devices are linked at one relay. Another host would learn where this device is.
  const own = { domain: sealing.domain, reference: readBlobReference(reference), signal: closing };
  const file = await new Response(downloadBlob(await atRelay(core, own), { runtime, signal: closing }))
    .text()
    .catch((failure: unknown) => {
      const mayPass = failure instanceof ConnectionError || (failure instanceof AnswerError && !isFinal(failure));
      if (closing.aborted || (mayPass && !isOver)) throw failure;
      // This device was off until the file had ended, or it never was one.
      problem(failure);
      return "[]";
    });
  await ledger.inTurn(async (transaction) => {
    const taken = messagesIn(file);
    await importMessages(transaction, { messages: taken, user: account.user, nowMillis: nowMillis() });
    transaction.remove(key);
    transaction.event({ type: "history", messages: taken.length });
    await transaction.commit();
  });
}

/** All that is set for groups of this device, and for users, for a new device: in messages that are not too large. */
export async function allLocal({ ledger }: DeviceCore): Promise<LocalNews[]> {
  const messages: LocalNews[] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const [key, value] of await ledger.store.list({ prefix: localPrefix })) {
    const of = restOf(key, localPrefix);
    if (!of.startsWith(userPrefix) && (await ledger.store.get(groupPrefix + of)) === undefined) continue;
    if (length + value.length > maxTold) {
      messages.push({});
      length = 0;
    }
    length += value.length;
    Object.assign(messages.at(-1) as LocalNews, { [of]: toTell(decodeRecord<Entries>(value)) });
  }
  return messages;
}

/** Those that have the form of messages: one without it would keep all others of its group from being read. */
function messagesIn(file: string): Message[] {
  try {
    const read: unknown = JSON.parse(file);
    return Array.isArray(read) ? read.filter(isMessage) : [];
  } catch {
    return [];
  }
}

function isMessage(value: unknown): value is Message {
  const {
    id,
    group,
    from,
    text,
    sentAtMillis,
    receivedAtMillis,
    reactions,
    receipts,
    mentions = [],
    file,
  } = Object(value);
  const { user, name, device } = Object(from);
  const { reference, relay, name: fileName, mediaType } = Object(file);
  return (
    [id, group, text, user, name, device].every(isText) &&
    [sentAtMillis, receivedAtMillis].every(Number.isSafeInteger) &&
    Object.values(reactions ?? [0]).every((one) => Array.isArray(one) && one.every(isText)) &&
    Object.values(receipts ?? [0]).every(isText) &&
    Array.isArray(mentions) &&
    mentions.every((one) => isText(Object(one).user)) &&
    (file === undefined || (typeof reference === "object" && [relay, fileName, mediaType].every(isText)))
  );
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
