import type { OperationId } from "../../../generated/handlers.js";
import { createSystemRandom, type Random } from "../../platform/random.js";
import { type AdminClient, connectAdmin } from "../../sdk/admin.js";
import type { AnnounceOptions } from "../../sdk/announcing.js";
import type { ConnectionOptions } from "../../sdk/connection.js";
import type { DeviceKeys } from "../../sdk/keys.js";
import { readContract } from "./contract.js";
import { type Device, registerDevice, runtimeOf } from "./device.js";
import type { OriginCredential } from "./origin.js";
import { type Need, NotChecked, success } from "./rule.js";
import { openStream, type Stream } from "./stream.js";
import { type Answer, createWire, type Sending, type SuccessOf, type Wire } from "./wire.js";

/** A server, and what is at hand for checking it. */
export interface Target {
  /** Base addresses of its nodes; one will do. */
  urls: readonly string[];
  /** Its domain, where that is not the first address's host. */
  domain?: string | undefined;
  adminKeys?: DeviceKeys | undefined;
  /** An administrator without the permission to change anything. */
  viewerKeys?: DeviceKeys | undefined;
  /** Runs rules that use limits up, change the configuration and ban the caller. */
  testProfile?: boolean | undefined;
  origin?: OriginCredential | undefined;
  /** A relay that the server federates with. */
  peer?: { url: string; domain?: string | undefined } | undefined;
  /** Lets the server's time pass. */
  passTime?: ((seconds: number) => Promise<void>) | undefined;
}

/** What rules work with. Devices are few, since a server lets a network address register few, and made when needed. */
export interface Harness extends Pick<Wire, "call" | "ask"> {
  readonly wire: Wire;
  readonly target: Target;
  readonly domain: string;
  readonly random: Random;
  /** The server's time as far as it is known, in Unix seconds. */
  now(): Promise<number>;
  /** Sends messages in most rules. */
  alice(): Promise<Device>;
  /** Receives them. */
  bob(): Promise<Device>;
  /** Uses up what rules need used up. */
  carol(): Promise<Device>;
  /** A device at the peer. */
  dave(): Promise<Device>;
  /** Calls as the administrator. */
  admin<I extends OperationId>(operation: I, sending?: Sending): Promise<Answer<SuccessOf<I>>>;
  /** Calls as the administrator who lacks permissions. */
  viewer<I extends OperationId>(operation: I, sending?: Sending): Promise<Answer<SuccessOf<I>>>;
  adminClient(): Promise<AdminClient>;
  viewerClient(): Promise<AdminClient>;
  /** A stream that has sent nothing. */
  stream(): Promise<Stream>;
  /** A stream of a device, past its first status frame. */
  deviceStream(device: Device): Promise<Stream>;
  passTime(seconds: number): Promise<void>;
  has(need: Need): boolean;
  /** Ends what is open. */
  end(): Promise<void>;
}

export async function createHarness(target: Target): Promise<Harness> {
  const contract = await readContract();
  const wire = createWire(target.urls, contract);
  const random = createSystemRandom();
  const url = target.urls[0] ?? "";
  const domain = target.domain ?? new URL(url).host;
  const streams: Stream[] = [];
  const devices: Device[] = [];
  const connection = { url, domain, runtime: runtimeOf(wire), retries: { attempts: 1 } };

  const admin = once(() => logIn(connection, target.adminKeys));
  const viewer = once(() => logIn(connection, target.viewerKeys));
  const register = async (): Promise<Device> => {
    const made = await registerDevice({ wire, random, url, domain }, await admissionOf(harness));
    devices.push(made);
    if (target.adminKeys !== undefined) await trust(harness, made);
    return made;
  };
  const registerAtPeer = async (): Promise<Device> => {
    const { peer } = target;
    if (peer === undefined) throw new NotChecked("there is no peer");
    const peerWire = createWire([peer.url], contract);
    const deps = { wire: peerWire, random, url: peer.url, domain: peer.domain ?? new URL(peer.url).host };
    return registerDevice(deps, peerAdmission(target));
  };

  const harness: Harness = {
    call: wire.call,
    ask: wire.ask,
    wire,
    target,
    domain,
    random,
    now: async () => (await harness.alice()).client.connection.clock.nowSeconds(),
    alice: once(register),
    bob: once(register),
    carol: once(register),
    dave: once(registerAtPeer),
    admin: async (operation, sending = {}) =>
      wire.call(operation, { token: (await admin()).session()?.accessToken, ...sending }),
    viewer: async (operation, sending = {}) =>
      wire.call(operation, { token: (await viewer()).session()?.accessToken, ...sending }),
    adminClient: admin,
    viewerClient: viewer,
    async stream() {
      const stream = await openStream(wire.nextNode());
      streams.push(stream);
      return stream;
    },
    async deviceStream(device) {
      const stream = await harness.stream();
      stream.send({ type: "auth", access_token: device.token() });
      await stream.next("status");
      return stream;
    },
    async passTime(seconds) {
      if (target.passTime === undefined) throw new NotChecked("there is no means to let time pass");
      await target.passTime(seconds);
      for (const { client } of devices) client.connection.clock.learn(client.connection.clock.nowSeconds() + seconds);
    },
    has: (need) => holds(target, need),
    end: async () => void (await Promise.all(streams.map((stream) => stream.end()))),
  };
  return harness;
}

async function logIn(connection: ConnectionOptions, keys: DeviceKeys | undefined): Promise<AdminClient> {
  if (keys === undefined) throw new NotChecked("there is no key of such an administrator");
  const client = await connectAdmin({ ...connection, keys });
  await client.login();
  return client;
}

function holds(target: Target, need: Need): boolean {
  const given: Record<Need, boolean> = {
    admin: target.adminKeys !== undefined,
    viewer: target.viewerKeys !== undefined,
    "test profile": target.testProfile === true,
    origin: target.origin !== undefined,
    peer: target.peer !== undefined,
    time: target.passTime !== undefined,
  };
  return given[need];
}

/** A proof of delay takes a second or more, so what makes it needless is used: an open door, or an invite. */
async function admissionOf(harness: Harness): Promise<AnnounceOptions["admission"]> {
  if (!harness.has("admin")) return { by: "proof" };
  const { registration } = success(await harness.admin("getConfig"), 200);
  if (registration.mode === "open") return registration.require_proof_of_work ? { by: "proof" } : { by: "nothing" };
  return { by: "invite", code: success(await harness.admin("createInvite", { body: {} }), 201).invite_code };
}

/** A peer is registered with like anywhere; in the test profile it asks for nothing. */
function peerAdmission(target: Target): AnnounceOptions["admission"] {
  return target.testProfile === true ? { by: "nothing" } : { by: "proof" };
}

/** New devices may send ten messages an hour, which is too few for the rules. */
async function trust(harness: Harness, device: Device): Promise<void> {
  const reason = "conformance suite";
  success(await harness.admin("verifyDevice", { body: { device_id: device.deviceId, reason } }), 200);
  const limit = { device_id: device.deviceId, custom_rate_limit: 1000, reason };
  success(await harness.admin("setRateLimit", { body: limit }), 200);
}

/** Makes something at the first call; where that fails, the next call tries again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((failure: unknown) => {
      made = undefined;
      throw failure;
    });
    return made;
  };
}
