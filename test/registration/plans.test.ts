import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Db } from "../../src/database/db.js";
import {
  countInviteUse,
  deleteExpiredChallenges,
  deleteExpiredInvites,
  deleteExpiredUses,
  findChallenge,
  lockInvite,
  useChallenge,
} from "../../src/registration/store.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { fillingMillis, fillTables, rowsForPlans, wholeScans } from "../support/explain.js";

const now = 1_000_000_000;
const range = { before: now, limit: rowsForPlans / 1000 };
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  const expiry = `${now} - ${rowsForPlans} / 50 + n`;
  const numbers = `generate_series(1, ${rowsForPlans}) as n`;
  await fillTables(database, {
    registration_challenges: `
      insert into registration_challenges (challenge, public_key, iterations, created_at, expires_at)
      select sha256(n::text::bytea), sha256(n::text::bytea), 1, 1, ${expiry} from ${numbers}`,
    invites: `
      insert into invites (jti, domain, max_uses, expires_at, created_by, created_at)
      select 'invite-' || n, 'relay.test', 1, ${expiry}, 'admin', 1 from ${numbers}`,
    invite_uses: `
      insert into invite_uses (issuer, jti, uses, expires_at)
      select 'relay-' || n % 7, 'invite-' || n, 1, ${expiry} from ${numbers}`,
  });
}, fillingMillis);
afterAll(() => database.drop());

const cases: Record<string, (db: Db) => Promise<unknown>> = {
  "the expiry of challenges": async (db) => expect(await deleteExpiredChallenges(db, range)).toBe(range.limit),
  "the expiry of invites": async (db) => expect(await deleteExpiredInvites(db, range)).toBe(range.limit),
  "the expiry of invites' uses": async (db) => expect(await deleteExpiredUses(db, range)).toBe(range.limit),
  "a challenge": async (db) => {
    await findChallenge(db, new Uint8Array(32));
    await useChallenge(db, new Uint8Array(32), now);
  },
  "an invite": async (db) => {
    await lockInvite(db, "invite-8");
    await countInviteUse(db, { issuer: "relay-1", jti: "invite-8", maxUses: 9, expiresAt: now });
  },
};

describe(`in tables of ${rowsForPlans} rows an index serves`, () => {
  it.each(Object.entries(cases))("%s", async (_, work) => {
    expect(await wholeScans(database, work)).toEqual([]);
  });
});
