import { closeCodes } from "../../../generated/frames.js";
import { hold, same, success } from "../harness/assertions.js";
import type { Rule } from "../harness/types.js";

const wrongToken = { type: "auth", access_token: "nonsense" };

export const streamRules: readonly Rule[] = [
  {
    id: "stream.auth-first",
    title: "a stream whose first frame is not auth is ended with INVALID_TOKEN and 4008",
    source: "asyncapi: Life of a stream; Close codes",
    async check(harness) {
      const stream = await harness.stream();
      stream.send({ type: "ping", timestamp: 1 });
      same((await stream.next("error")).error, "INVALID_TOKEN", "error");
      same(await stream.closed(), closeCodes.invalidToken.code, "the close code");
    },
  },
  {
    id: "stream.bad-token",
    title: "a bad token ends the stream with INVALID_TOKEN and 4008",
    source: "asyncapi: Close codes",
    async check(harness) {
      const stream = await harness.stream();
      stream.send(wrongToken);
      same((await stream.next("error")).code, 4008, "code");
      same(await stream.closed(), closeCodes.invalidToken.code, "the close code");
    },
  },
  {
    id: "stream.status",
    title: "a good token is answered with the status connected, and a ping with a status",
    source: "asyncapi: authenticate, ping",
    async check(harness) {
      const bob = await harness.bob();
      const stream = await harness.stream();
      stream.send({ type: "auth", access_token: bob.token() });
      same((await stream.next("status")).status, "connected", "status");
      stream.send({ type: "ping", timestamp: 7 });
      let answer = await stream.next("status");
      // The server may announce that the queue is empty at any time after the first status.
      if (answer.queue_empty === true) answer = await stream.next("status");
      same(answer.status, "connected", "the status after a ping");
      await stream.end();
    },
  },
  {
    id: "stream.delivery",
    title: "queued messages are pushed in order, then new ones; an acknowledged message is never pushed again",
    source: "asyncapi: Life of a stream; acknowledge",
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      await bob.clear();
      const ids = [await alice.send(bob.address), await alice.send(bob.address)];
      const stream = await harness.deviceStream(bob);
      const pushed = [await stream.next("message"), await stream.next("message")];
      same(
        pushed.map(({ data }) => data.message_id),
        ids,
        "what was pushed",
      );
      const answer = await alice.call("sendMessage", { body: alice.message(bob.address) });
      same(success(answer, 202).delivery_estimate, "immediate", "delivery_estimate");
      const third = (await stream.next("message")).data.message_id;
      same(third, answer.body.message_id, "what arrived");
      same(await stream.acknowledge(ids[1] ?? ""), true, "acknowledged");
      same(await stream.acknowledge(ids[1] ?? ""), false, "acknowledged once more");
      await stream.end();
      same(await bob.queue(), [ids[0], third], "the queue after it");
    },
  },
  {
    id: "stream.redelivery",
    title: "unacknowledged messages are pushed again on the next stream",
    source: "asyncapi: Life of a stream",
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      await bob.clear();
      const id = await alice.send(bob.address);
      for (const attempt of ["first", "second"]) {
        const stream = await harness.deviceStream(bob);
        same((await stream.next("message")).data.message_id, id, `what the ${attempt} stream pushed`);
        await stream.end();
      }
      await bob.clear();
    },
  },
  {
    id: "stream.batch",
    title: "a batch of acknowledgements is answered with the number of removed messages, and then the queue is empty",
    source: "asyncapi: acknowledgeBatch; queue_empty",
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      await bob.clear();
      const ids = [await alice.send(bob.address), await alice.send(bob.address)];
      const stream = await harness.deviceStream(bob);
      for (const _ of ids) await stream.next("message");
      const unknown = alice.client.connection.newMessageId();
      stream.send({ type: "ack_batch", message_ids: [...ids, unknown] });
      const { acknowledged_count, failed_count } = await stream.next("ack_batch_confirmed");
      same([acknowledged_count, failed_count], [2, 1], "the counts");
      same((await stream.next("status")).queue_empty, true, "queue_empty");
      await stream.end();
    },
  },
  {
    id: "stream.system",
    title: "a message with a system event is pushed as a system frame, and acknowledged like any other",
    source: "asyncapi: SystemFrame",
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      await bob.clear();
      const id = await alice.send(bob.address, { system_event: { event: "epoch_change" } });
      const stream = await harness.deviceStream(bob);
      const frame = await stream.next("system");
      same([frame.event, frame.data.message_id], ["epoch_change", id], "the frame");
      same(await stream.acknowledge(id), true, "acknowledged");
      await stream.end();
    },
  },
  {
    id: "stream.outside",
    title: "frames outside the contract are answered with INVALID_REQUEST, and the tenth ends the stream with 4000",
    source: "asyncapi: Limits; Close codes",
    async check(harness) {
      const stream = await harness.deviceStream(await harness.bob());
      const wrong = ["{", "[]", '{"type":"dance"}', '{"type":"ack"}', '{"type":"ping","timestamp":1,"colour":"red"}'];
      for (let count = 0; count < 10; count++) {
        stream.sendRaw(count === 5 ? Buffer.from("binary") : (wrong[count % wrong.length] ?? ""));
        same((await stream.next("error")).error, "INVALID_REQUEST", `the answer to frame ${count + 1}`);
      }
      same(await stream.closed(), closeCodes.outsideContract.code, "the close code");
    },
  },
  {
    id: "stream.large-frame",
    title: "a frame over 64 KiB ends the stream with 1009",
    source: "asyncapi: Limits; Close codes",
    async check(harness) {
      const stream = await harness.deviceStream(await harness.bob());
      stream.sendRaw(" ".repeat(64 * 1024 + 1));
      same(await stream.closed(), 1009, "the close code");
    },
  },
  {
    id: "stream.renewal",
    title: "an open stream accepts a newer token of the same device; a token of another device ends it",
    source: "asyncapi: Life of a stream",
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      const stream = await harness.deviceStream(bob);
      const { access_token } = success(await bob.call("refreshDeviceToken"), 200);
      stream.send({ type: "auth", access_token });
      same((await stream.next("status")).status, "connected", "status");
      stream.send({ type: "auth", access_token: alice.token() });
      same((await stream.next("error")).error, "INVALID_TOKEN", "error");
      same(await stream.closed(), closeCodes.invalidToken.code, "the close code");
    },
  },
  {
    id: "stream.upgrade",
    title: "a request to the stream's path without an upgrade is refused",
    source: "asyncapi: channels",
    async check(harness) {
      const { status } = await harness.ask("GET", "/v1/stream");
      hold(status >= 400 && status < 500, `it answered ${status}`);
    },
  },
];
