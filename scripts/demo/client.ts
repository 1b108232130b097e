import { EventEmitter, once } from "node:events";
import type { ConnectionOptions } from "../../src/client/connection/connection.js";
import { isAnswer } from "../../src/client/connection/failures.js";
import { deviceKeysOf, newSecretKey } from "../../src/client/crypto/keys.js";
import { connectDevice, type DeviceClient } from "../../src/client/device/client.js";
import { claimKeyPackages } from "../../src/client/keys/key-package-claims.js";
import { fetchKeyPackage, uploadKeyPackages } from "../../src/client/keys/key-packages.js";
import { createKeyRing, type KeyRing, type KeyRingStore, type OpenedMessage } from "../../src/client/keys/key-ring.js";
import type { IncomingMessage } from "../../src/client/messages/messages.js";
import {
  type SealedMessage,
  sealMessages,
  sealWelcomeMessage,
  sendSealed,
} from "../../src/client/sealing/sealed-messages.js";
import { openWelcome } from "../../src/client/sealing/sealed-welcomes.js";
import type { Receiving, ReceivingOptions } from "../../src/client/stream/receiving.js";
import { encodeHex } from "../../src/protocol/encodings.js";
import type { Say } from "./log.js";
import { createMember, type Member, pastEpochs, welcomeRecipient } from "./member.js";

/** A device at a relay, and its membership in the group. */
export interface DemoClient {
  readonly name: string;
  readonly device: DeviceClient;
  readonly member: Member;
  /** Descriptions of the received messages, in order. */
  readonly seen: string[];
  /** The sent messages, as the relay got them. */
  readonly sent: SealedMessage[];
  address(): string;
  /** Registers and publishes a key package. */
  register(): Promise<void>;
  /** Fetches the key package that another client has published. */
  fetchKeyPackageOf(other: DemoClient): Promise<Uint8Array>;
  /** Claims the key packages of others, who may be at other relays, by their addresses. */
  claimKeyPackagesOf(others: readonly DemoClient[]): Promise<Uint8Array[]>;
  /** Encrypts a text, and sends it to each of the others in an envelope of the present epoch. */
  write(text: string, to: readonly DemoClient[]): Promise<void>;
  /** Sends a commit of this member to each of the others in an envelope of the epoch that it ends. */
  sendCommit(commit: Uint8Array, to: readonly DemoClient[]): Promise<void>;
  /** Sends a Welcome to each of those that it adds, sealed to the key package. */
  welcome(welcome: Uint8Array, joiners: readonly Joiner[]): Promise<void>;
  goOnline(transport: "stream" | "poll"): void;
  goOffline(): Promise<void>;
  /** Does what a push asks for. `data` is its decrypted body. */
  wake(data: string): Promise<void>;
  /** Waits until this many messages have been received in total. Throws if that takes too long. */
  hasSeen(count: number, timeoutMillis?: number): Promise<void>;
}

/** A client that joins, and the key package by which it was added. */
interface Joiner {
  client: DemoClient;
  keyPackage: Uint8Array;
}

const defaultTimeoutMillis = 15_000;
/** The demo's members are in one group. */
const group = "the group";

export async function createDemoClient(name: string, relay: ConnectionOptions, say: Say): Promise<DemoClient> {
  const member = await createMember(name);
  const device = await connectDevice({ ...relay, keys: deviceKeysOf(newSecretKey()) });
  const seen: string[] = [];
  const sent: SealedMessage[] = [];
  const events = new EventEmitter();
  let receiving: Receiving | undefined;
  const saw = (what: string): void => {
    seen.push(what);
    say(name, `received ${what}`);
    events.emit("received");
  };
  const enter = () => ring.enter(group, member.exporter);
  const ring: KeyRing = await createKeyRing({
    store: forgetfulStore,
    pastEpochs,
    clock: device.connection.clock,
    async handle(opened) {
      const what = await process(member, opened);
      await enter();
      saw(what);
    },
  });
  const handle = async (message: IncomingMessage): Promise<void> => {
    if ((await ring.receive(message)) !== "welcome") return;
    const opened = await openWelcome([member.ownKeyPackage], message.ciphertext);
    if (opened === undefined) throw new Error(`${name} received a welcome for somebody else`);
    await member.receive(opened.welcome);
    await enter();
    saw(`a welcome, and joined in epoch ${member.epoch()}`);
  };
  const sendAll = async (messages: readonly SealedMessage[]): Promise<void> => {
    await sendSealed(device, messages);
    sent.push(...messages);
  };

  return {
    name,
    device,
    member,
    seen,
    sent,
    address: () => device.session()?.addresses.at(-1) ?? "",
    async register() {
      await register(name, device, say);
      await uploadKeyPackages(device, [member.keyPackage]);
    },
    async fetchKeyPackageOf(other) {
      return (await fetchKeyPackage(device, other.device.deviceId)).keyPackage;
    },
    async claimKeyPackagesOf(others) {
      const claimed = await claimKeyPackages(
        device,
        others.map((other) => other.address()),
      );
      return claimed.map((one) => {
        if ("keyPackage" in one) return one.keyPackage;
        throw new Error(`there is no key package for ${one.address}: ${one.error}`);
      });
    },
    async write(text, to) {
      await enter();
      const content = await member.encrypt(text);
      const message = { to: to.map((client) => client.address()), content, keys: ring.keysOf(group) };
      await sendAll(await sealMessages(message, device.connection));
    },
    async sendCommit(commit, to) {
      const message = { to: to.map((client) => client.address()), content: commit, keys: ring.keysOf(group) };
      await sendAll(await sealMessages(message, device.connection));
      await enter();
    },
    async welcome(welcome, joiners) {
      for (const { client, keyPackage } of joiners) {
        const message = { to: client.address(), recipient: welcomeRecipient(keyPackage), welcome };
        await sendAll([await sealWelcomeMessage(message, device.connection)]);
      }
    },
    goOnline(transport) {
      const problem = (what: unknown) => say(name, `had a problem: ${String(what)}`);
      const options: ReceivingOptions = { handle, transport, onProblem: problem };
      receiving = device.receive(options);
    },
    async goOffline() {
      await receiving?.stop();
      receiving = undefined;
    },
    async wake(data) {
      const onProblem = (what: unknown) => say(name, `had a problem: ${String(what)}`);
      await device.push.handle(data, { handle, onProblem });
    },
    async hasSeen(count, timeoutMillis = defaultTimeoutMillis) {
      const signal = AbortSignal.timeout(timeoutMillis);
      while (seen.length < count) {
        await once(events, "received", { signal }).catch((cause: unknown) => {
          throw new Error(`${name} saw ${seen.length} of ${count} messages in time`, { cause });
        });
      }
    },
  };
}

async function register(name: string, device: DeviceClient, say: Say): Promise<void> {
  let hashes = 0;
  const onProgress = (_: number, iterations: number) => {
    hashes = iterations;
  };
  const session = await device.register({ admission: { by: "proof", onProgress } }).catch(explainLimit);
  const proof = `a proof of ${hashes.toLocaleString("en")} hashes`;
  say(name, `registered by ${proof}, reachable at ${session.addresses.at(-1)}`);
}

const limitAdvice =
  "the relay accepts no more new devices from this network address for now: wait, or start it with more room for " +
  "development, with --preset development";

/** The failure stays recognisable as the cause. */
function explainLimit(cause: unknown): never {
  throw isAnswer(cause, "RATE_LIMIT_EXCEEDED") ? new DeviceLimitError(limitAdvice, { cause }) : cause;
}

/** The relay registers no more devices for this network address. */
export class DeviceLimitError extends Error {}

/** Decrypts a message. MLS checks there that a member of the group has signed it. */
async function process(member: Member, { content }: OpenedMessage): Promise<string> {
  const received = await member.receive(content);
  if (received.kind === "joined") throw new Error("a welcome does not come in an envelope of the group");
  return received.kind === "commit" ? `a commit, now in epoch ${member.epoch()}` : `"${received.text}"`;
}

/** The clients of the demo do not outlive their process. */
const forgetfulStore: KeyRingStore = {
  loadKeys: async () => [],
  saveKeys: async () => undefined,
  loadWaiting: async () => [],
  addWaiting: async () => undefined,
  removeWaiting: async () => undefined,
};

/** Throws unless the client has received exactly this, in this order. */
export function expectSeen({ name, seen }: DemoClient, expected: readonly (string | undefined)[]): void {
  if (seen.length === expected.length && seen.every((text, i) => text === expected[i])) return;
  throw new Error(`${name} saw ${JSON.stringify(seen)} instead of ${JSON.stringify(expected)}`);
}

/** The epoch authenticator of all these members, which agree on the state of the group. */
export function commonAuthenticator(members: readonly DemoClient[]): string {
  const [first = "", ...others] = new Set(members.map(({ member }) => encodeHex(member.epochAuthenticator())));
  if (others.length > 0) throw new Error("the members do not agree on the state of the group");
  return first;
}
