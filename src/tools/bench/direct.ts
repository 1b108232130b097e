import pg from "pg";
import { createFloorInsert, floorTable } from "./floor.js";
import type { LoadResult } from "./load.js";
import { type BenchDevice, newBody } from "./load-clients.js";

const rowsAtOnce = 1_000;
const recipient: BenchDevice = { token: "", address: "" };

/** The rate of messages that PostgreSQL inserts from one connection, a thousand in each statement, without a relay. */
export async function openDirect(databaseUrl: string): Promise<{
  drive(time: { warmUpSeconds: number; seconds: number }): Promise<LoadResult>;
  stop(): Promise<void>;
}> {
  const client = new pg.Client(databaseUrl);
  // If the server goes away, the insert fails and reports it.
  client.on("error", () => undefined);
  await client.connect();
  await client.query(floorTable);
  const insert = createFloorInsert(client);
  return {
    async drive({ warmUpSeconds, seconds }) {
      await insertFor(insert, warmUpSeconds);
      return { ...nothing, perSecond: await insertFor(insert, seconds) };
    },
    stop: () => client.end(),
  };
}

/** Only the rate counts. */
const nothing = {
  ...{ cpuMicrosPerMessage: 0, databaseMicrosPerMessage: 0, driverMicrosPerMessage: 0 },
  ...{ p50: 0, p95: 0, p99: 0 },
};

async function insertFor(insert: ReturnType<typeof createFloorInsert>, seconds: number): Promise<number> {
  let count = 0;
  const before = performance.now();
  while (performance.now() - before < seconds * 1000) {
    await insert(Array.from({ length: rowsAtOnce }, () => newBody(recipient)));
    count += rowsAtOnce;
  }
  return count / ((performance.now() - before) / 1000);
}
