import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { survivors } from "../support/candidates.js";
import { newDevice, type TestDevice } from "../support/device.js";
import { newBlob, type OpenAddress, openAddress, pollBlob, putBlob } from "../support/provisioning.js";
import { startRelay, type TestRelay } from "../support/relay.js";

const runs = 15;
const addressCount = 3;
const blobs = Array.from({ length: 4 }, () => newBlob());
let relay: TestRelay;
let device: TestDevice;
beforeAll(async () => {
  relay = await startRelay({ provisioningPerIpHour: 1_000_000, linkingBlobsPerDeviceHour: 1_000_000 });
  device = await newDevice(relay);
});
afterAll(() => relay.stop());

type Step =
  | { kind: "put"; address: number; blob: number }
  /** `secret` names the address whose poll token is shown. */
  | { kind: "poll"; address: number; secret: number };

/** The blob's number, `stored`, `pending` or an error's name. */
type Result = number | string;

/** Addresses as the contract describes them, kept in memory. */
class Model {
  private readonly places: ({ blob: number | null; expiresAt: number } | null)[];

  constructor(places: Model["places"]) {
    this.places = places;
  }

  clone(): Model {
    return new Model(structuredClone(this.places));
  }

  run(step: Step, now: number): Result {
    const place = this.places[step.address] ?? null;
    if (place === null || place.expiresAt <= now) return "NOT_FOUND";
    if (step.kind === "put") {
      if (place.blob !== null) return "CONFLICT";
      place.blob = step.blob;
      return "stored";
    }
    if (step.secret !== step.address) return "UNAUTHORIZED";
    if (place.blob === null) return "pending";
    this.places[step.address] = null;
    return place.blob;
  }
}

const address = fc.nat(addressCount - 1);
const aPut: fc.Arbitrary<Step> = fc.record({ kind: fc.constant("put"), address, blob: fc.nat(blobs.length - 1) });
const aPoll: fc.Arbitrary<Step> = address.map((at) => ({ kind: "poll", address: at, secret: at }));
const aTheft: fc.Arbitrary<Step> = fc.record({ kind: fc.constant("poll"), address, secret: address });
const step = fc.oneof(
  { weight: 3, arbitrary: aPut },
  { weight: 5, arbitrary: aPoll },
  { weight: 1, arbitrary: aTheft },
);
/** One request, two at once, a poll that waits until something is left, or time that passes. */
const move = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("steps" as const), steps: fc.tuple(step) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("steps" as const), steps: fc.tuple(step, step) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("wait" as const), put: aPut }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("pass" as const), seconds: fc.constantFrom(10, 20, 30, 60) }) },
);
const lifetimes = fc.array(fc.integer({ min: 3, max: 15 }), { minLength: addressCount, maxLength: addressCount });

async function ask(opened: readonly OpenAddress[], step: Step, wait?: number): Promise<Result> {
  const { id } = opened[step.address] as OpenAddress;
  if (step.kind === "put") {
    const { body } = await putBlob(relay, device.token, id, blobs[step.blob] ?? "");
    return body.error ?? body.status;
  }
  const { pollToken } = opened[step.secret] as OpenAddress;
  const { status, body } = await pollBlob(relay, { id, pollToken }, wait);
  if (status === 200) return blobs.indexOf((body as { ciphertext: string }).ciphertext);
  return body.error ?? (body as { status: string }).status;
}

/** A poll that lost to a newer one may get "pending" instead of NOT_FOUND. */
function sameAnswers(answers: readonly Result[], given: readonly Result[]): boolean {
  const taken = answers.some((answer) => typeof answer === "number");
  return answers.every(
    (answer, i) => answer === given[i] || (taken && answer === "pending" && given[i] === "NOT_FOUND"),
  );
}

/** Asks for all steps at once; the time was that before the answers or that after them. */
async function play(
  models: readonly Model[],
  steps: readonly Step[],
  request: (step: Step) => Promise<Result>,
): Promise<Model[]> {
  const before = relay.clock.nowSeconds();
  const answers = await Promise.all(steps.map(request));
  const after = relay.clock.nowSeconds();
  const at = (now: number) =>
    survivors(models, { steps, answers, run: (model, step) => model.run(step, now), same: sameAnswers });
  try {
    return at(before);
  } catch (error) {
    if (after === before) throw error;
    return at(after);
  }
}

it("the relay matches the model in memory for random sequences of requests", async () => {
  await fc.assert(
    fc.asyncProperty(lifetimes, fc.array(move, { minLength: 10, maxLength: 30, size: "max" }), async (tens, moves) => {
      const opened: OpenAddress[] = [];
      for (const ten of tens) opened.push(await openAddress(relay, ten * 10 + 5));
      let models = [new Model(opened.map(({ expiresAt }) => ({ blob: null, expiresAt })))];
      for (const move of moves) {
        if (move.kind === "pass") relay.clock.advance(move.seconds);
        else if (move.kind === "steps") models = await play(models, move.steps, (step) => ask(opened, step));
        else {
          const { address } = move.put;
          const waiting: Step = { kind: "poll", address, secret: address };
          // The one waits for the other, so the blob is taken in either order.
          models = await play(models, [move.put, waiting], (step) => ask(opened, step, 60));
          models = models.filter((model) => model.clone().run(waiting, relay.clock.nowSeconds()) === "NOT_FOUND");
          expect(models).not.toEqual([]);
        }
      }
    }),
    { numRuns: runs, endOnFailure: true, interruptAfterTimeLimit: 100_000 },
  );
});
