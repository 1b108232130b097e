import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OperationId } from "../../generated/handlers.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { tryUpload, type Variant } from "../infopackages/fixture.js";
import { newKeys, newPrefix, prefixBody, registrationBody } from "../registration/wire.js";
import { startAdministered } from "../support/admin.js";
import { type Answer, call } from "../support/api.js";
import { announcement, demand, message, newDevice, type TestDevice } from "../support/device.js";
import { fetchPackage, newPackages, upload, uploadBody } from "../support/key-packages.js";
import { newBlob, openAddress, openingBody, putBlob } from "../support/provisioning.js";
import { limitsOf } from "../support/rate-limit-headers.js";
import { startRelay, type TestRelay } from "../support/relay.js";

type LimitedOperation = { operationId?: OperationId; "x-rate-limits"?: string[] };
const contract: { paths: Record<string, Record<string, LimitedOperation>> } = JSON.parse(
  readFileSync(new URL("../../generated/contract.json", import.meta.url), "utf8"),
);
const hour = 3600;
const nowhere = `${"0".repeat(32)}@relay.test`;
let relay: TestRelay;
let recipient: TestDevice;
let db: ReturnType<typeof createDatabase>;

beforeAll(async () => {
  relay = await startRelay({
    seeds: { SEED_STORAGE_ANNOUNCEMENT_RETENTION_HOURS: "1000" },
    announcementsPerHour: 5,
    keyPackageUploadsPerHour: 3,
    linkingBlobsPerDeviceHour: 3,
    provisioningPerIpHour: 1_000,
  });
  db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
  recipient = await newDevice(relay);
});
afterAll(async () => {
  await db.close();
  await relay.stop();
});

const remainingIn = (answer: Answer<unknown>, name: string) => limitsOf(answer)[name]?.remaining;
const namesIn = (answer: Answer<unknown>) => Object.keys(limitsOf(answer)).sort();
const limitsOfContract = (id: OperationId) =>
  Object.values(contract.paths)
    .flatMap((operations) => Object.values(operations))
    .flatMap((operation) => (operation.operationId === id ? (operation["x-rate-limits"] ?? []) : []))
    .sort();
const sendBatch = (device: TestDevice, messages: readonly object[]) =>
  call(relay, "sendMessageBatch", { token: device.token, body: { messages } });

describe("the answers to sends say what is left", () => {
  it("and the number falls with each message, to 0 and the refusal, which has the headers as well", async () => {
    const device = await newDevice(relay);
    for (let left = 9; left >= 0; left -= 1) {
      const sent = demand(await device.send(recipient.address));
      expect(limitsOf(sent)["messages"]).toMatchObject({ limit: 10, windowSeconds: hour, remaining: left });
      const reset = limitsOf(sent)["messages"]?.reset ?? 0;
      expect(reset).toBeGreaterThan(hour - 60);
      expect(reset).toBeLessThanOrEqual(hour);
    }
    for (let again = 0; again < 2; again += 1) {
      const refused = await device.send(recipient.address);
      expect([refused.status, remainingIn(refused, "messages")]).toEqual([429, 0]);
      expect(limitsOf(refused)["messages"]?.reset).toBe(Number(refused.headers.get("Retry-After")));
    }
  });

  it("and begin again after the window, with what was carried over", async () => {
    const device = await newDevice(relay);
    for (let i = 0; i < 4; i += 1) demand(await device.send(recipient.address));
    relay.clock.advance(hour + 1);
    const sent = demand(await device.send(recipient.address));
    expect(limitsOf(sent)["messages"]).toMatchObject({ limit: 16, remaining: 15 });
  });

  it("for a batch, after all of its messages", async () => {
    const device = await newDevice(relay);
    const four = Array.from({ length: 4 }, () => message(relay, recipient.address));
    expect(remainingIn(demand(await sendBatch(device, four)), "messages")).toBe(6);
    const ten = Array.from({ length: 10 }, () => message(relay, recipient.address));
    const partly = demand(await sendBatch(device, ten));
    expect([partly.body.accepted_count, remainingIn(partly, "messages")]).toEqual([6, 0]);
  });

  it("where they are errors, too; what is refused for another reason is not counted", async () => {
    const device = await newDevice(relay);
    const lost = await device.send(nowhere);
    expect(lost.status).toBe(404);
    expect(limitsOf(lost)).toMatchObject({
      messages: { limit: 10, remaining: 10, reset: undefined },
      misses: { limit: 30, remaining: 29 },
    });
    const body = message(relay, recipient.address);
    demand(await call(relay, "sendMessage", { token: device.token, body }));
    const repeated = demand(await call(relay, "sendMessage", { token: device.token, body }));
    expect(limitsOf(repeated)).toMatchObject({ messages: { remaining: 9 }, misses: { remaining: 28 } });
  });

  it("to a device that is blocked or banned: nothing", async () => {
    const device = await newDevice(relay);
    const until = relay.clock.nowSeconds() + 1_000;
    await db.run("update devices set banned_until = :until::bigint where device_id = :id", {
      until,
      id: device.deviceId,
    });
    const banned = limitsOf(await device.send(recipient.address))["messages"];
    expect(banned).toMatchObject({ limit: 0, remaining: 0 });
    expect(banned?.reset).toBeGreaterThan(900);
    await db.run("update devices set blocked_at = 1 where device_id = :id", { id: device.deviceId });
    expect(limitsOf(await device.send(recipient.address))["messages"]?.reset).toBeUndefined();
  });

  it("before a long body is read", async () => {
    const device = await newDevice(relay);
    for (let i = 0; i < 10; i += 1) demand(await device.send(recipient.address));
    const ciphertext = randomBytes(1_500_000).toString("base64");
    const body = { ...message(relay, recipient.address), mls_ciphertext: ciphertext };
    const refused = await call(relay, "sendMessage", { token: device.token, body });
    expect([refused.status, remainingIn(refused, "messages")]).toEqual([429, 0]);
  });

  it("to pages of other origins, which may read the headers", async () => {
    const sent = await (await newDevice(relay)).send(recipient.address);
    expect(sent.headers.get("Access-Control-Expose-Headers")).toMatch(/\bRateLimit, RateLimit-Policy\b/);
  });

  it("unless nothing is limited", async () => {
    const free = await startRelay({ seeds: { SEED_RATE_LIMITING_ENABLED: "false" } });
    try {
      const device = await newDevice(free);
      const sent = demand(await device.send(device.address));
      expect([sent.headers.get("RateLimit"), sent.headers.get("RateLimit-Policy")]).toEqual([null, null]);
    } finally {
      await free.stop();
    }
  });
});

describe("so do the answers of every other limited operation", () => {
  it("announcements", async () => {
    const device = await newDevice(relay);
    const announced = demand(await call(relay, "announceWithProof", { body: announcement(relay, device) }));
    expect(limitsOf(announced)).toMatchObject({
      announcements: { limit: 5, remaining: 3, windowSeconds: hour },
      new_addresses: { limit: relay.config.newAddressesPerDay, windowSeconds: 24 * hour },
    });
  });

  it("first announcements in both flows, which count for the network address and for the device", async () => {
    const [one, other] = [newKeys(), newKeys()];
    const registered = demand(await call(relay, "announceWithProof", { body: registrationBody(relay, one) }));
    const announced = demand(await call(relay, "announceDevice", { body: prefixBody(relay, other, [newPrefix()]) }));
    expect(namesIn(registered)).toEqual(limitsOfContract("announceWithProof"));
    expect(namesIn(announced)).toEqual(limitsOfContract("announceDevice"));
  });

  it("uploads of key packages, which have a limit", async () => {
    const device = await newDevice(relay);
    const lefts: (number | undefined)[] = [];
    for (let i = 0; i < 3; i += 1) {
      lefts.push(remainingIn(demand(await upload(relay, device, { packages: newPackages(1) })), "key_package_uploads"));
      relay.clock.advance(1);
    }
    expect(lefts).toEqual([2, 1, 0]);
    const refused = await upload(relay, device, { packages: newPackages(1) });
    expect([refused.status, refused.body.error, refused.body["limit"]]).toEqual([429, "RATE_LIMIT_EXCEEDED", 3]);
    expect(remainingIn(refused, "key_package_uploads")).toBe(0);
    relay.clock.advance(hour);
    demand(await upload(relay, device, { packages: newPackages(1) }));
  });

  it("uploads of key packages that are repeated are not counted", async () => {
    const device = await newDevice(relay);
    for (let i = 0; i < 2; i += 1) demand(await upload(relay, device, { packages: newPackages(1) }));
    const body = uploadBody(relay, device, { packages: newPackages(1) });
    for (let i = 0; i < 3; i += 1) {
      const again = demand(await call(relay, "uploadKeyPackages", { token: device.token, body }));
      expect(remainingIn(again, "key_package_uploads")).toBe(0);
    }
  });

  it("fetches of key packages", async () => {
    const [owner, caller] = [await newDevice(relay), await newDevice(relay)];
    demand(await upload(relay, owner, { packages: newPackages(1) }));
    const fetched = demand(await fetchPackage(relay, caller, owner.deviceId));
    expect(limitsOf(fetched)).toMatchObject({
      key_package_fetches: { limit: 100, remaining: 99 },
      key_package_fetches_of_device: { limit: 10, remaining: 9 },
    });
    const none = await fetchPackage(relay, caller, owner.deviceId);
    expect([none.status, "key_package_fetches" in limitsOf(none)]).toEqual([404, true]);
  });

  it("device linking, which has a limit for each device", async () => {
    const opened = demand(await call(relay, "createProvisioning", { body: openingBody(relay) }));
    expect(limitsOf(opened)["linking_addresses"]?.limit).toBe(1_000);
    const device = await newDevice(relay);
    for (let left = 2; left >= 0; left -= 1) {
      const { id } = await openAddress(relay);
      const put = demand(await putBlob(relay, device.token, id, newBlob()));
      expect(limitsOf(put)["linking_blobs"]).toMatchObject({ limit: 3, remaining: left });
    }
    const { id } = await openAddress(relay);
    const refused = await putBlob(relay, device.token, id, newBlob());
    expect([refused.status, refused.body.error, refused.body["limit"]]).toEqual([429, "RATE_LIMIT_EXCEEDED", 3]);
    demand(await putBlob(relay, (await newDevice(relay)).token, id, newBlob()));
  });

  it.each(["sealed", "plain", "revocable"] satisfies Variant[])("uploads of %s info packages", async (variant) => {
    const device = await newDevice(relay);
    const uploaded = await tryUpload(relay, device, variant);
    expect(uploaded.status).toBe(200);
    expect(limitsOf(uploaded)).toMatchObject({
      info_package_uploads_hour: { limit: 10, remaining: 9 },
      info_package_uploads_day: { limit: 50, remaining: 49, windowSeconds: 24 * hour },
    });
  });

  it("spam reports, repeated ones included", async () => {
    const [reporter, sender] = [await newDevice(relay), await newDevice(relay)];
    const sent = demand(await sender.send(reporter.address));
    const body = { message_id: sent.body.message_id, sender_id: sender.deviceId, reason: "spam" };
    for (let i = 0; i < 2; i += 1) {
      const reported = demand(await call(relay, "reportSpam", { token: reporter.token, body }));
      expect(limitsOf(reported)).toMatchObject({
        spam_reports_hour: { limit: 10, remaining: 9, windowSeconds: hour },
        spam_reports_day: { limit: 50, remaining: 49 },
        spam_reports_of_device: { remaining: relay.config.spamReportsOfOneDevicePerDay - 1 },
      });
    }
  });
});

describe("the answers to an administrator say what is left", () => {
  const reads = [
    ["getMetrics", {}],
    ["getMetricsTimeseries", { metric: "messages_sent", period: "24h", interval: "1h" }],
    ["exportMetrics", { format: "json" }],
    ["listAuditEntries", {}],
    ["exportAuditEntries", { format: "json" }],
  ] as const;

  it("in each limited operation", async () => {
    const { relay: administered, admin } = await startAdministered();
    try {
      const { token } = admin;
      for (const [operation, query] of reads) {
        const read = demand(await call(administered, operation, { token, query }));
        expect([operation, namesIn(read)]).toEqual([operation, limitsOfContract(operation)]);
      }
      const updated = demand(await call(administered, "updateConfig", { token, body: {} }));
      expect(namesIn(updated)).toEqual(limitsOfContract("updateConfig"));
    } finally {
      await administered.stop();
    }
  });

  it("with 304, and the read that was answered so is counted", async () => {
    const { relay: administered, admin } = await startAdministered();
    try {
      const read = () =>
        call(administered, "listAuditEntries", { token: admin.token, headers: { "if-none-match": "*" } });
      const [first, second] = [await read(), await read()];
      expect([first.status, second.status]).toEqual([304, 304]);
      const limit = administered.config.adminAuditQueriesPerHour;
      expect(limitsOf(first)).toMatchObject({ admin_audit_queries: { limit, remaining: limit - 1 } });
      expect(limitsOf(second)).toMatchObject({ admin_audit_queries: { limit, remaining: limit - 2 } });
    } finally {
      await administered.stop();
    }
  });
});
