import pg from "pg";
import { type BenchDevice, newBody } from "./crowd.js";
import { createFloorInsert, floorTable } from "./floor.js";

const rowsAtOnce = 1_000;
const warmUps = 3;

/** Messages a second that PostgreSQL takes from one connection, a thousand by each insert, with nothing around it. */
export async function measureDirect(databaseUrl: string, seconds: number): Promise<number> {
  const recipient: BenchDevice = { token: "", address: "" };
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await client.query(floorTable);
  const insert = createFloorInsert(client);
  const bodies = Array.from({ length: rowsAtOnce }, () => newBody(recipient));
  for (let i = 0; i < warmUps; i++) await insert(bodies);
  let count = 0;
  const before = performance.now();
  while (performance.now() - before < seconds * 1000) {
    await insert(Array.from({ length: rowsAtOnce }, () => newBody(recipient)));
    count += rowsAtOnce;
  }
  const rate = count / ((performance.now() - before) / 1000);
  await client.end();
  return rate;
}
