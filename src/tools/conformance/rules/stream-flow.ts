import { closeCodes } from "../../../../generated/frames.js";
import { same } from "../assertions.js";
import type { Rule } from "../types.js";

const window = 10;

export const flowControlRules: readonly Rule[] = [
  {
    id: "stream.window",
    title: "ten messages are pushed ahead of their acknowledgements, and each acknowledgement lets one more go",
    source: "asyncapi: Flow control",
    requires: ["admin"],
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      await bob.clear();
      const ids: string[] = [];
      for (let count = 0; count < window + 2; count++) ids.push(await alice.send(bob.address));
      const stream = await harness.deviceStream(bob);
      for (const id of ids.slice(0, window))
        same((await stream.next("message")).data.message_id, id, "what was pushed");
      await stream.none("message");
      // The message may come before the confirmation.
      stream.send({ type: "ack", message_id: ids[3] ?? "" });
      same((await stream.next("message")).data.message_id, ids[window], "what the acknowledgement let go");
      await stream.none("message");
      await stream.end();
      await bob.clear();
    },
  },
  {
    id: "stream.replaced",
    title: "a newer stream of the device replaces the older one, which gets a status frame and is closed with 4009",
    source: "asyncapi: Coming back; Close codes",
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      await bob.clear();
      const older = await harness.deviceStream(bob);
      const newer = await harness.deviceStream(bob);
      let status = (await older.next("status")).status;
      if (status === "connected") status = (await older.next("status")).status;
      same(status, "disconnected", "what the older one was told");
      same(await older.closed(), closeCodes.replaced.code, "the close code");
      const id = await alice.send(bob.address);
      same((await newer.next("message")).data.message_id, id, "what the newer one got");
      same(await newer.acknowledge(id), true, "acknowledged");
      await newer.end();
    },
  },
  {
    id: "stream.pause",
    title: "without any acknowledgement for 60 seconds delivery pauses until one arrives",
    source: "asyncapi: Flow control",
    requires: ["time"],
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      await bob.clear();
      const stream = await harness.deviceStream(bob);
      const first = await alice.send(bob.address);
      same((await stream.next("message")).data.message_id, first, "what was pushed");
      await harness.passTime(61);
      const second = await alice.send(bob.address);
      await stream.none("message");
      stream.send({ type: "ack", message_id: first });
      same((await stream.next("message")).data.message_id, second, "what the acknowledgement let go");
      await stream.end();
      await bob.clear();
    },
  },
];
