import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { connectDevice, deleteBlob, deviceKeysOf, uploadKeyPackages } from "../../src/client/index.js";
import { runtimeWith } from "../../src/client/runtime/runtime.js";
import { type Groups, type GroupsOptions, memoryStore } from "../../src/groups/index.js";
import { encodeIdentity } from "../../src/groups/mls/members.js";
import { createPeerFixture } from "../support/peers.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import { Life } from "./life.js";
import { groupOf, mlsWith, openDevice, openPerson, roomy, untilHas } from "./people.js";

vi.setConfig({ testTimeout: 600_000 });

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay(roomy);
});
afterAll(() => relay?.stop());

const [largeName, groupContextType] = ["Large", 0xf042];
const padding = "padding ".repeat(6_000);

/** A library whose groups of the name `largeName` have a large context. It is in the GroupInfo of every Welcome, which is large then with few members. */
const mls = mlsWith("found", (library) => (asked) => {
  const content = asked.extensions.get(groupContextType);
  const context = JSON.parse(new TextDecoder().decode(content));
  if (context.name !== largeName) return library.found(asked);
  const padded = new TextEncoder().encode(JSON.stringify({ ...context, padding }));
  return library.found({ ...asked, extensions: new Map([...asked.extensions, [groupContextType, padded]]) });
});

interface Uploads {
  bytes: number;
  blobs: { id: string; deleteToken: string }[];
}

/** Counts what a device uploads. */
function counting(): { uploads: Uploads; runtime: NonNullable<GroupsOptions["runtime"]> } {
  const uploads: Uploads = { bytes: 0, blobs: [] };
  const { fetch } = runtimeWith();
  const counted: typeof fetch = async (url, init) => {
    uploads.bytes += new Blob([(init?.body ?? "") as BlobPart]).size;
    const answer = await fetch(url, init);
    if (init?.method === "POST" && String(url).endsWith("/v1/blobs") && answer.ok) {
      const { blob_id: id, delete_token: deleteToken } = await answer.clone().json();
      uploads.blobs.push({ id, deleteToken });
    }
    return answer;
  };
  return { uploads, runtime: { fetch: counted } };
}

/** The address of a device that has published one key package, and does not receive. */
async function newAway(name: string): Promise<string> {
  const [deviceSecret, userSecret, signer] = [randomBytes(32), randomBytes(32), await mls.newSigner()];
  const device = await connectDevice({ url: relay.url, domain: relay.config.domain, keys: deviceKeysOf(deviceSecret) });
  const [address = ""] = (await device.register({ admission: { by: "nothing" } })).addresses;
  const signatureKey = await mls.publicKeyOf(signer);
  const identity = encodeIdentity({ name, address }, { userSecret, deviceSecret, signatureKey });
  await uploadKeyPackages(device, [(await mls.newKeyPackage({ identity, signer })).keyPackage]);
  return address;
}

/** A group of Ada with Cem, and with Ben, who is added while he is away: what his device has stored. */
async function addedWhileAway(ada: Groups) {
  const store = memoryStore();
  const ben = await openDevice(relay, "Ben", { store });
  const { address } = ben;
  await ben.close();
  const cem = await openPerson(relay, "Cem");
  const group = await ada.create({ name: largeName });
  await group.add([address, cem.address]);
  await groupOf(cem, largeName);
  return { store, group };
}

async function join(ada: Groups, joiners: readonly Groups[], name: string, away: readonly string[] = []) {
  const group = await ada.create({ name });
  await group.add([...joiners.map(({ address }) => address), ...away]);
  await group.send({ text: "welcome" });
  for (const joiner of joiners) await untilHas(await groupOf(joiner, name), "welcome");
}

test("forty joiners get the ratchet tree as one blob", async () => {
  const { uploads, runtime } = counting();
  const ada = await openPerson(relay, "Ada", { mls, runtime });
  const people = [await openPerson(relay, "Ben"), await openPerson(relay, "Cem")];
  const away = await Promise.all(Array.from({ length: 38 }, (_, at) => newAway(`Away ${at}`)));
  const before = uploads.bytes;
  await join(ada, people, "Forty", away);
  expect(people[0]?.groups()[0]?.members()).toHaveLength(41);
  expect(uploads.blobs).toHaveLength(1);
  // A GroupInfo has more than 400 bytes for each member.
  expect(uploads.bytes - before).toBeLessThan((40 * 40 * 400) / 2);
});

test("a relay without blobs gets complete Welcomes", async () => {
  const bare = await startRelay({ ...roomy, blobStorage: "off" });
  onTestFinished(() => bare.stop());
  const { uploads, runtime } = counting();
  const people = [await openPerson(bare, "Ben"), await openPerson(bare, "Cem")];
  await join(await openPerson(bare, "Ada", { mls, runtime }), people, largeName);
  expect(uploads.blobs).toEqual([]);
  expect(uploads.bytes).toBeGreaterThan(2 * padding.length);
});

test("a relay that refuses a blob gets complete Welcomes", async () => {
  const small = await startRelay({ ...roomy, blobBytes: 1024 });
  onTestFinished(() => small.stop());
  const people = [await openPerson(small, "Ben"), await openPerson(small, "Cem")];
  await join(await openPerson(small, "Ada", { mls }), people, largeName);
});

test("a joiner at another relay gets a complete Welcome, and asks no relay but its own", async () => {
  const fixture = await createPeerFixture();
  onTestFinished(() => fixture.stop());
  const [a, b] = [await fixture.relay(roomy), await fixture.relay(roomy)];
  const asked = new Set<string>();
  const { fetch } = runtimeWith();
  const noted: typeof fetch = (url, init) => {
    asked.add(new URL(String(url)).origin);
    return fetch(url, init);
  };
  const { uploads, runtime } = counting();
  const far = await openPerson(b, "Far", { runtime: { fetch: noted } });
  const people = [await openPerson(a, "Ben"), await openPerson(a, "Cem"), far];
  await join(await openPerson(a, "Ada", { mls, runtime }), people, largeName);
  expect(uploads.blobs).toHaveLength(1);
  expect([...asked]).toEqual([b.url]);
});

test("a joiner whose blob is lost sends nothing to anybody, and comes in when it is added again", async () => {
  const { uploads, runtime } = counting();
  const ada = await openPerson(relay, "Ada", { mls, runtime });
  const { store, group } = await addedWhileAway(ada);
  const [blob] = uploads.blobs;
  await deleteBlob({ url: `${relay.url}/v1/blobs/${blob?.id}` }, blob?.deleteToken ?? "");
  const sent: string[] = [];
  const { fetch } = runtimeWith();
  const noted: typeof fetch = (url, init) => {
    if (String(url).includes("/messages")) sent.push(String(url));
    return fetch(url, init);
  };
  const again = await openPerson(relay, "Ben", { store, runtime: { fetch: noted } });
  const isDone = async () => (await store.list({ prefix: "arriving/" })).length === 0 && again.status === "online";
  await until(isDone, "Ben has tried to get it");
  expect([again.groups(), sent]).toEqual([[], []]);
  await group.remove(group.members().flatMap(({ name, id }) => (name === "Ben" ? [id] : [])));
  await group.add([again.address]);
  const own = await groupOf(again, largeName);
  await own.send({ text: "I am here" });
  await untilHas(group, "I am here");
  expect(group.members()).toHaveLength(3);
});

test("a joiner whose files cannot be fetched for long asks for each of them once per round, however many rounds there are", async () => {
  const { uploads, runtime } = counting();
  const ada = await openPerson(relay, "Ada", { mls, runtime });
  const store = memoryStore();
  const before = await openDevice(relay, "Ben", { store });
  const { address } = before;
  await before.close();
  const cem = await openPerson(relay, "Cem");
  for (let groups = 0; groups < 3; groups++) await (await ada.create({ name: largeName })).add([address, cem.address]);
  expect(uploads.blobs).toHaveLength(3);
  let isCut = true;
  const rounds: string[][] = [[]];
  const { fetch, sleep } = runtimeWith();
  const ben = await openPerson(relay, "Ben", {
    store,
    runtime: {
      async fetch(url, init) {
        if (!url.includes("/v1/blobs/")) return fetch(url, init);
        if (!isCut) return fetch(url, init);
        rounds.at(-1)?.push(url);
        return Response.json({ error: "INTERNAL", code: 5_000, message: "the disk is broken" }, { status: 500 });
      },
      sleep(millis, signal) {
        if (millis !== 60_000) return sleep(millis, signal);
        rounds.push([]);
        return sleep(10, signal);
      },
    },
  });
  const isFull = (urls: string[]) => urls.length === 3;
  await until(async () => rounds.filter(isFull).length > 4, "it has tried several times to get all three files");
  isCut = false;
  await until(async () => ben.groups().length === 3, "Ben is in all groups");
  // The first rounds begin while Welcomes arrive.
  const first = rounds.findIndex(isFull);
  for (const urls of rounds.slice(first, first + 4)) expect(new Set(urls).size).toBe(3);
});

test("a Welcome is sent by a committer that is killed after its commit was decided", async () => {
  for (const name of ["Short", largeName]) {
    const store = memoryStore();
    const [ben, cem] = [await openPerson(relay, "Ben"), await openPerson(relay, "Cem")];
    const life = new Life();
    const { fetch, ...rest } = life.runtime(relay);
    let batches = 0;
    const killed: typeof fetch = async (url, init) => {
      if (String(url).includes("/messages")) {
        batches += 1;
        life.end();
      }
      return (fetch as NonNullable<typeof fetch>)(url, init);
    };
    const ada = await openDevice(relay, "Ada", { mls, store: life.store(store), runtime: { ...rest, fetch: killed } });
    const group = await ada.create({ name });
    group.add([ben.address, cem.address]).catch(() => undefined);
    await until(async () => life.isOver, "the committer has ended");
    await ada.close().catch(() => undefined);
    expect(batches).toBeGreaterThan(0);
    expect([...ben.groups(), ...cem.groups()]).toEqual([]);
    const { uploads, runtime } = counting();
    const again = await openPerson(relay, "Ada", { mls, store, runtime });
    expect(again.groups()[0]?.epoch).toBe(1n);
    await groupOf(ben, name);
    await groupOf(cem, name);
    // It was uploaded before the Welcomes were stored.
    expect(uploads.blobs).toEqual([]);
  }
});

test("a joiner that ends at any call while it fetches its Welcome joins once", async () => {
  const ada = await openPerson(relay, "Ada", { mls });
  for (let last = 1; last < 60; last += 15) {
    const { store, group } = await addedWhileAway(ada);
    const life = new Life(last);
    const first = await openDevice(relay, "Ben", { store: life.store(store), runtime: life.runtime(relay) }).catch(
      () => undefined,
    );
    await until(
      async () => life.isOver || (first?.groups().length ?? 0) > 0,
      `the device ends or has joined (${last})`,
    );
    life.end();
    await first?.close().catch(() => undefined);
    const again = await openPerson(relay, "Ben", { store });
    const own = await groupOf(again, largeName);
    await own.send({ text: `joined ${last}` });
    await untilHas(group, `joined ${last}`);
    expect(group.members()).toHaveLength(3);
    expect(group.epoch).toBe(1n);
  }
});
