import { setTimeout as sleep } from "node:timers/promises";
import { askOnce } from "../../scripts/soak/ask-once.js";
import type { Target } from "../crash/sending.js";
import { newDevice, type TestDevice } from "../support/device.js";
import type { TestRelay } from "../support/relay.js";
import { keepDownloading, keepUploading, readAndDelete, type SentBlob } from "./blobs.js";
import type { Cluster, RelayName } from "./cluster.js";
import { takeStep } from "./faults.js";
import { createRecorder, type History, type Recorder } from "./history.js";
import { createRandom } from "./random.js";
import { Reader } from "./readers.js";
import { describeStep, type Step } from "./schedule.js";
import { keepSending, type Recipient } from "./senders.js";

/** What happened in a run, and what has nothing to do with its history. */
export interface Run {
  history: History;
  /** What did not come to an end within minutes after the last fault. */
  stuck: string[];
  answers: ReadonlyMap<string, number>;
}

const relayNames = ["a", "b"] as const;
const recipientsPerRelay = { a: 3, b: 2 };
const sendersPerRelay = { a: 3, b: 2 };
const lookMillis = 20;
const progressMillis = 20_000;
const settleMillis = 300_000;
const retryMillis = 500;
const attemptsPerStart = 20;
const maxAttempts = 200;

/** Clients send, read and acknowledge while the steps are taken; then everything that was sent is read. */
export async function runSteps(
  cluster: Cluster,
  { seed, steps, report }: { seed: number; steps: readonly Step[]; report(line: string): void },
): Promise<Run> {
  const recorder = createRecorder();
  const recipients = await register(cluster, recorder);
  const senders = await registerSenders(cluster);
  const [sending, reading] = [new AbortController(), new AbortController()];
  let client = 0;
  const next = () => ({ client: client++, random: createRandom(seed * 1_000 + client), recorder });
  const readers = recipients.map(
    (recipient) => new Reader({ ...next(), recipient, target: cluster.relays[recipient.relay as RelayName] }),
  );
  const reads = readers.map((reader) => reader.keepReading(reading.signal));
  const sends = senders.map(({ relay, device }) =>
    keepSending({ ...next(), device, relay, target: cluster.relays[relay], recipients }, sending.signal),
  );
  const blobClients = relayNames.map((relay) => {
    const [sent, target]: [SentBlob[], Target] = [[], cluster.relays[relay]];
    const { device } = senders.find((sender) => sender.relay === relay) as (typeof senders)[number];
    const about = { relay, target, sent };
    sends.push(keepUploading({ ...next(), ...about, device }, sending.signal));
    reads.push(keepDownloading({ ...next(), ...about }, reading.signal));
    return { ...next(), ...about };
  });
  // Awaited below; until then a failure must not count as unhandled.
  for (const loop of [...reads, ...sends]) loop.catch(() => undefined);
  const stuck: string[] = [];
  try {
    for (const group of groupsOf(steps)) {
      for (const step of group) report(describeStep(step));
      await Promise.all(group.map((step) => takeStep(cluster, step)));
      if (!(await progress(recorder))) stuck.push(`no client got anywhere after: ${group.map(describeStep).join(" ")}`);
    }
  } finally {
    sending.abort();
    await Promise.all(sends);
    const isSettled = await settle(cluster, recorder, recipients);
    if (!isSettled) stuck.push("messages for the other relay do not leave");
    reading.abort();
    await Promise.all(reads);
  }
  // Whether everything has come can be judged only if nothing is on its way.
  const history = recorder.history(seed, steps.map(describeStep));
  if (stuck.length > 0) history.together = [];
  for (const [at, reader] of readers.entries()) {
    if (!(await reader.drain())) stuck.push(`the queue ${recipients[at]?.name} cannot be read to its end`);
  }
  for (const { sent, ...client } of blobClients) {
    if (!(await readAndDelete(client, sent))) stuck.push(`the blobs of ${client.relay} do not answer`);
  }
  return { history, stuck, answers: recorder.answers };
}

async function register(cluster: Cluster, recorder: Recorder): Promise<Recipient[]> {
  const recipients: Recipient[] = [];
  for (const relay of relayNames) {
    for (let number = 1; number <= recipientsPerRelay[relay]; number++) {
      const name = `${relay}${number}`;
      recorder.open(name, relay);
      recipients.push({ name, relay, device: await announce(cluster, relay) });
    }
  }
  return recipients;
}

/**
 * A new device. A node that started while the clock of its database was wrong keeps that time for ten minutes (decision 0086) and
 * refuses what is signed, so such nodes are started again.
 */
async function announce(cluster: Cluster, relay: RelayName): Promise<TestDevice> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await newDevice(cluster.relays[relay] as TestRelay);
    } catch (error) {
      if (attempt === maxAttempts) throw error;
      const nodes = cluster.nodes.filter(({ name }) => name.startsWith(relay));
      if (attempt % attemptsPerStart === 0) await Promise.all(nodes.map((node) => node.kill()));
      await sleep(retryMillis);
    }
  }
}

async function registerSenders(cluster: Cluster): Promise<{ relay: RelayName; device: TestDevice }[]> {
  const senders: { relay: RelayName; device: TestDevice }[] = [];
  for (const relay of relayNames) {
    for (let number = 1; number <= sendersPerRelay[relay]; number++) {
      senders.push({ relay, device: await announce(cluster, relay) });
    }
  }
  return senders;
}

/** Steps that are taken at once. */
function groupsOf(steps: readonly Step[]): Step[][] {
  const groups: Step[][] = [];
  for (const step of steps) {
    if (step.joins && groups.length > 0) groups.at(-1)?.push(step);
    else groups.push([step]);
  }
  return groups;
}

/** A fault that meets nothing shows nothing: waits until a client is told an outcome. */
async function progress(recorder: Recorder): Promise<boolean> {
  const before = recorder.known();
  const deadline = performance.now() + progressMillis;
  while (recorder.known() === before && performance.now() < deadline) await sleep(lookMillis);
  return recorder.known() > before;
}

/** Waits until nothing is left for the other relay, at either relay. */
async function settle(cluster: Cluster, recorder: Recorder, recipients: readonly Recipient[]): Promise<boolean> {
  const deadline = performance.now() + settleMillis;
  while (performance.now() < deadline) {
    const began = recorder.now();
    const waiting = await Promise.all(relayNames.map((relay) => countOutbox(cluster.databaseUrl(relay))));
    if (waiting.every((count) => count === 0)) {
      const done = { kind: "settled", client: -1, call: began, return: recorder.now(), messages: [] } as const;
      for (const { name } of recipients) recorder.note(name, { ...done, messages: [], outcome: "ok" });
      return true;
    }
    await sleep(lookMillis);
  }
  return false;
}

async function countOutbox(databaseUrl: string): Promise<number | undefined> {
  const rows = await askOnce<{ count: number }>(databaseUrl, "select count(*)::int as count from outbox").catch(
    () => [],
  );
  return rows[0]?.count;
}
