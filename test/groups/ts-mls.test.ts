import { expect, test } from "vitest";
import { tsMls } from "../../src/groups/index.js";

const mls = tsMls();
const utf8 = (text: string) => new TextEncoder().encode(text);
const extensionType = 0xf042;

async function newMember(name: string) {
  return mls.newKeyPackage({ identity: utf8(name), signer: await mls.newSigner() });
}

/** A group of so many members, as each of them sees it. */
async function groupOf(size: number): Promise<unknown[]> {
  const own = await newMember("0");
  const founded = await mls.found({ groupId: utf8("group"), own, extensions: new Map([[extensionType, utf8("old")]]) });
  const others = await Promise.all(Array.from({ length: size - 1 }, (_, at) => newMember(String(at + 1))));
  const { state, welcomes } = await mls.commit(founded, { add: others.map(({ keyPackage }) => keyPackage) });
  const joined = others.map((other, at) => mls.join({ welcome: welcomes[at] as Uint8Array, own: other }));
  return [state, ...(await Promise.all(joined))];
}

test.each([
  ["removes", [3], 0],
  ["removes and adds", [3], 2],
  ["removes several and adds", [1, 3], 1],
])("a commit that %s and changes an extension leads all members to one epoch", async (_, remove, added) => {
  const [committing, ...others] = await groupOf(5);
  const joiners = await Promise.all(Array.from({ length: added }, (_, at) => newMember(`joiner ${at}`)));
  const add = joiners.map(({ keyPackage }) => keyPackage);
  const extensions = new Map([[extensionType, utf8("new")]]);
  const made = await mls.commit(committing, { remove, add, extensions });
  const staying = others.filter((state) => !remove.includes(mls.view(state).ownLeaf));
  const processed = await Promise.all(staying.map((state) => mls.process(state, made.commit, () => true)));
  expect(processed.map(({ kind }) => kind)).toEqual(staying.map(() => "valid"));
  const states = processed.map((one) => (one.kind === "valid" ? one.state : undefined));
  const joined = await Promise.all(
    joiners.map((own, at) => mls.join({ welcome: made.welcomes[at] as Uint8Array, own })),
  );
  const secretOf = (state: unknown) => mls.exporterOf(state)("test", new Uint8Array(), 32);
  const expected = await secretOf(made.state);
  for (const state of [...states, ...joined]) {
    expect(await secretOf(state)).toEqual(expected);
    expect(mls.view(state).extension(extensionType)).toEqual(utf8("new"));
  }
});
