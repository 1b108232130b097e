import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { beforeEach, expect, test, vi } from "vitest";
import type { Exporter } from "../../src/client/crypto/envelope.js";
import { epochKeysOf, sealEnvelope } from "../../src/client/crypto/envelope.js";
import {
  createKeyRing,
  type GroupKeys,
  type KeyRing,
  type KeyRingOptions,
  type KeyRingStore,
  ringsOf,
  type WaitingMessage,
} from "../../src/client/keys/key-ring.js";
import type { IncomingMessage } from "../../src/client/messages/messages.js";
import { utf8 } from "../../src/protocol/encodings.js";

const exporterOf =
  (epoch: string): Exporter =>
  (label, _, length) =>
    new Uint8Array(createHash("sha256").update(`${epoch} ${label}`).digest()).slice(0, length);

let now: number;
let handled: string[];
let dropped: number;
let disk: { keys: readonly GroupKeys[]; waiting: Map<string, WaitingMessage> };

beforeEach(() => {
  [now, handled, dropped] = [1_000_000, [], 0];
  disk = { keys: [], waiting: new Map() };
});

const store: KeyRingStore = {
  loadKeys: async () => disk.keys,
  async saveKeys(keys) {
    disk.keys = keys;
  },
  loadWaiting: async () => [...disk.waiting.values()],
  async addWaiting(waiting) {
    disk.waiting.set(waiting.id, waiting);
  },
  async removeWaiting(id) {
    disk.waiting.delete(id);
  },
};

/** The ring of an application that has just started. */
function open(options: Partial<KeyRingOptions> = {}): Promise<KeyRing> {
  return createKeyRing({
    store,
    pastEpochs: 2,
    clock: { nowSeconds: () => now },
    handle: ({ group, content }) => void handled.push(`${group}: ${new TextDecoder().decode(content)}`),
    onDropped: () => {
      dropped += 1;
    },
    ...options,
  });
}

async function messageOf(epoch: string, text: string, bytes?: number): Promise<IncomingMessage> {
  const content = bytes === undefined ? utf8(text) : new Uint8Array(bytes).fill(65);
  const ciphertext = sealEnvelope(await epochKeysOf(exporterOf(epoch)), content);
  const messageId = "0193a5f0-7b1c-7c3e-9d52-4f6a8b0c1d2e";
  return { messageId, ciphertext, senderSignature: "", timestamp: now, receivedAt: now, systemEvent: undefined };
}

test("messages of several groups and of their last epochs open", async () => {
  const ring = await open();
  for (const epoch of ["a1", "a2", "a3", "a4"]) await ring.enter("a", exporterOf(epoch));
  await ring.enter("b", exporterOf("b1"));
  expect(ring.keysOf("a")).toEqual(await epochKeysOf(exporterOf("a4")));
  for (const epoch of ["a4", "b1", "a2"]) expect(await ring.receive(await messageOf(epoch, epoch))).toBe("handled");
  expect(handled).toEqual(["a: a4", "b: b1", "a: a2"]);
  expect(await ring.receive(await messageOf("a1", "too old"))).toBe("waiting");
  await ring.leave("b");
  expect(await ring.receive(await messageOf("b1", "left"))).toBe("waiting");
  expect(() => ring.keysOf("b")).toThrow("no keys");
});

test("what cannot be opened yet is handled after the join or the commit that leads to it, in order", async () => {
  const ring = await open();
  for (const text of ["first", "second"]) await ring.receive(await messageOf("a1", text));
  await ring.receive(await messageOf("a2", "third"));
  expect(handled).toEqual([]);
  await ring.enter("a", exporterOf("a1"));
  await ring.settled();
  expect(handled).toEqual(["a: first", "a: second"]);
  await ring.enter("a", exporterOf("a2"));
  await ring.settled();
  expect(handled).toEqual(["a: first", "a: second", "a: third"]);
  expect(disk.waiting.size).toBe(0);
});

test("a waiting commit leads to the epoch of the messages that wait behind it", async () => {
  const ring: KeyRing = await open({
    async handle({ content }) {
      const text = new TextDecoder().decode(content);
      handled.push(text);
      if (text === "commit") await ring.enter("a", exporterOf("a2"));
    },
  });
  await ring.receive(await messageOf("a2", "after"));
  await ring.receive(await messageOf("a1", "commit"));
  await ring.receive(await messageOf("a1", "late"));
  await ring.enter("a", exporterOf("a1"));
  await ring.settled();
  expect(handled.sort()).toEqual(["after", "commit", "late"]);
  expect(disk.waiting.size).toBe(0);
});

test("keys and waiting messages survive a restart, and what failed is tried again", async () => {
  const before = await open();
  await before.enter("a", exporterOf("a1"));
  await before.receive(await messageOf("a2", "early"));
  const problems: string[] = [];
  const failing = await open({
    handle() {
      throw new Error("the disk is full");
    },
    onProblem: (problem) => void problems.push(String(problem)),
  });
  await failing.enter("a", exporterOf("a2"));
  await failing.settled();
  expect(problems).toEqual(["Error: the disk is full"]);
  await expect(failing.receive(await messageOf("a2", "unacknowledged"))).rejects.toThrow("the disk is full");
  const after = await open();
  expect(await after.receive(await messageOf("a1", "old"))).toBe("handled");
  await after.enter("a", exporterOf("a2"));
  await after.settled();
  expect(handled).toEqual(["a: old", "a: early"]);
});

test("a message that cannot be stored stays with the relay, and none is stored after it was handled", async () => {
  const full = await open({ store: { ...store, addWaiting: () => Promise.reject(new Error("the disk is full")) } });
  await expect(full.receive(await messageOf("a1", "lost"))).rejects.toThrow("the disk is full");
  await full.enter("a", exporterOf("a1"));
  expect(handled).toEqual([]);

  let write: () => void = () => undefined;
  const writing = new Promise<void>((resolve) => {
    write = resolve;
  });
  const addWaiting = async (waiting: WaitingMessage) => {
    await writing;
    await store.addWaiting(waiting);
  };
  const slow = await open({ store: { ...store, addWaiting } });
  const received = slow.receive(await messageOf("b1", "slow"));
  const entered = slow.enter("b", exporterOf("b1"));
  write();
  await Promise.all([received, entered]);
  await slow.settled();
  expect([handled, disk.waiting.size]).toEqual([["b: slow"], 0]);
});

test("a thousand messages wait, for a week, with 16 MiB together, and a flood takes no place of what came before it", async () => {
  const ring = await open();
  await ring.receive({ ...(await messageOf("c1", "", 1024 * 1024)), receivedAt: now - 60 });
  for (let i = 0; i < 1_001; i++) await ring.receive(await messageOf("a1", String(i)));
  expect([disk.waiting.size, dropped]).toEqual([1_000, 2]);
  now += 6 * 86_400;
  // It was at the relay before all others: the device was off.
  await ring.receive({ ...(await messageOf("a1", "younger")), receivedAt: now - 20 * 86_400 });
  await ring.enter("c", exporterOf("c1"));
  await ring.settled();
  expect(handled.splice(0)).toEqual([`c: ${"A".repeat(1024 * 1024)}`]);
  now += 86_400 + 1;
  await ring.enter("a", exporterOf("a1"));
  await ring.settled();
  expect([handled, disk.waiting.size]).toEqual([["a: younger"], 0]);

  dropped = 0;
  for (let i = 0; i < 3; i++) await ring.receive(await messageOf("b1", "", 6 * 1024 * 1024));
  expect([disk.waiting.size, dropped]).toEqual([2, 1]);
});

test("while too much waits, the rest stays at the relay until an epoch makes room", async () => {
  const ring = await open();
  for (let i = 0; i < 501; i++) await ring.receive(await messageOf("a1", String(i)));
  const rest = Array.from({ length: 1_000 }, (_, at) => messageOf("a1", String(501 + at)));
  const received = Promise.all((await Promise.all(rest)).map((message) => ring.receive(message)));
  await setImmediate();
  expect(disk.waiting.size).toBe(501);
  await ring.enter("a", exporterOf("a1"));
  expect(new Set(await received)).toEqual(new Set(["handled"]));
  expect(handled).toEqual(Array.from({ length: 1_501 }, (_, at) => `a: ${at}`));
  expect(dropped).toBe(0);
});

test("envelopes that no epoch opens keep commits from being followed no longer than the wait for an epoch", async () => {
  const clock = { nowSeconds: () => now };
  const ring = await open({ clock });
  for (let i = 0; i < 501; i++) await ring.receive(await messageOf("a1", String(i)));
  const [same] = ringsOf(clock);
  expect(same?.isCrowded()).toBe(true);
  const message = await messageOf("a1", "later");
  vi.useFakeTimers();
  const later = ring.receive(message);
  await vi.advanceTimersByTimeAsync(5_000);
  vi.useRealTimers();
  expect(await later).toBe("waiting");
  expect(same?.isCrowded()).toBe(false);
});

test("the same bytes wait once, and other forms are left to the application", async () => {
  const ring = await open();
  const message = await messageOf("a1", "twice");
  await ring.receive(message);
  await ring.receive(message);
  expect(disk.waiting.size).toBe(1);
  const of = (first: number, length = 512) => ({ ...message, ciphertext: new Uint8Array(length).fill(first, 0, 1) });
  expect(await ring.receive(of(2))).toBe("welcome");
  expect(await ring.receive(of(0))).toBe("other");
  expect(await ring.receive(of(1, 20))).toBe("other");
});

test("two groups that are entered at once are saved one after the other, and none replaces the other", async () => {
  const writes: string[] = [];
  let underWay = 0;
  const slowly = async (what: string, write: () => void) => {
    underWay += 1;
    writes.push(`${what} ${underWay}`);
    // The first write takes longest.
    await new Promise((resolve) => setTimeout(resolve, writes.length === 1 ? 50 : 1));
    write();
    underWay -= 1;
  };
  const saveKeys: KeyRingStore["saveKeys"] = (keys) =>
    slowly(keys.map(({ group }) => group).join(), () => {
      disk.keys = keys;
    });
  const all = await open({ store: { ...store, saveKeys } });
  await Promise.all([all.enter("a", exporterOf("a1")), all.enter("b", exporterOf("b1")), all.leave("a")]);
  expect(writes).toEqual(["a 1", "a,b 1", "b 1"]);
  expect(disk.keys.map(({ group }) => group)).toEqual(["b"]);

  writes.length = 0;
  const saveGroup: KeyRingStore["saveGroup"] = ({ group, epochs }) =>
    slowly(`${group}: ${epochs.length}`, () => undefined);
  const each = await open({ store: { ...store, saveGroup } });
  await Promise.all([each.enter("a", exporterOf("a1")), each.enter("b", exporterOf("b2")), each.leave("a")]);
  expect(writes).toEqual(["a: 1 1", "b: 2 1", "a: 0 1"]);
});

test("the keys of an epoch are those of the call, whenever they are saved", async () => {
  const ring = await open();
  let epoch = "a1";
  const exporter: Exporter = (label, context, length) => exporterOf(epoch)(label, context, length);
  const first = ring.enter("a", exporter);
  epoch = "a2";
  await Promise.all([first, ring.enter("a", exporter)]);
  for (const text of ["a1", "a2"]) expect(await ring.receive(await messageOf(text, text))).toBe("handled");
});

test("keys that could not be saved are saved when their epoch is entered again", async () => {
  let isFull = true;
  const saveKeys: KeyRingStore["saveKeys"] = async (keys) => {
    if (isFull) throw new Error("the disk is full");
    disk.keys = keys;
  };
  const ring = await open({ store: { ...store, saveKeys } });
  await expect(ring.enter("a", exporterOf("a1"))).rejects.toThrow("the disk is full");
  isFull = false;
  await ring.enter("a", exporterOf("a1"));
  expect(disk.keys.map(({ group }) => group)).toEqual(["a"]);
});

test("one message is handled at a time, those that have waited first", async () => {
  let inHand = 0;
  let most = 0;
  const ring = await open({
    async handle({ content }) {
      inHand += 1;
      most = Math.max(most, inHand);
      await new Promise((resolve) => setTimeout(resolve, 1));
      handled.push(new TextDecoder().decode(content));
      inHand -= 1;
    },
  });
  for (const text of ["1", "2"]) await ring.receive(await messageOf("a1", text));
  await ring.enter("a", exporterOf("a1"));
  const later = await Promise.all(["3", "4"].map((text) => messageOf("a1", text)));
  await Promise.all(later.map((message) => ring.receive(message)));
  expect([handled, most]).toEqual([["1", "2", "3", "4"], 1]);
});
