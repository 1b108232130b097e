import { expect, test } from "vitest";
import type { Mls } from "../../src/groups/index.js";
import { readWelcomes, writeWelcome } from "../../src/groups/membership/welcomes.js";

// What every MLS library behind `Mls` does, and libraries with each other.

const utf8 = (text: string) => new TextEncoder().encode(text);
const extensionType = 0xf042;
const required = new Map([[3, Uint8Array.of(2, 0xf0, 0x42, 0, 0)]]);

/** A member of a group, with its library. */
interface Party {
  mls: Mls;
  state: unknown;
}

async function newLeaf(mls: Mls, name: string) {
  return { identity: utf8(name), signer: await mls.newSigner() };
}

/** A key package, with a function that joins by it. */
async function newJoiner(mls: Mls, name: string) {
  const own = await mls.newKeyPackage(await newLeaf(mls, name));
  const join = async (welcome: Uint8Array): Promise<Party> => ({ mls, ...(await mls.join({ welcome, own })) });
  return { keyPackage: own.keyPackage, join };
}

/** A group of so many members, as each of them sees it. */
export async function partiesOf(size: number, libraryAt: (index: number) => Mls): Promise<Party[]> {
  const mls = libraryAt(0);
  const extensions = new Map([...required, [extensionType, utf8("old")]]);
  const founded = await mls.found({ groupId: utf8("group"), ...(await newLeaf(mls, "0")), extensions });
  const others = Array.from({ length: size - 1 }, (_, at) => newJoiner(libraryAt(at + 1), String(at + 1)));
  const joiners = await Promise.all(others);
  const { state, welcome } = await mls.commit(founded, { add: joiners.map(({ keyPackage }) => keyPackage) });
  return [{ mls, state }, ...(await Promise.all(joiners.map(({ join }) => join(welcome as Uint8Array))))];
}

/** What each of these members makes of a commit. */
export async function kindsFor(parties: readonly Party[], commit: Uint8Array): Promise<string[]> {
  const processed = await Promise.all(parties.map(({ mls, state }) => mls.process(state, commit, () => true)));
  return processed.map(({ kind }) => kind);
}

const secretOf = ({ mls, state }: Party) => mls.exporterOf(state)("test", utf8("context"), 32);
const viewOf = ({ mls, state }: Party) => mls.view(state);

async function afterwards({ mls, state }: Party, commit: Uint8Array): Promise<Party> {
  const processed = await mls.process(state, commit, () => true);
  if (processed.kind !== "valid") throw new Error(processed.kind);
  return { mls, state: processed.state };
}

/** `libraryAt` gives the library of each member. */
export function testLibraries(libraryAt: (index: number) => Mls): void {
  test("each joiner enters by a Welcome of its own", async () => {
    const mls = libraryAt(0);
    const founded = await mls.found({ groupId: utf8("group"), ...(await newLeaf(mls, "0")), extensions: new Map() });
    const joiners = await Promise.all([1, 2].map((at) => newJoiner(libraryAt(at), String(at))));
    const { state, welcome } = await mls.commit(founded, { add: joiners.map(({ keyPackage }) => keyPackage) });
    const welcomes = readWelcomes(welcome as Uint8Array);
    const each = welcomes.secrets.map((secret) => writeWelcome(welcomes, secret));
    const joined = await Promise.all(joiners.map(({ join }, at) => join(each[at] as Uint8Array)));
    const secret = await secretOf({ mls, state });
    expect(await Promise.all(joined.map(secretOf))).toEqual([secret, secret]);
    await expect(joiners[0]?.join(each[1] as Uint8Array)).rejects.toThrow();
    for (const broken of [new Uint8Array(), (welcome as Uint8Array).subarray(0, 200), joiners[0]?.keyPackage])
      expect(() => readWelcomes(broken as Uint8Array)).toThrow();
  });

  test("a member gives its leaf another identity, and each member is asked about it", async () => {
    const [committing, ...others] = (await partiesOf(4, libraryAt)) as [Party, ...Party[]];
    const made = await committing.mls.commit(committing.state, { identity: utf8("moved") });
    for (const other of others) {
      const asked: unknown[] = [];
      const { mls, state } = other;
      const processed = await mls.process(state, made.commit, (signed) => asked.push(signed) > 0);
      const before = mls.view(state).leaves[0];
      expect(asked).toEqual([
        { committer: 0, proposals: [], leaf: { identity: utf8("moved"), signatureKey: before?.signatureKey } },
      ]);
      if (processed.kind !== "valid") throw new Error(processed.kind);
      expect(mls.view(processed.state).leaves[0]?.identity).toEqual(utf8("moved"));
      expect((await mls.process(state, made.commit, ({ leaf }) => leaf === undefined)).kind).toBe("void");
    }
    expect(committing.mls.view(made.state).leaves[0]?.identity).toEqual(utf8("moved"));
  });

  test("every member is asked about the same proposals, and a refused commit changes nothing", async () => {
    const [committing, ...others] = (await partiesOf(4, libraryAt)) as [Party, ...Party[]];
    const { keyPackage } = await newJoiner(libraryAt(1), "joiner");
    const { identity, signatureKey } = await libraryAt(1).readKeyPackage(keyPackage);
    const extensions = new Map([[extensionType, utf8("new")]]);
    const { commit } = await committing.mls.commit(committing.state, { add: [keyPackage], remove: [3], extensions });
    for (const { mls, state } of others) {
      const asked: unknown[] = [];
      const processed = await mls.process(state, commit, ({ proposals }) => asked.push(...proposals) < 0);
      expect(processed).toEqual({ kind: "void" });
      expect(asked).toHaveLength(3);
      expect(asked).toContainEqual({ kind: "remove", leaf: 3 });
      expect(asked).toContainEqual({ kind: "add", identity, signatureKey });
      expect(asked).toContainEqual({ kind: "extensions", extensions: new Map([...required, ...extensions]) });
      expect(await kindsFor([{ mls, state }], commit)).toEqual(["valid"]);
    }
    const removed = await afterwards(others[2] as Party, commit);
    expect([viewOf(others[2] as Party), viewOf(removed)]).toMatchObject([
      { isMember: true, epoch: 1n, ownLeaf: 3 },
      { isMember: false, epoch: 1n },
    ]);
  });

  test("a commit that somebody else makes in a member's name is void for that member, too", async () => {
    const parties = (await partiesOf(3, libraryAt)) as [Party, Party, Party];
    const [first, second, third] = parties;
    const { commit } = await second.mls.commit(second.state, {});
    // The sender's leaf index, after the version, the wire format, the group's id, the epoch and the kind of sender.
    const forged = Uint8Array.from(commit);
    const at = 2 + 2 + 1 + "group".length + 8 + 1 + 3;
    expect(forged[at]).toBe(1);
    forged[at] = 2;
    expect(await kindsFor([first, third], forged)).toEqual(["void", "void"]);
    const broken = Uint8Array.from(commit);
    broken[broken.length - 1] = (broken.at(-1) as number) ^ 1;
    for (const one of [broken, new Uint8Array(), commit.subarray(0, -1)])
      expect(await kindsFor(parties, one)).toEqual(["void", "void", "void"]);
    expect(await kindsFor([first, second], commit)).toEqual(["valid", "unusable"]);
  });

  test("members read each other's messages in any order, from states that were saved", async () => {
    const parties = (await partiesOf(3, libraryAt)) as [Party, ...Party[]];
    for (const [at, sending] of parties.entries()) {
      const messages: Uint8Array[] = [];
      for (const text of ["one", "two", "three"]) {
        const made = await sending.mls.encrypt(sending.state, utf8(text));
        [sending.state] = [made.state];
        messages.push(made.message);
      }
      for (const other of parties.filter((one) => one !== sending)) {
        const { mls } = other;
        for (const [index, text] of [
          [2, "three"],
          [0, "one"],
          [1, "two"],
        ] as const) {
          const opened = await mls.decrypt(other.state, messages[index] as Uint8Array);
          expect(opened).toMatchObject({ content: utf8(text), sender: at });
          other.state = await mls.load(mls.save(opened.state));
          await expect(mls.decrypt(other.state, messages[index] as Uint8Array)).rejects.toThrow();
        }
      }
    }
  });

  test("the first of a hundred messages is read although it comes last", async () => {
    const [sending, reading] = (await partiesOf(2, libraryAt)) as [Party, Party];
    const messages: Uint8Array[] = [];
    for (let at = 0; at < 100; at += 1) {
      const { state, message } = await sending.mls.encrypt(sending.state, utf8(`${at}`));
      sending.state = state;
      messages.push(message);
    }
    for (const at of [99, 50, 0, 49]) {
      const { state, content } = await reading.mls.decrypt(reading.state, messages[at] as Uint8Array);
      expect(content).toEqual(utf8(`${at}`));
      reading.state = state;
    }
  });

  test("a member joins a tree in which others have not merged a leaf that their parents have merged", async () => {
    let parties = (await partiesOf(6, libraryAt)) as (Party | undefined)[];
    const commitBy = async (
      at: number,
      change: Parameters<Mls["commit"]>[1],
      joiner?: Awaited<ReturnType<typeof newJoiner>>,
    ) => {
      const committing = parties[at] as Party;
      const made = await committing.mls.commit(committing.state, change);
      const own: Party = { mls: committing.mls, state: made.state };
      const next = (one: Party | undefined, leaf: number) =>
        one === undefined || change.remove?.includes(leaf)
          ? undefined
          : one === committing
            ? own
            : afterwards(one, made.commit);
      parties = await Promise.all(parties.map(next));
      if (joiner === undefined) return;
      const joined = await joiner.join(made.welcome as Uint8Array);
      parties[viewOf(joined).ownLeaf] = joined;
    };
    await commitBy(0, { remove: [3] });
    for (const at of [4, 0]) {
      const joiner = await newJoiner(libraryAt(at), "joiner");
      // All nodes above the new leaf have it unmerged, until the fifth member renews the root and no other one of them.
      await commitBy(at, { add: [joiner.keyPackage] }, joiner);
      await commitBy(4, {});
    }
    const all = parties.flatMap((one) => one ?? []);
    expect(all.length).toBe(7);
    expect(new Set((await Promise.all(all.map(secretOf))).map(String)).size).toBe(1);
  });

  test("a saved state has nothing of the epochs before it", async () => {
    const mls = libraryAt(0);
    let parties = await partiesOf(3, libraryAt);
    const sizes: number[] = [];
    for (let epoch = 0; epoch < 12; epoch += 1) {
      const committing = parties[epoch % 3] as Party;
      const { commit, state } = await committing.mls.commit(committing.state, {});
      const next = (one: Party) => (one === committing ? { ...one, state } : afterwards(one, commit));
      parties = await Promise.all(parties.map(next));
      sizes.push(mls.save((parties[0] as Party).state).length);
    }
    // Every member has committed once by then, so that the ratchet tree is full. OpenMLS stores bytes as decimals, of one to three digits.
    expect(Math.max(...sizes.slice(4)) / (sizes[3] as number)).toBeLessThan(1.01);
  });

  test.each([
    ["changes an extension", [], 0],
    ["changes an extension and adds", [], 2],
    ["removes", [3], 0],
    ["removes and adds", [3], 2],
    ["removes several and adds", [1, 3], 1],
  ])("a commit that %s and changes an extension leads all members to one epoch", async (_, remove, added) => {
    const parties = (await partiesOf(5, libraryAt)) as Party[];
    for (const committer of [0, 2]) {
      const committing = parties[committer] as Party;
      const joining = Array.from({ length: added }, (_, at) => newJoiner(libraryAt(at), `joiner ${at}`));
      const joiners = await Promise.all(joining);
      const add = joiners.map(({ keyPackage }) => keyPackage);
      const extensions = new Map([[extensionType, utf8("new")]]);
      const made = await committing.mls.commit(committing.state, { remove, add, extensions });
      const own: Party = { mls: committing.mls, state: made.state };
      const others = parties.filter((one, at) => one !== committing && !remove.includes(at));
      const staying = await Promise.all(others.map((one) => afterwards(one, made.commit)));
      const joined = await Promise.all(joiners.map(({ join }) => join(made.welcome as Uint8Array)));
      const expected = await secretOf(own);
      for (const one of [...staying, ...joined]) {
        expect(await secretOf(one)).toEqual(expected);
        expect(viewOf(one).extension(extensionType)).toEqual(utf8("new"));
        expect(viewOf(one).leaves).toEqual(viewOf(own).leaves);
      }
    }
  });
}
