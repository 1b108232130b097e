// How a new device gets the key of its user, which leaves the old one only after the user has compared a code on both screens:
//
// 1. The new device shows a QR code: a key, an address at the relay, and the hash of a nonce. Or it leaves the text at the relay, and shows a short code by which
//    the old device gets it: then the relay could be the one in between.
// 2. The old device leaves an offer there, sealed to the key: where it receives, and a secret, which seals what the new one tells it.
// 3. The new device tells the nonce. Both show a code, which is made of the QR code, the offer and the nonce.
// 4. If its user finds the codes the same, the new device asks for the key and says where it receives.
// 5. If the user has said so on the old device, too, it sends the key, sealed by the secret and the nonce.
//
// An attacker in between has to commit to the nonce that the old device gets before the old device has made its secret, and to choose the
// secret that the new device gets before the new device tells its nonce. So they cannot try values until both codes are the same.

import {
  type Admission,
  AnswerError,
  answerLinking,
  beginLinking,
  ConnectionError,
  type DeviceClient,
  type EpochKeys,
  openEnvelope,
  readLinkingQr,
  sealMessages,
  sendSealed,
  sha256,
} from "../../client/index.js";
import { comparisonCode } from "../../client/linking/comparison-code.js";
import { encodeHex, isHex32 } from "../../protocol/encodings.js";
import { parseLinkingCode, shownLinkingCode } from "../../protocol/linking-code.js";
import { decodeRecord, encodeRecord } from "../encoding/records.js";
import { doorKeysOf } from "../membership/door-keys.js";
import type { UserKeys } from "../mls/user-keys.js";
import type { DeviceCore } from "../sending/device-core.js";
import type { Outbox } from "../sending/outbox.js";
import type { Key, Prefix } from "../store/record-keys.js";
import type { Link, Recovery } from "../store/records.js";

/** A device was not linked. */
export class LinkingError extends Error {
  override name = "LinkingError";
  /**
   * `different`: the user has said on this or the other device that the codes differ. `late`: the other device has not answered in time. `unknown`: no new device has
   * this short code, or not any more.
   */
  readonly reason: "different" | "late" | "unknown";

  constructor(reason: LinkingError["reason"]) {
    super(problems[reason]);
    this.reason = reason;
  }
}

const problems = {
  different: "the devices show different codes",
  late: "the other device has not answered in time",
  unknown: "no new device has this code",
} as const;

export interface CompareOptions {
  /** Asks the user whether the other device shows the same code. Nothing is handed over unless the user has said so on both. */
  compare(code: string): boolean | Promise<boolean>;
}

export interface LinkOptions extends CompareOptions {
  /** Shows the text of a QR code, which the user scans with the old device, and a short code to type there instead; it is missing if the relay gives out none. */
  show(qr: string, code?: string): void;
}

/** What the old device says first. */
interface Offer {
  secret: Uint8Array;
  address: string;
  device: string;
}

/** What the new device says. */
type Told = { type: "nonce"; nonce: string } | { type: "same"; address: string } | { type: "different" };

/** What the old device says last. */
export interface Given extends UserKeys {
  userSecret: Uint8Array;
  name: string;
  recovery?: Recovery | undefined;
  link: Link;
}

/** In place of what it gives, if the user has said that the codes differ. */
const nothing = {};

const codeContext = "mls-relay groups linking 1";
const codeBytes = 5;
/** How long a device waits for the user to answer on the other one. */
const patienceMillis = 300_000;
const againMillis = 1_000;
const attempts = 30;
/** The nonce, and what the user has said. */
const maxHeard = 2;
const secretBytes = 32;

const utf8 = (text: string) => new TextEncoder().encode(text);

export interface GiveOptions extends CompareOptions {
  /** The text of the QR code, or the short code. */
  qr: string;
  /** What listens to devices that are being linked, by the secrets that seal what they say. */
  linking: Map<Uint8Array, (message: unknown) => void>;
  outbox: Outbox;
  /** Of the keys of links. */
  prefix: Prefix<Link>;
  keep(entry: [key: Key<Link>, Link]): void;
}

interface Scanned {
  key: string;
  address: string;
  commitment: string;
}

/** On the new device. It registers meanwhile, because only registered devices send and receive messages. */
export async function receiveLink(
  device: DeviceClient,
  { show, compare, admission }: LinkOptions & { admission: Admission | undefined },
): Promise<Given> {
  const { connection } = device;
  const nonce = encodeHex(connection.runtime.randomBytes(secretBytes));
  const linking = await beginLinking(connection);
  const qr = JSON.stringify({ ...JSON.parse(linking.qr), commitment: commitmentTo(nonce) });
  // A relay may have no short codes.
  const code = await linking.code(qr, { retries: { attempts: 1 } }).catch(() => undefined);
  show(qr, code && shownLinkingCode(code));
  const leaving = new AbortController();
  const registered = Promise.resolve(device.session() ?? device.register({ admission }));
  const both = Promise.all([linking.arrived(leaving.signal), registered]);
  const [received, { addresses }] = await both.finally(() => leaving.abort());
  const offer = decodeRecord<Offer>(received.payloadAfterComparison());
  await tell(device, offer, { type: "nonce", nonce });
  if ((await compare(codeOf(readQr(qr, 0), offer, nonce))) !== true) {
    await tell(device, offer, { type: "different" }).catch(() => undefined);
    throw new LinkingError("different");
  }
  await tell(device, offer, { type: "same", address: addresses.at(-1) as string });
  const given = await arrivalOf(device, await lastKeysOf(offer, nonce));
  const { userSecret, ...rest } = decodeRecord<Partial<Given>>(given);
  if (userSecret === undefined) throw new LinkingError("different");
  return { userSecret, ...rest } as Given;
}

async function tell(device: DeviceClient, { secret, address }: Offer, message: Told): Promise<void> {
  await send(device, { to: address, content: utf8(JSON.stringify(message)), keys: await doorKeysOf(secret) });
}

async function send(device: DeviceClient, { to, ...sealed }: { to: string; content: Uint8Array; keys: EpochKeys }) {
  const { connection } = device;
  const messages = await sealMessages({ to: [to], ...sealed }, connection);
  for (let left = attempts; ; left--) {
    try {
      await sendSealed(device, messages);
      return;
    } catch (failure) {
      if (!(failure instanceof ConnectionError) || left <= 1) throw failure;
      await connection.runtime.sleep(againMillis);
    }
  }
}

/** Waits for what is sealed by these keys. A stream would take a minute to be given up where none can be opened. */
async function arrivalOf(device: DeviceClient, keys: EpochKeys): Promise<Uint8Array> {
  for (let left = patienceMillis / againMillis; left > 0; left--) {
    const polled = await device.poll().catch((failure: unknown) => {
      if (!(failure instanceof ConnectionError)) throw failure;
    });
    for (const { message_id: id, mls_ciphertext: ciphertext } of polled?.messages ?? []) {
      const content = openEnvelope(
        keys,
        Uint8Array.from(atob(ciphertext), (one) => one.charCodeAt(0)),
      );
      if (content === undefined) continue;
      await device.acknowledge([id]).catch(() => undefined);
      return content;
    }
    await device.connection.runtime.sleep(againMillis);
  }
  throw new LinkingError("late");
}

/** On the old device. */
export async function giveLink(
  core: DeviceCore,
  { qr, compare, linking, outbox, prefix, keep }: GiveOptions,
): Promise<void> {
  const { device, account, ledger, sealing, nowMillis, randomBytes } = core;
  if (typeof compare !== "function") throw new TypeError("compare must be a function");
  const text = await textOf(device, qr);
  const scanned = readQr(text, nowMillis() / 1000);
  const { address, userSecret, user, successors, name, recovery } = account;
  const offer: Offer = { secret: randomBytes(secretBytes), address, device: device.deviceId };
  const heard = new Heard(core);
  linking.set(offer.secret, (message) => heard.add(message as Told));
  const end = () => void linking.delete(offer.secret);
  /** The other device may still ask, and learns that it gets nothing. */
  let refused: Promise<void> | undefined;
  try {
    await answerLinking(device, { qr: text, payload: encodeRecord(offer) });
    const first = await heard.next();
    if (first.type !== "nonce" || !isCommittedTo(first.nonce, scanned)) throw new LinkingError("different");
    const { nonce } = first;
    const keys = await lastKeysOf(offer, nonce);
    if ((await compare(codeOf(scanned, offer, nonce))) !== true) {
      const refuse = (to: string) => send(device, { to, content: encodeRecord(nothing), keys });
      refused = heard.next().then((asked) => refuse(addressIn(asked)));
      throw new LinkingError("different");
    }
    const to = [addressIn(await heard.next())];
    const secret = randomBytes(secretBytes);
    const link: Link = { secret, address, device: device.deviceId };
    const given: Given = { userSecret, user, successors, name, recovery, link };
    const copies = await sealMessages({ to, content: encodeRecord(given), keys }, sealing);
    // The link is stored with what gives the other device the key: after a crash either both have it, or it can be made again.
    await ledger.inTurn(async (transaction) => {
      const kept: Link = { secret, address: "" };
      const { key } = transaction.add(prefix, kept);
      transaction.afterwards(() => keep([key, kept]));
      outbox.post(transaction, { group: "", copies, createdAtMillis: nowMillis() });
      await transaction.commit();
    });
  } finally {
    void Promise.resolve(refused)
      .catch(() => undefined)
      .finally(end);
  }
}

/** The text of the QR code that was scanned, or that the relay has for a short code. */
async function textOf(device: DeviceClient, scanned: string): Promise<string> {
  const code = parseLinkingCode(scanned);
  if (code === undefined) return scanned;
  const found = await device.call("getLinkingCode", { path: { code } }).catch((failure: unknown) => {
    if (failure instanceof AnswerError && failure.error === "NOT_FOUND") throw new LinkingError("unknown");
    throw failure;
  });
  return found.qr;
}

function addressIn(told: Told): string {
  if (told.type !== "same") throw new LinkingError("different");
  return told.address;
}

/** The keys by which the last message is sealed: only these two devices have both. */
function lastKeysOf({ secret }: Offer, nonce: string): Promise<EpochKeys> {
  return doorKeysOf(sha256(utf8(`${codeContext} ${encodeHex(secret)} ${nonce}`)));
}

/** What the new device has told, in its order. */
class Heard {
  readonly #core: DeviceCore;
  readonly #messages: Told[] = [];
  #wake: (() => void) | undefined;

  constructor(core: DeviceCore) {
    this.#core = core;
  }

  add(message: Told): void {
    if (this.#messages.length >= maxHeard) return;
    this.#messages.push(message);
    this.#wake?.();
  }

  async next(): Promise<Told> {
    const { sleep, closing } = this.#core;
    if (this.#messages.length === 0) {
      const woken = new AbortController();
      this.#wake = () => woken.abort();
      await sleep(patienceMillis, woken.signal).catch(() => closing.throwIfAborted());
    }
    const next = this.#messages.shift();
    if (next === undefined) throw new LinkingError("late");
    return next;
  }
}

function readQr(text: string, nowSeconds: number): Scanned {
  const { ephemeralPublicKey, provisioningAddress } = readLinkingQr(text, nowSeconds);
  const { commitment } = JSON.parse(text) as { commitment?: unknown };
  if (!isHex32(commitment)) throw new TypeError("the QR code has no commitment");
  return { key: encodeHex(ephemeralPublicKey), address: provisioningAddress, commitment };
}

/** Another value of the same text would make another code for the same commitment. */
function isCommittedTo(nonce: unknown, { commitment }: Scanned): boolean {
  return isHex32(nonce) && commitmentTo(nonce) === commitment;
}

function commitmentTo(nonce: string): string {
  return encodeHex(sha256(utf8(`${codeContext} ${nonce}`)));
}

function codeOf(qr: Scanned, { secret, address, device }: Offer, nonce: string): string {
  const all = [codeContext, qr.key, qr.address, qr.commitment, encodeHex(secret), address, device, nonce];
  return comparisonCode(sha256(utf8(JSON.stringify(all))).subarray(0, codeBytes));
}
