import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sign } from "../../../src/protocol/signature.js";
import { prefixAnnouncementText } from "../../../src/protocol/signed-text.js";
import { call } from "../../support/api.js";
import { type Fixture, openFixture } from "./fixture.js";

let fixture: Fixture;
const day = 86_400;

beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(() => fixture.stop());

test("server.server_name is the name in the discovery document", async () => {
  await fixture.set("server.server_name", "The café's relay ☕");
  expect((await fixture.discovery()).server_name).toBe("The café's relay ☕");
});

test("server.protocol_version is the version in the discovery document; there is one", async () => {
  await fixture.set("server.protocol_version", "1.0");
  expect((await fixture.discovery()).versions.protocol).toBe("1.0");
});

test("server.max_message_size bounds messages, and is announced to devices", async () => {
  const [from, to] = [await fixture.device(), await fixture.device()];
  const sized = async (bytes: number) => (await from.send(to.address, { ciphertext: randomBytes(bytes) })).status;
  await fixture.set("server.max_message_size", 2048);
  expect([await sized(2048), await sized(2049)]).toEqual([202, 413]);
  await fixture.set("server.max_message_size", 11_000_000);
  expect(await sized(10_600_000)).toBe(202);
  expect((await fixture.discovery()).capabilities.max_message_size).toBe(11_000_000);
  const timestamp = fixture.relay.clock.nowSeconds();
  const prefixes = [randomBytes(16).toString("hex")];
  const signature = sign(from.secretKey, prefixAnnouncementText({ deviceId: from.deviceId, prefixes, timestamp }));
  const body = { device_id: from.deviceId, delivery_address_prefixes: prefixes, signature, timestamp };
  const announced = await call(fixture.relay, "announceDevice", { body });
  expect(announced.body.server_capabilities.max_message_size).toBe(11_000_000);
});

test("server.max_retention_days is how long a message waits", async () => {
  const [from, to] = [await fixture.device(), await fixture.device()];
  const waiting = async () => (await to.poll()).body.messages.length;
  await from.send(to.address);
  await fixture.set("server.max_retention_days", 1);
  await from.send(to.address);
  expect(await waiting()).toBe(2);
  fixture.relay.clock.advance(day + 1);
  await to.announce();
  expect(await waiting()).toBe(1);
});
