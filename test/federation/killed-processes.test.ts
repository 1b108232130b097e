import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { constantsEnvironment } from "../../src/composition/config.js";
import { createManualClock, createSystemClock } from "../../src/node/clock.js";
import { newMessageId } from "../../src/protocol/identifiers.js";
import { type RunningCommand, startCommand } from "../support/command.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { newDevice, type TestDevice } from "../support/device.js";
import { createPeerFixture, type PeerFixture } from "../support/peers.js";
import type { TestRelay } from "../support/relay.js";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy.js";
import { eventually } from "./outbox-fixture.js";

/** A relay in a process of its own, found by its peer behind a proxy, and by its devices at `url`. */
interface Killable {
  relay: TestRelay;
  proxy: TcpProxy;
  start(): Promise<void>;
  kill(): Promise<void>;
  stop(): Promise<void>;
}

const clock = createManualClock(createSystemClock());
let fixture: PeerFixture;
let here: Killable;
let there: Killable;

beforeAll(async () => {
  fixture = await createPeerFixture();
  [here, there] = await Promise.all([prepare(), prepare()]);
}, 180_000);
afterAll(async () => {
  await Promise.all([here.stop(), there.stop()]);
  await fixture.stop();
}, 180_000);

async function prepare(): Promise<Killable> {
  const database: TestDatabase = await createTestDatabase();
  const proxy = await startTcpProxy(0, await fixture.authority.issue({ hosts: ["localhost"] }));
  const member = await fixture.membership(proxy.port);
  const env = {
    ...{ HOST: "127.0.0.1", PORT: "0", LOG_LEVEL: "error", DATABASE_URL: database.url },
    ...{ MASTER_KEY: randomBytes(32).toString("hex"), SHUTDOWN_GRACE_SECONDS: "1" },
    ...{ DOMAIN: `localhost:${proxy.port}`, BASE_URL: `https://localhost:${proxy.port}` },
    ...{ FEDERATION_ALLOW_PRIVATE: "true", FEDERATION_CA_FILE: member.federationCaFile ?? "" },
    ...{ FEDERATION_CERT_FILE: member.federationCertFile ?? "", FEDERATION_KEY_FILE: member.federationKeyFile ?? "" },
    ...constantsEnvironment({
      federationAllowAnyPort: true,
      discoveryFailureCacheSeconds: 1,
      outboxMaxBackoffSeconds: 1,
      nodeDeadAfterSeconds: 3,
    }),
    ...{ SEED_REGISTRATION_REQUIRE_PROOF_OF_WORK: "false", SEED_RATE_LIMITING_ENABLED: "false" },
  };
  const relay = { url: "", clock, config: { domain: env.DOMAIN } } as TestRelay;
  let running: RunningCommand | undefined;
  const end = async (signal: NodeJS.Signals) => {
    running?.kill(signal);
    await running?.ended;
    running = undefined;
  };
  const killable: Killable = {
    relay,
    proxy,
    async start() {
      running = startCommand(["serve"], env);
      const [, url = ""] = await running.seen(/ at (http\S+)/);
      relay.url = url;
      proxy.target.port = Number(new URL(url).port);
    },
    kill: () => end("SIGKILL"),
    async stop() {
      await end("SIGTERM");
      await proxy.stop();
      await database.drop();
    },
  };
  await killable.start();
  return killable;
}

/** Sends a message until it is accepted, as a client does. */
async function send(from: TestDevice, to: TestDevice): Promise<string> {
  const messageId = newMessageId(clock.nowMillis(), new Uint8Array(randomBytes(10)));
  await eventually(async () => {
    const answer = await from.send(to.address, { messageId }).catch(() => undefined);
    return answer?.status === 202;
  }, 60);
  return messageId;
}

it("nothing is lost or doubled when the relays' processes are killed in the middle of it", {
  timeout: 300_000,
}, async () => {
  const [sender, recipient] = [await newDevice(here.relay), await newDevice(there.relay)];
  const sent: string[] = [];
  let sending = true;
  const writing = (async () => {
    while (sending) sent.push(await send(sender, recipient));
  })();
  for (const victim of [there, here]) {
    const { length } = sent;
    await eventually(() => sent.length > length + 10, 60);
    await victim.kill();
    await victim.start();
  }
  sending = false;
  await writing;
  const ids = async () => {
    const answer = await recipient.poll({ limit: 1000 }).catch(() => undefined);
    return answer?.body.messages.map((message) => message.message_id) ?? [];
  };
  await eventually(async () => (await ids()).length >= Math.min(1000, sent.length), 60);
  expect(await ids()).toEqual(sent.slice(0, 1000));
  expect(sent.length).toBeGreaterThan(20);
});
