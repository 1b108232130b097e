import { hold, refused, same, success } from "../harness/assertions.js";
import type { Rule } from "../harness/types.js";

export const queueRules: readonly Rule[] = [
  {
    id: "queue.redelivery",
    title: "what is not acknowledged comes again with every poll, and what is acknowledged never does",
    source: "openapi: pollMessages, acknowledgeMessage",
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      await bob.clear();
      const ids = [await alice.send(bob.address), await alice.send(bob.address), await alice.send(bob.address)];
      same(await bob.queue(), ids, "the first poll");
      same(await bob.queue(), ids, "the second poll");
      const remove = () => bob.call("acknowledgeMessage", { params: { message_id: ids[1] ?? "" } });
      same(success(await remove(), 200).acknowledged, true, "acknowledged");
      same(await bob.queue(), [ids[0], ids[2]], "the poll after it");
      same(success(await remove(), 200).acknowledged, false, "acknowledged the second time");
      await bob.clear();
    },
  },
  {
    id: "queue.batch",
    title: "a list of acknowledgements says how many removed a message and how many did not",
    source: "openapi: acknowledgeMessages",
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      await bob.clear();
      const ids = [await alice.send(bob.address), await alice.send(bob.address)];
      const unknown = alice.client.connection.newMessageId();
      const answer = await bob.call("acknowledgeMessages", { body: { message_ids: [...ids, unknown, ids[0]] } });
      same(success(answer, 200), { acknowledged_count: 2, failed_count: 2 }, "the counts");
      same(await bob.queue(), [], "the queue");
    },
  },
  {
    id: "queue.tenancy",
    title: "a device can neither read nor remove what is queued for another",
    source: "openapi: pollMessages, acknowledgeMessage",
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      await alice.clear();
      const id = await alice.send(bob.address);
      same(await alice.queue(), [], "the sender's queue");
      const answer = await alice.call("acknowledgeMessage", { params: { message_id: id } });
      same(success(answer, 200).acknowledged, false, "acknowledged by another");
      hold((await bob.queue()).includes(id), "it is gone");
      await bob.clear();
    },
  },
  {
    id: "queue.pages",
    title: "a page ends at its limit, oldest first, and says whether there is more",
    source: "openapi: pollMessages, limit",
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      await bob.clear();
      const ids = [await alice.send(bob.address), await alice.send(bob.address), await alice.send(bob.address)];
      const page = success(await bob.call("pollMessages", { query: { limit: 2 } }), 200);
      same(
        page.messages.map(({ message_id }) => message_id),
        ids.slice(0, 2),
        "the page",
      );
      same(page.has_more, true, "has_more");
      const times = page.messages.map(({ received_at }) => received_at);
      hold((times[0] ?? 0) <= (times[1] ?? 0), "received_at falls");
      await bob.clear();
    },
  },
  {
    id: "queue.since",
    title: "since leaves out what was received before, and leaves it queued",
    source: "openapi: pollMessages, since",
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      await bob.clear();
      const id = await alice.send(bob.address);
      const [queued] = success(await bob.call("pollMessages"), 200).messages;
      const at = queued?.received_at ?? 0;
      const poll = async (since: number) => success(await bob.call("pollMessages", { query: { since } }), 200).messages;
      same((await poll(at)).length, 1, "messages since its own time");
      same((await poll(at + 1)).length, 0, "messages since a second later");
      same(await bob.queue(), [id], "the queue");
      await bob.clear();
    },
  },
  {
    id: "queue.bounds",
    title: "a limit of 0 or 1001, a list of 1001 ids and an invalid id are refused",
    source: "openapi: pollMessages, acknowledgeMessages, acknowledgeMessage",
    async check(harness) {
      const bob = await harness.bob();
      for (const limit of [0, 1001, -1]) {
        refused(await bob.call("pollMessages", { query: { limit } }), "INVALID_REQUEST");
      }
      const id = bob.client.connection.newMessageId();
      const many = { message_ids: Array(1001).fill(id) };
      refused(await bob.call("acknowledgeMessages", { body: many }), "INVALID_REQUEST");
      refused(await bob.call("acknowledgeMessage", { params: { message_id: "7" } }), "INVALID_REQUEST");
    },
  },
  {
    id: "queue.system-event",
    title: "a message with a system event is polled with it",
    source: "openapi: SystemEvent",
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      await bob.clear();
      const system_event = { event: "member_added", extension_type: "0xF000" };
      await alice.send(bob.address, { system_event });
      const [queued] = success(await bob.call("pollMessages"), 200).messages;
      same(queued?.system_event, system_event, "system_event");
      await bob.clear();
    },
  },
];
