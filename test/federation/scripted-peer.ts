import { createHash } from "node:crypto";
import { type PeerAnswer, type PeerCalls, PeerError } from "../../src/federation/peers/types.js";

/** A message as it arrives at another server. */
export interface Arrived {
  domain: string;
  message_id: string;
  recipient_address: string;
  mls_ciphertext: string;
  ciphertext_from?: number;
  ciphertext_bytes?: number;
  sender_signature: string;
  timestamp: number;
  dedup_tag?: string;
  system_event?: unknown;
}

/** One attempt as another server sees it. */
export interface Attempt {
  domain: string;
  id: string;
  body: Buffer;
  attached: boolean;
  messages: Arrived[];
}

/** Turns an attempt into an answer; `take` processes it as a relay does. */
type Behaviour = (attempt: Attempt, take: () => PeerAnswer) => PeerAnswer | Promise<PeerAnswer>;

/**
 * Other servers, as far as they can be seen from outside: each remembers transactions and messages, and answers as the
 * contract says unless it is told to behave otherwise.
 */
export interface ScriptedPeer extends Pick<PeerCalls, "deliver" | "isReady" | "reach" | "offers"> {
  attempts: Attempt[];
  /** What was delivered, each once, in order. */
  arrived: Arrived[];
  /** Times that a message was offered again and recognised. */
  repeated: number;
  /** Most transactions that were on their way to one domain at once. */
  maxAtOnce: number;
  behave: Behaviour;
  /** The error that a recipient's messages are refused with. */
  refusals: Map<string, string>;
  /** Whether refusals name the recipient. */
  namesRecipients: boolean;
  /** Whether its discovery document offers shared ciphertexts. */
  shares: boolean;
  /** Whether it offers to take ciphertexts as bytes, and the number of messages that it offers to take. */
  attaches: boolean;
  max: number | null;
  /** Whether it offers to take `dedup_tag` and `system_event`. */
  extends: boolean;
  ready: boolean;
}

/** Has attempts wait until they are let go, one by one; gives what lets them go, the one that waits longest first. */
export function holdAttempts(peer: ScriptedPeer): (() => void)[] {
  const go: (() => void)[] = [];
  peer.behave = async (_, take) => {
    await new Promise<void>((resolve) => go.push(resolve));
    return take();
  };
  return go;
}

export function createScriptedPeer(): ScriptedPeer {
  const seen = new Set<string>();
  const transactions = new Map<string, { digest: string; answer: PeerAnswer }>();
  const open = new Map<string, number>();

  const process = ({ domain, id, body, messages }: Attempt): PeerAnswer => {
    const digest = createHash("sha256").update(body).digest("hex");
    const known = transactions.get(`${domain} ${id}`);
    if (known) return known.digest === digest ? known.answer : answer(409, { error: "CONFLICT", code: 4028 });
    const accepted: string[] = [];
    const rejected: unknown[] = [];
    for (const message of messages) {
      const error = peer.refusals.get(message.recipient_address);
      const recipient = peer.namesRecipients ? { recipient_address: message.recipient_address } : {};
      if (error) rejected.push({ message_id: message.message_id, ...recipient, error, code: 1, message: "" });
      else accepted.push(message.message_id);
      if (error) continue;
      const key = message.dedup_tag ?? `${message.message_id} ${message.recipient_address}`;
      if (seen.has(key)) peer.repeated += 1;
      else peer.arrived.push(message);
      seen.add(key);
    }
    const receipt = answer(200, {
      transaction_id: id,
      status: rejected.length === 0 ? "accepted" : "partial",
      accepted_messages: accepted,
      rejected_messages: rejected,
      timestamp: 1,
    });
    transactions.set(`${domain} ${id}`, { digest, answer: receipt });
    return receipt;
  };

  const peer: ScriptedPeer = {
    attempts: [],
    arrived: [],
    repeated: 0,
    maxAtOnce: 0,
    refusals: new Map(),
    namesRecipients: false,
    shares: false,
    attaches: false,
    max: null,
    extends: true,
    ready: true,
    isReady: () => peer.ready,
    reach: async () => undefined,
    offers: async () => ({
      sharesCiphertexts: peer.shares,
      attachesCiphertexts: peer.attaches,
      takesDedupTags: peer.extends,
      takesSystemEvents: peer.extends,
      takesLifetimes: peer.extends,
      takesReports: false,
      answersSlots: false,
      givesKeyPackages: false,
      transactionMessages: peer.max,
    }),
    behave: (_, take) => take(),
    async deliver(domain, id, { bytes: body, attached }) {
      const messages = attached ? readAttached(body) : readJson(body);
      const attempt = {
        domain,
        id,
        body,
        attached,
        messages: messages.map((message) => ({ ...whole(message, messages), domain })),
      };
      peer.attempts.push(attempt);
      open.set(domain, (open.get(domain) ?? 0) + 1);
      peer.maxAtOnce = Math.max(peer.maxAtOnce, open.get(domain) ?? 0);
      try {
        return await peer.behave(attempt, () => process(attempt));
      } finally {
        open.set(domain, (open.get(domain) ?? 0) - 1);
      }
    },
  };
  return peer;
}

function readJson(body: Buffer): Arrived[] {
  return (JSON.parse(body.toString()) as { messages: Arrived[] }).messages;
}

/** The messages of a body with ciphertexts behind its JSON. */
function readAttached(body: Buffer): Arrived[] {
  const end = 4 + body.readUInt32BE(0);
  let at = end;
  const messages = readJson(body.subarray(4, end)).map(({ ciphertext_bytes: bytes = 0, ...message }) => {
    if (message.ciphertext_from !== undefined) return message;
    at += bytes;
    return { ...message, mls_ciphertext: body.subarray(at - bytes, at).toString("base64") };
  });
  if (at !== body.length) throw new Error(`${body.length - at} bytes are left`);
  return messages;
}

/** The message with the ciphertext that it shares with another. */
function whole({ ciphertext_from: from, ...message }: Arrived, all: readonly Arrived[]): Arrived {
  return from === undefined ? message : { ...message, mls_ciphertext: all[from]?.mls_ciphertext ?? "" };
}

export function answer(status: number, body: unknown, headers: Record<string, string> = {}): PeerAnswer {
  return { status, headers, body };
}

/** A connection that breaks. */
export function broken(): never {
  throw new PeerError("connection", "the connection broke");
}
