import { afterAll, beforeAll, expect, test } from "vitest";
import { createSessions, type Sessions } from "../../src/auth/ended-sessions.js";
import type { AnyRow } from "../support/any-row.js";
import { createTrustFixture, type TrustFixture } from "../support/trust.js";

let fixture: TrustFixture;
let one: Sessions;
let two: Sessions;

beforeAll(async () => {
  fixture = await createTrustFixture();
  one = createSessions(fixture);
  two = createSessions(fixture);
  await Promise.all([one.start(), two.start(), fixture.poll.start()]);
});
afterAll(async () => {
  await Promise.all([one.stop(), two.stop(), fixture.poll.stop()]);
  await fixture.database.drop();
});

const session = (subject: string, sessionId: string, kind: "device" | "admin" = "device") => ({
  kind,
  subject,
  sessionId,
  authTime: fixture.clock.nowSeconds(),
});
const within = { interval: 50 };

test("a revoked session ends at once on this node and within a second on every other", async () => {
  const ended = session("d1", "s1");
  const other = session("d1", "s2");
  expect(await two.isValid(ended)).toBe(true);
  await one.revoke("s1");
  expect(await one.isValid(ended)).toBe(false);
  await expect.poll(() => two.isValid(ended), within).toBe(false);
  expect(await one.isValid(other)).toBe(true);
  expect(await two.isValid(other)).toBe(true);
});

test("ending the other sessions keeps the named one, and those that begin later", async () => {
  const [kept, ended] = [session("d2", "kept"), session("d2", "ended")];
  const stranger = session("d3", "stranger");
  await one.revokeOthers("d2", "kept");
  expect(await one.isValid(kept)).toBe(true);
  expect(await one.isValid(ended)).toBe(false);
  expect(await one.isValid(stranger)).toBe(true);
  await expect.poll(() => two.isValid(ended), within).toBe(false);
  fixture.clock.advance(1);
  expect(await two.isValid(session("d2", "later"))).toBe(true);
});

test("a session that begins in the second in which others were ended is valid until it is ended itself", async () => {
  const begun = async (id: string, node = one) => ({ ...session("d8", id), authTime: await node.beginning("d8") });
  const before = await begun("before");
  await one.revokeOthers("d8", "kept");
  const after = [await begun("after"), await begun("after, elsewhere", two)];
  expect(await one.isValid(before)).toBe(false);
  for (const begunAfter of after) expect(await one.isValid(begunAfter)).toBe(true);
  await two.revokeOthers("d8", "kept again");
  for (const begunAfter of after) expect(await two.isValid(begunAfter)).toBe(false);
  expect(await one.isValid(await begun("last"))).toBe(true);
});

test("ending a device's sessions leaves those it has as an admin, and the other way round", async () => {
  const [device, admin] = [session("d4", "as device"), session("d4", "as admin", "admin")];
  await one.revokeOthers("d4", null);
  expect(await one.isValid(device)).toBe(false);
  expect(await one.isValid(admin)).toBe(true);
  await one.revokeOthers("d4", null, "admin");
  expect(await one.isValid(admin)).toBe(false);
});

test("a node that starts later knows the sessions ended before", async () => {
  const ended = session("d5", "s5");
  await one.revoke("s5");
  const late = createSessions(fixture);
  await late.start();
  expect(await late.isValid(ended)).toBe(false);
  await late.stop();
});

test("every node notifies its listeners of ended sessions", async () => {
  const ended = session("d6", "s6");
  const heard: boolean[] = [];
  two.onEnded((isValid) => heard.push(isValid(ended)));
  await one.revoke("s6");
  await expect.poll(() => heard, within).toEqual([false]);
});

test("an ended session is forgotten once no token of it can be alive", async () => {
  await one.revoke("s7");
  await one.revokeOthers("d7", null);
  fixture.clock.advance(fixture.config.retiredKeySeconds + 120);
  await one.removeExpired();
  for (const table of ["revoked_sessions", "session_cutoffs"]) {
    expect(await fixture.db.rows<AnyRow>(`select count(*)::integer as left from ${table}`)).toEqual([{ left: 0 }]);
  }
});

test("no decision is based on a copy that could not be refreshed", async () => {
  const lonely = await createTrustFixture();
  const sessions = createSessions(lonely);
  await sessions.start();
  await lonely.database.drop();
  const refusal = async (): Promise<string> => {
    const answer = await Promise.resolve(sessions.isValid(session("d8", "s8"))).catch(() => "refused");
    return String(answer);
  };
  await expect.poll(refusal, { interval: 100 }).toBe("refused");
  await sessions.stop();
});
