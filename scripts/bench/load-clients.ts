import { randomBytes } from "node:crypto";
import { createSystemClock } from "../../src/node/clock.js";
import { encodeHex } from "../../src/protocol/encodings.js";
import { deviceIdOf, newMessageId } from "../../src/protocol/identifiers.js";
import { publicKeyOf, sign } from "../../src/protocol/signature.js";
import { announcementText } from "../../src/protocol/signed-text.js";
import { type HttpConnection, openConnection, requestText } from "./http-connection.js";

export const benchDomain = "relay.bench";
/** Size of a message's ciphertext before base64, unless another is given. */
const usualBytes = 1_024;

const announcersAtOnce = 8;
const clock = createSystemClock();
const signature = randomBytes(64).toString("hex");

/** A registered device. */
export interface BenchDevice {
  token: string;
  address: string;
}

/** The relay where devices register: its name, and for TLS the CA of its certificate. */
interface Target {
  domain: string;
  ca?: string;
}

/** Registers devices. The relay must accept them without a proof. */
export async function createLoadClients(
  port: number,
  count: number,
  { domain, ca }: Target = { domain: benchDomain },
): Promise<BenchDevice[]> {
  const devices: BenchDevice[] = [];
  const announce = async (): Promise<void> => {
    const connection = await openConnection(port, ca);
    for (let mine = devices.push(vacant); mine <= count; mine = devices.push(vacant)) {
      devices[mine - 1] = await newDevice(connection, domain);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: announcersAtOnce }, announce));
  return devices.slice(0, count);
}

/** Random digits are drawn in large blocks: twenty at a time would cost more than the rest of a message. */
const chance = { digits: "", used: 0 };
const digitsOfId = 18;
const digitsDrawn = digitsOfId * 1_024;
const time = { millis: 0, text: "" };

/** A new message id, a UUIDv7. */
export function newId(): string {
  const millis = clock.nowMillis();
  if (millis !== time.millis) Object.assign(time, { millis, text: newMessageId(millis, noBytes).slice(0, 15) });
  if (chance.used === chance.digits.length) {
    Object.assign(chance, { digits: randomBytes(digitsDrawn / 2).toString("hex"), used: 0 });
  }
  const at = chance.used;
  chance.used += digitsOfId;
  const { digits } = chance;
  return `${time.text}${digits.slice(at, at + 3)}-8${digits.slice(at + 3, at + 6)}-${digits.slice(at + 6, at + 18)}`;
}

const noBytes = new Uint8Array(10);
const vacant: BenchDevice = { token: "", address: "" };

async function newDevice(connection: HttpConnection, audience: string): Promise<BenchDevice> {
  const secretKey = new Uint8Array(randomBytes(32));
  const publicKey = publicKeyOf(secretKey);
  const deviceId = deviceIdOf(publicKey);
  const signed = { deviceId, timestamp: clock.nowSeconds(), audience };
  const body = {
    device_id: deviceId,
    public_key: encodeHex(publicKey),
    timestamp: signed.timestamp,
    audience,
    signature: sign(secretKey, announcementText(signed)),
  };
  const answer = await connection.ask(requestText("POST", "/api/v1/announce", { body }));
  if (answer.status !== 200) throw new Error(`a device was refused: ${answer.status} ${answer.body}`);
  const read = JSON.parse(answer.body) as { access_token: string; delivery_address: { full_address: string } };
  return { token: read.access_token, address: read.delivery_address.full_address };
}

/** The same as JSON. Serialising each message again would cost the driver more than sending it. */
export function newText({ address }: BenchDevice, ciphertextBytes = usualBytes): string {
  const unchanging = ciphertextBytes === usualBytes ? usual : unchangingOf(ciphertextBytes);
  return `{"message_id":"${newId()}","recipient_address":"${address}${unchanging}${clock.nowSeconds()}}`;
}

/** The JSON of a message to many. */
export function newTextToMany(to: readonly BenchDevice[]): string {
  const addresses = to.map(({ address }) => `"${address}"`).join(",");
  return `{"recipients":[${addresses}],"message_id":"${newId()}${usual}${clock.nowSeconds()}}`;
}

/** From the end of the id or the address to the time. */
function unchangingOf(ciphertextBytes: number): string {
  const ciphertext = randomBytes(ciphertextBytes).toString("base64");
  return `","mls_ciphertext":"${ciphertext}","sender_signature":"${signature}","timestamp":`;
}

const usual = unchangingOf(usualBytes);
