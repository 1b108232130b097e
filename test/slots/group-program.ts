import { expect } from "vitest";
import { createSlotMember, type SlotMember } from "../../scripts/demo/slot-member.js";
import { AnswerError, ConnectionError } from "../../src/client/connection/failures.js";
import type { DeviceClient } from "../../src/client/device/client.js";
import { type CommitSlots, createCommitSlots } from "../../src/client/slots/commit-slots.js";
import type { DecidedCommit } from "../../src/client/slots/pending-commit.js";
import type { SlotRelay } from "../../src/client/slots/slot-receipts.js";
import { newClient } from "../client/harness.js";
import type { TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";

/** A member, its device, and what its application does with commits. */
export interface Committer {
  member: SlotMember;
  slots: CommitSlots;
  /** The next request that takes a slot is carried out, and the application ends before the answer. */
  kill(): void;
}

/** What was seen of all epochs. */
interface Epochs {
  /** The authenticators of each epoch: one, unless the group has forked. */
  authenticators: Map<bigint, Set<string>>;
  /** How many commits each epoch was entered by. */
  winners: Map<bigint, number>;
}

class Killed extends Error {}

/** Members of one new group, each with a device. `lose` makes a device's next answer to a taking be lost. */
async function assembleGroup(
  devices: readonly { device: DeviceClient; killer: Killer }[],
  relay: SlotRelay,
  epochs: Epochs,
): Promise<Committer[]> {
  const members = await Promise.all(devices.map((_, index) => createSlotMember(`member ${index}`)));
  const [founder, ...others] = members as [SlotMember, ...SlotMember[]];
  await founder.found("the group");
  const welcome = await founder.addFirst(others.map(({ keyPackage }) => keyPackage));
  for (const member of others) await member.join(welcome);
  return members.map((member, index) => {
    const { device, killer } = devices[index] as (typeof devices)[number];
    return { member, slots: createSlotsOf(member, { device, relay, epochs }), kill: () => killer.arm() };
  });
}

/** The commits of a member, with what is seen of its epochs. */
export function createSlotsOf(
  member: SlotMember,
  { device, relay, epochs }: { device: DeviceClient; relay: SlotRelay; epochs: Epochs },
): CommitSlots {
  const announced = new Set<string>();
  return createCommitSlots({
    device,
    relay,
    exporter: member.exporter,
    store: member.store,
    enteredAt: () => member.disk.enteredAt,
    evaluate: (content) => member.evaluate(content),
    async apply(commit: DecidedCommit) {
      await member.apply(commit);
      const seen = epochs.authenticators.get(member.epoch()) ?? new Set();
      epochs.authenticators.set(member.epoch(), seen.add(member.authenticator()));
    },
    async announce({ receipt }) {
      if (announced.has(receipt.slot)) return;
      announced.add(receipt.slot);
      epochs.winners.set(member.epoch(), (epochs.winners.get(member.epoch()) ?? 0) + 1);
    },
  });
}

/** The relay of a device, as a group's founder writes it into the group's context. */
export async function slotRelayOf(device: DeviceClient): Promise<SlotRelay> {
  const { server, slots } = await device.connection.discover();
  if (slots === undefined) throw new Error("the relay has no commit slots");
  return {
    domain: server,
    slotKey: new Uint8Array(Buffer.from(slots.key, "hex")),
    memoryDays: slots.memory_days,
  };
}

/** Four members, spread over the places. All of their slots are at the first one. */
export async function assembleAt(places: readonly TestRelay[], seen: Epochs): Promise<Committer[]> {
  const devices = await Promise.all(
    [0, 1, 2, 3].map(async (index) => {
      const killer = createKiller();
      const at = places[index % places.length] as TestRelay;
      const device = await newClient(at, {
        retries: { attempts: 1 },
        runtime: { fetch: (url, init) => killer.fetch(url, init) },
      });
      return { device, killer };
    }),
  );
  return assembleGroup(devices, await slotRelayOf((devices[0] as { device: DeviceClient }).device), seen);
}

export function newEpochs(): Epochs {
  return { authenticators: new Map(), winners: new Map() };
}

/** Two to four of the members, others in each round. */
export function committersOf(members: readonly Committer[], round: number): Committer[] {
  return members.map((_, index) => members[(index + round) % 4] as Committer).slice(0, 2 + (round % 3));
}

/** Each of the epochs was entered by one commit and in one state. */
export function expectNoFork(seen: Epochs, { after, rounds }: { after: bigint; rounds: number }): void {
  const entered = Array.from({ length: rounds }, (_, index) => after + 1n + BigInt(index));
  expect([...seen.authenticators.keys()].sort((a, b) => Number(a - b))).toEqual(entered);
  expect([...seen.authenticators.values()].every(({ size }) => size === 1)).toBe(true);
  expect([...seen.winners]).toHaveLength(rounds);
  expect([...seen.winners.values()].every((count) => count === 1)).toBe(true);
}

/** Ends an application between its request for a slot and the answer. */
interface Killer {
  arm(): void;
  fetch: typeof globalThis.fetch;
}

export function createKiller(fetch: typeof globalThis.fetch = globalThis.fetch): Killer {
  let armed = false;
  return {
    arm() {
      armed = true;
    },
    async fetch(url, init) {
      const answer = await fetch(url, init);
      if (!armed || init?.method !== "PUT") return answer;
      armed = false;
      throw new Killed("the application has ended");
    },
  };
}

/**
 * One round: all of `committing` make a commit in the same epoch and take its slot at once. Those of `killed` end before the
 * answer, start again from their disk, and finish. In the end every member follows.
 */
export async function playRound(
  all: readonly Committer[],
  committing: readonly Committer[],
  killed: readonly Committer[],
) {
  const ready = barrier(committing.length);
  for (const one of killed) one.kill();
  await Promise.all(
    committing.map(async ({ member, slots }) => {
      try {
        await slots.commit(async () => {
          const made = await member.makeCommit();
          await ready.arrive();
          return made;
        });
      } catch (failure) {
        if (!(failure instanceof Error) || !wasKilled(failure)) throw failure;
        member.crash();
      }
    }),
  );
  for (const { slots } of all) {
    const followed = await slots.follow();
    if (followed.kind !== "current") throw new Error(`a member cannot follow: ${JSON.stringify(followed)}`);
  }
}

/**
 * One round in which `disturb` interrupts what the relays do while all of `committing` take the slot. Who gets no answer
 * that decides asks again until one comes. In the end every member follows.
 */
export async function playDisturbedRound(
  all: readonly Committer[],
  committing: readonly Committer[],
  disturb: () => Promise<void>,
): Promise<void> {
  const ready = barrier(committing.length);
  const disturbed = ready.opened.then(disturb);
  await Promise.all(
    committing.map(async ({ member, slots }) => {
      await slots
        .commit(async () => {
          const made = await member.makeCommit();
          await ready.arrive();
          return made;
        })
        .catch((failure: unknown) => {
          // It may have failed before the others' commits were made.
          void ready.arrive();
          demandOutage(failure);
        });
    }),
  );
  await disturbed;
  // A member that has followed before another one's commit was sent again is behind, and follows once more.
  for (const { slots } of [...all, ...all])
    await until(async () => {
      const followed = await slots.follow().catch(demandOutage);
      if (followed?.kind === "rejoin") throw new Error(`a member must rejoin: ${followed.reason}`);
      return followed !== undefined;
    }, "a member follows");
}

/** Accepts only what says nothing about the slot: no answer, or "not now". */
function demandOutage(failure: unknown): undefined {
  const isOutage = failure instanceof ConnectionError || (failure instanceof AnswerError && failure.status >= 500);
  if (!isOutage) throw failure;
}

export function wasKilled(failure: Error): boolean {
  return failure instanceof Killed || (failure.cause instanceof Error && wasKilled(failure.cause));
}

/** Holds those who arrive until `count` have. */
export function barrier(count: number): { arrive(): Promise<void>; opened: Promise<void> } {
  let waiting = 0;
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const arrive = () => {
    waiting += 1;
    if (waiting === count) open();
    return opened;
  };
  return { arrive, opened };
}

/**
 * The same round without slots, as an application does that trusts the order of messages: each committer sends its
 * commit to the others, applies it after the relay has accepted it, and then applies what it has received, in order.
 */
export async function playRoundWithoutSlots(
  committing: readonly {
    member: SlotMember;
    send(content: Uint8Array): Promise<void>;
    received(): Promise<Uint8Array[]>;
  }[],
): Promise<void> {
  await Promise.all(
    committing.map(async ({ member, send }) => {
      const made = await member.makeCommit();
      await send(made.content);
      await member.apply(made);
    }),
  );
  for (const { member, received } of committing)
    for (const content of await received())
      if ((await member.evaluate(content)) === "valid") await member.apply({ content, state: undefined });
}
