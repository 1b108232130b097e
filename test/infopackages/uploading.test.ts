import { randomInt } from "node:crypto";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../src/database/db.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { createLogger } from "../../src/platform/logger.js";
import type { AnyRow } from "../support/any-row.js";
import type { Answer } from "../support/api.js";
import { newDevice, type TestDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { download, errorOf, tryUpload, upload } from "./fixture.js";

const limited = [429, "INFOPACKAGE_RATE_LIMIT", 4009];
const hour = 3600;

let relay: TestRelay;
let db: Database;
beforeAll(async () => {
  relay = await startRelay({ trustedProxies: ["127.0.0.1/32"], expiryStepRows: 7 });
  db = createDatabase({ url: relay.databaseUrl, poolSize: 2 });
});
afterAll(async () => {
  await db.close();
  await relay.stop();
});

const nobody = { token: "" };
const newIp = () => `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;

function expectLimited(answer: Answer<unknown>, [min, max]: [number, number]): void {
  expect(errorOf(answer)).toEqual(limited);
  const wait = (answer.body as { retry_after: number }).retry_after;
  expect(wait).toBeGreaterThanOrEqual(min);
  expect(wait).toBeLessThanOrEqual(max);
  expect(answer.headers.get("retry-after")).toBe(String(wait));
}

describe("a device", () => {
  it("uploads ten packages an hour, of both kinds together", async () => {
    const device = await newDevice(relay);
    for (let i = 0; i < 10; i++) await upload(relay, device, i % 2 ? "sealed" : "plain");
    expectLimited(await tryUpload(relay, device, "sealed"), [hour - 60, hour]);
    expectLimited(await tryUpload(relay, device, "plain"), [hour - 60, hour]);
    await upload(relay, await newDevice(relay), "sealed");
    relay.clock.advance(hour);
    await upload(relay, device, "sealed");
  });

  it("uploads fifty packages a day", async () => {
    const device = await newDevice(relay);
    for (let round = 0; round < 5; round++) {
      await Promise.all(Array.from({ length: 10 }, () => upload(relay, device, "sealed")));
      relay.clock.advance(hour);
    }
    expectLimited(await tryUpload(relay, device, "sealed"), [19 * hour - 60, 19 * hour]);
    relay.clock.advance(19 * hour - 60);
    await device.announce();
    expectLimited(await tryUpload(relay, device, "sealed"), [1, 60]);
    relay.clock.advance(60);
    await upload(relay, device, "sealed");
  });

  it("is counted exactly when it uploads many at once, and refused uploads leave nothing", async () => {
    const device = await newDevice(relay);
    const answers = await Promise.all(Array.from({ length: 30 }, () => tryUpload(relay, device, "sealed")));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);
    const rows = await db.rows<AnyRow>("select count(*) as n from info_packages where uploader = :deviceId", {
      deviceId: device.deviceId,
    });
    expect(rows).toEqual([{ n: 10 }]);
  });

  it("is not charged for an upload that violates a bound", async () => {
    const device = await newDevice(relay);
    for (let i = 0; i < 12; i++) expect((await tryUpload(relay, device, "sealed", { ttl: 1 })).status).toBe(400);
    for (let i = 0; i < 10; i++) await upload(relay, device, "sealed");
  });
});

describe("a network address", () => {
  it("uploads as many as a device, counted by itself", async () => {
    const ip = newIp();
    const answers = await Promise.all(Array.from({ length: 30 }, () => tryUpload(relay, nobody, "revocable", { ip })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expectLimited(await tryUpload(relay, nobody, "revocable", { ip }), [hour - 60, hour]);
    expect((await tryUpload(relay, nobody, "revocable", { ip: newIp() })).status).toBe(200);
  });

  it("is errorOf to wait for the day's window once fifty are uploaded, whatever the hour's says", async () => {
    const ip = newIp();
    for (let round = 0; round < 5; round++) {
      for (let i = 0; i < 10; i++) expect((await tryUpload(relay, nobody, "revocable", { ip })).status).toBe(200);
      relay.clock.advance(hour);
    }
    for (let i = 0; i < 12; i++) {
      expectLimited(await tryUpload(relay, nobody, "revocable", { ip }), [19 * hour - 60, 19 * hour]);
    }
    relay.clock.advance(19 * hour);
    expect((await tryUpload(relay, nobody, "revocable", { ip })).status).toBe(200);
  });

  it("is not stored", async () => {
    await tryUpload(relay, nobody, "revocable", { ip: "203.0.113.77" });
    const rows = await db.rows<AnyRow>(
      "select t::text as row from rate_limits as t union all select t::text from info_packages as t",
    );
    expect(JSON.stringify(rows)).not.toContain("203.0.113");
  });
});

describe("the limits", () => {
  const limits = { infopackage_uploads_per_hour: 2, infopackage_uploads_per_day: 3 };

  /** Changes settings as another node would, and waits until the relay goes by them. */
  const set = async (values: Readonly<Record<string, number>>, uploadsOfOneDevice: number) => {
    for (const [name, value] of Object.entries(values)) {
      const update = "update settings set value = :value::jsonb where key = :value2";
      await db.run(update, { value: JSON.stringify(value), value2: `rate_limiting.${name}` });
    }
    await db.run("update settings_version set version = version + 1");
    const uploads = async () => {
      const device = await newDevice(relay);
      const answers = await Promise.all(Array.from({ length: 11 }, () => tryUpload(relay, device, "sealed")));
      return answers.filter(({ status }) => status === 200).length;
    };
    await expect.poll(uploads).toBe(uploadsOfOneDevice);
  };

  it("are the server's settings and change while it runs", async () => {
    const device = await newDevice(relay);
    await set(limits, 2);
    for (let i = 0; i < 2; i++) await upload(relay, device, "sealed");
    expectLimited(await tryUpload(relay, device, "sealed"), [hour - 60, hour]);
    relay.clock.advance(hour);
    await upload(relay, device, "sealed");
    expectLimited(await tryUpload(relay, device, "sealed"), [23 * hour - 60, 23 * hour]);
    await set({ infopackage_uploads_per_hour: 10, infopackage_uploads_per_day: 50 }, 10);
  });
});

describe("the hourly clean-up", () => {
  it("deletes expired packages, used up or not, and ended windows, in steps", async () => {
    const devices: TestDevice[] = [];
    for (let i = 0; i < 3; i++) devices.push(await newDevice(relay));
    for (const device of devices) {
      for (let i = 0; i < 8; i++) {
        const { segment } = await upload(relay, device, "sealed", { ttl: 60 + i, maxUses: 1 });
        if (i % 2) await download(relay, "sealed", segment);
      }
    }
    const [first = devices[0]] = devices;
    const lasting = await upload(relay, first as TestDevice, "sealed", { ttl: 2_592_000 });
    const ids = devices.map(({ deviceId }) => deviceId);
    const left = async (table: string, column: string) =>
      Number((await db.one<AnyRow>(`select count(*) as n from ${table} where ${column} = any(:ids)`, { ids }))?.n);
    expect(await left("info_packages", "uploader")).toBe(25);
    relay.clock.advance(2 * hour);
    await expect.poll(() => left("info_packages", "uploader")).toBe(1);
    const windows = async () => (await db.one<AnyRow>("select count(*)::integer as n from rate_limits"))?.n;
    expect(await windows()).toBeGreaterThanOrEqual(3);
    relay.clock.advance(24 * hour);
    await expect.poll(windows).toBe(0);
    expect((await download(relay, "sealed", lasting.segment)).status).toBe(200);
  });
});

describe("the log", () => {
  it("holds neither segments nor keys, tokens, contents or network addresses", async () => {
    const lines = new PassThrough();
    const chunks: Buffer[] = [];
    lines.on("data", (chunk: Buffer) => chunks.push(chunk));
    const logger = createLogger({ level: "trace", destination: lines });
    const own = await startRelay({ trustedProxies: ["127.0.0.1/32"] }, { logger });
    try {
      const device = await newDevice(own);
      const traces = ["198.51.100.23", device.token, "a secret of the content"];
      for (const variant of ["sealed", "revocable", "plain"] as const) {
        const draft = { ip: "198.51.100.23", content: { display_name: "a secret of the content" } };
        const kept = await upload(own, device, variant, draft);
        await download(own, variant, kept.segment);
        await download(own, variant, kept.segment.replace(/^./, "x"));
        traces.push(
          kept.segment,
          ...[kept.key, kept.revocationToken, kept.ciphertext].filter((one) => one !== undefined),
        );
      }
      await tryUpload(own, device, "plain", { ttl: 1, content: { display_name: "a secret of the content" } });
      const log = Buffer.concat(chunks).toString("utf8");
      expect(log).toContain("/v1/info-packages/:url_segment");
      for (const trace of traces) expect(log).not.toContain(trace);
    } finally {
      await own.stop();
    }
  });
});
