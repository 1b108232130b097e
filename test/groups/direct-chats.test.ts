import { afterAll, beforeAll, expect, test } from "vitest";
import { claimKeyPackages } from "../../src/client/index.js";
import { type Groups, memoryStore, tsMls } from "../../src/groups/index.js";
import { encodeGroupContext, groupContextType } from "../../src/groups/mls/group-context.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import { contextOf, take } from "./hostile/attempts.js";
import { groupOf, linkDevice, openPerson, roomy, untilHas } from "./people.js";

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay(roomy);
});
afterAll(() => relay?.stop());

/** The direct chats of a device that go on. */
const directsOf = (person: Groups) =>
  person.groups({ direct: true }).filter(({ continuedIn }) => continuedIn === undefined);

test("two users have one direct chat, which both find again, named after the other, with all their devices", async () => {
  const [ada, ben] = [await openPerson(relay, "Ada"), await openPerson(relay, "Ben")];
  await expect(ada.directChat(ben.user)).rejects.toThrow("addresses");
  await expect(ada.directChat(ada.user)).rejects.toThrow(TypeError);
  const to = { addresses: [ben.address] };
  const [chat, again] = await Promise.all([ada.directChat(ben.user, to), ada.directChat(ben.user, to)]);
  expect([again.id, chat.name, chat.direct]).toEqual([chat.id, "Ben", ben.user]);
  const bens = await groupOf(ben, "Ada");
  expect([(await ben.directChat(ada.user)).id, bens.direct]).toEqual([chat.id, ada.user]);
  const tablet = await linkDevice(ben, relay);
  const tablets = await groupOf(tablet, "Ada");
  expect((await tablet.directChat(ada.user)).id).toBe(chat.id);
  await tablets.send({ text: "from the tablet" });
  await untilHas(chat, "from the tablet");
  const club = await ada.create({ name: "Club" });
  expect([ada.groups({ direct: true }), ada.groups({ direct: false })]).toEqual([[chat], [club]]);
});

test("nobody else comes into a direct chat, whatever one of the two does", async () => {
  const store = memoryStore();
  const [ada, ben, cem] = [
    await openPerson(relay, "Ada", { store }),
    await openPerson(relay, "Ben"),
    await openPerson(relay, "Cem"),
  ];
  const adas = await ada.directChat(ben.user, { addresses: [ben.address] });
  const bens = await groupOf(ben, "Ada");
  await expect(adas.add([cem.address])).rejects.toMatchObject({ refused: [{ error: "WRONG_USER" }] });
  await expect(adas.add([{ address: cem.address, user: cem.user }])).rejects.toThrow(TypeError);
  await expect(adas.invite({ appUrl: "https://app.example/" })).rejects.toThrow("two users");
  const untilTogether = () => until(async () => adas.epoch === bens.epoch, "both are in one epoch");
  await untilTogether();
  const mls = tsMls();
  const state = async () => mls.load((await store.get(`state/${adas.id}`)) as Uint8Array);
  const [claimed] = await claimKeyPackages(ada.device, [cem.address]);
  if (claimed === undefined || "error" in claimed) throw new Error("there is no key package");
  const invited = { id: "0123456789abcdef", key: new Uint8Array(32).fill(1), by: ada.user, needsApproval: false };
  const invitation = { ...invited, expiresAtSeconds: 4_000_000_000, usesLeft: 9 };
  const written = (next: object) => ({
    extensions: new Map([[groupContextType, encodeGroupContext({ ...contextOf(present), ...next })]]),
  });
  let present: unknown;
  const forbidden = [
    () => ({ add: [claimed.keyPackage] }),
    () => ({ add: [claimed.keyPackage], ...written({ direct: undefined }) }),
    () => written({ direct: undefined }),
    () => written({ direct: [ada.user, cem.user].sort() }),
    () => written({ invitations: [invitation] }),
  ];
  for (const [at, change] of forbidden.entries()) {
    present = await state();
    const { epoch } = bens;
    const { commit } = await mls.commit(present, change());
    expect([at, await take(ada, { state: present, bytes: commit, attempt: 0 })]).toEqual([at, true]);
    await bens.setDisappearing(3_600 + at);
    await untilTogether();
    for (const one of [adas, bens])
      expect([at, one.epoch, one.members().map(({ name }) => name)]).toEqual([at, epoch + 1n, ["Ada", "Ben"]]);
  }
  expect([adas.direct, bens.direct, adas.invitations()]).toEqual([ben.user, ada.user, []]);
});

test("if both create a direct chat at the same time, both go on in the same one, and nothing is lost", async () => {
  const [ada, ben] = [await openPerson(relay, "Ada"), await openPerson(relay, "Ben")];
  const club = await ada.create({ name: "Club" });
  await club.add([ben.address]);
  await groupOf(ben, "Club");
  const [adas, bens] = await Promise.all([ada.directChat(ben.user), ben.directChat(ada.user)]);
  const texts = await Promise.all(
    [adas, bens].map(async (chat, at) => {
      const sent = await chat.send({ text: `from ${at}` }).catch(() => undefined);
      return sent?.text;
    }),
  );
  const isSettled = async () => {
    const [one, other] = [directsOf(ada), directsOf(ben)];
    const both = [...ada.groups({ direct: true }), ...ben.groups({ direct: true })];
    return (
      one.length === 1 &&
      other.length === 1 &&
      one[0]?.id === other[0]?.id &&
      both.every((chat) => chat.members().length === 2)
    );
  };
  await until(isSettled, "both have the same one");
  const [adas2, bens2] = [await ada.directChat(ben.user), await ben.directChat(ada.user)];
  expect(adas2.id).toBe(bens2.id);
  for (const closed of [...ada.groups({ direct: true }), ...ben.groups({ direct: true })].filter(
    ({ id }) => id !== adas2.id,
  )) {
    expect([closed.continuedIn, closed.id > adas2.id]).toEqual([adas2.id, true]);
    await expect(closed.send({ text: "too late" })).rejects.toThrow("another direct chat");
  }
  await adas2.send({ text: "to Ben" });
  await bens2.send({ text: "to Ada" });
  for (const [person, chat] of [
    [ada, adas2],
    [ben, bens2],
  ] as const) {
    await untilHas(chat, "to Ben", "to Ada");
    const all = async () => (await Promise.all(person.groups({ direct: true }).map((one) => one.messages()))).flat();
    const has = async () => {
      const found = (await all()).map(({ text }) => text);
      return texts.every((text) => text === undefined || found.includes(text));
    };
    await until(has, "what was sent before they knew has arrived");
  }
});
