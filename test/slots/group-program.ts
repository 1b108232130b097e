import { createSlotMember, type SlotMember } from "../../scripts/demo/slot-member.js";
import type { DeviceClient } from "../../src/client/client.js";
import { type CommitSlots, createCommitSlots, type DecidedCommit } from "../../src/client/commit-slots.js";
import type { SlotRelay } from "../../src/client/slot-receipts.js";

/** A member, its device, and what its application does with commits. */
export interface Committer {
  member: SlotMember;
  slots: CommitSlots;
  /** The next request that takes a slot is carried out, and the application ends before the answer. */
  kill(): void;
}

/** What was seen of all epochs. */
export interface Epochs {
  /** The authenticators of each epoch: one, unless the group has forked. */
  authenticators: Map<bigint, Set<string>>;
  /** How many commits each epoch was entered by. */
  winners: Map<bigint, number>;
}

class Killed extends Error {}

/** Members of one new group, each with a device. `lose` makes a device's next answer to a taking be lost. */
export async function assembleGroup(
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
    const note = () => {
      const seen = epochs.authenticators.get(member.epoch()) ?? new Set();
      epochs.authenticators.set(member.epoch(), seen.add(member.authenticator()));
    };
    const announced = new Set<string>();
    const slots = createCommitSlots({
      device,
      relay,
      exporter: member.exporter,
      store: member.store,
      evaluate: (content) => member.evaluate(content),
      async apply(commit: DecidedCommit) {
        await member.apply(commit);
        note();
      },
      async announce({ receipt }) {
        if (announced.has(receipt.slot)) return;
        announced.add(receipt.slot);
        epochs.winners.set(member.epoch(), (epochs.winners.get(member.epoch()) ?? 0) + 1);
      },
    });
    return { member, slots, kill: () => killer.arm() };
  });
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
          await ready();
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
    if (followed.kind !== "current") throw new Error(`a member must rejoin: ${followed.reason}`);
  }
}

function wasKilled(failure: Error): boolean {
  return failure instanceof Killed || (failure.cause instanceof Error && wasKilled(failure.cause));
}

function barrier(count: number): () => Promise<void> {
  let waiting = 0;
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return () => {
    waiting += 1;
    if (waiting === count) open();
    return opened;
  };
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
