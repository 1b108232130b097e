import { verifySignature } from "../auth/signature-check.js";
import type { PeerResponse, SlotQuestion } from "../federation/model/types.js";
import type { Clock } from "../node/clock.js";
import { comparedDomain } from "../protocol/address.js";
import { decodeBase64, decodeHex, encodeBase64, encodeHex } from "../protocol/encodings.js";
import { type ErrorId, errorCatalogue, RelayError } from "../protocol/errors.js";
import { readRetryAfter } from "../protocol/retry-after.js";
import { slotReceiptText } from "../protocol/signed-text.js";
import { hashOf } from "./receipt.js";
import type { Slot, SlotContent, SlotTaker, TakenSlot } from "./types.js";

/** The slots of other relays. What a peer answers is passed on only if its receipt proves it. */
export type PeerSlots = ReturnType<typeof createPeerSlots>;

/** Refusals of a peer that repetitions do not change. */
const finalRefusals: readonly ErrorId[] = ["SLOT_EXPIRED", "SLOTS_RESTARTED", "QUEUE_FULL", "MESSAGE_TOO_LARGE"];
const retrySeconds = 2;
const longestRetrySeconds = 60;

export function createPeerSlots(deps: {
  clock: Clock;
  ask(domain: string, question: SlotQuestion): Promise<PeerResponse>;
}) {
  const ask = async (domain: string, question: SlotQuestion, final: readonly ErrorId[]) =>
    readAnswer(await deps.ask(domain, question), { final, nowMillis: deps.clock.nowMillis() });
  return {
    /**
     * Throws what the peer has refused the request with, if it is final, else PEER_UNAVAILABLE: then the peer may have taken the
     * content. Throws INVALID_ADDRESS, FEDERATION_DISABLED and FEDERATION_FAILED before the peer is asked.
     */
    async take(domain: string, wanted: SlotContent): Promise<TakenSlot> {
      const slot = encodeHex(wanted.slot);
      const question = {
        slot,
        content: encodeBase64(wanted.content),
        slot_key: encodeHex(wanted.slotKey),
        public_key: encodeHex(wanted.publicKey),
        signature: wanted.signature,
        ...(wanted.path && { path: wanted.path.map(encodeHex) }),
      };
      const said = await ask(domain, question, finalRefusals);
      const own = hashOf(wanted.content);
      const won = said["won"];
      if (typeof won !== "boolean") throw unusable("does not say who won");
      const taken = readSlot(said, { domain, slot, content: won ? wanted.content : undefined });
      if (!taken.slotKey.equals(wanted.slotKey)) throw unusable("has a receipt by another key");
      if (!won && taken.contentHash.equals(own)) throw unusable("contradicts itself");
      return { ...taken, won };
    },
    /** Likewise, and throws NOT_FOUND. */
    async read(domain: string, slot: Buffer): Promise<Slot> {
      const name = encodeHex(slot);
      const said = await ask(domain, { slot: name }, [...finalRefusals, "NOT_FOUND"]);
      return readSlot(said, { domain, slot: name, content: undefined });
    },
  };
}

/** The members of a successful answer. */
function readAnswer(
  { status, headers, body }: PeerResponse,
  { final, nowMillis }: { final: readonly ErrorId[]; nowMillis: number },
): Record<string, unknown> {
  const said = membersOf(body);
  if (status === 200) return said;
  const refusal = final.find(
    (id) => errorCatalogue[id].status === status && errorCatalogue[id].error === said["error"],
  );
  if (refusal !== undefined)
    throw new RelayError(refusal, refusals[refusal] ?? "the other relay has refused the request");
  if (said["error"] === errorCatalogue.SERVER_BLOCKED.error)
    throw new RelayError("FEDERATION_FAILED", "the other relay does not answer this one");
  const askedSeconds = readRetryAfter(headers["retry-after"], nowMillis);
  throw unavailable(`the other relay has answered ${status}; repeat the same request`, askedSeconds);
}

const refusals: Partial<Record<ErrorId, string>> = {
  NOT_FOUND: "nothing has taken this slot",
  SLOT_EXPIRED: "the slot was taken, and its content is kept no longer",
  SLOTS_RESTARTED: "the other relay has another slot key; the group continues as a new group",
  QUEUE_FULL: "the other relay's space for commit slots is used up",
  MESSAGE_TOO_LARGE: "the content is larger than the other relay allows",
};

/** Checks that the answer proves what the slot has. `content` is what the caller has sent, if that has won. */
function readSlot(
  said: Record<string, unknown>,
  asked: { domain: string; slot: string; content: Buffer | undefined },
): Slot {
  const receipt = membersOf(said["receipt"]);
  const { domain, slot, slot_key: key, signature } = receipt;
  const content = asked.content ?? bytesOf(said["content"], decodeBase64);
  const slotKey = bytesOf(key, decodeHex);
  const signatureBytes = bytesOf(signature, decodeHex);
  const expiresAt = said["expires_at"];
  if (content === undefined || content.length === 0) throw unusable("has no content");
  if (slotKey?.length !== 32 || signatureBytes === undefined) throw unusable("has a malformed receipt");
  if (typeof domain !== "string" || comparedDomain(domain) !== comparedDomain(asked.domain) || slot !== asked.slot)
    throw unusable("has the receipt of another slot");
  const contentHash = hashOf(content);
  if (receipt["content_sha256"] !== encodeHex(contentHash)) throw unusable("has a receipt for other content");
  const text = slotReceiptText({ domain, slot: asked.slot, contentHash: encodeHex(contentHash) });
  if (!verifySignature(slotKey, text, encodeHex(signatureBytes))) throw unusable("has a receipt that is not signed");
  if (typeof expiresAt !== "number" || !Number.isSafeInteger(expiresAt) || expiresAt < 0)
    throw unusable("does not say until when the content is kept");
  return {
    domain,
    content,
    contentHash,
    slotKey,
    signature: signatureBytes,
    expiresAt,
    taker: readTaker(said["taker"]),
  };
}

/** Members check it: only they know whose key it may be. */
function readTaker(said: unknown): SlotTaker | undefined {
  const { public_key, signature } = membersOf(said);
  const [publicKey, signatureBytes] = [bytesOf(public_key, decodeHex), bytesOf(signature, decodeHex)];
  const isMalformed = publicKey?.length !== 32 || signatureBytes?.length !== 64;
  return isMalformed ? undefined : { publicKey, signature: signatureBytes };
}

function membersOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function bytesOf(value: unknown, decode: (text: string) => Uint8Array | undefined): Buffer | undefined {
  const bytes = typeof value === "string" ? decode(value) : undefined;
  return bytes === undefined ? undefined : Buffer.from(bytes);
}

function unusable(problem: string): RelayError {
  return unavailable(`the answer of the other relay ${problem}; repeat the same request`, null);
}

function unavailable(message: string, askedSeconds: number | null): RelayError {
  const seconds = Math.min(longestRetrySeconds, Math.max(1, askedSeconds ?? retrySeconds));
  return new RelayError("PEER_UNAVAILABLE", message, { headers: { "Retry-After": String(seconds) } });
}
