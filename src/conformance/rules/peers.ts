import { same, success } from "../harness/assertions.js";
import type { Rule } from "../harness/types.js";
import { within } from "./registration.js";

const timeoutMillis = 30_000;

export const peerRules: readonly Rule[] = [
  {
    id: "peers.there-and-back",
    title: "messages to a device of another server arrive there as they were sent, and answers come back",
    source: "specification, Message routing 6; openapi: sendMessage",
    requires: ["peer"],
    async check(harness) {
      const [alice, dave] = [await harness.alice(), await harness.dave()];
      await alice.clear();
      const body = alice.message(dave.address);
      same(success(await alice.call("sendMessage", { body }), 202).status, "federated", "status");
      await within(timeoutMillis, async () => (await dave.queue()).length > 0, "it did not arrive");
      const [got] = success(await dave.call("pollMessages"), 200).messages;
      same([got?.message_id, got?.mls_ciphertext], [body["message_id"], body["mls_ciphertext"]], "the message");
      const answer = await dave.send(alice.address);
      await within(timeoutMillis, async () => (await alice.queue()).includes(answer), "the answer did not arrive");
      await Promise.all([alice.clear(), dave.clear()]);
    },
  },
  {
    id: "peers.once",
    title: "a message that is sent three times arrives at another server once",
    source: "openapi: sendMessage, deliverTransaction",
    requires: ["peer"],
    async check(harness) {
      const [alice, dave] = [await harness.alice(), await harness.dave()];
      await dave.clear();
      const body = alice.message(dave.address);
      for (const _ of [1, 2, 3]) success(await alice.call("sendMessage", { body }), 202);
      const last = await alice.send(dave.address);
      await within(timeoutMillis, async () => (await dave.queue()).includes(last), "it did not arrive");
      same(await dave.queue(), [body["message_id"], last], "the queue there");
      await dave.clear();
    },
  },
  {
    id: "peers.reputation",
    title: "a server that was delivered to is in the federation records",
    source: "openapi: getServerReputation",
    requires: ["peer", "admin"],
    async check(harness) {
      const { address } = await harness.dave();
      const params = { server_domain: address.split("@")[1] ?? "" };
      success(await harness.admin("getServerReputation", { params }), 200);
    },
  },
];
