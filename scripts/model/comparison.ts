import { setTimeout as sleep } from "node:timers/promises";

const lookMillis = 5;
const patienceMillis = 60_000;

/** Looks until something holds. Throws when it has not come in a minute. */
export async function wait(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + patienceMillis;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await sleep(lookMillis);
  }
}

function same(found: unknown, expected: unknown): boolean {
  return JSON.stringify(found) === JSON.stringify(expected);
}

export function expectSame(what: string, found: unknown, expected: unknown): void {
  if (same(found, expected)) return;
  throw new Error(`${what}: the relay has ${JSON.stringify(found)}, the model ${JSON.stringify(expected)}`);
}

/** What the relay does after an answer, or without one, may take a moment. */
export async function expectSoon(what: string, find: () => Promise<unknown>, expected: unknown): Promise<void> {
  let found: unknown;
  const isSame = async () => {
    found = await find();
    return same(found, expected);
  };
  await wait(what, isSame).catch(() => expectSame(what, found, expected));
}

export function demand<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("the model's state lacks what its action needs");
  return value;
}

/** Repeats the steps of a run and throws the first difference, with the way to it. */
export async function stepByStep<S extends { action: string; after: unknown }>(
  steps: readonly S[],
  { take, describe }: { take(step: S, later: readonly S[]): Promise<void>; describe(step: S): string },
): Promise<void> {
  const done: string[] = [];
  for (const [number, step] of steps.entries()) {
    done.push(describe(step));
    try {
      await take(step, steps.slice(number + 1));
    } catch (cause) {
      const state = JSON.stringify(step.after);
      throw new Error(`the relay differs from the model after\n${done.join("\n")}\n${cause}\nthe model: ${state}`, {
        cause,
      });
    }
  }
}
