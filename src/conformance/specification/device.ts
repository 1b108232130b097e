import { deviceKeysOf } from "../../client/crypto/keys.js";
import { computeDelayProof, delayProofInput } from "../../protocol/delay-proof.js";
import { decodeHex, encodeBase64, encodeHex } from "../../protocol/encodings.js";
import { newMessageId } from "../../protocol/identifiers.js";
import { LimitReached } from "../harness/assertions.js";
import { type Answer, expectBody, type Members, type Request, type Server, text, whole } from "./server.js";

const uuid4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Keys, and the session once they are registered. */
export interface SpecificationDevice {
  deviceId: string;
  publicKey: string;
  address: string;
  token: string;
  sign(content: string): string;
  call(method: string, path: string, request?: Request): Promise<Answer>;
  /** A message with random content. */
  message(recipient: string, changes?: Members): Members & { message_id: string };
  /** Sends it. Throws LimitReached if the device may send no more. */
  send(recipient: string, changes?: Members): Promise<Answer>;
  /** The messages in its queue. */
  queue(): Promise<QueuedMessage[]>;
  /** Acknowledges everything in its queue. */
  clear(): Promise<void>;
}

export interface QueuedMessage extends Members {
  message_id: string;
  received_at: number;
}

/** Keys of a device that no server knows yet. */
export function newDevice(server: Server): SpecificationDevice {
  const keys = deviceKeysOf(randomBytes(server, 32));
  const device: SpecificationDevice = {
    deviceId: keys.deviceId,
    publicKey: encodeHex(keys.publicKey),
    address: "",
    token: "",
    sign: (content) => keys.sign(content) as string,
    call: (method, path, request = {}) => server.call(method, path, { token: device.token, ...request }),
    message: (recipient, changes = {}) => ({
      message_id: newMessageId(server.nowSeconds() * 1000, randomBytes(server, 10)),
      recipient_address: recipient,
      mls_ciphertext: encodeBase64(randomBytes(server, 48)),
      sender_signature: server.randomHex(64),
      timestamp: server.nowSeconds(),
      ...changes,
    }),
    async send(recipient, changes) {
      const answer = await device.call("POST", "/v1/messages", { body: device.message(recipient, changes) });
      if (answer.status === 429) throw new LimitReached("the suite's device may send no more for now");
      return answer;
    },
    async queue() {
      const answer = await device.call("GET", "/v1/messages?limit=1000");
      return expectBody<{ messages: QueuedMessage[] }>(answer, 200).messages;
    },
    async clear() {
      const message_ids = (await device.queue()).map((message) => message.message_id);
      if (message_ids.length > 0) await device.call("POST", "/v1/messages/ack", { body: { message_ids } });
    },
  };
  return device;
}

export function announcementOf(server: Server, device: SpecificationDevice, changes: Members = {}): Members {
  const timestamp = server.nowSeconds();
  return {
    device_id: device.deviceId,
    public_key: device.publicKey,
    timestamp,
    signature: device.sign(`${device.deviceId}:${timestamp}`),
    ...changes,
  };
}

/** The delay proof for a fresh challenge. */
export async function proofFor(server: Server, device: SpecificationDevice): Promise<Members> {
  const asked = { body: { public_key: device.publicKey } };
  const form = { challenge: /^[0-9a-f]{64}$/, iterations: whole, expires_at: whole };
  const answer = await server.call("POST", "/api/v1/announce/challenge", asked);
  const { challenge, iterations } = expectBody<{ challenge: string; iterations: number }>(answer, 200, form);
  const input = delayProofInput(bytesOf(challenge), bytesOf(device.publicKey));
  const { output } = await computeDelayProof({ input, iterations });
  return { input: encodeHex(input), iterations, output: encodeHex(output) };
}

/** Registers with a delay proof, and keeps the address and the token. */
export async function register(server: Server): Promise<SpecificationDevice> {
  const device = newDevice(server);
  const vdf_proof = await proofFor(server, device);
  keepSession(
    device,
    await server.call("POST", "/api/v1/announce", { body: announcementOf(server, device, { vdf_proof }) }),
  );
  return device;
}

/** Checks the answer to an announcement, and keeps its address and token. */
export function keepSession(device: SpecificationDevice, answer: Answer): void {
  const delivery_address = { full_address: text, prefix: uuid4, created_at: whole };
  const form = {
    status: "success",
    device_id: device.deviceId,
    delivery_address,
    access_token: text,
    expires_at: whole,
  };
  const body = expectBody<{ delivery_address: { full_address: string }; access_token: string }>(answer, 200, form);
  device.address = body.delivery_address.full_address;
  device.token = body.access_token;
}

/** A UUIDv4. */
export function newUuid(server: Server): string {
  const hex = server.randomHex(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}

function randomBytes(server: Server, length: number): Uint8Array {
  return bytesOf(server.randomHex(length));
}

function bytesOf(hex: string): Uint8Array {
  return decodeHex(hex) ?? new Uint8Array();
}
