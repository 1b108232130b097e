// The messages of the time before a device was linked: another device of the user stores them for it as an encrypted file.

import { BlobError, type BlobReference, downloadBlob, readBlobReference, uploadBlob } from "../../client/index.js";
import { utf8 } from "../../protocol/encodings.js";
import type { Core } from "../sending/core.js";
import type { Message } from "../store/events.js";
import { importMessages } from "../store/messages.js";
import { messagePrefix } from "../store/record-keys.js";

const historyDays = 7;

export async function uploadHistory({ ledger, device, closing }: Core): Promise<BlobReference> {
  const messages = (await ledger.readAll(messagePrefix)).map(([, message]) => message);
  const file = utf8(JSON.stringify(messages.sort((a, b) => a.seq - b.seq)));
  const { reference } = await uploadBlob(device, file, { lifetimeSeconds: historyDays * 86_400, signal: closing });
  return reference;
}

/** Stores what the other device has sent, and removes the record of the work. */
export async function takeHistory(core: Core, key: string, reference: unknown): Promise<void> {
  const { ledger, device, account, closing, nowMillis, problem } = core;
  const { runtime } = device.connection;
  const file = await new Response(downloadBlob(readBlobReference(reference), { runtime, signal: closing }))
    .text()
    .catch((failure: unknown) => {
      if (!(failure instanceof BlobError)) throw failure;
      // This device was off until the file had ended.
      problem(failure);
      return "[]";
    });
  await ledger.inTurn(async (transaction) => {
    const taken = JSON.parse(file) as Message[];
    await importMessages(transaction, { messages: taken, user: account.user, nowMillis: nowMillis() });
    transaction.remove(key);
    transaction.event({ type: "history", messages: taken.length });
    await transaction.commit();
  });
}
