import type { Logger } from "../../platform/logger.js";
import type { Database } from "../db.js";
import { oneMachine, type Placement } from "../placement.js";
import { createMachines } from "./machines.js";
import { readShards } from "./shards.js";
import { citusStatements } from "./statements.js";

/** On several machines a flush has a high fixed cost for each shard that it touches. */
const flushPace = { millis: 12, fullCount: 1_000 };

/** Where the rows of the database are. Its pool and the pool's transactions send statements accordingly. */
export async function openPlacement({ db, logger }: { db: Database; logger: Logger }): Promise<Placement> {
  const shards = await readShards(db);
  if (shards.size === 0) return oneMachine;
  const machines = createMachines({ db, logger, shards });
  const placement = { ...citusStatements, hasPartitions: false, canBePartlyDown: true, flushPace, ...machines };
  db.setPlacement(placement);
  return placement;
}
