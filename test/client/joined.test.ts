import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createSlotMember, type SlotMember } from "../../scripts/demo/slot-member.js";
import { epochKeysOf } from "../../src/client/crypto/envelope.js";
import type { DeviceClient } from "../../src/client/device/client.js";
import { createKeyRing, type GroupKeys, type KeyRing, type WaitingMessage } from "../../src/client/keys/key-ring.js";
import { sealMessages, sendSealed } from "../../src/client/sealing/sealed-messages.js";
import type { FollowResult } from "../../src/client/slots/commit-outcomes.js";
import { type CommitSlots, type CommitSlotsOptions, createCommitSlots } from "../../src/client/slots/commit-slots.js";
import type { SlotRelay } from "../../src/client/slots/slot-receipts.js";
import type { ReceivingOptions } from "../../src/client/stream/receiving.js";
import { decodeHex, utf8 } from "../../src/protocol/encodings.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import { newClient } from "./harness.js";

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay({
    newTierSlotsPerHour: 1_000,
    seeds: { SEED_RATE_LIMITING_ENABLED: "false" },
  });
});
afterAll(() => relay.stop());

/** An application with one group, that joins the ring, the slots and the device as the manual says. */
interface Application {
  device: DeviceClient;
  member: SlotMember;
  slots: CommitSlots;
  ring: KeyRing;
  /** The texts that were read. */
  texts: string[];
  /** How following has ended that was put off. */
  followed: FollowResult[];
  /** How often a commit has removed this member. */
  removals: number;
  problems: unknown[];
  /** Without the message that announces it. */
  commitSilently(): Promise<void>;
  commit(): Promise<void>;
  say(text: string): Promise<void>;
  start(options?: Partial<ReceivingOptions>): void;
}

/** Both are at the same relay. The one who says or commits sends to the other. */
async function createPair(onText: (app: Application, text: string) => Promise<void> = async () => undefined) {
  const [ada, ben] = [await createSlotMember("ada"), await createSlotMember("ben")];
  await ada.found("the group");
  await ben.join(await ada.addFirst([ben.keyPackage]));
  const devices = [await newClient(relay), await newClient(relay)] as const;
  const toBen = () => devices[1].session()?.addresses.at(-1) ?? "";
  const toAda = () => devices[0].session()?.addresses.at(-1) ?? "";
  return {
    ada: await createApplication(ada, { device: devices[0], to: toBen, onText }),
    ben: await createApplication(ben, { device: devices[1], to: toAda, onText }),
  };
}

async function createApplication(
  member: SlotMember,
  { device, to, onText }: { device: DeviceClient; to(): string; onText(app: Application, text: string): Promise<void> },
): Promise<Application> {
  const disk = { keys: new Map<string, GroupKeys>(), waiting: new Map<string, WaitingMessage>() };
  let isSilent = false;
  const send = async (content: object, exporter = member.exporter) => {
    const keys = await epochKeysOf(exporter);
    const sealed = await sealMessages({ to: [to()], content: utf8(JSON.stringify(content)), keys }, device.connection);
    await sendSealed(device, sealed);
  };
  let ended = member.exporter;
  const options: CommitSlotsOptions = {
    device,
    relay: await slotRelayOf(device),
    exporter: member.exporter,
    store: member.store,
    enteredAt: () => member.disk.enteredAt,
    evaluate: (content) => member.evaluate(content),
    async apply(commit) {
      const keys = await member.keys();
      ended = (label) =>
        keys[label === "mls-relay signature" ? "signatureKey" : label.endsWith("hint") ? "hintKey" : "sealKey"];
      await member.apply(commit);
      if (!member.isActive()) {
        app.removals += 1;
        await ring.leave("g");
        return "removed";
      }
      await ring.enter("g", member.exporter);
    },
    async announce({ content, receipt, attempt }) {
      if (!isSilent) await send({ commit: Buffer.from(content).toString("base64"), receipt, attempt }, ended);
    },
    onFollowed: (result) => void app.followed.push(result),
    onProblem: (problem) => void app.problems.push(problem),
  };
  const slots = createCommitSlots(options);
  const ring = await createKeyRing({
    pastEpochs: 1,
    clock: device.connection.clock,
    store: {
      loadKeys: async () => [...disk.keys.values()],
      saveKeys: async () => undefined,
      async saveGroup(keys) {
        disk.keys.set(keys.group, keys);
      },
      loadWaiting: async () => [...disk.waiting.values()],
      async addWaiting(waiting) {
        disk.waiting.set(waiting.id, waiting);
      },
      async removeWaiting(id) {
        disk.waiting.delete(id);
      },
    },
    async handle({ content }) {
      const { text, commit, ...proof } = JSON.parse(new TextDecoder().decode(content));
      if (commit !== undefined) {
        await slots.receive({ content: new Uint8Array(Buffer.from(commit, "base64")), ...proof });
        return;
      }
      await onText(app, text);
      app.texts.push(text);
    },
    onProblem: (problem) => void app.problems.push(problem),
  });
  await ring.enter("g", member.exporter);
  const commit = async () => {
    while ((await slots.commit(() => member.makeCommit())).kind === "lost");
  };
  const app: Application = {
    device,
    member,
    slots,
    ring,
    texts: [],
    followed: [],
    removals: 0,
    problems: [],
    commit,
    async commitSilently() {
      isSilent = true;
      await commit();
      isSilent = false;
    },
    say: (text) => send({ text }),
    start(given = {}) {
      const receiving = device.receive({
        async handle(message) {
          if ((await ring.receive(message)) === "waiting") await slots.follow();
        },
        onStatus: ({ state }) => {
          if (state === "streaming") void slots.follow().catch((problem: unknown) => app.problems.push(problem));
        },
        onProblem: (problem) => void app.problems.push(problem),
        ...given,
      });
      onTestFinished(() => receiving.stop());
    },
  };
  return app;
}

async function slotRelayOf(device: DeviceClient): Promise<SlotRelay> {
  const { server, slots } = await device.connection.discover();
  return { domain: server, slotKey: decodeHex(slots?.key ?? "") as Uint8Array, memoryDays: slots?.memory_days ?? 0 };
}

const rounds = 8;

/** In each epoch a text, before and after the commit that ends it. */
async function talk(ada: Application): Promise<string[]> {
  const said: string[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const text of [`a${round}`, `b${round}`]) {
      await ada.say(text);
      said.push(text);
      if (text.startsWith("a")) await ada.commit();
    }
  }
  return said;
}

async function expectCaughtUp(ben: Application, ada: Application, said: readonly string[]): Promise<void> {
  await until(async () => ben.texts.length >= said.length, "all texts are read");
  expect([...ben.texts].sort()).toEqual([...said].sort());
  await until(async () => ben.member.epoch() === ada.member.epoch(), "the last epoch is entered");
  expect(ben.member.authenticator()).toBe(ada.member.authenticator());
  expect(ben.problems).toEqual([]);
}

for (const transport of ["stream", "poll"] as const) {
  test(`who was away reads the texts of all epochs, in order, by ${transport}`, async () => {
    const { ada, ben } = await createPair();
    const said = await talk(ada);
    // Before the queue has been read.
    expect(await ben.slots.follow()).toEqual({ kind: "later", applied: 0 });
    ben.start({ transport });
    await expectCaughtUp(ben, ada, said);
    expect(ben.texts).toEqual(said);
  });

  test(`commits that no message tells of hide no text, by ${transport}`, async () => {
    const { ada, ben } = await createPair();
    await ada.say("before");
    for (let i = 0; i < 3; i++) await ada.commitSilently();
    const said = ["before", ...(await talk(ada))];
    await ada.commitSilently();
    await ada.say("after");
    ben.start({ transport });
    await expectCaughtUp(ben, ada, [...said, "after"]);
    await until(async () => ben.followed.at(-1)?.kind === "current", "the application is told");
  });
}

test("while it is online, a member follows a commit that no message tells of", async () => {
  const { ada, ben } = await createPair();
  ben.start();
  await ada.say("1");
  for (const text of ["2", "3"]) {
    await ada.commitSilently();
    await ada.say(text);
    await until(async () => ben.texts.at(-1) === text, "the text is read");
  }
  await expectCaughtUp(ben, ada, ["1", "2", "3"]);
});

test("the application may commit while it handles a message of any epoch", async () => {
  const { ada, ben } = await createPair(async (app, text) => {
    if (app.member.name === "ben" && text.startsWith("b")) await app.commit();
  });
  ada.start();
  await ada.say("a");
  await ada.commitSilently();
  await ada.commitSilently();
  await ada.say("b");
  ben.start();
  await until(async () => ben.texts.includes("b"), "the text is handled");
  await until(async () => ben.member.epoch() === ada.member.epoch(), "ada has applied ben's commit");
  expect(ben.texts).toEqual(["a", "b"]);
  expect([...ben.problems, ...ada.problems]).toEqual([]);
});

test("a commit waits until the messages of the epochs before it are read", async () => {
  const { ada, ben } = await createPair();
  await ada.commitSilently();
  const said = await talk(ada);
  ben.start();
  await Promise.all([ben.commit(), expectTexts(ben, said)]);
  ada.start();
  await until(async () => ben.member.epoch() === ada.member.epoch(), "ada has applied ben's commit");
});

test("a member whose commit removes another one is told apart from one that must join again", async () => {
  const { ada, ben } = await createPair();
  const remove = { proposalType: "remove" as const, remove: { removed: ben.member.leaf() } };
  expect(await ada.slots.commit(() => ada.member.makeCommit([remove]))).toEqual({ kind: "won" });
  ben.start();
  await until(async () => ben.removals > 0, "the commit is applied");
  expect(await ben.slots.follow()).toEqual({ kind: "removed" });
  expect(await ben.slots.commit(() => ben.member.makeCommit())).toEqual({ kind: "removed" });
  expect([ben.removals, ben.problems]).toEqual([1, []]);
});

async function expectTexts(ben: Application, said: readonly string[]): Promise<void> {
  await until(async () => ben.texts.length >= said.length, "all texts are read");
  expect(ben.texts).toEqual(said);
}
