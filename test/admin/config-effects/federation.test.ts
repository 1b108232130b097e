import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { authenticate, deliver, type Origin, outcomeOf } from "../../federation/origin-fixture.js";
import { call } from "../../support/api.js";
import { demand, message, type TestDevice } from "../../support/device.js";
import { createPeerFixture, type PeerFixture } from "../../support/peers.js";
import { type Fixture, openFixture } from "./fixture.js";

let fixture: Fixture;
let peers: PeerFixture;

beforeAll(async () => {
  peers = await createPeerFixture();
  fixture = await openFixture({ ...(await peers.membership(9)), scoreMinMessages: 10 });
});
afterAll(async () => {
  await fixture.stop();
  await peers.stop();
});

/** What another server is told that asks to be let in. */
async function calling(domain: string): Promise<string> {
  return outcomeOf(await call(fixture.relay, "createFederationChallenge", { body: { origin_server: domain } }));
}

async function named(domain: string): Promise<Origin> {
  return { domain, credential: await peers.authority.issue({ hosts: [domain] }) };
}

/** Delivers messages, so many of them broken; what is answered, and for each whether it was taken. */
async function give(origin: Origin, to: TestDevice, count: { good: number; bad: number }) {
  const { federation_token: token } = demand(await authenticate(fixture.relay, origin)).body;
  const draft = (senderSignature?: string) =>
    message(fixture.relay, to.address, senderSignature === undefined ? {} : { senderSignature });
  const messages = [
    ...Array.from({ length: count.good }, () => draft()),
    ...Array.from({ length: count.bad }, () => draft("")),
  ];
  return deliver(fixture.relay, { token, origin: origin.domain, messages });
}

test("federation.enabled decides whether messages for other servers are taken", async () => {
  const device = await fixture.device();
  await fixture.set("federation.enabled", false);
  const { status, body } = await device.send(`${randomUUID()}@elsewhere.example`);
  expect([status, body.error]).toEqual([503, "FEDERATION_DISABLED"]);
  expect(await calling("elsewhere.example")).toBe("503 FEDERATION_DISABLED");
  const { federation_enabled, capabilities } = await fixture.discovery();
  expect([federation_enabled, capabilities.federation_enabled]).toEqual([false, false]);
  await fixture.set("federation.enabled", true);
  expect((await fixture.discovery()).federation_enabled).toBe(true);
  expect(await calling("elsewhere.example")).toBe("200");
});

test("federation.allowlist_mode decides whether servers that are not on the list are peers", async () => {
  const device = await fixture.device();
  const sending = async () => outcomeOf(await device.send(`${randomUUID()}@anybody.example`));
  expect([await calling("anybody.example"), await sending()]).toEqual(["200", "202"]);
  await fixture.set("federation.allowlist_mode", true);
  expect([await calling("anybody.example"), await sending()]).toEqual(["403 SERVER_BLOCKED", "502 FEDERATION_FAILED"]);
  await fixture.set("federation.allowlist_mode", false);
  expect([await calling("anybody.example"), await sending()]).toEqual(["200", "202"]);
});

test("federation.auto_block_threshold is the reputation under which a server is blocked", async () => {
  const [device, origin] = [await fixture.device(), await named("sloppy.example")];
  // One in two breaks the rules of the form, which takes three tenths of the reputation.
  demand(await give(origin, device, { good: 10, bad: 10 }));
  demand(await give(origin, device, { good: 1, bad: 1 }));
  expect(await calling("sloppy.example")).toBe("200");
  await fixture.set("federation.auto_block_threshold", 0.8);
  await give(origin, device, { good: 1, bad: 1 });
  expect(await calling("sloppy.example")).toBe("403 SERVER_BLOCKED");
  await fixture.set("federation.auto_block_threshold", 0.3);
});

test("federation.publish_blocklist decides whether the block list is public", async () => {
  const published = async () => outcomeOf(await call(fixture.relay, "getBlocklist"));
  expect(await published()).toBe("404 NOT_FOUND");
  await fixture.set("federation.publish_blocklist", true);
  expect(await published()).toBe("200");
  await fixture.set("federation.publish_blocklist", false);
  expect(await published()).toBe("404 NOT_FOUND");
});

test("federation.certificate_validation decides whether any certificate of a server's name will do", async () => {
  const domain = "selfmade.example";
  const origin = { domain, credential: await peers.authority.issue({ hosts: [domain], selfSigned: true }) };
  const outcome = async () => outcomeOf(await authenticate(fixture.relay, origin));
  expect(await outcome()).toBe("403 INVALID_CERTIFICATE");
  await fixture.set("federation.certificate_validation", false);
  expect(await outcome()).toBe("200");
  await fixture.set("federation.certificate_validation", true);
  expect(await outcome()).toBe("403 INVALID_CERTIFICATE");
});
