import { randomBytes } from "node:crypto";
import { encodeBase64, encodeHex } from "../../src/protocol/encodings.js";
import { deviceIdOf, newMessageId } from "../../src/protocol/identifiers.js";
import { publicKeyOf, sign } from "../../src/protocol/signature.js";
import { announcementText } from "../../src/protocol/signed-text.js";
import { type Answer, call } from "./api.js";
import type { TestRelay } from "./relay.js";

type Sent = Awaited<ReturnType<typeof call<"sendMessage">>>;
type Polled = Awaited<ReturnType<typeof call<"pollMessages">>>;
type Acknowledged = Awaited<ReturnType<typeof call<"acknowledgeMessages">>>;

/** A message's members, each with a default. */
export interface Draft {
  messageId?: string;
  /** The ciphertext before base64; random bytes unless given. */
  ciphertext?: Uint8Array;
  senderSignature?: string;
  timestamp?: number;
  systemEvent?: { event: string; extension_type?: string | null };
}

/** A registered device with one address and a token. */
export interface TestDevice {
  deviceId: string;
  publicKey: string;
  secretKey: Uint8Array;
  /** `<prefix>@relay.test` */
  address: string;
  token: string;
  /** Announces again: another address and a new session, which become this device's. */
  announce(extra?: Readonly<Record<string, unknown>>): Promise<void>;
  send(recipient: string, draft?: Draft): Promise<Sent>;
  poll(query?: { since?: number; limit?: number }): Promise<Polled>;
  ack(messageIds: readonly string[]): Promise<Acknowledged>;
}

/** Makes keys and registers them with the relay, which must accept registrations without a proof. */
export async function newDevice(relay: TestRelay): Promise<TestDevice> {
  const secretKey = new Uint8Array(randomBytes(32));
  const publicKey = publicKeyOf(secretKey);
  const device: TestDevice = {
    deviceId: deviceIdOf(publicKey),
    publicKey: encodeHex(publicKey),
    secretKey,
    address: "",
    token: "",
    async announce(extra = {}) {
      const { body } = demand(await call(relay, "announceWithProof", { body: announcement(relay, device, extra) }));
      device.address = body.delivery_address.full_address;
      device.token = body.access_token;
    },
    send: (recipient, draft) =>
      call(relay, "sendMessage", { token: device.token, body: message(relay, recipient, draft) }),
    poll: (query = {}) => call(relay, "pollMessages", { token: device.token, query: { ...query } }),
    ack: (messageIds) => call(relay, "acknowledgeMessages", { token: device.token, body: { message_ids: messageIds } }),
  };
  await device.announce();
  return device;
}

const usedSeconds = new Map<string, Set<number>>();

/**
 * The latest second, up to now, for which a device has not yet signed: a relay accepts each signed announcement once.
 */
export function unusedSecond(deviceId: string, now: number): number {
  const used = usedSeconds.get(deviceId) ?? new Set();
  usedSeconds.set(deviceId, used);
  let second = now;
  while (used.has(second)) second -= 1;
  used.add(second);
  return second;
}

/** The body of an announcement by `POST /api/v1/announce`, signed for this relay at its current time. */
export function announcement(
  relay: TestRelay,
  device: Pick<TestDevice, "deviceId" | "publicKey" | "secretKey">,
  extra: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const timestamp = unusedSecond(device.deviceId, relay.clock.nowSeconds());
  const signed = { deviceId: device.deviceId, timestamp, audience: relay.config.domain };
  return {
    device_id: signed.deviceId,
    public_key: device.publicKey,
    timestamp: signed.timestamp,
    audience: signed.audience,
    signature: sign(device.secretKey, announcementText(signed)),
    ...extra,
  };
}

/** The body of a message to `recipient`. */
export function message(relay: TestRelay, recipient: string, draft: Draft = {}) {
  return {
    message_id: draft.messageId ?? newMessageId(relay.clock.nowMillis(), new Uint8Array(randomBytes(10))),
    recipient_address: recipient,
    mls_ciphertext: encodeBase64(draft.ciphertext ?? new Uint8Array(randomBytes(64))),
    sender_signature: draft.senderSignature ?? randomBytes(64).toString("hex"),
    timestamp: draft.timestamp ?? relay.clock.nowSeconds(),
    ...(draft.systemEvent && { system_event: draft.systemEvent }),
  };
}

/** The answer if it is a success; otherwise throws an error that shows the actual answer. */
export function demand<B>(answer: Answer<B>): Answer<B> {
  if (answer.status < 300) return answer;
  throw new Error(`the relay answered ${answer.status}: ${JSON.stringify(answer.body)}`);
}
