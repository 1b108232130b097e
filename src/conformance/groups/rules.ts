import { kindOfEnvelope } from "../../client/crypto/envelope.js";
import { verifyCiphertext } from "../../client/crypto/message-signatures.js";
import { paddedSize } from "../../client/crypto/padding.js";
import type { Group } from "../../groups/group.js";
import { tsMls } from "../../groups/mls/ts-mls.js";
import { decodeBase64, decodeHex, encodeBase64, encodeHex } from "../../protocol/encodings.js";
import { millisOfMessageId } from "../../protocol/identifiers.js";
import type { ClientProgram } from "../clients/program.js";
import { Broken, hold, LimitReached, same } from "../harness/assertions.js";
import type { OtherMember } from "./member.js";
import { type Asked, type Copy, copiesIn, sending, type WatchedRelay } from "./relay.js";

/** What rules about groups work with. */
export interface GroupsContext {
  relay: WatchedRelay;
  program: ClientProgram;
  members: readonly OtherMember[];
  /** The group that the program has founded at the first call, as each of the members sees it. */
  founded(): Promise<Group[]>;
}

interface GroupsRule {
  id: string;
  title: string;
  source: string;
  place: string;
  check(context: GroupsContext): Promise<void>;
}

const envelopes = { source: "decision 0197", place: "Envelopes" };
const slots = { source: "decision 0193", place: "Commit slots" };
const groups = { source: "decision 0250", place: "Groups" };
const minuteSeconds = 60;

/** Those about everything that was sent come last. */
export const groupsRules: readonly GroupsRule[] = [
  {
    id: "groups.key-packages",
    title: "key packages are uploaded with a last resort, each with its own init key",
    source: "decision 0050",
    place: "Groups",
    async check({ relay }) {
      const uploads = relay.asked("uploadKeyPackages").map(({ body }) => body);
      const hasLast = uploads.some((upload) => upload["last_resort_key_package"] !== undefined);
      hold(hasLast, "it has uploaded no package of last resort");
      const initKeys = (await keyPackagesOf(relay)).map(({ initKey }) => encodeHex(initKey));
      hold(initKeys.length > 1, "it has uploaded a package of last resort alone");
      same(new Set(initKeys).size, initKeys.length, "how many init keys there are");
    },
  },
  {
    id: "groups.welcomes",
    title: "each joiner gets one Welcome, after its commit has won",
    ...slots,
    async check({ relay, members, founded }) {
      await founded();
      const won = relay.asked("takeSlot").filter(({ answer }) => answer["won"] === true);
      const decided = Math.min(...won.map(({ answered }) => answered));
      const welcomes = relay.copies().filter(({ ciphertext }) => kindOfEnvelope(ciphertext) === "welcome");
      hold(
        welcomes.every(({ came }) => came > decided),
        "a Welcome was sent before its commit had won",
      );
      const to = new Map(welcomes.map((copy) => [copy.id, copy.to]));
      same([...to.values()].sort(), members.map(({ address }) => address).sort(), "who has got a Welcome");
    },
  },
  {
    id: "groups.texts",
    title: "members read each text once, in order, as a SvcMessage",
    source: "svc-message.yaml",
    place: "Groups",
    async check(context) {
      await context.founded();
      await says(context, ["one", "two", "three"]);
    },
  },
  {
    id: "groups.receives",
    title: "the program receives the texts of a member once, in order",
    ...groups,
    async check(context) {
      const [group] = await context.founded();
      const texts = ["four", "five", "six"];
      for (const text of texts) await group?.send({ text });
      const received = () => context.program.lines.filter((line) => line.startsWith("received "));
      await wait(context, () => received().includes("received six"), "it has not received the texts of a member");
      same(
        received(),
        texts.map((text) => `received ${text}`),
        "what it has received",
      );
    },
  },
  {
    id: "groups.slots",
    title: "a commit that loses its slot is dropped, and its change is made again",
    ...slots,
    async check(context) {
      const { relay, program } = context;
      const views = await context.founded();
      const [first] = views as [Group];
      const before = Number(first.epoch);
      const taking = relay.hold("takeSlot");
      try {
        program.tell("rename late");
        await wait(context, taking.hasCome, "it has taken no slot for a commit");
        await first.rename("early");
      } finally {
        taking.release();
      }
      await wait(context, () => views.every(({ name }) => name === "late"), "it has not made its change again");
      same(Number(first.epoch) - before, 2, "how many epochs two changes have taken");
      const contents = new Map<string, Set<string>>();
      for (const { path, body } of relay.asked("takeSlot"))
        contents.set(path, (contents.get(path) ?? new Set()).add(body["content"]));
      hold(
        [...contents.values()].every(({ size }) => size === 1),
        "it has asked for one slot with two contents",
      );
    },
  },
  {
    id: "groups.lost-answers",
    title: "a claim, a slot and a message whose answers were lost are sent again with the same ids and bytes",
    ...groups,
    async check(context) {
      const { relay } = context;
      await context.founded();
      relay.lose("claimKeyPackages");
      relay.lose("takeSlot");
      await found(context, "again");
      relay.lose(...sending);
      await says(context, ["seven"]);
      for (const operations of [["claimKeyPackages"], ["takeSlot"], sending] as const) {
        const asked = () => relay.asked(...operations);
        const lost = asked().find(({ isLost }) => isLost);
        // A program may fetch packages one by one, or send on its stream.
        if (lost === undefined) continue;
        const later = () => asked().filter(({ came }) => came > lost.answered);
        await wait(context, () => later().length > 0, `${lost.operation} was not asked again`);
        const repeated = later().flatMap(partsOf);
        const missing = partsOf(lost).filter((part) => !repeated.includes(part));
        hold(missing.length === 0, `${lost.operation} was asked again with other ids or bytes`);
      }
    },
  },
  {
    id: "groups.envelopes",
    title: "every message and every slot's content is an envelope of a Padmé size",
    ...envelopes,
    async check({ relay, founded }) {
      await founded();
      for (const { ciphertext } of relay.copies()) demandEnvelope(ciphertext, "a message");
      for (const { body } of relay.asked("takeSlot"))
        demandEnvelope(decodeBase64(body["content"]) ?? new Uint8Array(), "the content of a slot");
    },
  },
  {
    id: "groups.copies",
    title: "each copy has its own id, bytes and signature, and times without seconds",
    ...envelopes,
    async check({ relay, founded }) {
      await founded();
      const copies = relay.copies();
      // A repetition is the same copy.
      const distinct = new Set(copies.map(textOf)).size;
      for (const member of ["id", "signature"] as const)
        same(
          new Set(copies.map((copy) => copy[member])).size,
          distinct,
          `how many copies have a ${member} of their own`,
        );
      const ciphertexts = new Set(copies.map(({ ciphertext }) => encodeBase64(ciphertext)));
      same(ciphertexts.size, distinct, "how many copies have bytes of their own");
      for (const { id, timestamp } of copies) {
        same(timestamp % minuteSeconds, 0, "the seconds of a time");
        same(millisOfMessageId(id), 1000 * timestamp, "the time of an id");
      }
    },
  },
  {
    id: "groups.senders",
    title: "no key of the device or of its leaves has signed a message",
    ...envelopes,
    async check({ relay, founded }) {
      await founded();
      const announced = relay.asked("announceWithProof", "announceDevice").map(({ body }) => body["public_key"]);
      const deviceKeys = announced.flatMap((key) => decodeHex(String(key), 32) ?? []);
      hold(deviceKeys.length > 0, "it has announced no public key");
      const leafKeys = (await keyPackagesOf(relay)).map(({ signatureKey }) => signatureKey);
      const keys = new Map([...deviceKeys, ...leafKeys].map((key) => [encodeHex(key), key]));
      for (const { ciphertext, signature: senderSignature } of relay.copies())
        for (const key of keys.values())
          hold(!verifyCiphertext(key, { ciphertext, senderSignature }), "a signature names the sender of a message");
    },
  },
];

/** Has the program found a group with the members, and returns it as each of them sees it. */
export async function found(
  context: Pick<GroupsContext, "relay" | "program" | "members">,
  name: string,
): Promise<Group[]> {
  const { program, members } = context;
  const groupsOf = () => members.flatMap((member) => member.groupOf(name) ?? []);
  program.tell(`found ${name} ${members.map(({ address }) => address).join(" ")}`);
  const isDone = () => groupsOf().length === members.length;
  await wait(context, isDone, "the members have not come into the group that it was told to found");
  return groupsOf();
}

/** Has the program send texts, which all members must read. */
async function says(context: GroupsContext, texts: readonly string[]): Promise<void> {
  const { program, members } = context;
  const before = members.map((member) => member.texts.length);
  for (const text of texts) program.tell(`send ${text}`);
  const read = () => members.map((member, at) => member.texts.slice(before[at]));
  const isDone = () => read().every((own) => own.includes(texts.at(-1) as string));
  await wait(context, isDone, "the members have not read what it was told to send");
  for (const own of read()) same(own, texts, "what a member has read");
}

async function wait(
  { relay, program }: Pick<GroupsContext, "relay" | "program">,
  condition: () => boolean,
  otherwise: string,
): Promise<void> {
  const isOver = () => program.hasEnded() || relay.hasFaults() || relay.limit() !== undefined;
  await relay.until(() => condition() || isOver(), otherwise);
  if (condition()) return;
  const limit = relay.limit();
  if (limit !== undefined) throw new LimitReached(`the relay has let the program do no more: ${limit}`);
  throw new Broken(program.hasEnded() ? "the program is gone" : otherwise);
}

async function keyPackagesOf(relay: WatchedRelay) {
  const uploaded = relay.asked("uploadKeyPackages").flatMap(({ body }): string[] => {
    const { key_packages: packages, last_resort_key_package: last } = body;
    return last === undefined ? packages : [...packages, last];
  });
  const mls = tsMls();
  const read = (text: string) => mls.readKeyPackage(decodeBase64(text) ?? new Uint8Array());
  return Promise.all([...new Set(uploaded)].map(read));
}

function demandEnvelope(bytes: Uint8Array, what: string): void {
  hold(kindOfEnvelope(bytes) !== undefined, `${what} is no envelope`);
  same(bytes.length, paddedSize(bytes.length, Number.MAX_SAFE_INTEGER), `the length of ${what}`);
}

/** What must be the same when it is asked again. */
function partsOf(asked: Asked): string[] {
  const { operation, path, body } = asked;
  if (operation === "takeSlot") return [`${path} ${body["content"]}`];
  if (operation === "claimKeyPackages") return [JSON.stringify(body)];
  return copiesIn(asked).map(textOf);
}

function textOf({ id, to, ciphertext, signature }: Copy): string {
  return [id, to, encodeBase64(ciphertext), signature].join(" ");
}
