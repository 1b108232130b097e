import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { isMissing } from "../support/programs.js";
import { judge, shrink } from "./checker.js";
import type { BlobOperation, History, Operation } from "./history.js";
import { messagesOf, plants } from "./planted.js";

const folderOf = (name: string) => fileURLToPath(new URL(`${name}/`, import.meta.url));
const load = (file: string): History => JSON.parse(readFileSync(file, "utf8"));
/** A run of the nemesis in which nothing was found. */
const recorded = load(`${folderOf("samples")}recorded.json`);
/** Histories that showed a defect. Each was made as small as it can be. */
const kept = readdirSync(folderOf("kept")).filter((file) => file.endsWith(".json"));

let clock = 0;

/** An operation that begins after the one before it has ended. */
function operation(kind: Operation["kind"], messages: string[], more: Partial<Operation> = {}): Operation {
  clock += 10;
  return { kind, client: 0, call: clock, return: clock + 5, messages, outcome: "ok", ...more };
}
const send = (name: string, more: Partial<Operation> = {}) => operation("send", [name], more);
const poll = (names: string[], more: Partial<Operation> = {}) => operation("poll", names, { limit: 100, ...more });
const ack = (names: string[], more: Partial<Operation> = {}) => operation("ack", names, more);
const push = (name: string, after?: string) => operation("push", [name], after === undefined ? {} : { after });
const peer = { via: "peer" } as const;
const unknown = { outcome: "unknown" } as const;

const historyOf = (operations: Operation[]): History => ({
  ...{ seed: 0, faults: [], together: [] },
  queues: [{ queue: "a1", relay: "a", operations }],
});

/** A reader acknowledges what it has seen, and nothing else. */
function isOfReader({ kind, messages, call }: Operation, _: number, all: readonly Operation[]): boolean {
  if (kind !== "ack") return true;
  const earlier = all.filter((one) => (one.kind === "poll" || one.kind === "push") && one.return < call);
  return messages.every((name) => earlier.some((one) => one.messages.includes(name)));
}

const explained: Record<string, Operation[]> = {
  "a message comes with every poll until it is acknowledged": [
    ...[send("m1"), poll(["m1"]), send("m2"), poll(["m1", "m2"]), ack(["m1"]), poll(["m2"]), ack(["m2"]), poll([])],
  ],
  "a send without an answer happens": [send("m1", unknown), poll(["m1"]), ack(["m1"]), poll([])],
  "a send without an answer does not happen": [send("m1", unknown), poll([]), send("m2"), poll(["m2"])],
  "a send without an answer happens much later": [
    send("m1", unknown),
    poll([]),
    send("m2"),
    poll(["m2"]),
    poll(["m2", "m1"]),
  ],
  "a repeated message is stored once": [
    send("m1", unknown),
    send("m1"),
    send("m1"),
    poll(["m1"]),
    ack(["m1"]),
    poll([]),
  ],
  "an acknowledgement without an answer happens late": [
    ...[send("m1"), poll(["m1"]), ack(["m1"], unknown), poll(["m1"]), poll([]), poll([])],
  ],
  "an acknowledgement without an answer does not happen": [
    ...[send("m1"), poll(["m1"]), ack(["m1"], unknown), poll(["m1"]), ack(["m1"]), poll([])],
  ],
  "a page has room for the first messages only": [
    send("m1"),
    send("m2"),
    poll(["m1"], { limit: 1 }),
    poll(["m1", "m2"]),
  ],
  "a stream leaves out what is acknowledged": [
    ...[send("m1"), send("m2"), send("m3"), push("m1"), push("m2", "m1"), ack(["m2"]), push("m1"), push("m3", "m1")],
  ],
  "a message of the other relay comes late": [
    ...[send("m1", peer), poll([]), send("m2"), poll(["m2"]), poll(["m2", "m1"]), operation("settled", [])],
  ],
};

const notExplained: Record<string, Operation[]> = {
  "a confirmed message never comes": [send("m1"), poll([])],
  "a confirmed message of the other relay never comes": [
    send("m1", peer),
    poll([]),
    operation("settled", []),
    poll([]),
  ],
  "a message disappears after it was seen": [send("m1"), poll(["m1"]), poll([])],
  "a message comes twice in one page": [send("m1"), poll(["m1", "m1"])],
  "a message comes twice on one stream": [send("m1"), send("m2"), push("m1"), push("m2", "m1"), push("m1", "m2")],
  "a repeated message comes after its acknowledgement": [
    ...[send("m1"), poll(["m1"]), ack(["m1"]), send("m1"), poll(["m1"])],
  ],
  "an acknowledged message comes back on a stream": [send("m1"), push("m1"), ack(["m1"]), push("m1")],
  "an acknowledgement without an answer happens and is undone": [
    ...[send("m1"), poll(["m1"]), ack(["m1"], unknown), poll([]), poll(["m1"])],
  ],
  "two messages come in another order than they were confirmed": [send("m1"), send("m2"), poll(["m2", "m1"])],
  "two messages of the other relay come in another order than they were confirmed": [
    ...[send("m1", peer), send("m2", peer), poll(["m2"]), poll(["m2", "m1"])],
  ],
  "the order of two messages changes": [
    send("m1", unknown),
    send("m2", unknown),
    poll(["m1", "m2"]),
    poll(["m2", "m1"]),
  ],
  "a stream leaves out a message": [
    send("m1"),
    send("m2"),
    send("m3"),
    poll(["m1", "m2", "m3"]),
    push("m1"),
    push("m3", "m1"),
  ],
  "a page leaves out a message": [send("m1"), send("m2"), poll(["m1", "m2"]), poll(["m2"], { limit: 1 })],
  "a message comes that nobody sent": [poll(["m1"])],
};

function blobOperation(kind: BlobOperation["kind"], parts: number[], more: Partial<BlobOperation> = {}): BlobOperation {
  clock += 10;
  return { kind, client: 0, call: clock, return: clock + 5, outcome: "ok", parts, ...more };
}
const part = (number: number, more: Partial<BlobOperation> = {}) => blobOperation("part", [number], more);
const stored = (...parts: number[]) => blobOperation("stored", parts);
/** Completes a blob of two parts. */
const complete = (more: Partial<BlobOperation> = {}) => blobOperation("complete", [2], more);
const read = (more: Partial<BlobOperation> = {}) => blobOperation("read", [], more);
const remove = (more: Partial<BlobOperation> = {}) => blobOperation("delete", [], more);
const absent = { outcome: "absent" } as const;
const missing = { outcome: "missing" } as const;

const historyOfBlob = (operations: BlobOperation[]): History => ({
  ...{ seed: 0, faults: [], queues: [], together: [] },
  blobs: [{ blob: "b1", relay: "a", operations }],
});

const explainedBlobs: Record<string, BlobOperation[]> = {
  "a blob is there from its completion to its deletion": [
    ...[read(absent), part(0), part(1), read(absent), complete(), read(), complete(), read(), remove(), read(absent)],
  ],
  "an incomplete blob lacks parts": [complete(missing), part(1), complete(missing), stored(1), part(0), complete()],
  "a part without an answer is stored, later": [part(0), part(1, unknown), stored(0), stored(0, 1), complete(), read()],
  "a part without an answer is never stored": [
    part(0),
    part(1, unknown),
    part(1, unknown),
    complete(missing),
    read(absent),
  ],
  "a completion without an answer happens late": [part(0), part(1), complete(unknown), read(absent), read(), read()],
  "a deletion without an answer happens late": [
    ...[part(0), part(1), complete(), remove(unknown), read(), read(absent), remove(absent), part(0, absent)],
  ],
};

const notExplainedBlobs: Record<string, BlobOperation[]> = {
  "a completed blob is lost": [part(0), part(1), complete(), read(absent)],
  "a completed blob is lost after it was read": [part(0), part(1), complete(unknown), read(), read(absent)],
  "a blob is served before it is complete": [part(0), part(1), read(), complete()],
  "a blob is complete without one of its parts": [part(0), complete(), read()],
  "a confirmed part is lost": [part(0), part(1), complete(missing)],
  "a confirmed part is not among those that are stored": [part(0), part(1), stored(1)],
  "other bytes are served": [part(0), part(1), complete(), read({ outcome: "wrong" })],
  "a deleted blob comes back": [part(0), part(1), complete(), remove(), read()],
  "a deletion without an answer happens and is undone": [
    ...[part(0), part(1), complete(), remove(unknown), read(absent), read()],
  ],
  "nobody deleted what is gone": [part(0), part(1, absent)],
};

describe.skipIf(isMissing("go"))("the checker", () => {
  test.each([{ isPlain: false }, { isPlain: true }])("explains what is promised ($isPlain)", async (options) => {
    const verdicts = await judge(Object.values(explained).map(historyOf), options);
    const found = Object.keys(explained).filter((_, at) => verdicts[at]?.length !== 0);
    expect(found).toEqual([]);
  });

  test.each([{ isPlain: false }, { isPlain: true }])("explains nothing else ($isPlain)", async (options) => {
    const verdicts = await judge(Object.values(notExplained).map(historyOf), options);
    const missed = Object.keys(notExplained).filter((_, at) => verdicts[at]?.length === 0);
    expect(missed).toEqual([]);
  });

  test("explains of blobs what is promised, and nothing else", async () => {
    const good = await judge(Object.values(explainedBlobs).map(historyOfBlob));
    expect(Object.keys(explainedBlobs).filter((_, at) => good[at]?.length !== 0)).toEqual([]);
    const bad = await judge(Object.values(notExplainedBlobs).map(historyOfBlob));
    expect(Object.keys(notExplainedBlobs).filter((_, at) => bad[at]?.length !== 1)).toEqual([]);
  });

  test("makes the history of a blob small that shows a problem", async () => {
    const [lost, found] = [
      [part(0), read(absent), part(1), complete(), read(), read(absent)],
      [part(0), read(absent)],
    ];
    const blobs = [found, lost].map((operations, at) => ({ blob: `b${at}`, relay: "a", operations }));
    const small = await shrink({ ...recorded, blobs });
    expect(small).toMatchObject({ queues: [], together: [], blobs: [{ blob: "b1" }] });
    expect(small.blobs?.[0]?.operations.map(({ kind }) => kind)).toEqual(["part", "part", "complete", "read"]);
  });

  test("its shortcuts change no verdict on any part of these histories", async () => {
    const parts = [...Object.values(explained), ...Object.values(notExplained)].flatMap((operations) =>
      operations.flatMap((_, at) => {
        const part = operations.filter((_, other) => other !== at);
        return part.every(isOfReader) ? [historyOf(part)] : [];
      }),
    );
    expect(parts.length).toBeGreaterThan(50);
    const isExplained = (verdicts: unknown[][]) => verdicts.map((problems) => problems.length === 0);
    expect(isExplained(await judge(parts))).toEqual(isExplained(await judge(parts, { isPlain: true })));
  });

  test("explains a recorded run", async () => {
    expect(await judge([recorded])).toEqual([[]]);
  });

  test.each(Object.entries(plants))("finds every planted %s in a recorded run", async (_, plant) => {
    const planted = messagesOf(recorded).flatMap((message) => plant(recorded, message) ?? []);
    expect(planted.length).toBeGreaterThan(50);
    const verdicts = await judge(planted);
    expect(verdicts.filter((problems) => problems.length === 0)).toEqual([]);
  });

  test("finds a message that was sent to several queues at once and came to some of them", async () => {
    const [one] = recorded.together;
    const together = [{ ...one, message: "m0", relay: "a", queues: recorded.queues.map(({ queue }) => queue) }];
    const [queue] = recorded.queues as [History["queues"][number]];
    const seen = [send("m0"), poll(["m0"])];
    const some = { ...recorded, together, queues: [{ ...queue, operations: seen }, ...recorded.queues.slice(1)] };
    expect((await judge([some]))[0]).toMatchObject([{ what: expect.stringContaining("m0 came to 1 of") }]);
  });

  test("finds two messages to several queues that stand in different orders", async () => {
    const both = [send("m1", unknown), send("m2", unknown)];
    const queues = [
      { queue: "a1", relay: "a", operations: [...both, poll(["m1", "m2"])] },
      { queue: "a2", relay: "a", operations: [...both, poll(["m2", "m1"])] },
    ];
    const together = ["m1", "m2"].map((message) => ({ message, relay: "a", queues: ["a1", "a2"] }));
    const [problems] = await judge([{ seed: 0, faults: [], queues, together }]);
    expect(problems).toMatchObject([{ what: expect.stringContaining("another order") }]);
  });

  test("makes a history small that shows a problem", async () => {
    const message = messagesOf(recorded).find((name) => plants["loss"]?.(recorded, name) !== undefined) ?? "";
    const small = await shrink(plants["loss"]?.(recorded, message) as History);
    expect(small.queues[0]?.operations.length).toBeLessThan(10);
    expect((await judge([small]))[0]).toHaveLength(1);
  });

  test.each(kept)("finds the defect that %s shows", async (file) => {
    expect((await judge([load(`${folderOf("kept")}${file}`)]))[0]).not.toEqual([]);
  });
});
