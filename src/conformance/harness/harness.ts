import { type AdminClient, connectAdmin } from "../../client/admin.js";
import type { ConnectionOptions } from "../../client/connection/connection.js";
import { AnswerError } from "../../client/connection/failures.js";
import type { DeviceKeys } from "../../client/crypto/keys.js";
import type { AnnounceOptions } from "../../client/registration/announce.js";
import { createSystemRandom } from "../../platform/random.js";
import { isLimit, LimitReached, NotChecked, success } from "./assertions.js";
import { readContract } from "./contract.js";
import { registerDevice, runtimeOf } from "./device.js";
import { createWire } from "./requests.js";
import { openStream } from "./stream.js";
import type { Device, Harness, Requirement, Stream, Target } from "./types.js";

export async function createHarness(target: Target): Promise<Harness> {
  const contract = await readContract();
  const wire = createWire(target.urls, contract);
  const random = createSystemRandom();
  const url = target.urls[0] ?? "";
  const domain = target.domain ?? new URL(url).host;
  const streams: Stream[] = [];
  const devices: Device[] = [];
  const endings: (() => Promise<void>)[] = [];
  const connection = { url, domain, runtime: runtimeOf(wire), retries: { attempts: 1 } };

  const admin = once(() => logIn(connection, target.adminKeys));
  const viewer = once(() => logIn(connection, target.viewerKeys));
  let takesDevices = true;
  const register = async (): Promise<Device> => {
    // Asking again for each rule would use up the challenges of the network address as well.
    if (!takesDevices) throw new LimitReached(noMoreDevices);
    const made = await registerDevice({ wire, random, url, domain }, await admissionOf(harness)).catch(
      (error: unknown) => {
        takesDevices = !(error instanceof AnswerError && isLimit(error));
        throw takesDevices ? error : new LimitReached(noMoreDevices);
      },
    );
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
    erin: once(register),
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
      if (target.passTime === undefined) throw new NotChecked("the time of the server cannot be advanced");
      await target.passTime(seconds);
      takesDevices = true;
      for (const { client } of devices) client.connection.clock.learn(client.connection.clock.nowSeconds() + seconds);
    },
    meets: (requirement) => isMet(target, requirement),
    onEnd: (ending) => void endings.push(ending),
    async end() {
      await Promise.all(streams.map((stream) => stream.end()));
      for (const ending of endings.reverse()) await ending();
    },
  };
  return harness;
}

/** Registration may be off, and a network address may register fewer devices than the suite could use. */
const noMoreDevices = "the server takes no more new devices for now";

async function logIn(connection: ConnectionOptions, keys: DeviceKeys | undefined): Promise<AdminClient> {
  if (keys === undefined) throw new NotChecked("no key of such an administrator was given");
  const client = await connectAdmin({ ...connection, keys });
  await client.login();
  return client;
}

function isMet(target: Target, requirement: Requirement): boolean {
  const given: Record<Requirement, boolean> = {
    admin: target.adminKeys !== undefined,
    viewer: target.viewerKeys !== undefined,
    "test profile": target.testProfile === true,
    origin: target.origin !== undefined,
    "listening origin": target.origin?.listen !== undefined,
    peer: target.peer !== undefined,
    time: target.passTime !== undefined,
  };
  return given[requirement];
}

/** Avoids the delay proof, which takes a second or more: by open registration, or by an invite. */
async function admissionOf(harness: Harness): Promise<AnnounceOptions["admission"]> {
  if (!harness.meets("admin")) return { by: "proof" };
  const { registration } = success(await harness.admin("getConfig"), 200);
  if (registration.mode === "open") return registration.require_proof_of_work ? { by: "proof" } : { by: "nothing" };
  return { by: "invite", code: success(await harness.admin("createInvite", { body: {} }), 201).invite_code };
}

/** In the test profile the peer requires nothing. */
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

/** Creates a value at the first call. If that fails, the next call tries again. */
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
