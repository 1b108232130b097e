import { randomInt } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { newDevice, type TestDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { download, revoke, tryUpload, type Variant, variants } from "./fixture.js";

// Time passes in ticks of ten minutes; what the relay needs for a run is far less than one, so the model counts ticks.
const tickSeconds = 600;
const hourTicks = 6;
const dayTicks = 144;
const [perHour, perDay] = [4, 7];
const isLong = process.env["LONG"] === "1";
const [runs, longest] = isLong ? [200, 28] : [8, 20];

let relay: TestRelay;
let devices: TestDevice[];
beforeAll(async () => {
  relay = await startRelay({
    trustedProxies: ["127.0.0.1/32"],
    // Longer than all the time that may pass in one sequence.
    deviceTokenSeconds: 29 * 86_400,
    seeds: {
      SEED_STORAGE_METADATA_RETENTION_DAYS: "3650",
      SEED_RATE_LIMITING_INFOPACKAGE_UPLOADS_PER_HOUR: String(perHour),
      SEED_RATE_LIMITING_INFOPACKAGE_UPLOADS_PER_DAY: String(perDay),
    },
  });
  devices = [await newDevice(relay), await newDevice(relay)];
});
afterAll(() => relay.stop());

interface Package {
  variant: Variant;
  segment: string;
  owner: number;
  revocationToken: string;
  endsAt: number;
  left: number | null;
  revoked: boolean;
}

/** A fixed window, from the first upload counted in it. */
interface Window {
  startedAt: number;
  count: number;
}

interface Model {
  now: number;
  packages: Package[];
  windows: Map<string, { hour: Window; day: Window }>;
}

type Operation =
  | { kind: "upload"; device: number; variant: Variant; maxUses: number | null; ticks: number }
  | { kind: "download"; pick: number; times: number }
  | { kind: "revoke"; pick: number; byOwner: boolean }
  | { kind: "advance"; ticks: number };

const operations: fc.Arbitrary<Operation[]> = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant("upload" as const),
      device: fc.nat(1),
      variant: fc.constantFrom(...variants),
      maxUses: fc.constantFrom(null, 1, 2, 3),
      ticks: fc.integer({ min: 1, max: 12 }),
    }),
    fc.record({ kind: fc.constant("download" as const), pick: fc.nat(), times: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ kind: fc.constant("revoke" as const), pick: fc.nat(), byOwner: fc.boolean() }),
    fc.record({ kind: fc.constant("advance" as const), ticks: fc.constantFrom(1, 3, 6, dayTicks) }),
  ),
  { minLength: 8, maxLength: longest, size: "max" },
);

function countUpload(model: Model, uploader: string): number {
  const fresh = { startedAt: model.now, count: 0 };
  const { hour, day } = model.windows.get(uploader) ?? { hour: fresh, day: fresh };
  const open = {
    hour: model.now - hour.startedAt >= hourTicks ? fresh : hour,
    day: model.now - day.startedAt >= dayTicks ? fresh : day,
  };
  if (open.hour.count >= perHour || open.day.count >= perDay) return 429;
  const more = ({ startedAt, count }: Window) => ({ startedAt, count: count + 1 });
  model.windows.set(uploader, { hour: more(open.hour), day: more(open.day) });
  return 200;
}

function takeUse(model: Model, one: Package): number {
  if (one.revoked || model.now >= one.endsAt) return 404;
  if (one.left === 0) return 410;
  if (one.left !== null) one.left -= 1;
  return 200;
}

function expectedRevocation(model: Model, one: Package, byOwner: boolean): number {
  if (one.revoked || model.now >= one.endsAt || one.left === 0) return 404;
  if (!byOwner) return 403;
  one.revoked = true;
  return 200;
}

async function play(operation: Operation, model: Model, ip: string) {
  if (operation.kind === "advance") {
    relay.clock.advance(operation.ticks * tickSeconds);
    model.now += operation.ticks;
  } else if (operation.kind === "upload") {
    const { device: owner, variant, maxUses, ticks } = operation;
    const expected = countUpload(model, variant === "revocable" ? ip : `device ${owner}`);
    const device = devices[owner] as TestDevice;
    const answer = await tryUpload(relay, device, variant, { ttl: ticks * tickSeconds, maxUses, ip });
    expect(answer.status).toBe(expected);
    if (expected !== 200) return;
    const uploaded = answer.body as Record<string, string | undefined>;
    const segment = uploaded["url_segment"] ?? uploaded["url"]?.split("/").at(-1) ?? "";
    const revocationToken = uploaded["revocation_token"] ?? "";
    const endsAt = model.now + ticks;
    model.packages.push({ variant, segment, owner, revocationToken, endsAt, left: maxUses, revoked: false });
  } else if (model.packages.length > 0) {
    const one = model.packages[operation.pick % model.packages.length] as Package;
    if (operation.kind === "download") {
      const expected = Array.from({ length: operation.times }, () => takeUse(model, one));
      const answers = await Promise.all(expected.map(() => download(relay, one.variant, one.segment)));
      expect(answers.map(({ status }) => status).sort()).toEqual(expected.sort());
    } else {
      const { byOwner } = operation;
      const token = devices[byOwner ? one.owner : 1 - one.owner]?.token;
      const revocationToken = byOwner ? one.revocationToken : "ab".repeat(32);
      const answer = await revoke(relay, one, { token, revocationToken });
      expect(answer.status).toBe(expectedRevocation(model, one, byOwner));
    }
  }
}

it("info packages and their upload limits match the model for random sequences of requests", async () => {
  const property = fc.asyncProperty(operations, async (sequence) => {
    // Whatever was uploaded before counts no more.
    relay.clock.advance((dayTicks + 1) * tickSeconds);
    await Promise.all(devices.map((device) => device.announce()));
    const ip = `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`;
    const model: Model = { now: 0, packages: [], windows: new Map() };
    for (const operation of sequence) await play(operation, model, ip);
  });
  await fc.assert(property, { numRuns: runs });
});
