import { X509Certificate } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createTestAuthority } from "../../scripts/test-ca/authority.js";
import { startAdministered, type TestAdmin } from "../support/admin.js";
import { call } from "../support/api.js";
import { newDevice, type TestDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import {
  createOriginFixture,
  deliver,
  messagesFor,
  type Origin,
  type OriginFixture,
  outcomeOf,
  tokenFor,
} from "./origin-fixture.js";

let fixture: OriginFixture;
let nodes: TestRelay[];
let relay: TestRelay;
let admin: TestAdmin;
let device: TestDevice;
let origin: Origin;
let token: string;

beforeAll(async () => {
  fixture = await createOriginFixture();
  // Tests deliver again and again until something has changed.
  const unlimited = { federationTransactionsPerMinute: 1_000_000, federationMessagesPerMinute: 1_000_000 };
  ({ relay, admin } = await startAdministered({ ...fixture.config, ...unlimited }));
  nodes = [relay, await startRelay(relay.config, { clock: relay.clock })];
  device = await newDevice(relay);
});
beforeEach(async () => {
  origin = await fixture.origin("peer.example");
  // The lists of the test before may still be in use.
  await until(async () => {
    token = await tokenFor(relay, origin).catch(() => "");
    return token !== "" && (await outcomes()).every((one) => one === "200");
  }, "a token is good on every node");
});
afterAll(async () => {
  for (const node of nodes.reverse()) await node.stop();
  await fixture.stop();
});

const outcomes = async (by = token): Promise<string[]> => {
  const found: string[] = [];
  for (const node of nodes) {
    const messages = messagesFor(relay, device, 1);
    found.push(outcomeOf(await deliver(node, { token: by, origin: origin.domain, messages })));
  }
  return found;
};
const becomes = (outcome: string) =>
  until(async () => (await outcomes()).every((one) => one === outcome), `every node answers ${outcome}`);
const void_ = "401 INVALID_TOKEN";

it("a token ends on every node when its certificate is revoked, and others go on", async () => {
  const other = await fixture.origin("other.example");
  const others = await tokenFor(relay, other);
  await fixture.revoke([origin.credential.serial]);
  await becomes(void_);
  const messages = messagesFor(relay, device, 1);
  expect(outcomeOf(await deliver(relay, { token: others, origin: other.domain, messages }))).toBe("200");
  await fixture.revoke([]);
});

it("a token ends when the authority of its certificate is not trusted any more", async () => {
  const caFile = fixture.config.federationCaFile as string;
  const successor = await createTestAuthority(new Date());
  await writeFile(caFile, successor.cert);
  await becomes(void_);
  await writeFile(caFile, fixture.authority.cert);
  await becomes("200");
});

it("a token of a certificate by an intermediate ends when the intermediate is revoked", async () => {
  const intermediate = await fixture.authority.intermediate();
  origin = { ...origin, credential: await intermediate.issue({ hosts: ["peer.example"] }) };
  token = await tokenFor(relay, origin);
  expect(await outcomes()).toEqual(["200", "200"]);
  await fixture.revoke([new X509Certificate(intermediate.cert).serialNumber]);
  await becomes(void_);
  await fixture.revoke([]);
});

it("a token ends with its certificate", async () => {
  const notAfter = new Date((relay.clock.nowSeconds() + 600) * 1000);
  origin = { ...origin, credential: await fixture.authority.issue({ hosts: ["peer.example"], notAfter }) };
  token = await tokenFor(relay, origin);
  relay.clock.advance(590);
  expect(await outcomes()).toEqual(["200", "200"]);
  relay.clock.advance(20);
  expect(await outcomes()).toEqual([void_, void_]);
});

it("a token ends when the revocation list of its authority runs out", async () => {
  const other = await fixture.origin("other.example");
  const others = await tokenFor(relay, other);
  const seconds = relay.clock.nowSeconds();
  const times = { thisUpdate: new Date((seconds - 60) * 1000), nextUpdate: new Date((seconds + 900) * 1000) };
  await fixture.revoke([other.credential.serial], times);
  const messages = () => messagesFor(relay, device, 1);
  await until(async () => {
    const found = nodes.map((node) => deliver(node, { token: others, origin: other.domain, messages: messages() }));
    return (await Promise.all(found)).every((answer) => outcomeOf(answer) === void_);
  }, "the list is read");
  expect(await outcomes()).toEqual(["200", "200"]);
  relay.clock.advance(901);
  await becomes(void_);
  await fixture.revoke([]);
});

it("a token taken while authorities were not asked for ends when they are again", async () => {
  const validate = async (value: boolean) => {
    const usual = { allowlist_mode: false, allowlist: [], auto_block_threshold: 0.3, publish_blocklist: false };
    const body = { ...usual, require_certificate_validation: value };
    expect(outcomeOf(await call(relay, "setFederationPolicy", { token: admin.token, body }))).toBe("200");
  };
  await validate(false);
  const credential = await fixture.authority.issue({ hosts: ["peer.example"], selfSigned: true });
  await until(async () => {
    const answer = await tokenFor(relay, { ...origin, credential }).catch(() => undefined);
    token = answer ?? token;
    return answer !== undefined;
  }, "a self-signed certificate is accepted");
  await becomes("200");
  await validate(true);
  await becomes(void_);
});
