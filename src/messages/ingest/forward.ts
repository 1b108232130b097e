import type { Db } from "../../platform/database/connection.js";
import type { Accepted, Refused, SystemEvent } from "../types.js";
import { type Item, isRemote, refusalOf } from "./item.js";

/** A message for another server, with the hash by which that server may recognise a repetition. */
export interface OutgoingMessage {
  domain: string;
  recipient: string;
  messageId: string;
  ciphertext: Buffer;
  senderSignature: string;
  timestamp: number;
  systemEvent: SystemEvent | null;
  dedupTag: string;
}

/** Stores messages for other servers in the transaction that accepts them; may refuse some. */
export type Forward = (trx: Db, messages: readonly OutgoingMessage[]) => Promise<(Accepted | Refused)[]>;

/** Hands the accepted messages for other servers over; their outcome is what comes back. */
export async function forwardRemote(trx: Db, items: readonly Item[], forward: Forward | undefined): Promise<void> {
  const remote = items.filter((item) => isRemote(item) && refusalOf(item) === undefined);
  if (remote.length === 0 || forward === undefined) return;
  const outcomes = await forward(trx, remote.map(outgoing));
  remote.forEach((item, i) => {
    item.outcome = outcomes[i];
  });
}

function outgoing({ envelope, key }: Item): OutgoingMessage {
  const { domain = "", recipient, messageId, ciphertext, senderSignature, timestamp, systemEvent } = envelope;
  const dedupTag = Buffer.from(key, "latin1").toString("hex");
  return { domain, recipient, messageId, ciphertext, senderSignature, timestamp, systemEvent, dedupTag };
}
