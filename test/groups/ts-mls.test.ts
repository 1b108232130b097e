import { setImmediate } from "node:timers/promises";
import {
  type ClientState,
  createCommit,
  decodeMlsMessage,
  encodeMlsMessage,
  getCiphersuiteFromName,
  getCiphersuiteImpl,
  type Proposal,
} from "ts-mls";
import { addHistoricalReceiverData } from "ts-mls/clientState.js";
import { createContentCommitSignature } from "ts-mls/framedContent.js";
import { protectPublicMessage } from "ts-mls/messageProtectionPublic.js";
import { type GenerationSecret, ratchetUntil } from "ts-mls/secretTree.js";
import { expect, onTestFinished, test, vi } from "vitest";
import { tsMls } from "../../src/groups/index.js";
import { skipTowards } from "../../src/groups/mls/ratchet-skips.js";
import { makeCommit } from "../../src/groups/mls/ts-mls-commits.js";
import { fastSuite } from "../../src/groups/mls/ts-mls-hpke.js";
import { utf8 } from "../../src/protocol/encodings.js";
import { kindsFor, partiesOf, testLibraries } from "./library.js";

const mls = tsMls();
testLibraries(() => mls);

/** What each member of a group of ts-mls knows. */
async function statesOf(size: number) {
  return (await partiesOf(size, () => mls)).map(({ state }) => state as ClientState);
}

const kindsOf = (states: readonly ClientState[], commit: Uint8Array) =>
  kindsFor(
    states.map((state) => ({ mls, state })),
    commit,
  );

const cipherSuite = () => getCiphersuiteImpl(getCiphersuiteFromName("MLS_128_DHKEMX25519_AES128GCM_SHA256_Ed25519"));

test("a state that was saved with past epochs is loaded without them", async () => {
  const [state] = (await statesOf(2)) as [ClientState];
  const [historicalReceiverData] = addHistoricalReceiverData(state);
  expect(historicalReceiverData.size).toBe(1);
  const loaded = (await mls.load(mls.save({ ...state, historicalReceiverData }))) as ClientState;
  expect(loaded.historicalReceiverData.size).toBe(0);
});

test("a commit that adds several, the first of them wrongly, ends no program", async () => {
  const unhandled: unknown[] = [];
  const note = (problem: unknown) => unhandled.push(problem);
  process.on("unhandledRejection", note);
  onTestFinished(() => void process.off("unhandledRejection", note));
  const [committing, ...others] = await statesOf(3);
  const packages = ["a", "b", "c"].map(async (name) =>
    mls.newKeyPackage({ identity: new TextEncoder().encode(name), signer: await mls.newSigner() }),
  );
  const add = (await Promise.all(packages)).map(({ keyPackage }) => keyPackage.slice());
  const [first] = add as [Uint8Array];
  // The last bytes are its signature.
  first[first.length - 1] = (first.at(-1) as number) ^ 1;
  await expect(mls.commit(committing, { add })).rejects.toThrow();

  // A modified client, which checks no signature, makes it nevertheless.
  const suite = await cipherSuite();
  const careless = { ...suite, signature: { ...suite.signature, verify: async () => true } };
  const proposals = add.map((bytes): Proposal => {
    const message = decodeMlsMessage(bytes, 0)?.[0];
    if (message?.wireformat !== "mls_key_package") throw new Error("it is no key package");
    return { proposalType: "add", add: { keyPackage: message.keyPackage } };
  });
  const { commit } = await makeCommit(committing as ClientState, { proposals }, careless);
  expect(await kindsOf(others, encodeMlsMessage(commit))).toEqual(["void", "void"]);
  await setImmediate();
  expect(unhandled).toEqual([]);
});

test("a commit without the path that its proposals demand is void for every member", async () => {
  const [committing, ...others] = (await statesOf(4)) as [ClientState, ...ClientState[]];
  const { extensions } = committing.groupContext;
  // The library's own commit of extensions has none.
  const { commit } = await createCommit(
    { state: committing, cipherSuite: await cipherSuite() },
    {
      wireAsPublicMessage: true,
      extraProposals: [{ proposalType: "group_context_extensions", groupContextExtensions: { extensions } }],
    },
  );
  expect(await kindsOf(others, encodeMlsMessage(commit))).toEqual(["void", "void", "void"]);
});

test("a signed commit whose path is wrong in what all can see is void for every member, also for the removed one", async () => {
  const [committing, ...others] = (await statesOf(5)) as [ClientState, ...ClientState[]];
  const suite = await cipherSuite();
  const { commit } = await mls.commit(committing, { remove: [3] });
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
      committing.groupContext,
      "mls_public_message",
      { proposals, path: one },
      content.sender as never,
      content.authenticatedData,
      committing.signaturePrivateKey,
      suite.signature,
    );
    const publicMessage = await protectPublicMessage(
      committing.keySchedule.membershipKey,
      committing.groupContext,
      { wireformat: "mls_public_message", content: framedContent, auth: { ...auth, signature } as never },
      suite,
    );
    const forged = encodeMlsMessage({ version: "mls10", wireformat: "mls_public_message", publicMessage });
    expect(await kindsOf(others, forged)).toEqual(others.map(() => "void"));
  }
  expect(await kindsOf(others, commit)).toEqual(others.map(() => "valid"));
});

test("a message far ahead of those that were read is opened", async () => {
  const [sending, reading] = (await statesOf(2)) as [ClientState, ClientState];
  const { kdf } = await fastSuite();
  const keeping = { maximumForwardRatchetSteps: 20_000, retainKeysForGenerations: 1 } as never;
  const [node, ...others] = sending.secretTree;
  let application = node?.application as GenerationSecret;
  const messages = new Map<number, Uint8Array>();
  for (const generation of [9_849, 9_851, 9_949, 9_950, 10_001, 10_160]) {
    [application] = await ratchetUntil(application, generation, keeping, kdf);
    const secretTree = [{ ...node, application }, ...others];
    const made = await mls.encrypt({ ...sending, secretTree }, utf8(`${generation}`));
    messages.set(generation, made.message);
  }
  const ahead = (generation: number) => messages.get(generation) as Uint8Array;
  const readBy = async (state: unknown, message: Uint8Array) => {
    const opened = await mls.decrypt(state, message);
    return { ...opened, content: new TextDecoder().decode(opened.content) };
  };
  const far = ahead(9_950);
  const { state, content } = await readBy(reading, far);
  expect(content).toBe("9950");
  for (const late of [9_949, 9_851]) expect((await readBy(state, ahead(late))).content).toBe(`${late}`);
  await expect(readBy(state, ahead(9_849))).rejects.toThrow();
  expect((await readBy(state, ahead(10_160))).content).toBe("10160");
  await expect(readBy(reading, ahead(10_001))).rejects.toThrow("too far in the future");
  const spoiled = Uint8Array.from(far);
  spoiled[spoiled.length - 1] = (spoiled.at(-1) as number) ^ 1;
  await expect(readBy(reading, spoiled)).rejects.toThrow();
});

test("what was derived for a message far ahead is kept until one has opened, and for an hour at most", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const [, reading] = (await statesOf(2)) as [ClientState, ClientState];
  const next = (secret: Uint8Array) => secret.map((byte) => byte + 1);
  const skip = () => skipTowards(reading.secretTree, { leafIndex: 1, generation: 9_950 }, next);
  const derived = () => skip()?.secretTree[2]?.application;
  const first = derived();
  expect(first?.generation).toBe(9_800);
  vi.advanceTimersByTime(3_599_000);
  expect(derived()?.secret).toBe(first?.secret);
  vi.advanceTimersByTime(1_000);
  const second = derived();
  expect(second?.secret).not.toBe(first?.secret);
  expect(second?.secret).toEqual(first?.secret);
  skip()?.forget();
  expect(derived()?.secret).not.toBe(second?.secret);
});
