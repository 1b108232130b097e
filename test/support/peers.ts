import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestAuthority } from "../../scripts/test-ca/authority.js";
import { openAuthorityFolder } from "../../scripts/test-ca/folder.js";
import type { Config } from "../../src/composition/config.js";
import type { ManualClock } from "../../src/node/clock.js";
import { startRelay, type TestRelay } from "./relay.js";
import { startTcpProxy, type TcpProxy } from "./tcp-proxy.js";

/** Relays that federate, each behind a proxy that speaks TLS for it and can cut it off. */
export interface PeerFixture {
  authority: TestAuthority;
  /** Makes a relay at this port of localhost a member of the harness. */
  membership(port: number): Promise<Partial<Config>>;
  /** A relay named `localhost:<the proxy's port>`. */
  relay(overrides?: Partial<Config>, shared?: { clock?: ManualClock }): Promise<PeerRelay>;
  stop(): Promise<void>;
}

export interface PeerRelay extends TestRelay {
  domain: string;
  proxy: TcpProxy;
}

/** Limits that tests do not reach unless they mean to. */
const room: Partial<Config> = {
  federationAllowPrivate: true,
  federationAllowAnyPort: true,
  federationMessagesPerMinute: 1_000_000,
  federationTransactionsPerMinute: 1_000_000,
  federationBytesPerMinute: 1024 ** 4,
  federationConnectTimeoutSeconds: 2,
  federationRequestTimeoutSeconds: 3,
  discoveryFailureCacheSeconds: 1,
  outboxPollMillis: 50,
  outboxClearSeconds: 0,
  outboxMaxBackoffSeconds: 1,
  shutdownGraceSeconds: 1,
};

export async function createPeerFixture(): Promise<PeerFixture> {
  const folder = await mkdtemp(path.join(tmpdir(), "mls-relay-peers-"));
  const opened = await openAuthorityFolder(folder, { now: new Date() });
  const { authority } = opened;
  const endings: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true })];
  await opened.issue("localhost");
  const { certFile, keyFile } = opened.filesOf("localhost");
  const [cert, key] = [await readFile(certFile, "utf8"), await readFile(keyFile, "utf8")];
  const written = { federationCertFile: certFile, federationKeyFile: keyFile, federationCaFile: opened.caFile };
  const membership = async (port: number): Promise<Partial<Config>> => {
    const domain = `localhost:${port}`;
    return { ...room, ...written, domain, baseUrl: `https://${domain}` };
  };

  return {
    authority,
    membership,
    async relay(overrides = {}, shared = {}) {
      const proxy = await startTcpProxy(0, { cert, key });
      endings.push(() => proxy.stop());
      const relay = await startRelay({ ...(await membership(proxy.port)), ...overrides }, shared);
      endings.push(() => relay.stop());
      proxy.target.port = Number(new URL(relay.url).port);
      return { ...relay, domain: relay.config.domain, proxy };
    },
    async stop() {
      for (const end of endings.reverse()) await end();
    },
  };
}
