import { rm } from "node:fs/promises";
import path from "node:path";
import { createLifecycle, type Lifecycle } from "../../src/process/lifecycle.js";
import { createTestAuthority } from "../test-ca/authority.js";
import { commonAuthenticator, createDemoClient, type DemoClient, expectSeen } from "./client.js";
import type { Say } from "./log.js";
import { newFolder, prepareRelay, type RelayProcess } from "./relays.js";
import { trusting } from "./trust.js";

interface DemoClients {
  harbour: RelayProcess;
  island: RelayProcess;
  ada: DemoClient;
  ben: DemoClient;
  cleo: DemoClient;
  say: Say;
}

const lines = {
  first: "Is the ferry running tomorrow?",
  answer: "At nine, if the wind allows.",
  whileDown: ["Then I take the one at nine.", "Shall I bring anything?", "Hello? Are you there?"],
  back: "The power was out. Bring bread!",
  afterCommit: "New keys for all of us. See you at nine.",
};
/** Long enough for a killed relay to start, its devices to reconnect, and its peer to retry. */
const patienceMillis = 90_000;

/**
 * Two relays, each a process with its own database and certificate, and three devices: Ada at the first, Ben and Cleo
 * at the second. They talk in one MLS group. The second relay is killed while Ada continues to write, then the first
 * one while Ben does. Throws if anyone did not receive exactly what was sent, once and in order.
 */
export async function playFederatedScenario({ say }: { say: Say }): Promise<void> {
  const lifecycle = createLifecycle();
  try {
    const clients = await assemble(lifecycle, say);
    await meet(clients);
    await talkThroughAnOutageOfTheIsland(clients);
    await talkThroughAnOutageOfTheHarbour(clients);
    await renewKeys(clients);
    checkWhatAllSaw(clients);
  } finally {
    await lifecycle.end();
  }
}

async function assemble(lifecycle: Lifecycle, say: Say): Promise<DemoClients> {
  const folder = await newFolder();
  lifecycle.atEnd(() => rm(folder, { recursive: true, force: true }));
  // Certificates use the machine's time, because the processes that verify them do too.
  const authority = await createTestAuthority(new Date(performance.timeOrigin + performance.now()));
  const { runtime, close } = trusting(authority.cert);
  lifecycle.atEnd(close);
  const open = async (name: string): Promise<RelayProcess> => {
    const relay = await prepareRelay(path.join(folder, name), authority);
    lifecycle.atEnd(() => relay.stop());
    await relay.start();
    say(name, `serves ${relay.domain} in its own process with its own database`);
    return relay;
  };
  const [harbour, island] = [await open("harbour"), await open("island")];
  const enter = async (name: string, relay: RelayProcess): Promise<DemoClient> => {
    const client = await createDemoClient(name, { url: relay.url, domain: relay.domain, runtime }, say);
    lifecycle.atEnd(() => client.goOffline());
    await client.register();
    return client;
  };
  const ada = await enter("ada", harbour);
  const [ben, cleo] = [await enter("ben", island), await enter("cleo", island)];
  return { harbour, island, ada, ben, cleo, say };
}

async function meet({ ada, ben, cleo, say }: DemoClients): Promise<void> {
  for (const client of [ada, ben, cleo]) client.goOnline("stream");
  await ada.member.found("ferry");
  const claimed = await ada.claimKeyPackagesOf([ben, cleo]);
  const joiners = [ben, cleo].map((client, i) => ({ client, keyPackage: claimed[i] as Uint8Array }));
  const { welcome } = await ada.member.add(joiners.map(({ keyPackage }) => keyPackage));
  say("ada", "claimed their key packages from the other relay, creates a group, and sends welcomes to the other relay");
  await ada.welcome(welcome, joiners);
  await seen({ ben, cleo }, 1);
  await ada.write(lines.first, [ben, cleo]);
  await seen({ ben, cleo }, 2);
  await ben.write(lines.answer, [ada, cleo]);
  await seen({ ada }, 1);
  await seen({ cleo }, 3);
}

async function talkThroughAnOutageOfTheIsland({ harbour, island, ada, ben, cleo, say }: DemoClients): Promise<void> {
  await island.kill();
  say("island", "is killed");
  for (const line of lines.whileDown) await ada.write(line, [ben, cleo]);
  say("ada", `wrote ${lines.whileDown.length} messages, which her relay accepted`);
  say("harbour", `holds for the other relay: ${await harbour.run("outbox", "list")}`);
  await island.start();
  say("island", "is back, and so are its devices");
  await comeBack(ben, cleo);
  await seen({ ben }, 2 + lines.whileDown.length);
  await seen({ cleo }, 3 + lines.whileDown.length);
}

async function talkThroughAnOutageOfTheHarbour({ harbour, ada, ben, cleo, say }: DemoClients): Promise<void> {
  await harbour.kill();
  say("harbour", "is killed");
  await ben.write(lines.back, [ada, cleo]);
  await seen({ cleo }, 4 + lines.whileDown.length);
  await harbour.start();
  say("harbour", "is back, and so is its device");
  await comeBack(ada);
  await seen({ ada }, 2);
}

async function renewKeys({ ada, ben, cleo, say }: DemoClients): Promise<void> {
  const commit = await ben.member.commit();
  say("ben", "commits new keys to the group");
  await ben.sendCommit(commit, [ada, cleo]);
  await seen({ ada }, 3);
  await seen({ cleo }, 5 + lines.whileDown.length);
  await ada.write(lines.afterCommit, [ben, cleo]);
  await seen({ ben }, 3 + lines.whileDown.length);
  await seen({ cleo }, 6 + lines.whileDown.length);
}

/** A client reconnects within about a minute; a new one connects at once. */
async function comeBack(...devices: readonly DemoClient[]): Promise<void> {
  for (const client of devices) {
    await client.goOffline();
    client.goOnline("stream");
  }
}

async function seen(devices: Readonly<Record<string, DemoClient>>, count: number): Promise<void> {
  await Promise.all(Object.values(devices).map((client) => client.hasSeen(count, patienceMillis)));
}

function checkWhatAllSaw({ ada, ben, cleo, say }: DemoClients): void {
  const quoted = (text: string) => `"${text}"`;
  const commit = "a commit, now in epoch 2";
  const welcome = "a welcome, and joined in epoch 1";
  const whileDown = lines.whileDown.map(quoted);
  const [first, answer, back, last] = [lines.first, lines.answer, lines.back, lines.afterCommit].map(quoted);
  expectSeen(ada, [answer, back, commit]);
  expectSeen(ben, [welcome, first, ...whileDown, last]);
  expectSeen(cleo, [welcome, first, answer, ...whileDown, back, commit, last]);
  const authenticator = commonAuthenticator([ada, ben, cleo]);
  say("all", `saw each message once and in order; epoch authenticators are equal: ${authenticator}`);
}
