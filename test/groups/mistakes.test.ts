import { decodeMlsMessage, encodeMlsMessage } from "ts-mls";
import { signKeyPackage } from "ts-mls/keyPackage.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { decodeRecord } from "../../src/groups/encoding/records.js";
import {
  type Group,
  memoryStore,
  type OwnKeyPackage,
  type Permission,
  UnreachableError,
} from "../../src/groups/index.js";
import { fastSuite } from "../../src/groups/mls/ts-mls-hpke.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { groupOf, mlsWith, openDevice, openPerson, roomy, textsOf, untilHas, untilSame } from "./people.js";

// What applications and people do wrong. It is refused at once, or harms nobody else, and what comes after it works.

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay(roomy);
});
afterAll(() => relay?.stop());

async function pair(name: string) {
  const [ada, ben] = [await openPerson(relay, "Ada"), await openPerson(relay, "Ben")];
  const adas = await ada.create({ name });
  await adas.add([ben.address]);
  return { ada, ben, adas, bens: await groupOf(ben, name) };
}

/** Passes what TypeScript would refuse. */
const any = (value: unknown) => value as never;

test("what is no argument of a call is refused by it, and the group goes on", async () => {
  const { ben, adas, bens } = await pair("Typos");
  const calls: ((group: Group) => Promise<unknown>)[] = [
    (group) => group.add(["ben"]),
    (group) => group.add(["ben@relay.example"]),
    (group) => group.add([""]),
    (group) => group.add([`${crypto.randomUUID()}@under_score`]),
    (group) => group.add([`${crypto.randomUUID()}@-.-`]),
    (group) => group.add([any(undefined)]),
    (group) => group.add(any(ben.address)),
    (group) => group.remove(any(group.members())),
    (group) => group.remove(any(["1"])),
    (group) => group.setRole("everyone", ["sned" as Permission]),
    (group) => group.rename("n".repeat(4_001)),
    (group) => group.rename(any(undefined)),
    (group) => group.invite({ appUrl: "https://app.example", expiresInSeconds: Number.POSITIVE_INFINITY }),
    (group) => group.invite({ appUrl: "https://app.example", expiresInSeconds: 1e300 }),
    (group) => group.invite({ appUrl: "/join" }),
    (group) => group.send({ text: "" }),
    (group) => group.send(any("Hello")),
  ];
  for (const call of calls) await expect(call(adas), String(call)).rejects.toThrow(TypeError);
  await adas.rename("Right");
  await untilSame([adas, bens]);
  await bens.send({ text: "Hello" });
  await untilHas(adas, "Hello");
  expect(adas.members()).toHaveLength(2);
});

test("a device without a name that others accept is not made", async () => {
  for (const name of [undefined, 5, "n".repeat(4_001)]) {
    const store = memoryStore();
    await expect(openPerson(relay, any(name), { store })).rejects.toThrow(TypeError);
    // The store is as it was.
    const ada = await openPerson(relay, "Ada", { store });
    expect(ada.name).toBe("Ada");
  }
});

test("an address is found in capitals, and with spaces around it", async () => {
  const [ada, ben] = [await openPerson(relay, "Ada"), await openPerson(relay, "Ben")];
  const group = await ada.create({ name: "Capitals" });
  await group.add([` ${ben.address.toUpperCase()}\n`, ben.address]);
  await group.add([ben.address.toUpperCase()]);
  expect(group.members().map(({ name }) => name)).toEqual(["Ada", "Ben"]);
});

test("a link is read with what people copy behind it", async () => {
  const ada = await openPerson(relay, "Ada");
  const group = await ada.create({ name: "Copied" });
  const { link } = await group.invite({ appUrl: "https://app.example/join", uses: 10 });
  for (const behind of [".", ")", ">", "\n", " see you", "&utm_source=mail", "…"]) {
    const ben = await openPerson(relay, "Ben");
    await expect(ben.join(`${link}${behind}`), behind).resolves.toEqual({ group: group.id, name: "Copied" });
  }
});

test("a link keeps the application's own fragment", async () => {
  const ada = await openPerson(relay, "Ada");
  const group = await ada.create({ name: "Routes" });
  for (const [page, start] of [
    ["https://app.example/#/join", "#/join?mls-relay-group="],
    ["https://app.example/#/join?lang=en", "#/join?lang=en&mls-relay-group="],
    ["https://app.example/#", "#mls-relay-group="],
  ] as const) {
    const { link } = await group.invite({ appUrl: page });
    expect(new URL(link).hash.slice(0, start.length)).toBe(start);
    const ben = await openPerson(relay, "Ben");
    await expect(ben.join(link)).resolves.toEqual({ group: group.id, name: "Routes" });
  }
});

test("a file that members could not be told of is not uploaded", async () => {
  const { adas, bens } = await pair("Files");
  let reads = 0;
  const source = new Proxy(new Blob(["abc"]), {
    get: (blob, key) => {
      reads += 1;
      const member = Reflect.get(blob, key);
      return typeof member === "function" ? member.bind(blob) : member;
    },
  });
  const mediaType = "text/plain";
  await expect(adas.attach(source, { name: "n".repeat(300), mediaType })).rejects.toThrow(TypeError);
  await expect(adas.attach(source, any({ name: "a.txt" }))).rejects.toThrow(TypeError);
  await adas.setRole("everyone", ["invite"]);
  await untilSame([adas, bens]);
  await expect(bens.attach(source, { name: "a.txt", mediaType })).rejects.toThrow("roles");
  await bens.leave();
  await expect(bens.attach(source, { name: "a.txt", mediaType })).rejects.toThrow("left");
  expect(reads).toBe(0);
});

test("a group that this device has left can be drawn", async () => {
  const { bens } = await pair("Left");
  await bens.leave();
  expect(bens.members()).toEqual([]);
  expect(bens.roles()).toEqual({ everyone: [], users: {} });
  expect(bens.invitations()).toEqual([]);
  expect(await bens.requests()).toEqual([]);
  expect(bens.may("send")).toBe(false);
});

/** Whose key packages look right until somebody adds them by a commit. */
const withWrongPackages = () =>
  mlsWith("newKeyPackage", (mls) => async (options): Promise<OwnKeyPackage> => {
    const made = await mls.newKeyPackage(options);
    const keyPackage = made.keyPackage.slice();
    // The last bytes are its signature.
    keyPackage[keyPackage.length - 1] = (keyPackage.at(-1) as number) ^ 1;
    return { ...made, keyPackage };
  });

/** Whose key packages a library adds, and members refuse: they have an extension that their leaf does not name. */
const withVoidPackages = () =>
  mlsWith("newKeyPackage", (mls) => async (options): Promise<OwnKeyPackage> => {
    const made = await mls.newKeyPackage(options);
    const read = decodeMlsMessage(made.keyPackage, 0)?.[0];
    if (read?.wireformat !== "mls_key_package") throw new Error("it is no key package");
    const { signaturePrivateKey: key } = decodeRecord<{ signaturePrivateKey: Uint8Array }>(made.privateKeys);
    const extensions = [{ extensionType: 0xf0f0, extensionData: new Uint8Array() }];
    const keyPackage = await signKeyPackage({ ...read.keyPackage, extensions }, key, (await fastSuite()).signature);
    return { ...made, keyPackage: encodeMlsMessage({ ...read, keyPackage }) };
  });

test.each([
  ["a wrong signature", withWrongPackages],
  ["an extension that is not named", withVoidPackages],
])("who cannot be added because of %s keeps nobody else out, and holds up no change", async (_, mlsOf) => {
  const { adas, bens } = await pair("Wrong");
  const [cem, dan] = [await openPerson(relay, "Cem", { mls: mlsOf() }), await openPerson(relay, "Dan")];
  const added = adas.add([cem.address, dan.address]);
  await expect(added).rejects.toThrow(UnreachableError);
  await expect(added).rejects.toMatchObject({ refused: [{ address: cem.address, error: "WRONG_IDENTITY" }] });
  await expect(adas.add([cem.address])).rejects.toThrow(UnreachableError);
  const dans = await groupOf(dan, "Wrong");
  // Nor by an invitation.
  const { link } = await adas.invite({ appUrl: "https://app.example" });
  await cem.join(link);
  await adas.rename("Right");
  await untilSame([adas, bens, dans]);
  expect(adas.members().map(({ name }) => name)).toEqual(["Ada", "Ben", "Dan"]);
});

/** Whose key packages say that the device receives where no relay would send to. */
const withWrongAddress = () =>
  mlsWith("newKeyPackage", (mls) => (options) => {
    const identity = JSON.parse(new TextDecoder().decode(options.identity));
    const address = `${crypto.randomUUID()}@under_score`;
    return mls.newKeyPackage({
      ...options,
      identity: new TextEncoder().encode(JSON.stringify({ ...identity, address })),
    });
  });

test("who cannot be sent to is not admitted: relays would refuse what is sent to all others with it", async () => {
  const [ada, cem] = [await openPerson(relay, "Ada"), await openPerson(relay, "Cem", { mls: withWrongAddress() })];
  const group = await ada.create({ name: "Reachable" });
  const { link } = await group.invite({ appUrl: "https://app.example" });
  const cems = await cem.create({ name: "Afterwards" });
  await cems.add([ada.address]);
  const second = await groupOf(ada, "Afterwards");
  await cem.join(link);
  await cems.send({ text: "asked" });
  await untilHas(second, "asked");
  await group.rename("Still reachable");
  expect(group.members().map(({ name }) => name)).toEqual(["Ada"]);
});

test("after it was closed a device does nothing, and says so", async () => {
  const { ben, adas } = await pair("Closed");
  const store = memoryStore();
  const cem = await openDevice(relay, "Cem", { store });
  await adas.add([cem.address]);
  const cems = await groupOf(cem, "Closed");
  const events = cem.events();
  await events.next();
  const closing = cem.close();
  const calls = [
    () => cems.send({ text: "too late" }),
    () => cems.rename("too late"),
    () => cems.add([ben.address]),
    () => cems.leave(),
    () => cem.create({ name: "too late" }),
  ];
  await closing;
  for (const call of calls) await expect(call(), String(call)).rejects.toThrow("the device was closed");
  expect(await events.next()).toEqual({ done: true, value: undefined });
  expect(await cem.events().next()).toEqual({ done: true, value: undefined });
  await cem.close();

  const again = await openPerson(relay, "Cem", { store });
  await expect(cems.send({ text: "too late" })).rejects.toThrow("the device was closed");
  const group = await groupOf(again, "Closed");
  await group.send({ text: "in time" });
  await untilHas(adas, "in time");
  expect(await textsOf(group)).toEqual(["in time"]);
});

test("an event comes once if another was asked for, also if the device was closed or killed then", async () => {
  const { adas } = await pair("Events");
  const store = memoryStore();
  const cem = await openDevice(relay, "Cem", { store });
  await adas.add([cem.address]);
  const cems = await groupOf(cem, "Events");
  const texts = ["1", "2", "3", "4", "5"];
  for (const text of texts) await adas.send({ text });
  await untilHas(cems, ...texts);
  const read: (string | undefined)[] = [];
  for await (const event of cem.events()) {
    if (event.type !== "message") continue;
    read.push(event.message.text);
    if (event.message.text === "3") await cem.close();
  }
  const again = await openPerson(relay, "Cem", { store });
  for await (const event of again.events()) {
    if (event.type !== "message") continue;
    read.push(event.message.text);
    if (event.message.text === "5") break;
  }
  // The one in hand when the device was closed is not known to be dealt with.
  expect(read).toEqual(["1", "2", "3", "3", "4", "5"]);
});

test("events that are asked for at once come once each, in their order", async () => {
  const { ada, adas } = await pair("At once");
  for (const text of ["1", "2", "3"]) await adas.send({ text });
  const events = ada.events();
  const asked = Array.from({ length: 5 }, () => events.next());
  const numbers = (await Promise.all(asked)).map(({ value }) => value.seq);
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  // Only the last one may not have been dealt with.
  expect((await ada.events().next()).value.seq).toBe(numbers.at(-1));
});

test("a device whose store was wiped is another one, whose former self is removed", async () => {
  const { ada, ben, adas, bens } = await pair("Wiped");
  await ben.close();
  const again = await openPerson(relay, "Ben");
  expect([again.user === ben.user, again.address === ben.address]).toEqual([false, false]);
  await adas.send({ text: "to nobody" });
  const { link } = await adas.invite({ appUrl: "https://app.example" });
  await again.join(link);
  const theirs = await groupOf(again, "Wiped");
  await adas.remove(adas.members().flatMap(({ id, user }) => (user === ben.user ? [id] : [])));
  await untilSame([adas, theirs]);
  await theirs.send({ text: "I am back" });
  await untilHas(adas, "I am back");
  await adas.send({ text: "Welcome" });
  await untilHas(theirs, "Welcome");
  expect(await textsOf(theirs)).toEqual(["I am back", "Welcome"]);
  expect(adas.members().map(({ user }) => user)).toEqual([ada.user, again.user]);
  expect(bens.state).toBe("active");
});
