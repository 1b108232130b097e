import { createHash } from "node:crypto";
import type { SentMessage } from "../../messages/model/types.js";
import { mapInSlices } from "../../platform/concurrency/map-in-slices.js";
import { replaceUnstorable } from "../../protocol/encodings.js";

// How a repeated delivery is recognised; idempotency.ts decides what it gets.

/** A message from another server, whose members have the right types. */
export interface FederatedMessage extends SentMessage {
  /** The first required member that is missing, if any. */
  lacking: string | undefined;
  /** If the message shares the ciphertext of another message: that message's index in the delivery. */
  ciphertextFrom: number | undefined;
  dedupTag: string | undefined;
}

/** The answer, in the form that is stored for repetitions. */
export interface DeliveryAnswer {
  accepted: string[];
  rejected: { messageId: string; recipientAddress: string; error: string; code: number; message: string }[];
  timestamp: number;
}

/** Normalizes an id: case and hyphens do not matter. */
export function comparedId(id: string): string {
  return id.toLowerCase().replaceAll("-", "");
}

/** Whether an answer names every message, so that it also answers a repetition with these messages. */
export function coverageBy(messages: readonly FederatedMessage[]) {
  return ({ accepted, rejected }: DeliveryAnswer): boolean => {
    const left = new Map<string, number>();
    for (const id of [...accepted, ...rejected.map(({ messageId }) => messageId)]) {
      left.set(comparedId(id), (left.get(comparedId(id)) ?? 0) + 1);
    }
    return messages.every(({ messageId }) => {
      const id = comparedId(replaceUnstorable(messageId));
      left.set(id, (left.get(id) ?? 0) - 1);
      return (left.get(id) ?? 0) >= 0;
    });
  };
}

/**
 * A digest of every member of every message, to recognise a different body under the same transaction id. JSON delimits
 * the members, and the ciphertext is preceded by its length. A shared ciphertext is named by the index of its message,
 * so each ciphertext is hashed once. A ciphertext that came as bytes is hashed as bytes: the same message in base64
 * counts as different. BLAKE2b is the fastest suitable hash on processors without hash instructions.
 */
export async function digestOf(messages: readonly FederatedMessage[]): Promise<Buffer> {
  const hash = createHash("blake2b512");
  await mapInSlices(messages, bytesOf, (message) => {
    const { mlsCiphertext } = message;
    if (message.ciphertextFrom !== undefined) hash.update(digestedText(message, { from: message.ciphertextFrom }));
    else if (typeof mlsCiphertext === "string") {
      hash.update(digestedText(message, mlsCiphertext.length) + mlsCiphertext);
    } else hash.update(digestedText(message, { bytes: mlsCiphertext.length })).update(mlsCiphertext);
  });
  return hash.digest();
}

function digestedText(message: FederatedMessage, ciphertext: number | { from: number } | { bytes: number }): string {
  const { messageId, recipientAddress, senderSignature, timestamp, systemEvent, lifetimeSeconds, dedupTag } = message;
  const texts = [messageId, recipientAddress, senderSignature, String(timestamp), dedupTag ?? ""];
  return JSON.stringify([...texts, systemEvent, lifetimeSeconds, ciphertext]);
}

export function bytesOf({ mlsCiphertext }: FederatedMessage): number {
  return mlsCiphertext.length;
}
