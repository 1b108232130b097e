import { afterAll, beforeAll, expect, test } from "vitest";
import { startPushService, type TestPushService } from "../../scripts/push-service/push-service.js";
import { createMasterKey } from "../../src/auth/master-key.js";
import { createSecrets } from "../../src/auth/secrets.js";
import type { Database } from "../../src/database/db.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { createSystemRandom } from "../../src/platform/random.js";
import { loadTargetSeal } from "../../src/push/sealed-target.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import { newSleepingDevice, withoutJitter } from "./sleeping.js";

/** LONG=1 tries ten thousand, which takes more than a minute. */
const count = process.env["LONG"] === "1" ? 10_000 : 1_000;
let service: TestPushService;
let relay: TestRelay;
let other: TestRelay;
let db: Database;

beforeAll(async () => {
  service = await startPushService();
  relay = await startRelay({ ...service.config, ...withoutJitter });
  other = await startRelay({ ...relay.config, databaseUrl: relay.databaseUrl }, { clock: relay.clock });
  db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
});
afterAll(async () => {
  await db.close();
  await other.stop();
  await relay.stop();
  await service.stop();
});

test("thousands of pushes that are due at once are sent once each by two nodes", async () => {
  const model = await newSleepingDevice(relay, service);
  const random = createSystemRandom();
  const masterKey = createMasterKey(Buffer.from(relay.config.masterKey ?? "", "hex"), random);
  const seal = await loadTargetSeal(createSecrets({ db, clock: relay.clock, random, masterKey }), random);
  const ids = Array.from({ length: count }, (_, index) => index.toString(16).padStart(64, "0"));
  const sealed = ids.map((id) => seal.seal(id, model.subscription));
  await db.run(
    `insert into queues (device_id, last_position, queued_messages) select id, 1, 1 from unnest(:ids::text[]) as d (id)`,
    { ids },
  );
  await db.run(
    `insert into messages (device_id, position, message_id, ciphertext, sender_signature, sent_at, received_at, expires_at)
     select id, 1, md5(id)::uuid, '\\x00', '', :now::bigint, :now::bigint, :now::bigint + 86400 from unnest(:ids::text[]) as d (id)`,
    { ids, now: relay.clock.nowSeconds() },
  );
  await db.run(
    `insert into push_subscriptions (device_id, sealed, service, key_id, urgency, created_at, code_hash, code_expires_at,
       confirmed, due_at_millis, due_since_millis, due_urgency)
     select d.id, d.sealed, s.service, s.key_id, 'low', 0, '', 0, true, :now::bigint, :now::bigint, 'high'
     from unnest(:ids::text[], :sealed::bytea[]) as d (id, sealed), push_subscriptions as s
     where s.device_id = :model::text`,
    { ids, sealed, model: model.deviceId, now: relay.clock.nowMillis() },
  );
  await until(async () => {
    const left = await db.one<{ left: number }>(
      "select count(*)::integer as left from push_subscriptions where due_at_millis is not null",
    );
    return left?.left === 0;
  }, "nothing is due any more");
  expect(model.wakeUps()).toHaveLength(count);
  expect(service.faults).toEqual([]);
  const recorded = await db.one<{ pushed: number }>(
    "select count(*)::integer as pushed from push_subscriptions where pushed_position = 1 and unanswered = 1",
  );
  expect(recorded?.pushed).toBe(count);
});
