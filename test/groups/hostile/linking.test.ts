import { afterAll, beforeAll, expect, test } from "vitest";
import { beginLinking, sealMessages, sendSealed, sha256 } from "../../../src/client/index.js";
import { decodeRecord } from "../../../src/groups/encoding/records.js";
import { type Groups, memoryStore, type Store } from "../../../src/groups/index.js";
import { doorKeysOf } from "../../../src/groups/membership/door-keys.js";
import { encodeHex, utf8 } from "../../../src/protocol/encodings.js";
import { startRelay, type TestRelay } from "../../support/relay.js";
import { groupOf, openDevice, openPerson, roomy } from "../people.js";

let relay: TestRelay;
beforeAll(async () => {
  // The tests link more devices than one network may in an hour.
  relay = await startRelay({ ...roomy, provisioningPerIpHour: 100 });
});
afterAll(() => relay?.stop());

const different = { name: "LinkingError", reason: "different" };

/** A person who has both devices in front of them. Each screen shows a code or, if the devices do not reach each other, none. */
function looking() {
  const shown = { old: new Screen(), new: new Screen() };
  const compare = (here: Screen, there: Screen) => async (code: string) => {
    here.show(code);
    return (await there.code) === code;
  };
  return { shown, onOld: compare(shown.old, shown.new), onNew: compare(shown.new, shown.old) };
}

class Screen {
  show: (code: string | undefined) => void = () => {};
  readonly code = new Promise<string | undefined>((resolve) => {
    this.show = resolve;
  });
}

async function adaWithGroup(): Promise<Groups> {
  const ada = await openPerson(relay, "Ada");
  await ada.create({ name: "Private" });
  return ada;
}

/** Neither a key nor a leaf. */
async function expectNothing(ada: Groups, store: Store): Promise<void> {
  expect(await store.get("account")).toBeUndefined();
  expect(JSON.stringify(await store.list({ prefix: "" }))).not.toContain(ada.user);
  expect(ada.groups().map((group) => group.members().length)).toEqual([1]);
}

test("somebody who replaces the QR code by one of theirs gets nothing, whatever they answer", async () => {
  const ada = await adaWithGroup();
  const { shown, onOld } = looking();
  const store = memoryStore();
  // Ada's tablet shows the QR code that was replaced, and never a code to compare.
  shown.new.show(undefined);
  let linked: Promise<unknown> | undefined;
  const show = (qr: string) => {
    linked = ada.linkDevice(qr, { compare: onOld }).catch((problem: unknown) => problem);
  };
  await expect(openDevice(relay, "Mallory", { store, link: { show, compare: () => true } })).rejects.toMatchObject(
    different,
  );
  expect(await linked).toMatchObject(different);
  expect(await shown.old.code).toBeDefined();
  await expectNothing(ada, store);
});

test("somebody who photographs the QR code and answers it first gets nothing, and links nothing to themselves", async () => {
  const [ada, mallory] = [await adaWithGroup(), await openPerson(relay, "Mallory")];
  await mallory.create({ name: "Bait" });
  const { shown, onOld, onNew } = looking();
  const answers: Promise<unknown>[] = [];
  const store = memoryStore();
  const show = (qr: string) => {
    const first = mallory.linkDevice(qr, { compare: () => true });
    const refused = first.catch((problem: unknown) => problem);
    // Once the address is filled, Ada's device is refused: its screen shows that, and no code.
    const codeOnNew = shown.new.code.then(() => ada.linkDevice(qr, { compare: onOld }));
    answers.push(
      refused,
      codeOnNew.catch((problem: unknown) => problem).finally(() => shown.old.show(undefined)),
    );
  };
  await expect(openDevice(relay, "Tablet", { store, link: { show, compare: onNew } })).rejects.toMatchObject(different);
  expect(await Promise.all(answers)).toMatchObject([different, { error: "CONFLICT" }]);
  expect(await shown.new.code).toBeDefined();
  await expectNothing(ada, store);
  expect(mallory.groups().map((group) => group.members().length)).toEqual([1]);
});

test("somebody in between who runs both exchanges shows two codes, and gets nothing", async () => {
  const [ada, mallory] = [await adaWithGroup(), await openPerson(relay, "Mallory")];
  const { shown, onOld, onNew } = looking();
  const [stolen, store] = [memoryStore(), memoryStore()];
  const ends: Promise<unknown>[] = [];
  const caught = (promise: Promise<unknown>) => void ends.push(promise.catch((problem: unknown) => problem));
  const toAda = (qr: string) => caught(ada.linkDevice(qr, { compare: onOld }));
  const toTablet = (qr: string) => {
    caught(openDevice(relay, "Mallory", { store: stolen, link: { show: toAda, compare: () => true } }));
    caught(mallory.linkDevice(qr, { compare: () => true }));
  };
  await expect(openDevice(relay, "Tablet", { store, link: { show: toTablet, compare: onNew } })).rejects.toMatchObject(
    different,
  );
  const [onTablet, onAda] = await Promise.all([shown.new.code, shown.old.code]);
  expect([onTablet, onAda]).toEqual([expect.any(String), expect.any(String)]);
  expect(onTablet).not.toBe(onAda);
  for (const end of await Promise.all(ends)) expect(end).toMatchObject(different);
  await expectNothing(ada, stolen);
  await expectNothing(ada, store);
});

test("a device that tells anything but the nonce that its QR code is a commitment to gets no code to compare", async () => {
  const [ada, mallory] = [await adaWithGroup(), await openPerson(relay, "Mallory")];
  const nonce = "ab".repeat(32);
  const commitment = encodeHex(sha256(utf8(`mls-relay groups linking 1 ${nonce}`)));
  // Each of the last ones is the same text.
  for (const told of ["cd".repeat(32), [nonce], [[nonce]]]) {
    const linking = await beginLinking(mallory.device.connection);
    const qr = JSON.stringify({ ...JSON.parse(linking.qr), commitment });
    let isAsked = false;
    const compare = () => {
      isAsked = true;
      return true;
    };
    const linked = ada.linkDevice(qr, { compare }).catch((problem: unknown) => problem);
    const received = await linking.arrived();
    const offer = decodeRecord<{ secret: Uint8Array; address: string }>(received.payloadAfterComparison());
    const keys = await doorKeysOf(offer.secret);
    const content = utf8(JSON.stringify({ type: "nonce", nonce: told }));
    await sendSealed(
      mallory.device,
      await sealMessages({ to: [offer.address], content, keys }, mallory.device.connection),
    );
    expect([await linked, isAsked]).toEqual([expect.objectContaining(different), false]);
  }
  expect(ada.groups().map((group) => group.members().length)).toEqual([1]);
});

test("a short code that is typed carelessly links a device, and none after that", async () => {
  const ada = await adaWithGroup();
  const { shown, onOld, onNew } = looking();
  let linked: Promise<void> | undefined;
  let typed = "";
  const show = (_: string, code = "") => {
    expect(code).toMatch(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/);
    typed = code.toLowerCase().replace("-", " ").replaceAll("0", "o").replaceAll("1", "l");
    linked = ada.linkDevice(` ${typed}`, { compare: onOld });
  };
  const tablet = await openPerson(relay, "", { link: { show, compare: onNew } });
  await linked;
  expect(await shown.old.code).toBe(await shown.new.code);
  await groupOf(tablet, "Private");
  expect(tablet.user).toBe(ada.user);
  await expect(ada.linkDevice(typed, { compare: () => true })).rejects.toMatchObject({ reason: "unknown" });
});

test("somebody who guesses the short code, and answers it first, gets nothing and links nothing to themselves", async () => {
  const [ada, mallory] = [await adaWithGroup(), await openPerson(relay, "Mallory")];
  await mallory.create({ name: "Bait" });
  const { shown, onOld, onNew } = looking();
  const answers: Promise<unknown>[] = [];
  const store = memoryStore();
  const show = (_: string, code = "") => {
    const first = mallory.linkDevice(code, { compare: () => true });
    answers.push(first.catch((problem: unknown) => problem));
    const later = shown.new.code.then(() => ada.linkDevice(code, { compare: onOld }));
    answers.push(later.catch((problem: unknown) => problem).finally(() => shown.old.show(undefined)));
  };
  await expect(openDevice(relay, "Tablet", { store, link: { show, compare: onNew } })).rejects.toMatchObject(different);
  expect(await Promise.all(answers)).toMatchObject([different, { reason: "unknown" }]);
  await expectNothing(ada, store);
  expect(mallory.groups().map((group) => group.members().length)).toEqual([1]);
});

test("a relay that hands out its own QR code for a short code, and runs both exchanges, shows two codes and gets nothing", async () => {
  const mallory = await openPerson(relay, "Mallory");
  let replacement = "";
  // Between Ada's device and the relay: what its operator could do.
  const replacing: typeof fetch = async (url, init) => {
    const answer = await fetch(url, init);
    if (!String(url).includes("/linking-codes/")) return answer;
    return Response.json({ qr: replacement });
  };
  const ada = await openPerson(relay, "Ada", { runtime: { fetch: replacing } });
  await ada.create({ name: "Private" });
  const { shown, onOld, onNew } = looking();
  const [stolen, store] = [memoryStore(), memoryStore()];
  const ends: Promise<unknown>[] = [];
  const caught = (promise: Promise<unknown>) => void ends.push(promise.catch((problem: unknown) => problem));
  const show = (qr: string, code = "") => {
    const toAda = (own: string) => {
      replacement = own;
      caught(ada.linkDevice(code, { compare: onOld }));
    };
    caught(openDevice(relay, "Mallory", { store: stolen, link: { show: toAda, compare: () => true } }));
    caught(mallory.linkDevice(qr, { compare: () => true }));
  };
  await expect(openDevice(relay, "Tablet", { store, link: { show, compare: onNew } })).rejects.toMatchObject(different);
  const [onTablet, onAda] = await Promise.all([shown.new.code, shown.old.code]);
  expect([onTablet, onAda]).toEqual([expect.any(String), expect.any(String)]);
  expect(onTablet).not.toBe(onAda);
  for (const end of await Promise.all(ends)) expect(end).toMatchObject(different);
  await expectNothing(ada, stolen);
  await expectNothing(ada, store);
});

test("a device is linked by the QR code at a relay that has no short codes", async () => {
  const without: typeof fetch = (url, init) =>
    String(url).endsWith("/code") ? Promise.resolve(new Response("Not Found", { status: 404 })) : fetch(url, init);
  const ada = await adaWithGroup();
  const codes: unknown[] = [];
  const show = (qr: string, code?: string) => {
    codes.push(code);
    void ada.linkDevice(qr, { compare: () => true });
  };
  const link = { show, compare: () => true };
  await groupOf(await openPerson(relay, "", { link, runtime: { fetch: without } }), "Private");
  expect(codes).toEqual([undefined]);
});
