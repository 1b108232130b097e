import pg from "pg";
import { createFloorInsert, floorTable } from "./floor.js";
import type { LoadResult } from "./load.js";
import { type BenchDevice, newBody } from "./load-clients.js";

const rowsAtOnce = 1_000;
const recipient: BenchDevice = { token: "", address: "" };

/** Messages that PostgreSQL takes from one connection, a thousand by each insert, with nothing around it. */
export async function openDirect(databaseUrl: string): Promise<{
  drive(time: { warmUpSeconds: number; seconds: number }): Promise<LoadResult>;
  stop(): Promise<void>;
}> {
  const client = new pg.Client(databaseUrl);
  // A server that goes away is told by the insert that it breaks off.
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

/** Only the rate is of interest. */
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
