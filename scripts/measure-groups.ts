// Measures @mls-relay/groups in Node.js: `npm run lab -- groups-speed`. The relay is a process of its own.

import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { connectDevice, deviceKeysOf, newSecretKey, uploadKeyPackages } from "../src/client/index.js";
import { constantsEnvironment } from "../src/composition/config.js";
import { type Groups, memoryStore, openGroups, type Store, sqliteStore, tsMls } from "../src/groups/index.js";
import { encodeIdentity } from "../src/groups/mls/members.js";
import { createLifecycle } from "../src/process/lifecycle.js";
import { openBenchEnvironment, roomyConstants } from "./bench/environment.js";
import { benchDomain } from "./bench/load-clients.js";

const { values, positionals: parts } = parseArgs({
  allowPositionals: true,
  options: { relay: { type: "string" }, texts: { type: "string", default: "10000" } },
});
const { mls, admission } = { mls: tsMls(), admission: { by: "nothing" } as const };
const hasSqlite = isBuiltin("node:sqlite");
const awayAtOnce = 20;
const clicks = 300;
const warmUpClicks = 50;
const betweenClicksMillis = 20;
const roomy = {
  ...roomyConstants,
  newTierSlotsPerHour: 100_000,
  newTierClaimsPerHour: 100_000,
  newTierFetchesPerHour: 100_000,
};

const lifecycle = createLifecycle();
const seconds = (millis: number) => `${(millis / 1000).toFixed(2)} s`;
const kilobytes = (bytes: number) => `${Math.round(bytes / 1000)} kB`;

interface Link {
  url: string;
  bytes: { toRelay: number; fromRelay: number };
}

/** Passes connections on to the relay, and counts what crosses them. */
async function countingLink(relay: string): Promise<Link> {
  const bytes = { toRelay: 0, fromRelay: 0 };
  const { hostname, port } = new URL(relay);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    sockets.add(near).add(far);
    near.on("data", ({ length }) => {
      bytes.toRelay += length;
    });
    far.on("data", ({ length }) => {
      bytes.fromRelay += length;
    });
    near.pipe(far).pipe(near);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const)
      one.on("error", () => other.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  lifecycle.atEnd(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bytes };
}

function open(url: string, name: string, store = memoryStore()): Promise<Groups> {
  return openGroups({ relay: url, domain: benchDomain, store, name, mls, admission });
}

/** The address of a device that has a key package at the relay, and does nothing. */
async function newAway(url: string, name: string): Promise<string> {
  const [deviceSecret, userSecret, signer] = [newSecretKey(), newSecretKey(), await mls.newSigner()];
  const device = await connectDevice({ url, domain: benchDomain, keys: deviceKeysOf(deviceSecret) });
  const [address = ""] = (await device.register({ admission })).addresses;
  const signatureKey = await mls.publicKeyOf(signer);
  const identity = encodeIdentity({ name, address }, { userSecret, deviceSecret, signatureKey });
  await uploadKeyPackages(device, [(await mls.newKeyPackage({ identity, signer })).keyPackage]);
  return address;
}

async function manyAway(url: string, count: number): Promise<string[]> {
  const addresses: string[] = [];
  while (addresses.length < count) {
    const names = Array.from({ length: Math.min(awayAtOnce, count - addresses.length) }, (_, at) => `Away ${at}`);
    addresses.push(...(await Promise.all(names.map((name) => newAway(url, name)))));
  }
  return addresses;
}

/** Resolves once this many events of a type have come. */
function eventsOf(device: Groups, type: string, count = 1): Promise<void> {
  return new Promise((resolve) => {
    let left = count;
    const stop = device.subscribe((event) => {
      if (event.type !== type || --left > 0) return;
      stop();
      resolve();
    });
  });
}

async function isSent(store: Store): Promise<void> {
  while ((await store.list({ prefix: "out/", limit: 1 })).length > 0) await sleep(20);
}

/** A member is away while texts arrive, and comes back. */
async function catchUp(url: string, { count, others, store }: { count: number; others: string[]; store: Store }) {
  const adaStore = memoryStore();
  const [ada, before] = [await open(url, "Ada", adaStore), await open(url, "Ben", store)];
  const group = await ada.create({ name: "Waiting" });
  const joined = eventsOf(before, "joinedGroup");
  await group.add([before.address, ...others]);
  await joined;
  await before.close();
  for (let sent = 0; sent < count; sent += 100)
    await Promise.all(
      Array.from({ length: Math.min(100, count - sent) }, (_, at) => group.send({ text: `Text ${sent + at}` })),
    );
  await isSent(adaStore);
  await ada.close();
  const began = performance.now();
  const ben = await open(url, "Ben", store);
  await eventsOf(ben, "message", count);
  const millis = performance.now() - began;
  await ben.close();
  return `${Math.round((1000 * count) / millis)} texts/s (${seconds(millis)})`;
}

/** From `send` to the event at the other member. */
async function click(url: string): Promise<string> {
  const [ada, ben] = [await open(url, "Ada"), await open(url, "Ben")];
  const group = await ada.create({ name: "Click" });
  const joined = eventsOf(ben, "joinedGroup");
  await group.add([ben.address]);
  await joined;
  const taken: number[] = [];
  for (let at = 0; at < clicks + warmUpClicks; at++) {
    const shown = eventsOf(ben, "message");
    const began = performance.now();
    await Promise.all([group.send({ text: `Text ${at}` }), shown.then(() => taken.push(performance.now() - began))]);
    await sleep(betweenClicksMillis);
  }
  await ada.close();
  await ben.close();
  const sorted = taken.slice(warmUpClicks).sort((a, b) => a - b);
  const at = (share: number) => `${(sorted[Math.floor(share * sorted.length)] ?? 0).toFixed(1)} ms`;
  return `p50 ${at(0.5)}, p99 ${at(0.99)}`;
}

/** A member adds many at once; then one more joins by a link. */
async function joining(url: string, size: number): Promise<void> {
  const [adding, entering] = [await countingLink(url), await countingLink(url)];
  const store = memoryStore();
  const ada = await open(adding.url, "Ada", store);
  const away = await manyAway(url, size - 1);
  const group = await ada.create({ name: "Many" });
  const begun = adding.bytes.toRelay;
  let began = performance.now();
  await group.add(away);
  console.log(`adding ${size - 1} members resolves after ${seconds(performance.now() - began)}`);
  await isSent(store);
  console.log(
    `all is sent after ${seconds(performance.now() - began)}, ${kilobytes(adding.bytes.toRelay - begun)} to the relay`,
  );
  const link = await group.invite({ uses: 1, appUrl: "https://app.example/join" });
  const ben = await open(entering.url, "Ben");
  const joined = eventsOf(ben, "joinedGroup");
  await sleep(1_000);
  const { fromRelay } = entering.bytes;
  began = performance.now();
  await ben.join(link.link);
  await joined;
  const entered = performance.now() - began;
  await ben.groups()[0]?.send({ text: "Hello" });
  console.log(
    `one more joins by a link after ${seconds(entered)}, has sent after ${seconds(performance.now() - began)}, ` +
      `${kilobytes(entering.bytes.fromRelay - fromRelay)} from the relay`,
  );
  await ada.close();
  await ben.close();
}

async function measure(url: string, parts: readonly string[]): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), "mls-relay-groups-"));
  lifecycle.atEnd(() => rm(folder, { recursive: true, force: true }));
  const texts = Number(values.texts);
  const isWanted = (part: string) => parts.length === 0 || parts.includes(part);
  const stores = {
    memoryStore: memoryStore(),
    ...(hasSqlite && { sqliteStore: sqliteStore(path.join(folder, "store.db")) }),
  };
  if (!hasSqlite) console.log("this Node.js has no SQLite: sqliteStore is left out");
  if (isWanted("waiting"))
    for (const [name, store] of Object.entries(stores))
      console.log(`${texts} texts waiting, ${name}: ${await catchUp(url, { count: texts, others: [], store })}`);
  if (isWanted("waiting-many")) {
    const store = sqliteStore(path.join(folder, "many.db"));
    const others = await manyAway(url, 198);
    console.log(
      `300 texts waiting in a group of 200, sqliteStore: ${await catchUp(url, { count: 300, others, store })}`,
    );
  }
  if (isWanted("click")) console.log(`from send to the event: ${await click(url)}`);
  if (isWanted("joining")) await joining(url, 200);
}

try {
  if (values.relay !== undefined) await measure(values.relay, parts);
  else {
    const environment = await openBenchEnvironment();
    lifecycle.atEnd(() => environment.stop());
    const relay = await environment.startRelay(await environment.createDatabase("groups"), constantsEnvironment(roomy));
    await measure(`http://127.0.0.1:${relay.port}`, parts);
  }
} finally {
  await lifecycle.end();
}
