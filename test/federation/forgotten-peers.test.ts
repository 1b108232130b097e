import { afterAll, beforeAll, expect, it } from "vitest";
import { call } from "../support/api.js";
import { demand, type TestDevice } from "../support/device.js";
import { until } from "../support/until.js";
import { createJudgingGround, type JudgingGround } from "./judging-ground.js";
import { authenticate } from "./origin-ground.js";

let ground: JudgingGround;
let device: TestDevice;

beforeAll(async () => {
  ground = await createJudgingGround();
  device = await ground.device();
});
afterAll(() => ground.stop());

const day = 86_400;
const known = async () => (await ground.db("federation_peers").orderBy("host")).map(({ host }) => host as string);

it("a peer without contact is forgotten, unless something of it still counts", async () => {
  for (const host of ["gone", "blocked", "listed", "limited", "counted", "recent"]) {
    demand(await authenticate(ground.relay, await ground.server(`${host}.example`)));
  }
  const body = { server_domain: "blocked.example", reason: "because" };
  demand(await call(ground.relay, "blockServer", { token: await ground.admin(), body }));
  await ground.setPolicy({ allowlist: ["listed.example"] });
  await ground.give(await ground.server("counted.example"), device, { good: 1 });
  await ground.db("federation_peers").where({ host: "limited.example" }).update({ status: "limited" });
  const others = await ground.db("federation_peers").whereNot({ host: "recent.example" });
  for (const { host, last_activity: at } of others) {
    await ground
      .db("federation_peers")
      .where({ host })
      .update({ last_activity: Number(at) - 31 * day });
  }
  ground.relay.clock.advance(3_601);
  await until(async () => !(await known()).includes("gone.example"), "it is forgotten");
  expect(await known()).toEqual(["blocked", "counted", "limited", "listed", "recent"].map((name) => `${name}.example`));
});
