import { afterAll, beforeAll, expect, test } from "vitest";
import { epochKeysOf, newSecretKey, sealEnvelope, sealMessages, sendSealed } from "../../../src/client/index.js";
import { encodeBody, encodeContent } from "../../../src/groups/encoding/content.js";
import { decodeRecord } from "../../../src/groups/encoding/records.js";
import { type Group, type Groups, memoryStore, type Store, tsMls } from "../../../src/groups/index.js";
import { encodeIdentity, type Member, membersOf } from "../../../src/groups/mls/members.js";
import { utf8 } from "../../../src/protocol/encodings.js";
import { startRelay, type TestRelay } from "../../support/relay.js";
import { until } from "../../support/until.js";
import { eventsOf, groupOf, openPerson, roomy, textsOf, untilHas, untilSame } from "../people.js";
import { take } from "./attempts.js";
import { Mallory, openToBecome, sayLeaving } from "./mallory.js";

// Mallory may not write, or has only a link: she makes noise instead. The others have the library as it is.

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay(roomy);
});
afterAll(() => relay?.stop());

interface Stage {
  ada: Groups;
  adasStore: Store;
  adas: Group;
  bens: Group;
  hers: Mallory;
  store: Store;
  /** Mallory writes in the epoch that she was in. */
  write(text: string): Promise<void>;
}

async function stage(name: string): Promise<Stage> {
  const adasStore = memoryStore();
  const [ada, ben] = [await openPerson(relay, "Ada", { store: adasStore }), await openPerson(relay, "Ben")];
  const { groups: mallory, store } = await openToBecome(relay, "Mallory");
  const adas = await ada.create({ name });
  await adas.add([ben.address, mallory.address]);
  const bens = await groupOf(ben, name);
  await untilSame([adas, bens, await groupOf(mallory, name)]);
  await mallory.close();
  const hers = await Mallory.from(relay, store, adas.id);
  const keys = await epochKeysOf(hers.mls.exporterOf(hers.state));
  const { device } = hers.carrier;
  const write = async (text: string) => {
    const said = { type: "text", text, message_id: text, sent_at_millis: Date.now() } as const;
    const { state, message } = await hers.mls.encrypt(hers.state, encodeBody(said));
    hers.state = state;
    const content = (handle: Uint8Array) => encodeContent({ kind: "mls", message, handle });
    const to = [ada.address, ben.address];
    await sendSealed(device, await sealMessages({ to, keys, content }, device.connection));
  };
  return { ada, adasStore, adas, bens, hers, store, write };
}

/** Her device comes back with another signing key: a second one, which she adds for that, removes and adds it in one commit. */
async function comeBackWithOtherKey({ mls, carrier, state, secrets }: Mallory): Promise<void> {
  const packageOf = async (address: string, deviceSecret: Uint8Array) => {
    const signer = await mls.newSigner();
    const signatureKey = await mls.publicKeyOf(signer);
    const identity = encodeIdentity({ name: "Mallory", address }, { ...secrets, deviceSecret, signatureKey });
    return mls.newKeyPackage({ identity, signer });
  };
  const me = membersOf(mls.view(state)).find(({ isMe }) => isMe) as Member;
  const second = await packageOf(carrier.address, newSecretKey());
  const adding = await mls.commit(state, { add: [second.keyPackage] });
  expect(await take(carrier, { state, bytes: adding.commit, attempt: 0 })).toBe(true);
  const joined = await mls.join({ welcome: adding.welcome as Uint8Array, own: second });
  const { keyPackage } = await packageOf(me.address, secrets.deviceSecret);
  const { commit } = await mls.commit(joined.state, { remove: [me.id], add: [keyPackage] });
  expect(await take(carrier, { state: joined.state, bytes: commit, attempt: 0 })).toBe(true);
}

test("a member who may not write any more writes nothing in an epoch of before", async () => {
  const { adas, bens, write } = await stage("Silence");
  await write("before");
  for (const group of [adas, bens]) await untilHas(group, "before");
  await adas.setRole("everyone", ["invite"]);
  await untilSame([adas, bens]);
  relay.clock.advance(3_600);
  for (const text of ["I am back", "and back"]) await write(text);
  await adas.send({ text: "the last one" });
  await untilHas(bens, "the last one");
  await adas.rename("Silent");
  await untilSame([adas, bens]);
  for (const group of [adas, bens]) expect(await textsOf(group)).toEqual(["before", "the last one"]);
});

test.each([
  "comes back with another signing key",
  "leaves",
])("a member who %s and may not write any more writes nothing in an epoch of before", async (kind) => {
  const { ada, adasStore, adas, bens, hers, write } = await stage(kind);
  const isIn = () => adas.members().some(({ name }) => name === "Mallory");
  if (kind !== "leaves") await comeBackWithOtherKey(hers);
  await adas.setRole("everyone", ["invite"]);
  if (kind === "leaves") {
    await sayLeaving(hers, ada, adasStore);
    await until(async () => !isIn(), "she is out");
  }
  await untilSame([adas, bens]);
  expect(isIn()).toBe(kind !== "leaves");
  relay.clock.advance(3_600);
  await write("I am back");
  await adas.send({ text: "the last one" });
  await untilHas(bens, "the last one");
  await adas.rename("Silent");
  await untilSame([adas, bens]);
  for (const group of [adas, bens]) expect(await textsOf(group)).toEqual(["the last one"]);
});

test("what nobody can read is told ten times an hour, however much of it a member sends who may not write", async () => {
  const { ada, adas, bens, hers } = await stage("Noise");
  const events = eventsOf(ada);
  await adas.setRole("everyone", []);
  const keys = await epochKeysOf(hers.mls.exporterOf(hers.state));
  const shout = async (times: number) => {
    for (let sent = 0; sent < times; sent += 1) {
      const ciphertext = sealEnvelope(keys, encodeContent({ kind: "mls", message: utf8(`${sent} ${Math.random()}`) }));
      await hers.carrier.device.send({ to: ada.address, ciphertext });
    }
  };
  const told = () => events.filter(({ type }) => type === "unreadable").length;
  await shout(30);
  await until(async () => told() >= 10, "some of it is told");
  await adas.rename("Noisy");
  await untilSame([adas, bens]);
  expect(told()).toBe(10);
  relay.clock.advance(3_600);
  await shout(1);
  await until(async () => told() === 11, "it is told again");
});

test("a member who says to have moved in a circle costs a message two attempts, and holds up nobody", async () => {
  const sendings: string[] = [];
  const noting: typeof fetch = async (url, init) => {
    if (/\/v1\/messages/.test(String(url)) && init?.method === "POST") sendings.push(String(url));
    return fetch(url, init);
  };
  const ada = await openPerson(relay, "Ada", { runtime: { fetch: noting } });
  const ben = await openPerson(relay, "Ben");
  const { groups: mallory, store } = await openToBecome(relay, "Mallory");
  const adas = await ada.create({ name: "Circle" });
  await adas.add([ben.address, mallory.address]);
  const bens = await groupOf(ben, "Circle");
  await untilSame([adas, bens, await groupOf(mallory, "Circle")]);
  await mallory.close();
  const hers = await Mallory.from(relay, store, adas.id);
  const signer = decodeRecord<{ signer: Uint8Array }>((await store.get("account")) as Uint8Array).signer;
  const signatureKey = await tsMls().publicKeyOf(signer);
  const nobody = (first: string) => mallory.address.replace(/^./, (old) => (old === first ? "c" : first));
  for (const address of [nobody("a"), nobody("b"), nobody("a")]) {
    const identity = encodeIdentity({ name: "Mallory", address }, { ...hers.secrets, signatureKey });
    const { commit, state } = await hers.mls.commit(hers.state, { identity });
    expect(await take(hers.carrier, { state: hers.state, bytes: commit, attempt: 0 })).toBe(true);
    hers.state = state;
  }
  await adas.rename("Circles");
  await untilSame([adas, bens]);
  expect(adas.members().find(({ name }) => name === "Mallory")?.address).toBe(nobody("a"));
  const events = eventsOf(ada);
  sendings.length = 0;
  const { id } = await adas.send({ text: "hello" });
  await untilHas(bens, "hello");
  const isOver = () => events.some((event) => event.type === "undelivered" && event.message === id);
  await until(async () => isOver(), "Ada knows whom it does not reach");
  expect(sendings.length).toBeLessThan(10);
});

test("nobody gets what waits for a member by taking the address that the member had before", async () => {
  let isDown = false;
  const failing: typeof fetch = async (url, init) => {
    if (isDown && /\/v1\/messages/.test(String(url)) && init?.method === "POST") throw new TypeError("no network");
    return fetch(url, init);
  };
  const ada = await openPerson(relay, "Ada", { runtime: { fetch: failing } });
  const ben = await openPerson(relay, "Ben");
  const { groups: mallory, store } = await openToBecome(relay, "Mallory");
  const adas = await ada.create({ name: "Moved" });
  await adas.add([ben.address, mallory.address]);
  const bens = await groupOf(ben, "Moved");
  await untilSame([adas, bens, await groupOf(mallory, "Moved")]);
  isDown = true;
  await adas.send({ text: "for Ben" });
  const old = ben.address;
  await ben.rotateAddress();
  const addressOf = (name: string) => adas.members().find((one) => one.name === name)?.address;
  await until(async () => addressOf("Ben") === ben.address, "Ben has moved");
  await ben.device.endAddress(old);
  const theirs = mallory.group(adas.id) as Group;
  await until(async () => theirs.epoch === adas.epoch, "Mallory has seen it");
  const { address } = mallory;
  await mallory.close();
  const hers = await Mallory.from(relay, store, adas.id);
  const signer = decodeRecord<{ signer: Uint8Array }>((await store.get("account")) as Uint8Array).signer;
  const signatureKey = await tsMls().publicKeyOf(signer);
  for (const taken of [old, address]) {
    const identity = encodeIdentity({ name: "Mallory", address: taken }, { ...hers.secrets, signatureKey });
    const { commit, state } = await hers.mls.commit(hers.state, { identity });
    expect(await take(hers.carrier, { state: hers.state, bytes: commit, attempt: 0 })).toBe(true);
    hers.state = state;
  }
  await bens.rename("Moved on");
  await untilSame([adas, bens]);
  isDown = false;
  await untilHas(bens, "for Ben");
});

test("somebody with a link who asks again and again is told of once", async () => {
  const [ada, mallory] = [await openPerson(relay, "Ada"), await openPerson(relay, "Mallory")];
  const events = eventsOf(ada);
  const adas = await ada.create({ name: "Bell" });
  const { link } = await adas.invite({ appUrl: "https://app.example/join", uses: 10, approve: true });
  const asked = () => events.filter(({ type }) => type === "joinRequest").length;
  for (let at = 0; at < 8; at += 1) await mallory.join(link);
  const cem = await openPerson(relay, "Cem");
  await cem.join(link);
  await until(async () => (await adas.requests()).length === 2, "both have asked");
  expect(asked()).toBe(2);
  // Once it is answered, it may be asked again.
  for (const { request, name } of await adas.requests()) if (name === "Mallory") await adas.refuse(request);
  await mallory.join(link);
  await until(async () => asked() === 3, "Ada is asked again");
});
