import { type FrameFault, validateClientFrame } from "../../generated/frame-validators.js";
import type {
  AckBatchFrame,
  AckFrame,
  ClientFrame,
  ErrorFrame,
  MessageData,
  MessageFrame,
  SendFrame,
  SendResultFrame,
  ServerFrame,
  SystemFrame,
} from "../../generated/frames.js";
import { optionalMembers } from "../../generated/frames.js";
import type { QueuedMessage, SentMessage } from "../messages/model/types.js";
import { joinedLength, joinJson } from "../platform/joined-json.js";
import { replaceUnstorable } from "../protocol/encodings.js";
import { type ErrorId, errorBody, RelayError, requestedSeconds } from "../protocol/errors.js";
import { parseMessageId } from "../protocol/identifiers.js";
import { kibibyte } from "../protocol/units.js";

const mayBeAbsent: ReadonlySet<string> = new Set(optionalMembers);

/** A frame that a client sent, or the fault of a frame that violates the contract. */
export type Incoming = { frame: ClientFrame } | { fault: string; path: string };

/** Parses one WebSocket message. Never throws. */
export function readFrame(data: Buffer, isBinary: boolean): Incoming {
  if (isBinary) return { fault: "must be a text message", path: "" };
  const text = data.toString("utf8");
  const value = parsed(text);
  if (value === undefined) return { fault: "must be JSON", path: "" };
  if (validateClientFrame(value)) return { frame: value };
  // As in requests, null for an optional member is the same as leaving it out.
  const withoutNulls = parsed(text, (name, member) => (member === null && mayBeAbsent.has(name) ? undefined : member));
  if (validateClientFrame(withoutNulls)) return { frame: withoutNulls };
  return describe(validateClientFrame.errors?.[0]);
}

/** The text of a frame. */
export function encodeFrame(frame: ServerFrame): string {
  return JSON.stringify(frame);
}

/** A queued message as the frame that pushes it: `system` if it carries a system event, else `message`. */
export function deliveryFrame(message: QueuedMessage): MessageFrame | SystemFrame {
  const data: MessageData = {
    message_id: message.messageId,
    mls_ciphertext: message.ciphertext.toString("base64"),
    sender_signature: message.senderSignature,
    timestamp: message.timestamp,
    received_at: message.receivedAt,
  };
  const { systemEvent } = message;
  if (systemEvent === null) return { type: "message", data };
  return { type: "system", event: systemEvent.event, data: { ...data, extension_type: systemEvent.extensionType } };
}

/** An online-only message as the frame that pushes it. */
export function onlineFrame(message: QueuedMessage): MessageFrame | SystemFrame {
  const frame = deliveryFrame(message);
  frame.data.online = true;
  return frame;
}

/** From this size on, a frame's text is kept for other recipients of the same message. */
const keptCiphertextBytes = 64 * kibibyte;
const keptTexts = new WeakMap<Buffer, { of: QueuedMessage; text: Buffer }>();

/**
 * The text of the frame that pushes a message. The recipients of one message to many get the same bytes, of which there is
 * one copy in memory.
 */
export function encodeDelivery(message: QueuedMessage): string | Buffer {
  const { ciphertext } = message;
  if (ciphertext.length < joinedLength) return encodeFrame(deliveryFrame(message));
  if (ciphertext.length < keptCiphertextBytes) return joinFrame(message);
  const kept = keptTexts.get(ciphertext);
  if (kept !== undefined && looksTheSame(kept.of, message)) return kept.text;
  const text = joinFrame(message);
  keptTexts.set(ciphertext, { of: message, text });
  return text;
}

const nothing = Buffer.alloc(0);

function joinFrame(message: QueuedMessage): Buffer {
  const rest = encodeFrame(deliveryFrame({ ...message, ciphertext: nothing }));
  return joinJson(rest, "mls_ciphertext", [message.ciphertext.toString("base64")]);
}

/** Whether two messages with one ciphertext give the same frame. */
function looksTheSame(one: QueuedMessage, other: QueuedMessage): boolean {
  return (
    one.messageId === other.messageId &&
    one.senderSignature === other.senderSignature &&
    one.timestamp === other.timestamp &&
    one.receivedAt === other.receivedAt &&
    one.systemEvent?.event === other.systemEvent?.event &&
    one.systemEvent?.extensionType === other.systemEvent?.extensionType
  );
}

/** The bytes of the frame that pushes a message; nothing of the ciphertext is encoded for it. All of it is ASCII. */
export function deliveryFrameBytes(message: QueuedMessage): number {
  const rest = encodeFrame(deliveryFrame({ ...message, ciphertext: nothing })).length;
  return rest + 4 * Math.ceil(message.ciphertext.length / 3);
}

/** The message of a send frame. */
export function readSentMessage({ message }: SendFrame): SentMessage {
  const { system_event: event } = message;
  return {
    messageId: message.message_id,
    recipientAddress: message.recipient_address,
    mlsCiphertext: message.mls_ciphertext,
    senderSignature: message.sender_signature,
    timestamp: message.timestamp,
    systemEvent: event === undefined ? null : { event: event.event, extensionType: event.extension_type ?? null },
    lifetimeSeconds: message.expires_in_seconds,
  };
}

/** The outcome of a send frame's message: how it was accepted, or the error. */
export function sendResultFrame(
  { message }: SendFrame,
  outcome: Pick<SendResultFrame, "status" | "delivery_estimate"> | { error: unknown },
): SendResultFrame {
  const about = {
    type: "send_result" as const,
    message_id: replaceUnstorable(message.message_id),
    recipient_address: replaceUnstorable(message.recipient_address),
  };
  if (!("error" in outcome)) return { ...about, ...outcome };
  const { type: _, message_id: __, message_ids: ___, ...error } = errorFrame(outcome.error);
  return { ...about, status: "rejected", ...error, ...detailsOf(outcome.error) };
}

/** The catalogue's details of an error, which name members of a body, converted to the stream's form. */
function detailsOf(error: unknown): Pick<SendResultFrame, "details"> {
  const details = error instanceof RelayError ? error.extras["details"] : undefined;
  if (!Array.isArray(details)) return {};
  return { details: (details as FrameFaults).map(({ path, message }) => ({ path: pointerOf(path), message })) };
}

type FrameFaults = { path: string; message: string }[];

function pointerOf(path: string): string {
  return path.replace(/^body/, "/message");
}

/** Bytes of an id in a list, and of an error frame without ids. */
const idBytes = 39;
const errorFrameBytes = 1200;

/** The answer to an acknowledgement that failed: its messages, in frames that the client accepts. */
export function failedAcknowledgementFrames(
  error: unknown,
  frame: AckFrame | AckBatchFrame,
  maxFrameBytes: number,
): ErrorFrame[] {
  const failed = errorFrame(error);
  if (frame.type === "ack") return [{ ...failed, message_id: parseMessageId(frame.message_id) ?? frame.message_id }];
  const ids = frame.message_ids.map(parseMessageId).filter((messageId) => messageId !== undefined);
  if (ids.length === 0) return [failed];
  const perFrame = Math.max(1, Math.floor((maxFrameBytes - errorFrameBytes) / idBytes));
  const frames: ErrorFrame[] = [];
  for (let at = 0; at < ids.length; at += perFrame)
    frames.push({ ...failed, message_ids: ids.slice(at, at + perFrame) });
  return frames;
}

/** An error of the catalogue as a frame. Any other error becomes INTERNAL, without details. */
export function errorFrame(error: unknown): ErrorFrame {
  const known = error instanceof RelayError ? error : new RelayError("INTERNAL", "the server failed");
  const { error: name, message, code } = errorBody(known);
  const { limit, reset_at: resetAt } = known.extras;
  const retryAfter = requestedSeconds(known) ?? defaultRetryAfter[known.id];
  return {
    type: "error",
    error: name,
    message,
    code,
    ...(typeof limit === "number" ? { limit } : {}),
    ...(typeof resetAt === "number" || resetAt === null ? { reset_at: resetAt } : {}),
    ...(retryAfter === undefined ? {} : { retry_after: retryAfter }),
  };
}

/** The error frame for a frame that violates the contract. */
export function faultFrame(incoming: { fault: string; path: string }): ErrorFrame {
  const frame = errorFrame(new RelayError("INVALID_REQUEST", "the frame is outside the contract"));
  return { ...frame, details: [{ path: incoming.path, message: incoming.fault }] };
}

/** Seconds after which to try again, for errors that do not name them. */
const defaultRetryAfter: Partial<Record<ErrorId, number>> = { OVERLOADED: 1, DATABASE_UNAVAILABLE: 5, INTERNAL: 5 };

function parsed(text: string, reviver?: (name: string, value: unknown) => unknown): unknown {
  try {
    return JSON.parse(text, reviver);
  } catch {
    return undefined;
  }
}

/** Quotes the contract, never the client, except for the path, which is truncated. */
function describe(fault: FrameFault | undefined): { fault: string; path: string } {
  const path = (fault?.instancePath ?? "").slice(0, 200);
  const problem =
    fault?.keyword === "discriminator" ? "type must be auth, ack, ack_batch, send or ping" : fault?.message;
  return { fault: (problem ?? "does not fit").slice(0, 300), path };
}
