import { afterAll, beforeAll, expect, it } from "vitest";
import { createDatabase } from "../../src/database/pool/pool.js";
import { startRelay, type TestRelay } from "../support/relay.js";

let relay: TestRelay;
let db: ReturnType<typeof createDatabase>;

beforeAll(async () => {
  relay = await startRelay({ alertCheckSeconds: 3_600 });
  db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
});
afterAll(async () => {
  await db.close();
  await relay.stop();
});

const startAnotherNode = async () => (await startRelay(relay.config)).stop();
const written = async () => db.rows<{ filler: string }>("select filler from write_probe");

it("is not written by a node that starts when another one has written it lately", async () => {
  await db.run("update write_probe set filler = 'of another node'");
  await startAnotherNode();
  expect(await written()).toEqual([{ filler: "of another node" }]);
});

it.each(["- interval '2 hours'", "+ interval '2 hours'"])("is written if it is of now() %s", async (offset) => {
  await db.run(`update write_probe set filler = 'of another node', written_at = now() ${offset}`);
  await startAnotherNode();
  expect(await written()).toEqual([{ filler: expect.stringMatching(/^x+$/) }]);
});
