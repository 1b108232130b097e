import { setTimeout as sleep } from "node:timers/promises";
import type { Relays, Victim } from "./relays.js";

/** How often each process was killed. */
export type Kills = Map<string, number>;

export interface KillPlan {
  /** On average. */
  everySeconds: number;
  /** Ends after this many kills. */
  max: number;
  /** Whether the last node of the first relay is left alone, so that its memory shows whether it grows. */
  sparesOne: boolean;
}

/** A database is killed once per this many nodes. */
const nodesPerDatabase = 4;
const lookMillis = 50;

/**
 * Kills one process after the other until the signal comes or the plan is completed. Between two kills something must
 * be accepted, however busy the machine is, because a kill while nothing is in progress shows nothing. `accepted`
 * counts it.
 */
export async function keepKilling(
  relays: Relays,
  plan: KillPlan,
  { kills, signal, accepted }: { kills: Kills; signal: AbortSignal; accepted: () => number },
): Promise<void> {
  const order = orderOf(relays, plan);
  for (const { name } of order) kills.set(name, 0);
  for (let killed = 0, turn = 0; killed < plan.max; turn++) {
    const before = accepted();
    // From zero to twice the average, so that some kills come while other processes are still starting.
    await pause(2 * Math.random() * plan.everySeconds * 1000, signal);
    while (accepted() === before && !signal.aborted) await pause(lookMillis, signal);
    if (signal.aborted) return;
    const victim = order[turn % order.length] as Victim;
    if (!(await victim.kill())) continue;
    kills.set(victim.name, (kills.get(victim.name) ?? 0) + 1);
    killed++;
  }
}

export function countKills(kills: Kills): number {
  return [...kills.values()].reduce((sum, count) => sum + count, 0);
}

function sparedNode({ first }: Relays): Victim {
  return first.nodes.at(-1) as Victim;
}

/** Every node in turn, and after some of them the database. */
function orderOf(relays: Relays, { sparesOne }: KillPlan): Victim[] {
  const { first, second, postgres } = relays;
  const nodes = [...first.nodes, ...second.nodes].filter((node) => !sparesOne || node !== sparedNode(relays));
  const order = Array.from({ length: nodes.length * nodesPerDatabase }, (_, at) => nodes[at % nodes.length] as Victim);
  return order.flatMap((node, at) => (at % nodesPerDatabase === nodesPerDatabase - 1 ? [node, postgres] : [node]));
}

function pause(millis: number, signal: AbortSignal): Promise<void> {
  return sleep(millis, undefined, { signal }).catch(() => undefined);
}
