import { randomUUID } from "node:crypto";
import { closeCodes } from "../../../generated/frames.js";
import { LimitReached, NotChecked, same, success } from "../harness/assertions.js";
import type { Rule } from "../harness/types.js";

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
    id: "stream.sends",
    title: "a message sent on a stream is queued once, a repetition is answered alike, and a refusal carries its error",
    source: "asyncapi: SendFrame, SendResultFrame; errors.yaml: ADDRESS_NOT_FOUND",
    async check(harness) {
      const { capabilities } = success(await harness.call("getDiscovery"), 200);
      if (capabilities.stream_sends !== true) throw new NotChecked("the server takes no sends on streams");
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      await bob.clear();
      const stream = await harness.deviceStream(alice);
      const message = alice.message(bob.address);
      for (let times = 0; times < 2; times++) {
        stream.send({ type: "send", message });
        const { message_id, recipient_address, status, error } = await stream.next("send_result");
        if (error === "RATE_LIMIT_EXCEEDED") throw new NotChecked("the suite's device may send no more for now");
        same([message_id, recipient_address, status], [message.message_id, bob.address, "queued"], "the result");
      }
      same(await bob.queue(), [message.message_id], "the queue");
      const nobody = `${randomUUID()}@${bob.address.split("@")[1]}`;
      stream.send({ type: "send", message: alice.message(nobody) });
      const { status, error } = await stream.next("send_result");
      same([status, error], ["rejected", "ADDRESS_NOT_FOUND"], "the refusal");
      await stream.end();
      await bob.clear();
    },
  },
  {
    id: "stream.online-only",
    title: "an online-only message is pushed to an open stream, and is in no queue",
    source: "openapi: MessageLifetime; asyncapi: MessageData, online",
    async check(harness) {
      const { capabilities } = success(await harness.call("getDiscovery"), 200);
      if (capabilities.message_lifetime !== true) throw new NotChecked("the server knows no lifetimes of messages");
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      await bob.clear();
      const stream = await harness.deviceStream(bob);
      const sent = alice.message(bob.address);
      const answer = await alice.call("sendMessage", { body: { ...sent, expires_in_seconds: 0 } });
      if (answer.status === 429) throw new LimitReached("the suite's device may send no more for now");
      success(answer, 202);
      const { data } = await stream.next("message");
      same([data.message_id, data.online], [sent.message_id, true], "what was pushed");
      same(await bob.queue(), [], "the queue");
      await stream.end();
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
