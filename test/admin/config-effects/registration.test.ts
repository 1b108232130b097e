import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { adminKeys, logIn } from "../../support/admin.js";
import { call } from "../../support/api.js";
import { announcement } from "../../support/device.js";
import { type Fixture, openFixture } from "./fixture.js";

let fixture: Fixture;
const inviter = adminKeys("verify_devices");

beforeAll(async () => {
  fixture = await openFixture({ adminList: inviter.seed });
});
afterAll(() => fixture.stop());
// Every test begins with open registration that asks for a proof.
beforeEach(async () => {
  await fixture.set("registration.enabled", true);
  await fixture.set("registration.mode", "open");
  await fixture.set("registration.require_proof_of_work", true);
});

/** What a device that comes for the first time is told: 200, or the error's name. */
async function arrival(extra: Record<string, unknown> = {}, keys = adminKeys()): Promise<unknown> {
  const body = announcement(fixture.relay, keys, extra);
  const answer = await call(fixture.relay, "announceWithProof", { body });
  return answer.status === 200 ? 200 : answer.body.error;
}

async function challenge(keys = adminKeys()): Promise<{ challenge: string; iterations: number }> {
  const body = { public_key: keys.publicKey };
  return (await call(fixture.relay, "createRegistrationChallenge", { body })).body;
}

async function invite(): Promise<{ invite_code: string }> {
  const { token } = await logIn(fixture.relay, inviter);
  const { invite_code } = (await call(fixture.relay, "createInvite", { token, body: {} })).body;
  return { invite_code };
}

test("registration.require_proof_of_work decides whether newcomers need a proof", async () => {
  expect(await arrival()).toBe("INVALID_PROOF");
  await fixture.set("registration.require_proof_of_work", false);
  expect(await arrival()).toBe(200);
});

test("registration.enabled closes registration to newcomers, and to nobody else", async () => {
  await fixture.set("registration.require_proof_of_work", false);
  const known = adminKeys();
  expect(await arrival({}, known)).toBe(200);
  await fixture.set("registration.enabled", false);
  expect(await arrival()).toBe("REGISTRATION_CLOSED");
  expect(await arrival({}, known)).toBe(200);
  expect((await fixture.discovery()).registration.enabled).toBe(false);
});

test("registration.mode decides who may register", async () => {
  await fixture.set("registration.require_proof_of_work", false);
  for (const mode of ["invite_only", "federation_allowlist"]) {
    await fixture.set("registration.mode", mode);
    expect(await arrival()).toBe("REGISTRATION_CLOSED");
    expect(await arrival(await invite())).toBe(200);
    expect((await fixture.discovery()).registration.mode).toBe(mode);
  }
});

test("registration.accept_invites decides whether an invite stands in for a proof", async () => {
  const [first, second] = [await invite(), await invite()];
  expect(await arrival(first)).toBe(200);
  await fixture.set("registration.accept_invites", false);
  expect(await arrival(second)).toBe("REGISTRATION_CLOSED");
  await fixture.set("registration.accept_invites", true);
  expect(await arrival(second)).toBe(200);
});

test("registration.proof_of_work_difficulty is the work that a challenge requires", async () => {
  await fixture.set("registration.proof_of_work_difficulty", 12_345);
  expect((await challenge()).iterations).toBe(12_345);
});

test("registration.allow_time_delay decides whether waiting stands in for a proof", async () => {
  const keys = adminKeys();
  const waited = await challenge(keys);
  fixture.relay.clock.advance(121);
  expect(await arrival({ challenge: waited.challenge }, keys)).toBe("INVALID_PROOF");
  await fixture.set("registration.allow_time_delay", true);
  expect(await arrival({ challenge: waited.challenge }, keys)).toBe(200);
});

test("registration.time_delay_seconds is how long that is", async () => {
  await fixture.set("registration.allow_time_delay", true);
  await fixture.set("registration.time_delay_seconds", 200);
  const keys = adminKeys();
  const waited = await challenge(keys);
  fixture.relay.clock.advance(150);
  expect(await arrival({ challenge: waited.challenge }, keys)).toBe("INVALID_PROOF");
  await fixture.set("registration.time_delay_seconds", 100);
  expect(await arrival({ challenge: waited.challenge }, keys)).toBe(200);
});
