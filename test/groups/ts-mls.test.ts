import {
  type ClientState,
  createCommit,
  decodeMlsMessage,
  encodeMlsMessage,
  getCiphersuiteFromName,
  getCiphersuiteImpl,
} from "ts-mls";
import { createContentCommitSignature } from "ts-mls/framedContent.js";
import { protectPublicMessage } from "ts-mls/messageProtectionPublic.js";
import { expect, test } from "vitest";
import { tsMls } from "../../src/groups/index.js";
import { readWelcomes, writeWelcome } from "../../src/groups/welcomes.js";

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
  const { state, welcome } = await mls.commit(founded, { add: others.map(({ keyPackage }) => keyPackage) });
  const joined = others.map((own) => mls.join({ welcome: welcome as Uint8Array, own }));
  return [state, ...(await Promise.all(joined))];
}

/** What each of these members makes of a commit. */
async function kindsFor(states: readonly unknown[], commit: Uint8Array): Promise<string[]> {
  const processed = await Promise.all(states.map((state) => mls.process(state, commit, () => true)));
  return processed.map(({ kind }) => kind);
}

const cipherSuite = () => getCiphersuiteImpl(getCiphersuiteFromName("MLS_128_DHKEMX25519_AES128GCM_SHA256_Ed25519"));

test("each joiner enters by a Welcome of its own", async () => {
  const [own, ...others] = await Promise.all(["0", "1", "2"].map(newMember));
  const founded = await mls.found({ groupId: utf8("group"), own: own as never, extensions: new Map() });
  const { state, welcome } = await mls.commit(founded, { add: others.map(({ keyPackage }) => keyPackage) });
  const welcomes = readWelcomes(welcome as Uint8Array);
  const each = welcomes.secrets.map((secret) => writeWelcome(welcomes, secret));
  const joined = await Promise.all(
    others.map((other, at) => mls.join({ welcome: each[at] as Uint8Array, own: other })),
  );
  const secretOf = (one: unknown) => mls.exporterOf(one)("test", new Uint8Array(), 32);
  expect(await Promise.all(joined.map(secretOf))).toEqual([await secretOf(state), await secretOf(state)]);
  await expect(mls.join({ welcome: each[1] as Uint8Array, own: others[0] as never })).rejects.toThrow();
  for (const broken of [new Uint8Array(), (welcome as Uint8Array).subarray(0, 200), own?.keyPackage as Uint8Array])
    expect(() => readWelcomes(broken)).toThrow();
});

test("a member gives its leaf another identity, and each member is asked about it", async () => {
  const [committing, ...others] = await groupOf(4);
  const made = await mls.commit(committing, { identity: utf8("moved") });
  for (const state of others) {
    const asked: unknown[] = [];
    const processed = await mls.process(state, made.commit, (signed) => asked.push(signed) > 0);
    const before = mls.view(state).leaves[0];
    expect(asked).toEqual([
      { committer: 0, proposals: [], leaf: { identity: utf8("moved"), signatureKey: before?.signatureKey } },
    ]);
    if (processed.kind !== "valid") throw new Error(processed.kind);
    expect(mls.view(processed.state).leaves[0]?.identity).toEqual(utf8("moved"));
    expect((await mls.process(state, made.commit, ({ leaf }) => leaf === undefined)).kind).toBe("void");
  }
  expect(mls.view(made.state).leaves[0]?.identity).toEqual(utf8("moved"));
});

test("a commit without the path that its proposals demand is void for every member", async () => {
  const [committing, ...others] = await groupOf(4);
  const { extensions } = (committing as ClientState).groupContext;
  // The library's own commit of extensions has none.
  const { commit } = await createCommit(
    { state: committing as ClientState, cipherSuite: await cipherSuite() },
    {
      wireAsPublicMessage: true,
      extraProposals: [{ proposalType: "group_context_extensions", groupContextExtensions: { extensions } }],
    },
  );
  expect(await kindsFor(others, encodeMlsMessage(commit))).toEqual(["void", "void", "void"]);
});

test("a signed commit whose path is wrong in what all can see is void for every member, also for the removed one", async () => {
  const [committing, ...others] = await groupOf(5);
  const state = committing as ClientState;
  const suite = await cipherSuite();
  const { commit } = await mls.commit(state, { remove: [3] });
  const read = decodeMlsMessage(commit, 0)?.[0];
  if (read?.wireformat !== "mls_public_message") throw new Error("not a public message");
  const { content, auth } = read.publicMessage;
  if (content.contentType !== "commit" || content.commit.path === undefined)
    throw new Error("not a commit with a path");
  const { path, proposals } = content.commit;
  const wrong = [
    { ...path, leafNode: { ...path.leafNode, signature: new Uint8Array(64) } },
    { ...path, leafNode: { ...path.leafNode, hpkePublicKey: path.nodes[0]?.hpkePublicKey as Uint8Array } },
    { ...path, nodes: path.nodes.slice(1) },
    { ...path, nodes: path.nodes.map((node) => ({ ...node, encryptedPathSecret: [] })) },
  ];
  for (const one of wrong) {
    const { signature, framedContent } = await createContentCommitSignature(
      state.groupContext,
      "mls_public_message",
      { proposals, path: one },
      content.sender as never,
      content.authenticatedData,
      state.signaturePrivateKey,
      suite.signature,
    );
    const publicMessage = await protectPublicMessage(
      state.keySchedule.membershipKey,
      state.groupContext,
      { wireformat: "mls_public_message", content: framedContent, auth: { ...auth, signature } as never },
      suite,
    );
    const forged = encodeMlsMessage({ version: "mls10", wireformat: "mls_public_message", publicMessage });
    expect(await kindsFor(others, forged)).toEqual(others.map(() => "void"));
  }
  expect(await kindsFor(others, commit)).toEqual(others.map(() => "valid"));
});

test.each([
  ["changes an extension", [], 0],
  ["changes an extension and adds", [], 2],
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
  const joined = await Promise.all(joiners.map((own) => mls.join({ welcome: made.welcome as Uint8Array, own })));
  const secretOf = (state: unknown) => mls.exporterOf(state)("test", new Uint8Array(), 32);
  const expected = await secretOf(made.state);
  for (const state of [...states, ...joined]) {
    expect(await secretOf(state)).toEqual(expected);
    expect(mls.view(state).extension(extensionType)).toEqual(utf8("new"));
  }
});
