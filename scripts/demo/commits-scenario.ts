import type { ConnectionOptions } from "../../src/client/connection/connection.js";
import { openEnvelope } from "../../src/client/crypto/envelope.js";
import { deviceKeysOf, newSecretKey } from "../../src/client/crypto/keys.js";
import { connectDevice, type DeviceClient } from "../../src/client/device/client.js";
import { sealMessages, sendSealed } from "../../src/client/sealing/sealed-messages.js";
import { type CommitSlots, createCommitSlots } from "../../src/client/slots/commit-slots.js";
import type { SlotRelay } from "../../src/client/slots/slot-receipts.js";
import { decodeBase64, decodeHex, utf8 } from "../../src/protocol/encodings.js";
import type { Say } from "./log.js";
import { createSlotMember, type SlotMember } from "./slot-member.js";

/** A member with its device. */
interface SlotClient {
  device: DeviceClient;
  member: SlotMember;
  slots: CommitSlots;
  address: string;
}

const commitsWhileAway = 3;

/**
 * Three members of a group whose commits go through commit slots. Ada and Ben commit at once, and one of them wins. Dora is away
 * for so long that nothing of it is left in her queue, and finds all commits in the slots. Throws where the members do not end in
 * the same state of the group.
 */
export async function playCommits({ relay, say }: { relay: ConnectionOptions; say: Say }): Promise<void> {
  const [ada, ben, dora] = (await assemble(relay)) as [SlotClient, SlotClient, SlotClient];
  say("ada", "creates a second group with ben and dora, whose commits go through commit slots");

  const bothHaveMadeOne = meetingOf(2);
  const [first, second] = await Promise.all([commit(ada, bothHaveMadeOne), commit(ben, bothHaveMadeOne)]);
  if ([first, second].filter((kind) => kind === "won").length !== 1) throw new Error("one commit must win");
  const winner = first === "won" ? ada : ben;
  say("ada", "commits at the same time as ben");
  say(winner.member.name, "won the slot of epoch 1, and the other one applies that commit: nobody forks");

  for (let i = 0; i < commitsWhileAway; i++) await commit(i % 2 === 0 ? ada : ben);
  await loseQueue(dora);
  say("dora", "was away for longer than her messages were kept: her queue is empty");
  const followed = await dora.slots.follow();
  if (followed.kind !== "current") throw new Error(`dora cannot follow: ${JSON.stringify(followed)}`);
  for (const { device, slots } of [ada, ben]) {
    await emptyQueue(device);
    await slots.follow();
  }
  const states = new Set([ada, ben, dora].map(({ member }) => member.authenticator()));
  if (states.size !== 1) throw new Error("the members do not agree on the state of the group");
  say(
    "dora",
    `walks forward through ${followed.applied} slots, and is in epoch ${dora.member.epoch()} with the others`,
  );
}

/** `made` is awaited between making the commit and sending it. */
async function commit({ slots, member }: SlotClient, made = async (): Promise<void> => {}): Promise<"won" | "lost"> {
  const result = await slots.commit(async () => {
    const own = await member.makeCommit();
    await made();
    return own;
  });
  if (result.kind !== "won" && result.kind !== "lost")
    throw new Error(`${member.name} cannot commit: ${JSON.stringify(result)}`);
  return result.kind;
}

/** Resolves once as many have asked. */
function meetingOf(count: number): () => Promise<void> {
  let open: () => void = () => undefined;
  const complete = new Promise<void>((resolve) => {
    open = resolve;
  });
  let arrived = 0;
  return () => {
    arrived += 1;
    if (arrived === count) open();
    return complete;
  };
}

async function assemble(relay: ConnectionOptions): Promise<SlotClient[]> {
  const members = await Promise.all(["ada", "ben", "dora"].map((name) => createSlotMember(name)));
  const [founder, ...others] = members as [SlotMember, ...SlotMember[]];
  await founder.found("commits");
  const welcome = await founder.addFirst(others.map(({ keyPackage }) => keyPackage));
  for (const member of others) await member.join(welcome);
  const clients: SlotClient[] = [];
  for (const member of members) {
    const device = await connectDevice({ ...relay, keys: deviceKeysOf(newSecretKey()) });
    const { addresses } = await device.register({ admission: { by: "proof" } });
    const slots = createSlots(device, member, {
      to: () => othersOf(clients, member),
      relay: await slotRelayOf(device),
    });
    clients.push({ device, member, slots, address: addresses.at(-1) ?? "" });
  }
  return clients;
}

/** The founder writes this into the group's context, so that all members ask the same relay. */
async function slotRelayOf(device: DeviceClient): Promise<SlotRelay> {
  const { server, slots } = await device.connection.discover();
  const slotKey = decodeHex(slots?.key ?? "");
  if (slots === undefined || slotKey === undefined) throw new Error("the relay has no commit slots");
  return { domain: server, slotKey, memoryDays: slots.memory_days };
}

function othersOf(clients: readonly SlotClient[], own: SlotMember): string[] {
  return clients.filter(({ member }) => member !== own).map(({ address }) => address);
}

function createSlots(
  device: DeviceClient,
  member: SlotMember,
  { to, relay }: { to: () => string[]; relay: SlotRelay },
): CommitSlots {
  return createCommitSlots({
    device,
    relay,
    exporter: member.exporter,
    store: member.store,
    enteredAt: () => member.disk.enteredAt,
    evaluate: (content) => member.evaluate(content),
    apply: (commit) => member.apply(commit),
    // A message of an epoch that its recipients have not entered makes them look at the slots.
    async announce() {
      const content = { to: to(), content: utf8("I have committed"), keys: await member.keys() };
      await sendSealed(device, await sealMessages(content, device.connection));
    },
  });
}

/** Leaves the queue as the expiry of its messages does. Throws where there was none, or one could be read. */
async function loseQueue({ device, member }: SlotClient): Promise<void> {
  const { messages } = await device.poll();
  for (const { mls_ciphertext: text } of messages) {
    const sealed = decodeBase64(text);
    const isRead = sealed === undefined || openEnvelope(await member.keys(), sealed) !== undefined;
    if (isRead) throw new Error("a message can be read");
  }
  await emptyQueue(device);
}

async function emptyQueue(device: DeviceClient): Promise<void> {
  const { messages } = await device.poll();
  if (messages.length > 0) await device.acknowledge(messages.map(({ message_id: id }) => id));
}
