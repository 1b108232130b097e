import { randomBytes } from "node:crypto";
import { constantsEnvironment } from "../../src/composition/config.js";
import type { ManualClock } from "../../src/node/clock.js";
import { type RunningCommand, startCommand } from "../support/command.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import type { PeerFixture } from "../support/peers.js";
import type { TestRelay } from "../support/relay.js";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy.js";

/** A relay in a process of its own, found by its peer behind a proxy, and by its devices at `url`. */
export interface Killable {
  relay: TestRelay;
  proxy: TcpProxy;
  start(): Promise<void>;
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts one that federates with the others of the fixture. */
export async function startKillable(
  fixture: PeerFixture,
  clock: ManualClock,
  constants: Parameters<typeof constantsEnvironment>[0] = {},
): Promise<Killable> {
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
      ...constants,
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
