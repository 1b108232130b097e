import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { validateClientFrame, validateServerFrame } from "../../generated/frame-validators.js";
import type { QueuedMessage } from "../../src/messages/model/types.js";
import { RelayError } from "../../src/protocol/errors.js";
import {
  deliveryFrame,
  deliveryFrameBytes,
  encodeDelivery,
  errorFrame,
  faultFrame,
  readFrame,
} from "../../src/stream/frames.js";
import { examplesOf, fromClient, fromServer, schemaOf } from "../support/contract-frames.js";
import { fitting, unfitting } from "../support/schema-arbitrary.js";

function read(frame: unknown) {
  return readFrame(Buffer.from(JSON.stringify(frame)), false);
}

test("every frame of the specification is in the contract", () => {
  expect(fromClient).toEqual(["auth", "ack", "ack_batch", "send", "ping"]);
  expect(fromServer).toEqual([
    "status",
    "message",
    "system",
    "ack_confirmed",
    "ack_batch_confirmed",
    "send_result",
    "error",
  ]);
});

describe.each(fromClient)("the client's frame %s", (name) => {
  test("is accepted in every form that the contract allows", () => {
    fc.assert(fc.property(fitting(schemaOf(name)), (frame) => "frame" in read(frame)));
  });

  test("is outside the contract once a member is missing, added or of another type", () => {
    fc.assert(fc.property(unfitting(schemaOf(name)), (frame) => "fault" in read(frame)));
  });

  test("has examples that are accepted", () => {
    expect(examplesOf(name).length).toBeGreaterThan(0);
    for (const payload of examplesOf(name)) expect(read(payload)).toEqual({ frame: payload });
  });

  test("is not valid as a frame of the server", () => {
    for (const payload of examplesOf(name)) {
      expect(validateServerFrame(payload)).toBe(false);
    }
  });
});

describe.each(fromServer)("the server's frame %s", (name) => {
  test("has examples that are valid, and that the server does not accept from a client", () => {
    expect(examplesOf(name).length).toBeGreaterThan(0);
    for (const payload of examplesOf(name)) {
      expect(validateServerFrame(payload)).toBe(true);
      expect(validateClientFrame(payload)).toBe(false);
    }
  });

  test("is valid in every form that the contract allows, even with members of a later version", () => {
    fc.assert(
      fc.property(fitting(schemaOf(name)), (frame) => validateServerFrame({ ...(frame as object), of_later: [1] })),
    );
  });
});

test.each([
  ["a binary message", Buffer.from('{"type":"ping","timestamp":1}'), true],
  ["no JSON", Buffer.from("{ping}"), false],
  ["an empty message", Buffer.alloc(0), false],
  ["a list", Buffer.from("[]"), false],
  ["null", Buffer.from("null"), false],
  ["an unknown type", Buffer.from('{"type":"subscribe"}'), false],
  ["a type that is no text", Buffer.from('{"type":{"a":1}}'), false],
  ["a member named __proto__", Buffer.from('{"type":"ping","timestamp":1,"__proto__":{}}'), false],
  ["JSON nested 30,000 deep", Buffer.from("[".repeat(30_000) + "]".repeat(30_000)), false],
  [
    "a message id of another version",
    Buffer.from('{"type":"ack","message_id":"6f1e3c1a-7c3f-4d21-9b6e-1f0c5a8e4d33"}'),
    false,
  ],
  ["an empty list of ids", Buffer.from('{"type":"ack_batch","message_ids":[]}'), false],
])("%s is outside the contract", (_, data, isBinary) => {
  expect(readFrame(data, isBinary)).toMatchObject({ fault: expect.any(String), path: expect.any(String) });
});

test("a batch of 1000 ids is accepted and one of 1001 is not", () => {
  const ids = (count: number) => Array<string>(count).fill("019370a27c3f7d219b6e1f0c5a8e4d33");
  expect(read({ type: "ack_batch", message_ids: ids(1000) })).toHaveProperty("frame");
  expect(read({ type: "ack_batch", message_ids: ids(1001) })).toMatchObject({ path: "/message_ids" });
});

test("null for an optional member is the same as leaving it out, and for a required one it is missing", () => {
  expect(read({ type: "auth", access_token: "t", window: null, max_frame_bytes: null })).toEqual({
    frame: { type: "auth", access_token: "t" },
  });
  expect(read({ type: "ping", timestamp: null })).toMatchObject({ path: "/timestamp" });
  expect(read({ type: "ping", timestamp: 1, unknown: null })).toHaveProperty("fault");
});

const queued: QueuedMessage = {
  position: 4,
  messageId: "019370a2-7c3f-7d21-9b6e-1f0c5a8e4d33",
  ciphertext: Buffer.from([0, 1, 2, 255]),
  senderSignature: "ab".repeat(64),
  timestamp: 1_764_547_199,
  receivedAt: 1_764_547_200,
  systemEvent: null,
};

test("a queued message becomes a message frame", () => {
  const frame = deliveryFrame(queued);
  expect(frame).toEqual({
    type: "message",
    data: {
      message_id: queued.messageId,
      mls_ciphertext: "AAEC/w==",
      sender_signature: queued.senderSignature,
      timestamp: 1_764_547_199,
      received_at: 1_764_547_200,
    },
  });
  expect(validateServerFrame(frame)).toBe(true);
});

test("a queued message with a system event becomes a system frame with all members of a message", () => {
  const frame = deliveryFrame({ ...queued, systemEvent: { event: "member_added", extensionType: "permissions" } });
  expect(frame).toMatchObject({
    type: "system",
    event: "member_added",
    data: { message_id: queued.messageId, mls_ciphertext: "AAEC/w==", extension_type: "permissions" },
  });
  expect(validateServerFrame(frame)).toBe(true);
});

test("an error of the catalogue becomes an error frame with its code and delay", () => {
  const error = new RelayError("RATE_LIMIT_EXCEEDED", "Too often.", { extras: { retry_after: 12, limit: 5 } });
  expect(errorFrame(error)).toEqual({
    type: "error",
    error: "RATE_LIMIT_EXCEEDED",
    message: "Too often.",
    code: 4004,
    limit: 5,
    retry_after: 12,
  });
});

test("an unexpected error reveals no details", () => {
  const frame = errorFrame(new Error("select secret from somewhere"));
  expect(frame).toMatchObject({ error: "INTERNAL", code: 5000 });
  expect(JSON.stringify(frame)).not.toContain("secret");
  expect(validateServerFrame(frame)).toBe(true);
});

test("the answer to a frame outside the contract names the path and is valid itself", () => {
  const incoming = read({ type: "ping", timestamp: "now" });
  expect(incoming).toEqual({ fault: "must be integer", path: "/timestamp" });
  const frame = faultFrame(incoming as { fault: string; path: string });
  expect(frame).toMatchObject({ code: 4000, details: [{ path: "/timestamp", message: "must be integer" }] });
  expect(validateServerFrame(frame)).toBe(true);
});

describe("the text of a frame that pushes a message", () => {
  const message: QueuedMessage = {
    position: 1,
    messageId: "0a0f2d6e-3c6c-4a53-9a2b-6f8f3a1d7c11",
    ciphertext: Buffer.alloc(0),
    senderSignature: Buffer.alloc(64, 7).toString("base64"),
    timestamp: 1_700_000_000,
    receivedAt: 1_700_000_001,
    systemEvent: null,
  };
  const events: QueuedMessage["systemEvent"][] = [
    null,
    { event: "epoch_change", extensionType: null },
    { event: "group_extension_updated", extensionType: '"mls_ciphertext":"' },
  ];

  test.each([0, 1, 1_023, 1_024, 10_241, 65_535, 65_536, 100_002])("is its frame as JSON with %i bytes", (length) => {
    const ciphertext = Buffer.from(Array.from({ length }, (_, i) => (i * 31) % 256));
    for (const systemEvent of events) {
      const pushed = { ...message, ciphertext, systemEvent };
      const text = Buffer.from(encodeDelivery(pushed)).toString();
      expect(JSON.parse(text)).toEqual(deliveryFrame(pushed));
      expect(text === JSON.stringify(deliveryFrame(pushed))).toBe(true);
      expect(deliveryFrameBytes(pushed)).toBe(text.length);
    }
  });
});
