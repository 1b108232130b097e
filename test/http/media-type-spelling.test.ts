import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OperationId } from "../../generated/handlers.js";
import { newMessageId } from "../../src/protocol/identifiers.js";
import { call } from "../support/api.js";
import { message, newDevice, type TestDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";

// The same media type as application/json, spelled in full.
const inFull = { "content-type": "application/json; charset=utf-8" };

let relay: TestRelay;
let device: TestDevice;

beforeAll(async () => {
  relay = await startRelay();
  device = await newDevice(relay);
});
afterAll(() => relay.stop());

/** Bodies right and wrong; `$` stands for a message of the device to itself. */
const bodies: Record<string, [OperationId, (good: Record<string, unknown>) => unknown]> = {
  "a message": ["sendMessage", (good) => good],
  "a message with an event": ["sendMessage", (good) => ({ ...good, system_event: { event: "member_added" } })],
  "a member too many": ["sendMessage", (good) => ({ ...good, sender: "me" })],
  "a missing member": ["sendMessage", ({ timestamp: _, ...good }) => good],
  "a wrong type": ["sendMessage", (good) => ({ ...good, timestamp: "now" })],
  "a fraction": ["sendMessage", (good) => ({ ...good, timestamp: 1.5 })],
  "a number beyond its bound": ["sendMessage", (good) => ({ ...good, timestamp: 2 ** 60 })],
  "an address that is none": ["sendMessage", (good) => ({ ...good, recipient_address: "somebody" })],
  "an id that is none": ["sendMessage", (good) => ({ ...good, message_id: "0" })],
  "base64 that is not canonical": ["sendMessage", (good) => ({ ...good, mls_ciphertext: "QUJ=" })],
  base64url: ["sendMessage", (good) => ({ ...good, mls_ciphertext: "__--" })],
  "an unknown recipient": [
    "sendMessage",
    (good) => ({ ...good, recipient_address: "0193a5f0-7b1c-7c3e-9d52-4f6a8b0c1d2e@relay.test" }),
  ],
  "half a surrogate": ["sendMessage", (good) => ({ ...good, sender_signature: "\ud800" })],
  "a list instead of an object": ["sendMessage", () => []],
  "an empty object": ["sendMessage", () => ({})],
  "a batch": ["sendMessageBatch", (good) => ({ messages: [good, { ...good, message_id: "0" }] })],
  "an empty batch": ["sendMessageBatch", () => ({ messages: [] })],
  "too large a batch": ["sendMessageBatch", (good) => ({ messages: Array.from({ length: 101 }, () => good) })],
  "a batch of nulls": ["sendMessageBatch", () => ({ messages: [null] })],
  acknowledgements: ["acknowledgeMessages", ({ message_id: id }) => ({ message_ids: [id, id] })],
  "an acknowledgement of nonsense": ["acknowledgeMessages", () => ({ message_ids: ["nonsense"] })],
  "a report without its members": ["reportSpam", () => ({})],
};

describe("a request whose media type is spelled plainly and one that spells it in full", () => {
  it.each(Object.entries(bodies))("are answered alike: %s", async (_, [operation, change]) => {
    const both = [{}, inFull].map(async (headers) => {
      const good = message(relay, device.address, { timestamp: relay.clock.nowSeconds() });
      const answer = await call(relay, operation, { token: device.token, body: change(good), headers });
      return { status: answer.status, body: withoutIds(answer.body), headers: namesOf(answer.headers) };
    });
    const [plain, full] = await Promise.all(both);
    expect(plain).toEqual(full);
  });

  it.each([
    ["no token", undefined],
    ["a token that is none", "nonsense"],
    ["a token of another server", `e30.e30.${randomBytes(64).toString("base64url")}`],
  ])("are refused alike with %s", async (_, token) => {
    const given = { body: message(relay, device.address), ...(token === undefined ? {} : { token }) };
    const [plain, full] = await Promise.all(
      [{}, inFull].map((headers) => call(relay, "sendMessage", { ...given, headers })),
    );
    expect(plain?.status).toBe(401);
    expect(plain?.body).toEqual(full?.body);
    expect(plain?.headers.get("www-authenticate")).toBe(full?.headers.get("www-authenticate"));
  });

  it("are refused alike where the body is too large", async () => {
    const body = { messages: "x".repeat(3_000_000) };
    const given = { token: device.token, body };
    const [plain, full] = await Promise.all(
      [{}, inFull].map((headers) => call(relay, "acknowledgeMessages", { ...given, headers })),
    );
    expect(plain).toMatchObject({ status: 413, body: full?.body });
  });

  it("are refused alike where the body is no JSON", async () => {
    const answers = [{ "content-type": "application/json" }, inFull].map(async (headers) => {
      const authorization = `Bearer ${device.token}`;
      const init = { method: "POST", headers: { ...headers, authorization }, body: '{"message_ids":[' };
      return (await fetch(`${relay.url}/v1/messages/ack`, init)).json();
    });
    const [plain, full] = await Promise.all(answers);
    expect(plain).toEqual(full);
    expect(plain).toMatchObject({ error: "INVALID_REQUEST" });
  });
});

/** The two requests are about different messages, so their ids, and what was drawn at random, are left out. */
function withoutIds(body: object): unknown {
  const text = JSON.stringify(body).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, newMessageId(0, new Uint8Array(10)));
  return JSON.parse(text);
}

function namesOf(headers: Headers): string[] {
  return [...headers.keys()].filter((name) => !["content-length", "date", "x-request-id"].includes(name)).sort();
}
