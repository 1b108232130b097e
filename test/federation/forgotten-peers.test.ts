import { afterAll, beforeAll, expect, it } from "vitest";
import { call } from "../support/api.js";
import { demand, type TestDevice } from "../support/device.js";
import { tableOf } from "../support/table.js";
import { until } from "../support/until.js";
import { authenticate } from "./origin-fixture.js";
import { createReputationFixture, type ReputationFixture } from "./reputation-fixture.js";

let fixture: ReputationFixture;
let device: TestDevice;

beforeAll(async () => {
  fixture = await createReputationFixture();
  device = await fixture.device();
});
afterAll(() => fixture.stop());

const day = 86_400;
const known = async () =>
  (await tableOf(fixture.db, "federation_peers").orderBy("host")).map(({ host }) => host as string);

it("a peer without contact is forgotten, unless something of it still counts", async () => {
  for (const host of ["gone", "blocked", "listed", "limited", "counted", "recent"]) {
    demand(await authenticate(fixture.relay, await fixture.server(`${host}.example`)));
  }
  const body = { server_domain: "blocked.example", reason: "because" };
  demand(await call(fixture.relay, "blockServer", { token: await fixture.admin(), body }));
  await fixture.setPolicy({ allowlist: ["listed.example"] });
  await fixture.give(await fixture.server("counted.example"), device, { good: 1 });
  await tableOf(fixture.db, "federation_peers").where({ host: "limited.example" }).update({ status: "limited" });
  const others = await tableOf(fixture.db, "federation_peers").whereNot({ host: "recent.example" });
  for (const { host, last_activity: at } of others) {
    await tableOf(fixture.db, "federation_peers")
      .where({ host })
      .update({ last_activity: Number(at) - 31 * day });
  }
  fixture.relay.clock.advance(3_601);
  await until(async () => !(await known()).includes("gone.example"), "it is forgotten");
  expect(await known()).toEqual(["blocked", "counted", "limited", "listed", "recent"].map((name) => `${name}.example`));
});
