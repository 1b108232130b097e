import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { publicKeyFromRaw } from "../../src/auth/ed25519-keys.js";
import { decodeJws, verifyJws } from "../../src/auth/jws.js";
import { call } from "../support/api.js";
import { newDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay({ baseUrl: "https://relay.test", keepaliveIntervalSeconds: 25 });
});
afterAll(() => relay.stop());

describe("the discovery document", () => {
  it("names the server, its addresses, versions, limits, registration and links", async () => {
    const answer = await call(relay, "getDiscovery");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("cache-control")).toBe("public, max-age=300");
    expect(answer.body).toEqual({
      server: "relay.test",
      server_name: "MLS relay",
      base_url: "https://relay.test",
      federation_url: "https://relay.test",
      versions: { protocol: "1.0", api: ["v1"], federation: ["v1"] },
      capabilities: {
        group_message_cost: { recipients_per_message: 25, bytes_per_message: 1048576 },
        max_message_size: 10_485_760,
        max_message_recipients: 1000,
        // This relay has no certificate to show to others.
        federation_enabled: false,
        federated_slots: false,
        federated_key_packages: false,
        federated_lifetimes: false,
        federated_reports: false,
        shared_ciphertexts: true,
        max_transaction_messages: 1000,
        attached_ciphertexts: true,
        dedup_tags: true,
        system_events: true,
        rate_limit_headers: true,
        supported_mls_versions: ["1.0"],
        stream_sends: true,
        message_lifetime: true,
        blobs: true,
        wake_up_push: true,
      },
      federation_enabled: true,
      max_connections_per_device: 1,
      max_message_backlog: relay.config.maxMessageBacklog,
      keepalive_interval_seconds: 25,
      connection_timeout_seconds: relay.config.connectionTimeoutSeconds,
      stream: {
        url: "wss://relay.test/v1/stream",
        max_connections_per_device: 1,
        max_message_backlog: relay.config.maxMessageBacklog,
        keepalive_interval_seconds: 25,
        connection_timeout_seconds: relay.config.connectionTimeoutSeconds,
        max_frame_bytes: 13_985_112,
        max_client_frame_bytes: 65_536,
        max_window: 1_000,
        max_sends_in_flight: 64,
      },
      registration: { enabled: true, mode: "open" },
      push: {
        vapid_key: expect.stringMatching(/^B[\w-]{86}$/),
        key_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      },
      slots: {
        key: expect.stringMatching(/^[0-9a-f]{64}$/),
        max_content_bytes: 1_048_576,
        retention_days: 30,
        memory_days: 730,
        max_slots_per_reading: 100,
        max_peer_slots_per_reading: 16,
      },
      blobs: { max_bytes: 1_073_741_824 },
      links: {
        openapi: "https://relay.test/openapi.json",
        asyncapi: "https://relay.test/asyncapi.json",
        jwks: "https://relay.test/.well-known/jwks.json",
      },
    });
  });

  it("links to documents that are served", async () => {
    const { links } = (await call(relay, "getDiscovery")).body;
    for (const link of Object.values(links)) {
      const response = await fetch(relay.url + new URL(link).pathname);
      expect(response.status).toBe(200);
      expect(await response.json()).toBeTypeOf("object");
    }
  });

  it("follows the settings", async () => {
    const closed = await startRelay({
      seeds: {
        SEED_FEDERATION_ENABLED: "false",
        SEED_REGISTRATION_MODE: "invite_only",
        SEED_REGISTRATION_ENABLED: "false",
        SEED_SERVER_MAX_MESSAGE_SIZE: "4096",
      },
    });
    try {
      const { body } = await call(closed, "getDiscovery");
      expect(body.federation_enabled).toBe(false);
      expect(body.capabilities).toMatchObject({ max_message_size: 4096, federation_enabled: false });
      expect(body.registration).toEqual({ enabled: false, mode: "invite_only" });
    } finally {
      await closed.stop();
    }
  });
});

describe("the key set", () => {
  it("holds the key that signed a device's token", async () => {
    const device = await newDevice(relay);
    const { body, headers } = await call(relay, "getSigningKeys");
    expect(headers.get("cache-control")).toBe("public, max-age=300");
    const jws = decodeJws(device.token);
    const key = body.keys.find((candidate) => candidate.kid === jws?.header.kid);
    expect(key).toMatchObject({ kty: "OKP", crv: "Ed25519", alg: "EdDSA", use: "sig" });
    expect(Object.keys(key ?? {}).sort()).toEqual(["alg", "crv", "kid", "kty", "use", "x"]);
    const raw = Buffer.from(key?.x ?? "", "base64url");
    expect(jws && (await verifyJws(jws, publicKeyFromRaw(raw)))).toBe(true);
  });
});

describe("the probes", () => {
  it("answer only ok while the relay is healthy", async () => {
    for (const probe of ["getHealthz", "getReadyz"] as const) {
      const answer = await call(relay, probe);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ status: "ok" });
    }
  });

  it("report a schema of another version as not ready", async () => {
    const stale = await startRelay();
    const { createDatabase } = await import("../../src/database/pool/pool.js");
    const db = createDatabase({ url: stale.databaseUrl, poolSize: 1 });
    try {
      await db.run("delete from knex_migrations where name = '0001-baseline'");
      const answer = await call(stale, "getReadyz");
      expect(answer.status).toBe(503);
      expect(answer.body).toMatchObject({ error: "OVERLOADED", code: 5001, reason: "database" });
      expect(answer.headers.get("retry-after")).toBe("5");
      expect((await call(stale, "getHealthz")).status).toBe(200);
    } finally {
      await db.close();
      await stale.stop();
    }
  });
});
