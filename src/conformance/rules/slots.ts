import { createHash } from "node:crypto";
import { decodeBase64, decodeHex, encodeBase64, utf8 } from "../../protocol/encodings.js";
import { verifyBytes } from "../../protocol/signature.js";
import { type TakingKey, takingKeyFrom } from "../../protocol/taking-key.js";
import { hold, NotChecked, refused, same, success } from "../harness/assertions.js";
import { federationToken, originOf } from "../harness/origin.js";
import type { Harness, Rule } from "../harness/types.js";

export const slotRules: readonly Rule[] = [
  {
    id: "slots.first",
    title: "of five commits that arrive at once exactly one takes the slot, and all five learn which",
    source: "openapi: takeSlot, getSlot",
    async check(harness) {
      const { key, taking } = await newSlot(harness);
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      const params = { slot: taking.slot };
      refused(await harness.call("getSlot", { params }), "NOT_FOUND");
      const contents = Array.from({ length: 5 }, () => encodeBase64(harness.random.bytes(100)));
      const answers = await Promise.all(
        contents.map((content, index) =>
          (index % 2 ? alice : bob).call("takeSlot", { params, body: signed(taking, content, key) }),
        ),
      );
      const taken = answers.map((answer) => success(answer, 200));
      same(taken.filter(({ won }) => won).length, 1, "how many won");
      const winner = contents[taken.findIndex(({ won }) => won)] as string;
      for (const { won, content } of taken) same(content, won ? undefined : winner, "the content of the answer");
      const found = success(await harness.call("getSlot", { params }), 200);
      same(found.content, winner, "what the slot has");
      for (const { receipt } of taken) same(receipt, found.receipt, "the receipt");
      const hash = createHash("sha256").update(Buffer.from(winner, "base64")).digest("hex");
      const text = ["mls-relay commit slot receipt 1", found.receipt.domain, params.slot, hash].join("\n");
      same(found.receipt.content_sha256, hash, "the hash in the receipt");
      const publicKey = decodeHex(key) ?? new Uint8Array();
      hold(verifyBytes(publicKey, utf8(text), found.receipt.signature), "the receipt must be signed by the slot key");
    },
  },
  {
    id: "slots.repetition",
    title: "a repetition of the winner's request wins again, and another slot key is refused",
    source: "openapi: takeSlot; errors.yaml: SLOTS_RESTARTED",
    async check(harness) {
      const { key, taking } = await newSlot(harness);
      const bob = await harness.bob();
      const params = { slot: taking.slot };
      const body = signed(taking, encodeBase64(harness.random.bytes(100)), key);
      const first = success(await bob.call("takeSlot", { params, body }), 200);
      same(success(await bob.call("takeSlot", { params, body }), 200), first, "the second answer");
      refused(await bob.call("takeSlot", { params, body: { ...body, slot_key: "ab".repeat(32) } }), "SLOTS_RESTARTED");
    },
  },
  {
    id: "slots.signature",
    title: "a slot is taken only with the key that it is named after and a signature by it over the content",
    source: "openapi: takeSlot, public_key and signature; errors.yaml: INVALID_SIGNATURE",
    async check(harness) {
      const { key, taking } = await newSlot(harness);
      const other = (await newSlot(harness)).taking;
      const bob = await harness.bob();
      const params = { slot: taking.slot };
      const body = signed(taking, encodeBase64(harness.random.bytes(100)), key);
      const content = encodeBase64(harness.random.bytes(100));
      const take = (changes: object) => bob.call("takeSlot", { params, body: { ...body, ...changes } });
      refused(await take(signed(other, body.content, key)), "INVALID_REQUEST");
      refused(await take({ content }), "INVALID_SIGNATURE");
      refused(await take({ signature: "00".repeat(64) }), "INVALID_SIGNATURE");
      refused(await harness.call("getSlot", { params }), "NOT_FOUND");
      same(success(await take({}), 200).won, true, "won");
    },
  },
  {
    id: "slots.many",
    title: "many slots are read in one request, in its order, and a free one is no error",
    source: "openapi: readSlots; SlotPolicy, max_slots_per_reading",
    async check(harness) {
      const { slots } = success(await harness.call("getDiscovery"), 200);
      if (slots?.max_slots_per_reading === undefined) throw new NotChecked("the server reads one slot at a time");
      const { key, taking } = await newSlot(harness);
      const free = (await newSlot(harness)).taking.slot;
      const content = encodeBase64(harness.random.bytes(100));
      const body = signed(taking, content, key);
      const params = { slot: taking.slot };
      const { receipt, expires_at } = success(await (await harness.bob()).call("takeSlot", { params, body }), 200);
      const names = [free, taking.slot];
      const read = success(await harness.call("readSlots", { body: { slots: names } }), 200);
      const expected = [
        { slot: free, taken: false },
        { slot: taking.slot, taken: true, content, receipt, expires_at },
      ];
      same(read.slots, expected, "what the slots have");
    },
  },
  {
    id: "slots.elsewhere",
    title: "a slot of another server is read only with a device's token",
    source: "openapi: getSlot, domain; errors.yaml: INVALID_TOKEN",
    async check(harness) {
      const params = { slot: (await newSlot(harness)).taking.slot };
      refused(await harness.call("getSlot", { params, query: { domain: "elsewhere.example" } }), "INVALID_TOKEN");
      refused(await harness.call("getSlot", { params }), "NOT_FOUND");
    },
  },
  {
    id: "slots.federation",
    title:
      "another server takes slots as a device does: the first content wins, a repetition wins again, and it can read",
    source: "openapi: askSlot; ServerCapabilities, federated_slots",
    requires: ["origin"],
    async check(harness) {
      const { key, taking } = await newSlot(harness);
      const { slot } = taking;
      const { capabilities } = success(await harness.call("getDiscovery"), 200);
      if (capabilities.federated_slots !== true) throw new NotChecked("the server has no slots for other servers");
      const { domain } = originOf(harness);
      const token = await federationToken(harness);
      const ask = (body: object, header = domain) =>
        harness.call("askSlot", {
          token,
          headers: { "x-origin-server": header },
          body: { origin_server: domain, slot, ...body },
        });
      refused(await ask({}), "NOT_FOUND");
      const own = signed(taking, encodeBase64(harness.random.bytes(100)), key);
      const first = success(await ask(own), 200);
      same(first.won, true, "won");
      same(success(await ask(own), 200), first, "the second answer");
      const alice = await harness.alice();
      const body = signed(taking, encodeBase64(harness.random.bytes(100)), key);
      refused(await ask({ ...body, content: own.content }), "INVALID_SIGNATURE");
      const lost = { won: false, content: own.content, receipt: first.receipt, expires_at: first.expires_at };
      same(success(await alice.call("takeSlot", { params: { slot }, body }), 200), lost, "the answer to a device");
      same(success(await ask({}), 200), lost, "the answer to a reading");
      refused(await ask({ ...own, slot_key: "ab".repeat(32) }), "SLOTS_RESTARTED");
      refused(await ask({ content: own.content }), "INVALID_REQUEST");
      refused(await ask(own, "other.example"), "INVALID_REQUEST", "INVALID_TOKEN");
    },
  },
];

/** A free slot of the server: its slot key, and the key that takes the slot. */
async function newSlot(harness: Harness): Promise<{ key: string; taking: TakingKey }> {
  const { server, slots } = success(await harness.call("getDiscovery"), 200);
  if (slots === undefined) throw new NotChecked("the server has no commit slots");
  const seed = new Uint8Array(harness.random.bytes(32));
  return { key: slots.key, taking: takingKeyFrom(seed, String(server).toLowerCase()) };
}

/** A request that takes the slot with `content`, which is in base64. */
function signed(taking: TakingKey, content: string, key: string) {
  return { content, slot_key: key, ...taking.sign(decodeBase64(content) ?? new Uint8Array()) };
}
