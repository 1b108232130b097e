import fc from "fast-check";
import { afterAll, beforeAll, it } from "vitest";
import { survivors } from "../support/candidates.js";
import type { TestDevice } from "../support/device.js";
import { newDevices } from "../support/devices.js";
import { fetchPackage, packageStatus, upload } from "../support/key-packages.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { bounds, isSame, Model, packages, type Result, type Step } from "./model.js";

const runs = 12;
const deviceCount = 3;
let relay: TestRelay;
let devices: TestDevice[];
beforeAll(async () => {
  const inAll = { keyPackageFetchesPerHour: bounds.inAll, newTierFetchesPerHour: bounds.inAll };
  const ofOne = {
    keyPackageFetchesPerTargetHour: bounds.ofOneDevice,
    newTierFetchesPerTargetHour: bounds.ofOneDevice,
  };
  relay = await startRelay({
    ...inAll,
    ...ofOne,
    keyPackagesPerUpload: bounds.perUpload,
    keyPackagesPerDevice: bounds.stored,
    keyPackageLifetimeSeconds: bounds.lifetime,
    deviceTokenSeconds: 6 * 86_400,
  });
  devices = await newDevices(relay, deviceCount);
});
afterAll(() => relay.stop());

const device = fc.nat(deviceCount - 1);
const item = fc.nat(packages.length - 1);
const anUpload: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant("upload"),
  owner: device,
  packages: fc.array(item, { maxLength: bounds.perUpload }),
  replace: fc.option(fc.boolean(), { nil: undefined, freq: 2 }),
  lastResort: fc.option(item, { nil: undefined, freq: 2 }),
});
const aFetch: fc.Arbitrary<Step> = fc.record({ kind: fc.constant("fetch"), caller: device, owner: device });
const aStatus: fc.Arbitrary<Step> = fc.record({ kind: fc.constant("status"), owner: device });
const step = fc.oneof(
  { weight: 3, arbitrary: anUpload },
  { weight: 6, arbitrary: aFetch },
  { weight: 1, arbitrary: aStatus },
);
/** One request, two at once, or ten minutes and more that pass. */
const move = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(step) },
  { weight: 4, arbitrary: fc.tuple(step, step) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 7 }).map((tens) => tens * 600) },
);

async function ask(step: Step): Promise<Result> {
  const of = (number: number) => devices[number] as TestDevice;
  if (step.kind === "fetch") {
    const { body } = await fetchPackage(relay, of(step.caller), of(step.owner).deviceId);
    if (body.error !== undefined) return failure(body);
    return {
      item: packages.indexOf(body.key_package),
      remaining: body.remaining,
      lastResort: body.last_resort ?? false,
    };
  }
  if (step.kind === "status") {
    const { body } = await packageStatus(relay, of(step.owner));
    const { available_count: available, total_consumed: consumed, has_last_resort: hasLastResort } = body;
    return { available, consumed, hasLastResort, expires: body.next_expiry !== null };
  }
  const lastResort = step.lastResort === undefined ? undefined : packages[step.lastResort];
  const { body } = await upload(relay, of(step.owner), {
    timestamp: unusedTimestamp(),
    packages: step.packages.map((number) => packages[number] ?? ""),
    ...(step.replace !== undefined && { replace: step.replace }),
    ...(lastResort !== undefined && { lastResort }),
  });
  if (body.error !== undefined) return failure(body);
  return { uploaded: body.uploaded_count, available: body.available_count };
}

const usedTimestamps = new Set<number>();

/** The latest: an upload that is like another one in everything is a repetition of it, and changes nothing. */
function unusedTimestamp(): number {
  let timestamp = relay.clock.nowSeconds();
  while (usedTimestamps.has(timestamp)) timestamp--;
  usedTimestamps.add(timestamp);
  return timestamp;
}

function failure(body: { error?: string; limit?: unknown }): Result {
  return { error: body.error ?? "", ...(typeof body.limit === "number" && { limit: body.limit }) };
}

/** Lets everything expire, so that a sequence begins with nothing; only the numbers handed out so far remain. */
async function begin(): Promise<Model> {
  relay.clock.advance(bounds.lifetime + bounds.window);
  const states = await Promise.all(devices.map((device) => packageStatus(relay, device)));
  return new Model(states.map(({ body }) => body.total_consumed));
}

it("the relay matches the model in memory for random sequences of requests", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(move, { minLength: 10, maxLength: 30, size: "max" }), async (moves) => {
      let models = [await begin()];
      for (const move of moves) {
        if (typeof move === "number") {
          relay.clock.advance(move);
          continue;
        }
        const answers = await Promise.all(move.map(ask));
        const now = relay.clock.nowSeconds();
        const same = (given: readonly Result[]) => given.every((one, i) => isSame(answers[i] as Result, one));
        const run = (model: Model, step: Step) => model.run(step, now);
        models = survivors(models, { steps: move, answers, run, same: (_, given) => same(given) });
      }
    }),
    { numRuns: runs, endOnFailure: true, interruptAfterTimeLimit: 100_000 },
  );
});
