import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { Traffic } from "./traffic.js";

const long = Number(process.env["LONG"] ?? 0);

/** How often something is killed: once, with LONG=1 two hundred times, with LONG=<n> n times. */
export const rounds = long === 1 ? 200 : Math.max(1, long);
/** A test's time, in milliseconds. */
export const patience = 60_000 + rounds * 30_000;

/** Lets the traffic flow until it has brought in something new, and then a little longer. */
export async function flow({ ledger }: Traffic): Promise<void> {
  const before = ledger.acknowledged.size;
  await expect.poll(() => ledger.acknowledged.size).toBeGreaterThan(before);
  await sleep(200 + Math.random() * 500);
}

/** Every accepted message was delivered, and nothing acknowledged came back. */
export async function expectNothingLost(traffic: Traffic): Promise<void> {
  const lost = await traffic.finish();
  const { accepted, cameBack } = traffic.ledger;
  expect({ lost, cameBack }).toEqual({ lost: [], cameBack: [] });
  expect(accepted.size).toBeGreaterThan(rounds);
}

/** Beside success there was no answer but "not now". */
export function expectOnlyUnavailability({ ledger }: Traffic): void {
  expect([...ledger.statuses.keys()].filter((status) => ![0, 200, 202, 503].includes(status))).toEqual([]);
}
