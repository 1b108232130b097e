import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ManualClock } from "../../src/platform/cluster/clock.js";
import { rows } from "../../src/platform/database/connection.js";
import { createOutboxFixture, eventually } from "../federation/outbox-fixture.js";
import { createScriptedPeer } from "../federation/scripted-peer.js";
import { download, errorOf, exhausted, notFound, revoke } from "../infopackages/fixture.js";
import { createMessagesFixture } from "../messages/fixture.js";
import { call } from "../support/api.js";
import type { TestDatabase } from "../support/database.js";
import { demand, type TestDevice } from "../support/device.js";
import { fetchPackage } from "../support/key-packages.js";
import { pollBlob, putBlob } from "../support/provisioning.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { loadFixture, type MoreStored, type UpgradeFixture } from "./fixture.js";

// What fixtures since this one hold beside messages. See upgrade.test.ts.
const versions = ["before-slots-for-unreached"];

describe.each(versions)("beside messages, a database as the version with %s left it", (name) => {
  let database: TestDatabase;
  let fixture: UpgradeFixture;
  let more: MoreStored;
  let clock: ManualClock;
  let relay: TestRelay;

  beforeAll(async () => {
    ({ fixture, database, clock } = await loadFixture(name));
    if (fixture.more === undefined) throw new Error("the fixture holds messages only");
    more = fixture.more;
    relay = await startRelay({ databaseUrl: database.url, masterKey: fixture.masterKey }, { clock });
  });
  afterAll(() => database.drop());

  it("hands out a blob of device linking once, and takes no second one", async () => {
    const { id, pollToken, blob } = more.provisioning;
    const second = await putBlob(relay, fixture.devices.sender.token, id, blob);
    expect(second.status).toBeGreaterThanOrEqual(400);
    expect(demand(await pollBlob(relay, { id, pollToken })).body).toMatchObject({ ciphertext: blob });
    expect((await pollBlob(relay, { id, pollToken })).status).toBe(404);
  });

  it("counts the uses of info packages on, and revokes them by the tokens from before", async () => {
    const { token } = fixture.devices.sender;
    for (const one of more.infoPackages) {
      const { variant, segment, ciphertext } = one;
      if (variant === "plain") {
        demand(await download(relay, variant, segment));
        expect(errorOf(await download(relay, variant, segment))).toEqual(exhausted);
      } else {
        expect(errorOf(await revoke(relay, one, {}))[0]).toBeGreaterThanOrEqual(400);
        if (variant === "sealed")
          expect(demand(await download(relay, variant, segment)).body.ciphertext).toBe(ciphertext);
        else demand(await revoke(relay, one, { token, ...one }));
      }
    }
    for (const { variant, segment } of more.infoPackages) {
      expect(errorOf(await download(relay, variant, segment))).toEqual(variant === "revocable" ? notFound : exhausted);
    }
  });

  it("hands out the last resort of a device again and again", async () => {
    const asking = fixture.devices.recipient as unknown as TestDevice;
    for (let i = 0; i < 2; i++) {
      const { body } = demand(await fetchPackage(relay, asking, fixture.devices.sender.deviceId));
      expect(body.key_package).toBe(more.lastResort);
    }
  });

  it("recognises messages for other servers that come again", async () => {
    const { token } = fixture.devices.recipient;
    for (const body of more.outgoing.sent) expect((await call(relay, "sendMessage", { token, body })).status).toBe(202);
    const waiting = await rows(database.db, "select message_id from outbox order by position");
    expect(waiting).toEqual(more.outgoing.sent.map(({ message_id }) => ({ message_id })));
  });

  it("delivers what waits for other servers, each message once and in order", async () => {
    await relay.stop();
    const masterKey = Buffer.from(fixture.masterKey, "hex");
    const outbox = await createOutboxFixture(await createMessagesFixture({}, { database, clock, masterKey }));
    const peer = createScriptedPeer();
    clock.advance(3600);
    try {
      await outbox.node({ calls: peer });
      await eventually(() => peer.arrived.length >= more.outgoing.sent.length, 60);
      const arrived = peer.arrived.map(({ domain, message_id, recipient_address, mls_ciphertext }) => {
        return { domain, message_id, recipient_address, mls_ciphertext };
      });
      const expected = more.outgoing.sent.map(({ message_id, recipient_address, mls_ciphertext }) => {
        return { domain: more.outgoing.domain, message_id, recipient_address, mls_ciphertext };
      });
      expect(arrived).toEqual(expected);
      await eventually(async () => (await rows(database.db, "select 1 from outbox")).length === 0, 60);
    } finally {
      await outbox.stop();
    }
  });
});
