import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLogger } from "../../src/platform/logger.js";
import { newDevice, type TestDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { type Fixture, play } from "./fuzz/run.js";
import { course, devices } from "./fuzz/steps.js";

// LONG=1 plays two thousand runs, LONG=<n> that many, from a seed that is printed; FUZZ_SEED=<n> repeats one.
const long = Number(process.env["LONG"] ?? 0);
const runs = long > 1 ? long : long === 1 ? 2_000 : 25;
const seed = Number(process.env["FUZZ_SEED"] ?? (long > 0 ? Date.now() % 2 ** 31 : 20_261_121));

let here: TestRelay;
let there: TestRelay;
let sender: TestDevice;
let fixture: Fixture;
const logged: string[] = [];
beforeAll(async () => {
  const logger = createLogger({ level: "error", destination: { write: (line) => void logged.push(line) } });
  here = await startRelay(
    {
      seeds: { SEED_RATE_LIMITING_ENABLED: "false" },
      replacementsPerMinute: 10_000,
      unauthenticatedStreamsPerIp: 1_000,
    },
    { logger },
  );
  there = await startRelay(here.config, { clock: here.clock, logger });
  sender = await newDevice(here);
  fixture = {
    nodes: [here, there],
    sender,
    newDevice: () => newDevice(here),
    passTime: (seconds) => here.clock.advance(seconds),
  };
});
afterAll(async () => {
  await there.stop();
  await here.stop();
});

test(
  "whatever clients do on streams, nothing acknowledged comes back, nothing else is lost, and no frame is outside the contract",
  async () => {
    if (long > 0) console.log(`stream fuzzing: ${runs} courses from seed ${seed}`);
    const property = fc.asyncProperty(course, async (steps) => {
      expect(await play(fixture, steps, devices)).toEqual([]);
      expect(logged).toEqual([]);
    });
    await fc.assert(property, { seed, numRuns: runs, endOnFailure: long === 0 });
  },
  long > 0 ? 3_600_000 : 240_000,
);
