import { createPeriodic } from "../../platform/concurrency/periodic.js";
import { withinTime } from "../../platform/concurrency/within-time.js";
import type { Logger } from "../../platform/logger.js";
import type { Database } from "../db.js";
import type { Placement } from "../placement.js";
import { deviceIdOn, machineOf, readShards, type ShardMap } from "./shards.js";

type Machines = Pick<Placement, "watch" | "stop" | "check" | "someAreDown" | "isDown">;

const checkEveryMillis = 1_000;
/** An answer that takes longer is late. */
const answerMillis = 3_000;
/**
 * This node may have been too busy to read an answer in time. A machine counts as down after this many late answers in
 * a row.
 */
const lateAnswers = 2;
/** Shards move when a machine is added. */
const readMapEveryMillis = 10_000;

/**
 * Asks for one row of each machine every second, with a statement that takes the same path as those for messages. While
 * a machine cannot be used, statements that need its rows are refused before they are sent; others go on.
 */
export function createMachines({ db, logger, shards }: { db: Database; logger: Logger; shards: ShardMap }): Machines {
  let map = shards;
  let readAt = performance.now();
  let probe: Parameters<Machines["watch"]>[0] = async () => undefined;
  let down: ReadonlySet<string> = new Set();
  const late = new Map<string, number>();

  const readMap = async (): Promise<void> => {
    if (performance.now() - readAt < readMapEveryMillis) return;
    map = await readShards(db);
    readAt = performance.now();
  };
  const lookAtAll = async (): Promise<void> => {
    await readMap();
    const machines = [...new Set([...map.values()].flat().map(({ machine }) => machine))];
    const found = await Promise.all(machines.map(async (one) => [one, await fault(one)] as const));
    const faults = new Map(found.flatMap(([machine, reason]) => (reason === undefined ? [] : [[machine, reason]])));
    for (const machine of machines) {
      const reason = faults.get(machine);
      if ((reason !== undefined) === down.has(machine)) continue;
      if (reason !== undefined) logger.warn({ machine, reason }, "a machine of the database cannot be used");
      else logger.info({ machine }, "a machine of the database can be used again");
    }
    down = new Set(faults.keys());
  };
  /** Why statements that need the machine fail; undefined if they succeed. */
  const fault = async (machine: string): Promise<string | undefined> => {
    const deviceId = deviceIdOn(map, machine);
    if (deviceId === undefined) return undefined;
    const asked = probe(deviceId).then(() => null, reasonOf);
    const answer = await withinTime(asked, answerMillis, () => undefined);
    const inARow = answer === undefined ? (late.get(machine) ?? 0) + 1 : 0;
    late.set(machine, inARow);
    if (answer === undefined && inARow >= lateAnswers) return "no answer";
    return answer ?? undefined;
  };
  const periodic = createPeriodic({
    everyMillis: checkEveryMillis,
    run: lookAtAll,
    failed: (error) => logger.debug({ err: error }, "the machines of the database could not be looked at"),
  });

  return {
    async watch(given) {
      probe = given;
      await periodic.run();
      periodic.start();
    },
    stop: () => periodic.stop(),
    async check() {
      await withinTime(periodic.runNext(), answerMillis, () => undefined);
    },
    someAreDown: () => down.size > 0,
    isDown(group, key) {
      if (down.size === 0) return false;
      const machine = machineOf(map, group, key);
      return machine !== undefined && down.has(machine);
    },
  };
}

/** PostgreSQL's own text, for instance about a refused password. The statement contains no values from clients. */
function reasonOf(error: unknown): string {
  let found = error;
  while (found instanceof Error && found.cause instanceof Error) found = found.cause;
  return found instanceof Error ? found.message : String(found);
}
