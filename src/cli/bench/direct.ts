import pg from "pg";
import { type BenchDevice, newBody } from "./crowd.js";
import { createFloorInsert, floorTable } from "./floor.js";

const rowsAtOnce = 1_000;
const recipient: BenchDevice = { token: "", address: "" };

/** Messages a second that PostgreSQL takes from one connection, a thousand by each insert, with nothing around it. */
export async function measureDirect(
  databaseUrl: string,
  { warmUpSeconds, seconds }: { warmUpSeconds: number; seconds: number },
): Promise<number> {
  const client = new pg.Client(databaseUrl);
  // A server that goes away is told by the insert that it breaks off.
  client.on("error", () => undefined);
  await client.connect();
  await client.query(floorTable);
  const insert = createFloorInsert(client);
  await insertFor(insert, warmUpSeconds);
  const perSecond = await insertFor(insert, seconds);
  await client.end();
  return perSecond;
}

async function insertFor(insert: ReturnType<typeof createFloorInsert>, seconds: number): Promise<number> {
  let count = 0;
  const before = performance.now();
  while (performance.now() - before < seconds * 1000) {
    await insert(Array.from({ length: rowsAtOnce }, () => newBody(recipient)));
    count += rowsAtOnce;
  }
  return count / ((performance.now() - before) / 1000);
}
