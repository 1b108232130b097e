import type { Database } from "../../src/database/db.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { adminKeys, logIn } from "../support/admin.js";
import { call } from "../support/api.js";
import { demand, message, newDevice, type TestDevice } from "../support/device.js";
import { createPeerFixture, type PeerFixture, type PeerRelay } from "../support/peers.js";
import { authenticate, deliver, type Origin, tokenFor } from "./origin-fixture.js";

/** A relay that judges other servers, its administrator, and the servers that call. */
export interface ReputationFixture {
  peers: PeerFixture;
  relay: PeerRelay;
  db: Database;
  /** A session of the administrator at the relay's present time. */
  admin(): Promise<string>;
  server(domain: string): Promise<Origin>;
  /** A device that has been here long enough for its reports to count. */
  device(): Promise<TestDevice>;
  /** Delivers so many good messages for a device, and so many that break the rules; the ids of the good ones. */
  give(server: Origin, to: TestDevice, count: { good: number; bad?: number }): Promise<string[]>;
  /** The first line of an answer to a delivery. */
  outcome(server: Origin, to: TestDevice): Promise<string>;
  report(by: TestDevice, messageId: string): Promise<number>;
  reputation(domain: string): Promise<Awaited<ReturnType<typeof call<"getServerReputation">>>["body"]>;
  setPolicy(patch: Readonly<Record<string, unknown>>): Promise<void>;
  stop(): Promise<void>;
}

/** A score acts after 20 messages here; a server may deliver 400 a minute. */
export async function createReputationFixture(): Promise<ReputationFixture> {
  const keys = adminKeys("all");
  const peers = await createPeerFixture();
  const relay = await peers.relay({
    adminList: keys.seed,
    scoreMinMessages: 20,
    federationMessagesPerMinute: 400,
    federationTransactionsPerMinute: 40,
    blocklistPeerMinAgeSeconds: 0,
    blocklistPeerMinMessages: 1,
    adminConfigUpdatesPerHour: 10_000,
    seeds: { SEED_RATE_LIMITING_ENABLED: "false" },
  });
  const db = createDatabase({ url: relay.databaseUrl, poolSize: 2 });
  const admin = async () => (await logIn(relay, keys)).token;

  return {
    ...{ peers, relay, db, admin },
    server: async (domain) => ({
      domain,
      credential: await peers.authority.issue({ hosts: [domain.split(":")[0] ?? ""] }),
    }),
    async device() {
      const made = await newDevice(relay);
      const age = 7 * 3600;
      await db.run("update devices set registered_at = registered_at - :age where device_id = :deviceId", {
        age,
        deviceId: made.deviceId,
      });
      return made;
    },
    async give(server, to, { good, bad = 0 }) {
      const messages = Array.from({ length: good }, () => message(relay, to.address));
      const broken = Array.from({ length: bad }, () => message(relay, to.address, { senderSignature: "" }));
      const token = await tokenFor(relay, server);
      demand(await deliver(relay, { token, origin: server.domain, messages: [...messages, ...broken] }));
      return messages.map((one) => one.message_id);
    },
    async outcome(server, to) {
      const { status, body } = await authenticate(relay, server).catch((error: Error) => refusal(error));
      if (status !== 200 || !("federation_token" in body)) return `${status} ${body.error}`;
      const messages = [message(relay, to.address)];
      const answer = await deliver(relay, { token: body.federation_token, origin: server.domain, messages });
      return answer.status === 200 ? answer.body.status : `${answer.status} ${answer.body.error}`;
    },
    async report(by, messageId) {
      const body = { message_id: messageId, sender_id: "7".repeat(64), reason: "spam" };
      return (await call(relay, "reportSpam", { token: by.token, body })).status;
    },
    async reputation(domain) {
      const params = { server_domain: domain };
      return demand(await call(relay, "getServerReputation", { token: await admin(), params })).body;
    },
    async setPolicy(patch) {
      const token = await admin();
      const { body: now } = demand(await call(relay, "getFederationPolicy", { token }));
      demand(await call(relay, "setFederationPolicy", { token, body: { ...now, ...patch } }));
    },
    async stop() {
      await db.close();
      await peers.stop();
    },
  };
}

/** The challenge comes before the authentication and may be refused as well. */
function refusal({ message: text }: Error): { status: number; body: { error: string } } {
  const [, status, error] = /answered (\d+): .*"error":"(\w+)"/.exec(text) ?? [];
  return { status: Number(status), body: { error: error ?? text } };
}
