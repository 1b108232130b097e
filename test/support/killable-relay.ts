import { randomBytes } from "node:crypto";
import { type Constants, constantsEnvironment } from "../../src/composition/config.js";
import { createManualClock, createSystemClock } from "../../src/node/clock.js";
import { type RunningCommand, startCommand } from "./command.js";
import { createTestDatabase } from "./database.js";
import type { PeerFixture } from "./peers.js";
import type { TestRelay } from "./relay.js";
import { startTcpProxy, type TcpProxy } from "./tcp-proxy.js";

/** A relay in a process of its own that federates, and can be killed and started again. */
export interface KillableRelay {
  /** `url` is that of the process that runs; it changes with each start. */
  relay: TestRelay;
  /** Where its peers find it, with TLS. It stays when the process ends. */
  proxy: TcpProxy;
  start(): Promise<void>;
  kill(): Promise<void>;
  stop(): Promise<void>;
}

interface KillableRelayOptions {
  /** The database to use; a new one if there is none. */
  databaseUrl?: string;
  /** Further settings. */
  env?: Readonly<Record<string, string>>;
  constants?: Constants;
}

/** Starts one as a member of the fixture. */
export async function startKillableRelay(
  fixture: PeerFixture,
  { databaseUrl, env: extra = {}, constants = {} }: KillableRelayOptions = {},
): Promise<KillableRelay> {
  const database = databaseUrl === undefined ? await createTestDatabase() : undefined;
  const proxy = await startTcpProxy(0, await fixture.authority.issue({ hosts: ["localhost"] }));
  const member = await fixture.membership(proxy.port);
  const env = {
    ...{ HOST: "127.0.0.1", PORT: "0", LOG_LEVEL: "error", DATABASE_URL: databaseUrl ?? database?.url ?? "" },
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
    ...extra,
  };
  const clock = createManualClock(createSystemClock());
  const relay = { url: "", clock, config: { domain: env.DOMAIN } } as TestRelay;
  let running: RunningCommand | undefined;
  const end = async (signal: NodeJS.Signals) => {
    running?.kill(signal);
    await running?.ended;
    running = undefined;
  };
  const killable: KillableRelay = {
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
      await database?.drop();
    },
  };
  await killable.start();
  return killable;
}
