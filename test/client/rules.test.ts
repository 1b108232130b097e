// The rules of docs/reference/client.md, "Rules that hold".

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { DeviceClient } from "../../src/client/device/client.js";
import type { IncomingMessage } from "../../src/client/messages/messages.js";
import type { ReceivingOptions } from "../../src/client/stream/receiving.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import { holdSockets, hurriedSleep, keysOf, listen, newClient, sendText } from "./harness.js";

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay({
    announcementsPerHour: 1_000,
    newAddressesPerDay: 1_000,
    seeds: { SEED_RATE_LIMITING_ENABLED: "false" },
  });
});
afterAll(() => relay.stop());

const rules = {
  oneAtATime: "`handle` gets one message at a time",
  order: "Messages are handled in the order in which they arrive.",
  acknowledged: "A message is acknowledged once it is dealt with, and not before.",
  failures: "A message that cannot be handled holds up no other.",
  crash: "What is not acknowledged survives a crash.",
  callbacks: "No function of the application ends receiving.",
  stopped: "After `stop()` no message is handed over.",
};

test("the page states these rules", () => {
  const page = readFileSync("docs/reference/client.md", "utf8");
  const [, section = ""] = /## Rules that hold\n([\s\S]*?)\n## /.exec(page) ?? [];
  expect([...section.matchAll(/^- \*\*(.+?)\*\*/gm)].map(([, rule]) => rule)).toEqual(Object.values(rules));
});

const textOf = ({ ciphertext }: IncomingMessage) => new TextDecoder().decode(ciphertext);
const queueOf = async (device: DeviceClient) =>
  (await device.poll({ limit: 1_000 })).messages.map(({ mls_ciphertext: text }) =>
    Buffer.from(text, "base64").toString(),
  );
const leftQueue = (device: DeviceClient) =>
  until(async () => (await queueOf(device)).length === 0, "the queue is empty");

/** Records who handles which message, and holds each message until it is released. */
function createWorkshop() {
  const log: string[] = [];
  let [inHand, most] = [0, 0];
  let isOpen = false;
  let release: (() => void) | undefined;
  return {
    log,
    most: () => most,
    /** Lets everything through from now on. */
    open() {
      isOpen = true;
      release?.();
    },
    handle: (who: string) => async (message: IncomingMessage) => {
      inHand++;
      most = Math.max(most, inHand);
      log.push(`${who} ${textOf(message)}`);
      if (!isOpen)
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      inHand--;
    },
  };
}

function receive(device: DeviceClient, options: ReceivingOptions) {
  const receiving = device.receive(options);
  onTestFinished(() => receiving.stop());
  return receiving;
}

async function pair(options: Parameters<typeof newClient>[1] = {}) {
  const [ada, ben] = [await newClient(relay), await newClient(relay, options)];
  const say = async (...texts: string[]) => {
    for (const text of texts) await sendText(ada, ben, text);
  };
  return { ben, say };
}

describe(rules.oneAtATime, () => {
  test.each([["stop() is not awaited"], ["nothing is stopped"]])("receive is called again, and %s", async (how) => {
    const { ben, say } = await pair();
    const { handle, log, most, open } = createWorkshop();
    await say("a", "b", "c");
    const first = receive(ben, { handle: handle("first") });
    await until(async () => log.length === 1, "a message is in hand");
    if (how === "stop() is not awaited") void first.stop();
    const streams: string[] = [];
    receive(ben, { handle: handle("second"), onStatus: ({ state }) => streams.push(state) });
    await until(async () => streams.includes("streaming"), "the second stream is open");
    open();
    await leftQueue(ben);
    expect(log.map((entry) => entry.split(" ")[1])).toEqual(["a", "b", "c"]);
    expect([log[0], most()]).toEqual(["first a", 1]);
    expect((await first.ended).reason).toBe(how === "nothing is stopped" ? "replaced" : "stopped");
  });

  test("receiving is stopped and begun again before its stream is open", async () => {
    const { ben, say } = await pair();
    await say("a", "b");
    const { handle, log, most, open } = createWorkshop();
    open();
    void receive(ben, { handle: handle("first") }).stop();
    receive(ben, { handle: handle("second") });
    await leftQueue(ben);
    expect([log, most()]).toEqual([["second a", "second b"], 1]);
  });

  test("two pushes come at once", async () => {
    const { ben, say } = await pair();
    await say("a", "b");
    const { handle, log, most, open } = createWorkshop();
    const pushes = ["first", "second"].map((who) => ben.push.handle(undefined, { handle: handle(who) }));
    await until(async () => log.length === 1, "a message is in hand");
    open();
    const handled = await Promise.all(pushes);
    expect([log.map((entry) => entry.split(" ")[1]), most()]).toEqual([["a", "b"], 1]);
    // The one that finds the other at work leaves the queue to it.
    expect(handled.some((push) => push.type === "wake" && push.isEmpty)).toBe(true);
    expect(handled.reduce((sum, push) => sum + (push.type === "wake" ? push.handled : 0), 0)).toBe(2);
    await leftQueue(ben);
  });

  test.each(["stream", "poll"] as const)("a push comes beside a %s", async (transport) => {
    const { ben, say } = await pair();
    await say("a", "b", "c");
    const { handle, log, most, open } = createWorkshop();
    receive(ben, { handle: handle("receive"), transport });
    await until(async () => log.length === 1, "a message is in hand");
    const push = ben.push.handle(undefined, { handle: handle("push") });
    open();
    expect(await push).toMatchObject({ isEmpty: true });
    expect([log.map((entry) => entry.split(" ")[1]), most()]).toEqual([["a", "b", "c"], 1]);
    await leftQueue(ben);
  });
});

describe(rules.order, () => {
  test.each(["stream", "poll"] as const)("by %s, across windows and pages", async (transport) => {
    const { ben, say } = await pair();
    const texts = Array.from({ length: 25 }, (_, i) => String(i));
    await say(...texts);
    const listener = listen(ben, { transport, window: 3 });
    await listener.until(() => listener.texts.length === texts.length);
    expect(listener.texts).toEqual(texts);
  });
});

describe(rules.acknowledged, () => {
  test("not while it is in hand, and at once when it is dropped", async () => {
    const { ben, say } = await pair();
    await say("a", "b");
    const { handle, log, open } = createWorkshop();
    const hold = handle("receive");
    const listener = listen(ben, { handle: (message) => (textOf(message) === "a" ? hold(message) : "drop") });
    await until(async () => log.length === 1, "a message is in hand");
    expect(await queueOf(ben)).toEqual(["a", "b"]);
    open();
    await leftQueue(ben);
    expect(listener.problems).toEqual([]);
  });

  test("by a push, too, which does not count what was dropped", async () => {
    const { ben, say } = await pair();
    await say("a", "b");
    const handle = (message: IncomingMessage) => (textOf(message) === "a" ? ("drop" as const) : undefined);
    expect(await ben.push.handle(undefined, { handle })).toEqual({ type: "wake", handled: 1, isEmpty: true });
    expect(await queueOf(ben)).toEqual([]);
  });

  test("once onUndeliverable has it, and a failure of that is tried again", async () => {
    const { ben, say } = await pair({ runtime: { sleep: hurriedSleep() } });
    const given: unknown[] = [];
    let tried = 0;
    await say("bad");
    const listener = listen(ben, {
      attempts: 3,
      handle() {
        tried++;
        throw new Error(`attempt ${tried}`);
      },
      async onUndeliverable(message, problem) {
        given.push(textOf(message), String(problem));
        if (given.length < 4) throw new Error("no room");
      },
    });
    await leftQueue(ben);
    expect(given).toEqual(["bad", "Error: attempt 3", "bad", "Error: attempt 4"]);
    expect(listener.problems.map(String)).toContain("Error: no room");
  });
});

describe(rules.failures, () => {
  const failing = (good: string[]) => (message: IncomingMessage) => {
    if (textOf(message).startsWith("bad")) throw new Error("cannot be decrypted");
    good.push(textOf(message));
  };

  test.each(["stream", "poll"] as const)("more than fit into a window or a page, by %s", async (transport) => {
    const { ben, say } = await pair();
    await say(...Array.from({ length: 120 }, (_, i) => `bad ${i}`), "good");
    const good: string[] = [];
    receive(ben, { handle: failing(good), transport, window: transport === "stream" ? 10 : undefined });
    await until(async () => good.length === 1, "the good message is handled");
    await until(async () => (await queueOf(ben)).length === 120, "it is acknowledged");
  });

  test("on the next stream, too", async () => {
    const sockets = holdSockets();
    const { ben, say } = await pair({ runtime: { openSocket: sockets.openSocket } });
    await say(...Array.from({ length: 15 }, (_, i) => `bad ${i}`), "good");
    const good: string[] = [];
    receive(ben, { handle: failing(good) });
    await until(async () => good.length === 1, "the good message is handled");
    sockets.break();
    await until(async () => sockets.opened.length === 2, "another stream is opened");
    await say("better");
    await until(async () => good.length === 2, "the next good message is handled");
  });

  test("after the relay's patience with a silent client", async () => {
    const { ben, say } = await pair();
    await say("bad");
    const good: string[] = [];
    const problems: unknown[] = [];
    const handle = failing(good);
    receive(ben, { handle, pingSeconds: 0.2, onProblem: (problem) => problems.push(problem) });
    await until(async () => problems.length > 0, "the bad message has failed");
    relay.clock.advance(61);
    await say("good");
    await until(async () => good.length === 1, "the good message is handled");
  });

  test("before a push", async () => {
    const { ben, say } = await pair();
    await say(...Array.from({ length: 120 }, (_, i) => `bad ${i}`), "good");
    const good: string[] = [];
    const handled = await ben.push.handle(undefined, { handle: failing(good) });
    expect([handled, good]).toEqual([{ type: "wake", handled: 1, isEmpty: false }, ["good"]]);
  });
});

describe(rules.crash, () => {
  test("what a client had in hand comes to the next one", async () => {
    const { ben, say } = await pair();
    await say("a", "b");
    const { handle, log } = createWorkshop();
    const first = receive(ben, { handle: handle("crashed") });
    await until(async () => log.length === 1, "a message is in hand");
    const next = await newClient(relay, { keys: keysOf(ben), announced: false, session: ben.session() });
    const listener = listen(next);
    await listener.until(() => listener.texts.length === 2);
    expect(listener.texts).toEqual(["a", "b"]);
    await first.stop();
  });
});

describe(rules.callbacks, () => {
  const sync = () => {
    throw new Error("a fault of the application");
  };
  const async = async () => sync();

  test.each([
    ["stream", sync],
    ["stream", async],
    ["poll", sync],
    ["poll", async],
  ] as const)("by %s, if all of them fail", async (transport, boom) => {
    const { ben, say } = await pair({ runtime: { sleep: hurriedSleep() } });
    await say("a", "b");
    const texts: string[] = [];
    const problems: unknown[] = [];
    const failedBefore = new Set<string>();
    ben.queue.onEmpty(boom);
    const receiving = receive(ben, {
      transport,
      onStatus: boom,
      onKeyPackagesRemaining: boom,
      onProblem(problem) {
        problems.push(problem);
        return boom();
      },
      handle(message) {
        const text = textOf(message);
        if (failedBefore.has(text)) return void texts.push(text);
        failedBefore.add(text);
        return boom();
      },
    });
    await until(async () => texts.length === 2, "the messages are handled");
    void receiving.stop();
    await leftQueue(ben);
    expect(problems.map(String)).toContain("Error: a fault of the application");
  });

  test("nor a push", async () => {
    const { ben, say } = await pair();
    await say("a");
    const problems: unknown[] = [];
    const onProblem = (problem: unknown) => void problems.push(problem);
    const handled = await ben.push.handle(undefined, {
      handle: () => undefined,
      onProblem,
      onKeyPackagesRemaining: async,
    });
    expect([handled, problems.length]).toEqual([{ type: "wake", handled: 1, isEmpty: true }, 1]);
  });
});

describe(rules.stopped, () => {
  test("handle may wait for it, and its message is acknowledged", async () => {
    const { ben, say } = await pair();
    await say("log out", "later");
    const texts: string[] = [];
    const receiving = receive(ben, {
      async handle(message) {
        texts.push(textOf(message));
        await receiving.stop();
        texts.push("stopped");
      },
    });
    expect(await receiving.ended).toEqual({ reason: "stopped" });
    expect(texts).toEqual(["log out", "stopped"]);
    expect(await queueOf(ben)).toEqual(["later"]);
  });

  test("it waits for the message in hand", async () => {
    const { ben, say } = await pair();
    await say("a", "b");
    const { handle, log, open } = createWorkshop();
    const receiving = receive(ben, { handle: handle("receive") });
    await until(async () => log.length === 1, "a message is in hand");
    const stopped = receiving.stop();
    open();
    await stopped;
    expect([log, await queueOf(ben)]).toEqual([["receive a"], ["b"]]);
  });

  test("however early it is called", async () => {
    const { ben, say } = await pair();
    await say("a");
    const texts: string[] = [];
    for (let turns = 0; turns < 5; turns++) {
      const receiving = receive(ben, { handle: (message) => void texts.push(textOf(message)) });
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      await receiving.stop();
      expect(await receiving.ended).toEqual({ reason: "stopped" });
    }
    expect(texts).toEqual([]);
  });
});
