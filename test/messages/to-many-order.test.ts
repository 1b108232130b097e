import { afterAll, beforeAll, expect, test } from "vitest";
import { createDatabase } from "../../src/database/pool/pool.js";
import { call } from "../support/api.js";
import { demand, message, newDevice, type TestDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";

let relay: TestRelay;
/** A second node on the same database. */
let node: TestRelay;
let members: TestDevice[];

beforeAll(async () => {
  const seeds = { SEED_FEDERATION_ENABLED: "false", SEED_PROGRESSIVE_TRUST_NEW_TIER_LIMIT: "1000" };
  relay = await startRelay({ seeds });
  node = await startRelay({ ...relay.config, databaseUrl: relay.databaseUrl }, { clock: relay.clock });
  members = [];
  for (let i = 0; i < 6; i++) members.push(await newDevice(relay));
  const db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
  await db.run("update devices set custom_limit = 1000");
  await db.close();
});
afterAll(async () => {
  await node.stop();
  await relay.stop();
});

const queueOf = async (device: TestDevice) =>
  demand(await device.poll({ limit: 1_000 })).body.messages.map(({ message_id: id }) => id);

test.each([
  ["for each recipient apart", false],
  ["all or nothing", true],
])("messages to many that are sent at once over two nodes, %s, stand in one order in all queues, the senders' too", async (_how, allOrNothing) => {
  const before = new Set((await Promise.all(members.map(queueOf))).flat());
  const rounds = 6;
  const sent = await Promise.all(
    members.flatMap((sender, index) =>
      Array.from({ length: rounds }, async (_, round) => {
        // The order of the recipients in the request must not matter.
        const to = members.map((_, at) => members[(at + index + round) % members.length]?.address);
        const { recipient_address: _one, ...content } = message(relay, sender.address);
        const body = { ...content, recipients: to, all_or_nothing: allOrNothing };
        const at = (index + round) % 2 ? relay : node;
        await until(async () => {
          const { status, body: said } = await call(at, "sendMessageToMany", { token: sender.token, body });
          // A busy machine may refuse a request for its load, and does nothing then.
          if (status === 503) return false;
          expect(said).toMatchObject({ accepted_count: members.length, rejected_count: 0 });
          return true;
        }, "the message is accepted");
        return content.message_id;
      }),
    ),
  );
  const queues = (await Promise.all(members.map(queueOf))).map((ids) => ids.filter((id) => !before.has(id)));
  expect([...(queues[0] ?? [])].sort()).toEqual([...sent].sort());
  for (const queue of queues) expect(queue).toEqual(queues[0]);
});
