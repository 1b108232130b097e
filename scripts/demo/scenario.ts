import type { ConnectionOptions } from "../../src/client/connection/connection.js";
import { utf8 } from "../../src/protocol/encodings.js";
import { commonAuthenticator, createDemoClient, type DemoClient, expectSeen } from "./client.js";
import { searchCiphertexts } from "./evidence.js";
import { addTabletToGroup, linkTablet } from "./linking-scenario.js";
import type { Say } from "./log.js";
import { cipherSuite } from "./member.js";

interface ScenarioContext {
  relay: ConnectionOptions;
  /** The relay's database; only with a relay that the demo has started. */
  databaseUrl?: string | undefined;
  say: Say;
}

const groupId = "the group of the lighthouse";
const lines = {
  first: "Shall we meet at the lighthouse at nine?",
  answer: "Nine is fine. I bring the maps.",
  afterCommit: "New keys for all of us, same lighthouse.",
  late: "Sorry, I was on a train. See you at nine!",
  fromTablet: "It is Ada, on my tablet now.",
};

/**
 * Three devices at one relay. Ada creates a group and adds Ben, who is connected to the stream, and Cleo, who is
 * offline. Ada and Ben talk, and Ben renews the group's keys. Then Cleo comes back, catches up by polling, and answers.
 * Finally Ada links a second device, which joins the group too. Throws where a device received anything unexpected, or
 * if the devices do not end in the same state of the group.
 */
export async function playScenario({ relay, databaseUrl, say }: ScenarioContext): Promise<void> {
  const clients: DemoClient[] = [];
  try {
    for (const name of ["ada", "ben", "cleo", "tablet"]) clients.push(await createDemoClient(name, relay, say));
    const [ada, ben, cleo, tablet] = clients as [DemoClient, DemoClient, DemoClient, DemoClient];
    for (const client of [ada, ben, cleo]) await client.register();

    for (const client of [ada, ben]) client.goOnline("stream");
    say("cleo", "goes offline");
    await foundGroup({ ada, ben, cleo, say });
    await talkWithoutCleo({ ada, ben, cleo, say });
    if (databaseUrl !== undefined) await showWhatTheRelayHolds(databaseUrl, { ada, ben, cleo, say });
    await letCleoCatchUp({ ada, ben, cleo, say });
    const linked = { ada, tablet, others: [ben, cleo], databaseUrl, say };
    await linkTablet(linked);
    const joined = await addTabletToGroup(linked);
    if (joined) await talkFromTheTablet({ ada, ben, cleo, tablet });
    checkWhatAllSaw({ ada, ben, cleo, say }, joined ? tablet : undefined);
  } finally {
    for (const client of clients) await client.goOffline();
  }
}

interface DemoClients {
  ada: DemoClient;
  ben: DemoClient;
  cleo: DemoClient;
  say: Say;
}

async function foundGroup({ ada, ben, cleo, say }: DemoClients): Promise<void> {
  await ada.member.found(groupId);
  const joiners = await Promise.all(
    [ben, cleo].map(async (client) => ({ client, keyPackage: await ada.fetchKeyPackageOf(client) })),
  );
  const { welcome } = await ada.member.add(joiners.map(({ keyPackage }) => keyPackage));
  say("ada", `fetches their key packages, creates a group in ${cipherSuite}, and seals a welcome to each of them`);
  await ada.welcome(welcome, joiners);
  await ben.hasSeen(1);
}

async function talkWithoutCleo({ ada, ben, cleo, say }: DemoClients): Promise<void> {
  await ada.write(lines.first, [ben, cleo]);
  await ben.hasSeen(2);
  await ben.write(lines.answer, [ada, cleo]);
  await ada.hasSeen(1);
  const commit = await ben.member.commit();
  say("ben", "commits new keys to the group");
  await ben.sendCommit(commit, [ada, cleo]);
  await ada.hasSeen(2);
  await ada.write(lines.afterCommit, [ben, cleo]);
  await ben.hasSeen(3);
}

async function letCleoCatchUp({ ada, ben, cleo, say }: DemoClients): Promise<void> {
  say("cleo", "comes back and polls");
  cleo.goOnline("poll");
  await cleo.hasSeen(5);
  await cleo.write(lines.late, [ada, ben]);
  await ada.hasSeen(3);
  await ben.hasSeen(4);
  await cleo.goOffline();
  say("cleo", "has caught up, and listens to the stream from now on");
  cleo.goOnline("stream");
}

async function talkFromTheTablet({
  ada,
  ben,
  cleo,
  tablet,
}: Omit<DemoClients, "say"> & { tablet: DemoClient }): Promise<void> {
  await tablet.write(lines.fromTablet, [ada, ben, cleo]);
  await ada.hasSeen(4);
  await ben.hasSeen(6);
  await cleo.hasSeen(7);
}

/**
 * Cleo's messages wait in her queue. Their ciphertexts must be found there, which shows that the search works; their plaintexts
 * and the group's id must not.
 */
async function showWhatTheRelayHolds(databaseUrl: string, { ada, ben, cleo, say }: DemoClients): Promise<void> {
  const forCleo = [...ada.sent, ...ben.sent].filter(({ to }) => to === cleo.address());
  const ciphertexts = forCleo.map(({ ciphertext }) => ciphertext);
  const plaintexts = [lines.first, lines.answer, lines.afterCommit].map(utf8);
  const evidence = await searchCiphertexts(databaseUrl, "messages", [...ciphertexts, ...plaintexts, utf8(groupId)]);
  const missing = evidence.slice(0, ciphertexts.length).filter(({ found }) => found === 0);
  const leaked = evidence.slice(ciphertexts.length).filter(({ found }) => found > 0);
  if (missing.length > 0) throw new Error("messages for cleo are not in the relay's database");
  if (leaked.length > 0) throw new Error("the relay's database contains plaintext, or the group's id");
  const size = `${evidence[0]?.stored} messages (${evidence[0]?.bytes} bytes)`;
  const found = `all ${ciphertexts.length} ciphertexts, none of the ${plaintexts.length} plaintexts, and no group's id`;
  say("relay", `holds ${size}: ${found}`);
}

/** If the tablet has joined, all others received two more messages: the commit that adds it, and its own message. */
function checkWhatAllSaw({ ada, ben, cleo, say }: DemoClients, tablet: DemoClient | undefined): void {
  const quoted = (text: string) => `"${text}"`;
  const commit = (epoch: number) => `a commit, now in epoch ${epoch}`;
  const welcome = (epoch: number) => `a welcome, and joined in epoch ${epoch}`;
  const [added, wrote] = tablet === undefined ? [[], []] : [[commit(3)], [quoted(lines.fromTablet)]];
  expectSeen(ada, [quoted(lines.answer), commit(2), quoted(lines.late), ...wrote]);
  const toBen = [welcome(1), ...[lines.first, lines.afterCommit, lines.late].map(quoted)];
  expectSeen(ben, [...toBen, ...added, ...wrote]);
  const toCleo = [welcome(1), ...[lines.first, lines.answer].map(quoted), commit(2), quoted(lines.afterCommit)];
  expectSeen(cleo, [...toCleo, ...added, ...wrote]);
  const members = [ada, ben, cleo];
  if (tablet !== undefined) {
    expectSeen(tablet, [welcome(3)]);
    members.push(tablet);
  }
  say("all", `saw what was sent to them; epoch authenticators are equal: ${commonAuthenticator(members)}`);
}
