import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { demand, type TestDevice } from "../support/device.js";
import { report, type SpamFixture, startSpamFixture } from "./fixture.js";

// Time passes in ticks of ten minutes; what the relay needs for a run is far less than one, so the model counts ticks.
const tickSeconds = 600;
const hourTicks = 6;
const [newUntil, establishedUntil, weekTicks] = [36, 144, 1008];
const [blockAt, scoreAbove, devicesPerHour] = [3, 1, 2];
const agesInHours = [0, 7, 7, 25] as const;

const isLong = process.env["LONG"] === "1";
const [runs, longest] = isLong ? [200, 40] : [8, 16];

let relay: SpamFixture;
beforeAll(async () => {
  relay = await startSpamFixture({
    spamReportsPerHour: devicesPerHour,
    // Longer than all the time that may pass in one sequence, as for addresses and devices.
    deviceTokenSeconds: 29 * 86_400,
    seeds: {
      SEED_STORAGE_ANNOUNCEMENT_RETENTION_HOURS: "8760",
      SEED_STORAGE_METADATA_RETENTION_DAYS: "3650",
      SEED_PROGRESSIVE_TRUST_SPAM_REPORT_BLOCK_THRESHOLD: String(blockAt),
      SEED_PROGRESSIVE_TRUST_SPAM_SCORE_THRESHOLD: String(scoreAbove),
    },
  });
});
afterAll(() => relay.stop());

interface Message {
  id: string;
  from: number;
  to: number;
}
interface Report {
  by: number;
  about: number;
  message: number;
  verified: boolean;
  weight: number;
  at: number;
}
interface Model {
  now: number;
  messages: Message[];
  reports: Report[];
  blocked: boolean[];
  bannedUntil: number[];
}

type Accusation = { by: number; about: number; message: number };
type Operation =
  | { kind: "send"; from: number; to: number }
  | { kind: "report"; accusation: Accusation }
  | { kind: "both"; first: Accusation; second: Accusation }
  | { kind: "advance"; ticks: number };

const person = fc.nat(agesInHours.length - 1);
const accusation = fc.record({ by: person, about: person, message: fc.nat() });
/** Mostly true accusations: of the message's own sender by its own recipient. */
const honest = fc.nat().map((message) => ({ by: -1, about: -1, message }));
const anyAccusation = fc.oneof({ arbitrary: honest, weight: 3 }, { arbitrary: accusation, weight: 1 });
const operations: fc.Arbitrary<Operation[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("send" as const), from: person, to: person }),
    fc.record({ kind: fc.constant("report" as const), accusation: anyAccusation }),
    fc.record({ kind: fc.constant("both" as const), first: anyAccusation, second: anyAccusation }),
    fc.record({ kind: fc.constant("advance" as const), ticks: fc.constantFrom(1, 6, 36, 100) }),
  ),
  { minLength: 8, maxLength: longest, size: "max" },
);

const isBarred = (model: Model, device: number) =>
  model.blocked[device] === true || model.now < (model.bannedUntil[device] ?? 0);

function weightOf(model: Model, device: number): number {
  const age = (agesInHours[device] ?? 0) * hourTicks + model.now;
  if (isBarred(model, device) || age < newUntil) return 0;
  return age < establishedUntil ? 0.5 : 1;
}

/** What a report does to the model; answers the status. */
function accuse(model: Model, { by, about, message }: Accusation): number {
  if (model.reports.some((one) => one.by === by && one.about === about && one.message === message)) return 200;
  const others = model.reports.filter((one) => one.by === by && one.about !== about && model.now - one.at < hourTicks);
  if (new Set(others.map((one) => one.about)).size >= devicesPerHour) return 429;
  const { from, to } = model.messages[message] as Message;
  const verified = from === about && to === by && from !== to;
  model.reports.push({ by, about, message, verified, weight: weightOf(model, by), at: model.now });
  if (verified) decide(model, about);
  return 200;
}

function decide(model: Model, about: number): void {
  const counting = model.reports.filter((one) => one.about === about && one.verified && one.weight > 0);
  const reporters = [...new Set(counting.map((one) => one.by))];
  const score = reporters.reduce((sum, by) => {
    const recent = counting.filter((one) => one.by === by && model.now - one.at < weekTicks);
    return sum + Math.max(0, ...recent.map((one) => one.weight));
  }, 0);
  if (model.blocked[about]) return;
  if (reporters.length >= blockAt) model.blocked[about] = true;
  else if (!isBarred(model, about) && score > scoreAbove) model.bannedUntil[about] = model.now + weekTicks;
}

async function compare(model: Model, devices: TestDevice[]): Promise<void> {
  const states = await relay.statesOf(devices);
  const verified = model.reports.filter((one) => one.verified);
  for (const [i, state] of states.entries()) {
    const { spam_reports, spam_reports_by_device, blocked_at, banned_until } = state;
    expect([spam_reports, spam_reports_by_device, blocked_at !== null, banned_until !== null]).toEqual([
      verified.filter((one) => one.about === i).length,
      verified.filter((one) => one.by === i).length,
      model.blocked[i],
      model.bannedUntil[i] !== 0,
    ]);
  }
}

function resolve(model: Model, { by, about, message }: Accusation): Accusation {
  const index = message % model.messages.length;
  const { from, to } = model.messages[index] as Message;
  return by < 0 ? { by: to, about: from, message: index } : { by, about, message: index };
}

async function send(model: Model, devices: TestDevice[], { from, to }: { from: number; to: number }): Promise<void> {
  const answer = await devices[from]?.send(devices[to]?.address ?? "");
  expect(answer?.status).toBe(isBarred(model, from) ? 429 : 202);
  if (answer?.status === 202) model.messages.push({ id: answer.body.message_id, from, to });
}

/** Reports what is asked for, all at once; the answers must be those of some order. Answers the model after it. */
async function accuseAtOnce(model: Model, devices: TestDevice[], asked: readonly Accusation[]): Promise<Model> {
  const answers = await Promise.all(
    asked.map(({ by, about, message }) => {
      const [reporter, sender] = [devices[by] as TestDevice, devices[about]?.deviceId ?? ""];
      return report(relay, reporter, { messageId: model.messages[message]?.id ?? "", sender });
    }),
  );
  const statuses = answers.map(({ status }) => status);
  const orders = [asked, [...asked].reverse()].map((order) => {
    const after = structuredClone(model);
    const expected = new Map(order.map((one) => [one, accuse(after, one)]));
    return { after, expected: asked.map((one) => expected.get(one)) };
  });
  const fitting = orders.filter(({ expected }) => expected.join() === statuses.join());
  expect(fitting, `${statuses} is the answer of no order`).not.toEqual([]);
  const failures: unknown[] = [];
  for (const { after } of fitting) {
    const agrees = await compare(after, devices).then(
      () => true,
      (failure: unknown) => void failures.push(failure),
    );
    if (agrees) return after;
  }
  throw failures[0];
}

it("spam reports, blocks and bans match the model for random sequences of reports", async () => {
  const property = fc.asyncProperty(operations, async (sequence) => {
    const devices = await Promise.all(agesInHours.map((hours) => relay.device(hours)));
    const nobody = devices.map(() => 0);
    let model: Model = { now: 0, messages: [], reports: [], blocked: nobody.map(() => false), bannedUntil: nobody };
    for (const operation of sequence) {
      if (operation.kind === "send") await send(model, devices, operation);
      else if (operation.kind === "advance") {
        relay.clock.advance(operation.ticks * tickSeconds);
        model.now += operation.ticks;
      } else if (model.messages.length > 0) {
        const asked = operation.kind === "both" ? [operation.first, operation.second] : [operation.accusation];
        const [one, other] = asked.map((raw) => resolve(model, raw));
        const same = JSON.stringify(one) === JSON.stringify(other);
        model = await accuseAtOnce(
          model,
          devices,
          [one, same ? undefined : other].filter((a) => a !== undefined),
        );
      }
    }
    demand(await (devices[0] as TestDevice).poll());
  });
  await fc.assert(property, { numRuns: runs });
});
