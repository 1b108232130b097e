import { createHash, randomUUID } from "node:crypto";
import { createMember, type Member, welcomeRecipient } from "../../scripts/demo/member.js";
import { type EpochKeys, epochKeysOf, sealEnvelope } from "../../src/client/crypto/envelope.js";
import { newSecretKey } from "../../src/client/crypto/keys.js";
import { signCiphertext } from "../../src/client/crypto/message-signatures.js";
import type { DeviceClient } from "../../src/client/device/client.js";
import { fetchKeyPackage, uploadKeyPackages } from "../../src/client/keys/key-packages.js";
import { sealMessages, sealWelcomeMessage, sendSealed } from "../../src/client/sealing/sealed-messages.js";
import { commitSlotKey, type TakingKey } from "../../src/client/slots/slot-names.js";
import type { SlotRelay } from "../../src/client/slots/slot-receipts.js";
import { decodeHex, encodeBase64, encodeHex, utf8 } from "../../src/protocol/encodings.js";
import { publicKeyOf } from "../../src/protocol/signature.js";
import { newClient } from "../client/harness.js";
import type { TestRelay } from "../support/relay.js";

/** What was sent, as only the members know it. */
interface Truth {
  sender: string;
  group: string;
  epoch: bigint;
  kind: "text" | "commit" | "welcome";
}

export interface Day {
  /** By the message's id. */
  truths: Map<string, Truth>;
  /** How many times a member sent something to all others. */
  fanOuts: number;
  welcomes: number;
  slots: number;
  /** Public signature keys of all leaves, with the device of each. */
  leafKeys: { key: Uint8Array; device: string }[];
  /** Everything that identifies a device, a person, a package or a group, as bytes. */
  ids: Map<string, Uint8Array>;
}

/** How members put what MLS makes into messages. Functions return the ids of the messages. */
export interface Form {
  send(from: Writer, content: Uint8Array, to: readonly string[]): Promise<string[]>;
  welcome(
    from: Writer,
    welcome: Uint8Array,
    joiners: readonly { to: string; keyPackage: Uint8Array }[],
  ): Promise<string[]>;
  /** Whether commits go through slots. */
  hasSlots: boolean;
}

/** A member before it sends: its keys are those of the epoch that the others are in. */
interface Writer {
  device: DeviceClient;
  member: Member;
  leafKey: Uint8Array;
  keys: EpochKeys;
}

/** What applications did before: bare MLS messages, signed by the leaf, one ciphertext for all. */
export const bare: Form = {
  hasSlots: false,
  async send({ device, leafKey }, ciphertext, to) {
    const signature = signCiphertext(leafKey, ciphertext);
    return [(await device.sendToGroup({ to, ciphertext, signature })).messageId];
  },
  welcome: (from, welcome, joiners) =>
    bare.send(
      from,
      welcome,
      joiners.map(({ to }) => to),
    ),
};

export const sealed: Form = {
  hasSlots: true,
  async send({ device, keys }, content, to) {
    const messages = await sealMessages({ to, content, keys }, device.connection);
    return sent(await sendSealed(device, messages));
  },
  async welcome({ device }, welcome, joiners) {
    const messages = await Promise.all(
      joiners.map(({ to, keyPackage }) =>
        sealWelcomeMessage({ to, recipient: welcomeRecipient(keyPackage), welcome }, device.connection),
      ),
    );
    return sent(await sendSealed(device, messages));
  },
};

function sent(statuses: readonly { message_id: string; status: string }[]): string[] {
  if (statuses.some(({ status }) => status === "rejected")) throw new Error("the relay refused a message");
  return statuses.map(({ message_id: id }) => id);
}

const rounds = 3;
const secondsBetween = 137;
const groups = { "reading group on Mondays": [0, 1, 2], "the works council": [1, 2, 3, 4] } as const;

/** Two groups of five devices, two of which are in both, and one member at a relay that cannot be reached. Nobody fetches anything. */
export async function playDay(relay: TestRelay, form: Form): Promise<Day> {
  const day: Day = { truths: new Map(), fanOuts: 0, welcomes: 0, slots: 0, leafKeys: [], ids: new Map() };
  const devices = await Promise.all(Array.from({ length: 5 }, () => newClient(relay)));
  for (const { deviceId, keys } of devices) {
    day.ids.set(`device ${deviceId}`, decodeHex(deviceId) as Uint8Array);
    day.ids.set(`key of device ${deviceId}`, keys.publicKey);
  }
  for (const [group, indices] of Object.entries(groups))
    await playGroup({ relay, form, day, group, devices: indices.map((index) => devices[index] as DeviceClient) });
  return day;
}

interface Stage {
  relay: TestRelay;
  form: Form;
  day: Day;
  group: string;
  devices: readonly DeviceClient[];
}

async function playGroup({ relay, form, day, group, devices }: Stage): Promise<void> {
  day.ids.set(`group ${group}`, utf8(group));
  const members = await Promise.all(devices.map((device, index) => join(day, device, `${group} ${index}`)));
  const [founder, ...others] = members as [Writer, ...Writer[]];
  const elsewhere = `${randomUUID()}@localhost:9`;
  const addressesOf = (writers: readonly Writer[]) =>
    writers.map(({ device }) => device.session()?.addresses.at(-1) ?? "");
  const note = (from: Writer, kind: Truth["kind"], epoch: bigint, ids: readonly string[]) => {
    for (const id of ids) day.truths.set(id, { sender: from.device.deviceId, group, epoch, kind });
    relay.clock.advance(secondsBetween);
  };
  const sendToOthers = async (from: Writer, kind: "text" | "commit", epoch: bigint, content: Uint8Array) => {
    const to = members.filter((one) => one !== from);
    note(from, kind, epoch, await form.send(from, content, [...addressesOf(to), elsewhere]));
    day.fanOuts += 1;
    for (const { member } of to) await member.receive(content);
  };

  await founder.member.found(group);
  const joiners = [];
  for (const { device } of others) {
    const { keyPackage } = await fetchKeyPackage(founder.device, device.deviceId);
    day.ids.set(`package of ${device.deviceId} for ${group}`, referenceOf(keyPackage));
    joiners.push({ to: addressesOf([{ device } as Writer])[0] ?? "", keyPackage });
  }
  const { welcome } = await founder.member.add(joiners.map(({ keyPackage }) => keyPackage));
  note(founder, "welcome", 1n, await form.welcome(founder, welcome, joiners));
  day.welcomes += joiners.length;
  for (const { member } of others) await member.receive(welcome);

  for (let round = 0; round < rounds; round++) {
    for (const from of members) from.keys = await epochKeysOf(from.member.exporter);
    for (const from of members) {
      const { member } = from;
      await sendToOthers(from, "text", member.epoch(), await member.encrypt(`Shall we meet again in round ${round}?`));
    }
    const from = members[round % members.length] as Writer;
    const epoch = from.member.epoch();
    const slot = await slotOf(from);
    const commit = await from.member.commit();
    if (form.hasSlots) await putIntoSlot(from, slot, commit);
    day.slots += Number(form.hasSlots);
    await sendToOthers(from, "commit", epoch, commit);
  }
}

interface Slot {
  key: TakingKey;
  relay: SlotRelay;
}

/** The slot of the member's present epoch. */
async function slotOf({ device, member }: Writer): Promise<Slot> {
  const { server, slots } = await device.connection.discover();
  const slotKey = decodeHex(slots?.key ?? "") as Uint8Array;
  const relay = { domain: server, slotKey, memoryDays: slots?.memory_days ?? 0 };
  return { relay, key: await commitSlotKey(relay, { exporter: member.exporter, attempt: 0 }) };
}

async function putIntoSlot({ device, keys }: Writer, { key, relay }: Slot, commit: Uint8Array): Promise<void> {
  const content = sealEnvelope(keys, commit);
  const body = { content: encodeBase64(content), slot_key: encodeHex(relay.slotKey), ...key.sign(content) };
  await device.call("takeSlot", { path: { slot: key.slot }, body });
}

async function join(day: Day, device: DeviceClient, name: string): Promise<Writer> {
  const leafKey = newSecretKey();
  const member = await createMember(name, leafKey);
  await uploadKeyPackages(device, [member.keyPackage]);
  day.ids.set(`name ${name}`, utf8(name));
  day.leafKeys.push({ key: publicKeyOf(leafKey), device: device.deviceId });
  return { device, member, leafKey, keys: undefined as never };
}

/** The reference by which a Welcome names a key package (RFC 9420, section 5.2). */
function referenceOf(keyPackageMessage: Uint8Array): Uint8Array {
  const [label, value] = [utf8("MLS 1.0 KeyPackage Reference"), keyPackageMessage.subarray(4)];
  const length = Uint8Array.of(0x40 | (value.length >> 8), value.length & 255);
  return new Uint8Array(
    createHash("sha256").update(Uint8Array.of(label.length)).update(label).update(length).update(value).digest(),
  );
}
