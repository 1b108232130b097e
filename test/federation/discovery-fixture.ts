import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createTestAuthority } from "../../scripts/test-ca/authority.js";
import { createTrustStore } from "../../src/certificates/trust-store.js";
import { type Config, loadConfig } from "../../src/composition/config.js";
import { createDiscoveryClient, type DiscoveryClient } from "../../src/federation/peers/discovery.js";
import { createFederationHttp, type FederationHttp } from "../../src/federation/peers/http-client.js";
import { createManualClock, createSystemClock, type ManualClock } from "../../src/node/clock.js";
import { createResolver, type Resolve } from "../../src/node/resolver.js";
import { createLogger } from "../../src/platform/logger.js";
import { findFreePort } from "../../src/platform/net/free-port.js";
import type { Domain } from "../../src/protocol/address.js";

/** Time-outs that only a server that never answers exceeds, on a machine however busy. */
const patient = { federationConnectTimeoutSeconds: 60, federationRequestTimeoutSeconds: 60 };

/** Time-outs for tests that wait until they end. */
export const impatient = { federationConnectTimeoutSeconds: 1, federationRequestTimeoutSeconds: 1 };

/** Calls to other servers, and one server at localhost that answers as a test says. */
export interface DiscoveryFixture {
  /** `localhost:<port>` */
  domain: Domain;
  clock: ManualClock;
  /** Paths that were asked for. */
  asked: string[];
  /** Addresses that names resolved to, in the order of the questions. */
  resolved: string[];
  answer: RequestListener;
  /** Connections that the server has open, and how many there were. */
  connections: { open: Set<Socket>; taken: number };
  /** Whether messages are exchanged with servers. */
  admits: boolean;
  /** Has the authority's list name the server's certificate, or nothing. */
  revoke(isRevoked: boolean): Promise<void>;
  calls(config?: Partial<Config>, resolve?: Resolve): { http: FederationHttp; discovery: DiscoveryClient };
  stop(): Promise<void>;
}

export async function createDiscoveryFixture(): Promise<DiscoveryFixture> {
  const folder = await mkdtemp(path.join(tmpdir(), "mls-relay-finding-"));
  const authority = await createTestAuthority(new Date());
  const [federationCaFile, federationCrlFile] = [path.join(folder, "ca.pem"), path.join(folder, "crl.pem")];
  await writeFile(federationCaFile, authority.cert);
  await writeFile(federationCrlFile, await authority.revocationList([]));
  const logger = createLogger({ level: "silent" });
  const trust = createTrustStore({ config: { federationCaFile, federationCrlFile }, logger });
  await trust.start();
  const { cert, key, serial } = await authority.issue({ hosts: ["localhost"] });
  const server = createServer({ cert, key, minVersion: "TLSv1.3" }, (request, response) => {
    fixture.asked.push(request.url ?? "");
    fixture.answer(request, response);
  });
  server.on("secureConnection", (socket) => {
    fixture.connections.taken += 1;
    fixture.connections.open.add(socket);
    socket.once("close", () => fixture.connections.open.delete(socket));
  });
  // Another port than every peer before it: what was found out about one belongs to its name, with the port.
  server.listen(await findFreePort(), "127.0.0.1");
  await once(server, "listening");
  const opened: FederationHttp[] = [];

  const fixture: DiscoveryFixture = {
    domain: `localhost:${(server.address() as AddressInfo).port}` as Domain,
    clock: createManualClock(createSystemClock()),
    asked: [],
    resolved: [],
    connections: { open: new Set(), taken: 0 },
    admits: true,
    answer: (_, response) => void response.end(),
    async revoke(isRevoked) {
      await writeFile(federationCrlFile, await authority.revocationList(isRevoked ? [serial] : []));
      await trust.refresh();
    },
    calls(config = {}, resolve = createResolver({ clock: fixture.clock, config: loadConfig({}) }).resolve) {
      const open = { federationAllowPrivate: true, federationAllowAnyPort: true };
      const deps = { clock: fixture.clock, config: { ...loadConfig({}), ...open, ...patient, ...config } };
      const http = createFederationHttp({
        ...deps,
        trust: () => trust.current(),
        validates: () => true,
        admits: () => fixture.admits,
        async resolve(host) {
          const found = await resolve(host);
          fixture.resolved.push(...found.map(({ address }) => address));
          return found;
        },
      });
      opened.push(http);
      const counts = { counted: <T>(_: Domain, call: () => Promise<T>) => call() };
      return { http, discovery: createDiscoveryClient({ ...deps, http, counts }) };
    },
    async stop() {
      for (const http of opened) http.close();
      server.close();
      server.closeAllConnections();
      await trust.stop();
      await rm(folder, { recursive: true });
    },
  };
  return fixture;
}

/** A document by which a server can be found. */
export function documentOf(domain: string, changes: Readonly<Record<string, unknown>> = {}) {
  return {
    server: domain,
    federation_url: `https://${domain}`,
    versions: { federation: ["v1"] },
    links: {},
    ...changes,
  };
}
