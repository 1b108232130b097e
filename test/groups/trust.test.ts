import { afterAll, beforeAll, expect, test } from "vitest";
import { newSecretKey } from "../../src/client/index.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { type Groups, type Mls, memoryStore, tsMls, UnreachableError } from "../../src/groups/index.js";
import { encodeIdentity } from "../../src/groups/mls/members.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import { eventsOf, groupOf, linkDevice, openPerson, roomy, textsOf, untilHas } from "./people.js";

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay(roomy);
});
afterAll(() => relay?.stop());

/** What a hostile relay does: it gives out key packages of its own for somebody's address. */
async function substitute({ device, name, address }: Groups): Promise<void> {
  const mls = tsMls();
  const signer = await mls.newSigner();
  const signatureKey = await mls.publicKeyOf(signer);
  const secrets = { userSecret: newSecretKey(), deviceSecret: newSecretKey(), signatureKey };
  const { keyPackage } = await mls.newKeyPackage({ identity: encodeIdentity({ name, address }, secrets), signer });
  const db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
  await db.run("update key_packages set key_package = :own where device_id = :id and key_package is not null", {
    own: Buffer.from(keyPackage),
    id: device.deviceId,
  });
  await db.close();
}

const refusedWith = (error: string) =>
  expect.objectContaining({ name: UnreachableError.name, refused: [expect.objectContaining({ error })] });

test("a relay that substitutes key packages is found out", async () => {
  const [ada, ben, cem] = [
    await openPerson(relay, "Ada"),
    await openPerson(relay, "Ben"),
    await openPerson(relay, "Cem"),
  ];
  const first = await ada.create({ name: "First" });
  await first.add([ben.address]);
  await substitute(ben);
  const second = await ada.create({ name: "Second" });
  // Ada has added Ben by this address before.
  await expect(second.add([ben.address])).rejects.toEqual(refusedWith("WRONG_USER"));
  // Cem knows who Ben is.
  const third = await cem.create({ name: "Third" });
  await expect(third.add([{ address: ben.address, user: ben.user }])).rejects.toEqual(refusedWith("WRONG_USER"));
  expect([second, third].map((group) => group.members().length)).toEqual([1, 1]);
  // A user who trusts the relay the first time sees it by the number.
  await third.add([ben.address]);
  const fake = third.members().find(({ isMe }) => !isMe);
  expect(fake).toMatchObject({ name: "Ben", address: ben.address });
  expect(cem.safetyNumber(fake?.user as string)).not.toBe(ben.safetyNumber(cem.user));
});

test("two users see the same safety number, and verify each other", async () => {
  const [ada, ben] = [await openPerson(relay, "Ada"), await openPerson(relay, "Ben")];
  const number = ada.safetyNumber(ben.user);
  expect(number).toMatch(/^(\d{5} ){11}\d{5}$/);
  expect(ben.safetyNumber(ada.user)).toBe(number);
  expect(ada.isVerified(ben.user)).toBe(false);
  await ada.setVerified(ben.user);
  expect([ada.isVerified(ben.user), ben.isVerified(ada.user)]).toEqual([true, false]);
  await ada.setVerified(ben.user, false);
  expect(ada.isVerified(ben.user)).toBe(false);
  await expect(ada.setVerified("Ben")).rejects.toThrow(TypeError);
});

/** An MLS library in which the device's leaves say something else. */
function saying(change: (identity: Record<string, unknown>) => object): Mls {
  const mls = tsMls();
  const said = (identity: Uint8Array) =>
    new TextEncoder().encode(JSON.stringify(change(JSON.parse(new TextDecoder().decode(identity)))));
  const own: Partial<Mls> = {
    newKeyPackage: ({ identity, signer }) => mls.newKeyPackage({ identity: said(identity), signer }),
    found: (asked) => mls.found({ ...asked, identity: said(asked.identity) }),
  };
  return new Proxy(mls, {
    get: (target, name) => {
      if (name in own) return Reflect.get(own, name);
      const member = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

test("a device that its user has not signed is shown so, and is not added", async () => {
  const [ada, ben] = [await openPerson(relay, "Ada"), await openPerson(relay, "Ben")];
  const pretenders = [
    (identity: object) => ({ ...identity, user: ada.user }),
    (identity: object) => ({ ...identity, device: ada.device.deviceId }),
    (identity: object) => ({ ...identity, user_signature: "0".repeat(128) }),
    (identity: object) => ({ ...identity, device_signature: "" }),
  ];
  for (const [at, pretend] of pretenders.entries()) {
    const mallory = await openPerson(relay, "Mallory", { mls: saying(pretend) });
    const group = await mallory.create({ name: `Trap ${at}` });
    await group.add([ben.address]);
    const there = await groupOf(ben, `Trap ${at}`);
    expect(there.members().map(({ isSigned, isMe }) => [isMe, isSigned])).toEqual([
      [false, false],
      [true, true],
    ]);
    const own = await ben.create({ name: "Own" });
    await expect(own.add([mallory.address])).rejects.toEqual(refusedWith("WRONG_IDENTITY"));
  }
});

test("who is online sees that somebody types, and nobody else hears of it later", async () => {
  const [ada, ben, cem] = [
    await openPerson(relay, "Ada"),
    await openPerson(relay, "Ben"),
    await openPerson(relay, "Cem"),
  ];
  const group = await ada.create({ name: "Typing" });
  await group.add([ben.address, cem.address]);
  const seen: unknown[] = [];
  const record = (person: Groups) =>
    person.subscribe((event) => {
      if (event.type === "typing") seen.push([person.name, event.member.name, event.isTyping]);
      if (event.type === "unreadable") seen.push(event);
    });
  for (const person of [ada, ben, cem]) {
    record(person);
    await groupOf(person, "Typing");
    await until(async () => person.status === "online", `${person.name} is online`);
  }
  await group.typing();
  await group.typing();
  await until(async () => seen.length === 2, "both have seen it");
  await group.typing(false);
  await until(async () => seen.length === 4, "both have seen the end");
  expect(seen.toSorted()).toEqual(
    [
      ["Ben", "Ada", true],
      ["Cem", "Ada", true],
      ["Ben", "Ada", false],
      ["Cem", "Ada", false],
    ].toSorted(),
  );
});

test("a blocked user is not seen, on any device of either, until they are unblocked", async () => {
  const store = memoryStore();
  const [ada, ben] = [await openPerson(relay, "Ada", { store }), await openPerson(relay, "Ben")];
  const adas2 = await linkDevice(ada, relay);
  const adas = await ada.create({ name: "Shared" });
  await adas.add([ben.address]);
  const [bens, adas2s] = [await groupOf(ben, "Shared"), await groupOf(adas2, "Shared")];
  await bens.send({ text: "before" });
  await untilHas(adas, "before");
  const [first] = await adas.messages();
  await ada.blockUser(ben.user);
  await until(async () => adas2.blockedUsers().includes(ben.user), "Ada's other device blocks him, too");
  const events = eventsOf(ada);
  expect(await textsOf(adas)).toEqual([]);
  // A device that Ben links later is his, too.
  const bens2 = await linkDevice(ben, relay);
  const bens2s = await groupOf(bens2, "Shared");
  await bens2s.send({ text: "from the new device" });
  await bens.react(first?.id as string, "👋");
  const pushed = await ben.create({ name: "Pushed" });
  await pushed.add([ada.address]);
  const mine = await adas.send({ text: "mine" });
  await untilHas(bens, "mine");
  await bens.react(mine.id, "👎");
  await bens.send({ text: "the last one" });
  const isStored = async () => (await store.list({ prefix: "message/" })).length === 4;
  await until(isStored, "all messages have come");
  expect(await textsOf(adas)).toEqual(["mine"]);
  expect([await adas.unread(), ada.groups().map(({ name }) => name)]).toEqual([0, ["Shared"]]);
  const shown = events.filter(({ type }) => type === "message" || type === "messageChanged");
  expect(shown).toMatchObject([{ type: "message", message: { text: "mine" } }]);
  await ada.unblockUser(ben.user);
  await untilHas(adas, "before", "from the new device", "mine", "the last one");
  await untilHas(adas2s, "from the new device", "the last one");
  expect((await adas.messages()).find(({ id }) => id === mine.id)?.reactions).toEqual({ [ben.user]: ["👎"] });
  await expect(ada.blockUser(ada.user)).rejects.toThrow(TypeError);
  await expect(ada.blockUser("Ben")).rejects.toThrow(TypeError);
});
