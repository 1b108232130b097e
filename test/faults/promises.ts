import type { Fault } from "./fault.js";

/** What was stored, and how often it is given out. */
export const promiseFaults: readonly Fault[] = [
  {
    name: "an info package is lost",
    file: "src/infopackages/service.ts",
    find: "      await insertPackage(trx, stored);",
    replace: "",
    foundBy: { operations: ["uploadInfoPackage"] },
  },
  {
    name: "an info package has a use too many",
    file: "src/infopackages/store.ts",
    find: ":maxUses::integer, :maxUses::integer,",
    replace: ":maxUses::integer, :maxUses::integer + 1,",
    foundBy: { operations: ["uploadInfoPackage"] },
  },
  {
    name: "a revoked info package stays",
    file: "src/infopackages/service.ts",
    find: "if (!(await deletePackage(db, { ...key, now }))) throw packageNotFound();",
    replace: "",
    foundBy: { operations: ["uploadInfoPackage"] },
  },
  {
    name: "an info package is found under another variant",
    file: "src/infopackages/store.ts",
    find: "from info_packages where segment = :segment and kind = :kind`,",
    replace: "from info_packages where segment = :segment and :kind <> ''`,",
    foundBy: { operations: ["createRevocableInfoPackage"] },
  },
  {
    name: "a key package is handed out again",
    file: "src/keypackages/store.ts",
    find: "set key_package = null\n       from oldest",
    replace: "set key_package = k.key_package\n       from oldest",
    foundBy: { operations: ["fetchKeyPackage"] },
  },
  {
    name: "the newest key package is handed out first",
    file: "src/keypackages/store.ts",
    find: "order by position limit 1\n       for update skip locked",
    replace: "order by position desc limit 1\n       for update skip locked",
    foundBy: { test: "test/keypackages/model.test.ts" },
  },
  {
    name: "a linking blob is replaced by a second one",
    file: "src/provisioning/store.ts",
    find: "where id = :id::uuid and expires_at > :now::bigint and ciphertext is null",
    replace: "where id = :id::uuid and expires_at > :now::bigint",
    foundBy: { operations: ["createProvisioning"] },
  },
  {
    name: "a poll shows the messages of every device",
    file: "src/messages/queue/store.ts",
    find: "where device_id = :deviceId::text and position > :after::bigint",
    replace: "where position > :after::bigint",
    foundBy: { operations: ["sendMessage"] },
  },
  {
    name: "an acknowledgement removes the messages of all devices at its position",
    file: "src/messages/queue/store.ts",
    find: "where m.device_id = d.device_id and m.position = d.position and (m.message_id = d.message_id) is true\n",
    replace: "where m.position = d.position\n",
    foundBy: { operations: ["acknowledgeMessage", "sendMessage"] },
  },
  {
    name: "an acknowledgement removes nothing",
    file: "src/messages/queue/store.ts",
    find: "where m.device_id = d.device_id and m.position = d.position and (m.message_id = d.message_id) is true\n",
    replace: "where m.device_id = d.device_id and m.position = d.position and false\n",
    foundBy: { operations: ["sendMessage"] },
  },
  {
    name: "a page has a message too many",
    file: "src/messages/queue/store.ts",
    find: "or (s.number <= :limit::integer\n",
    replace: "or (s.number <= :limit::integer + 1\n",
    foundBy: { operations: ["pollMessages"] },
  },
  {
    name: "has_more is never true",
    file: "src/messages/handlers.ts",
    find: "has_more: page.hasMore,",
    replace: "has_more: page.hasMore && page.messages.length === 0,",
    foundBy: { operations: ["pollMessages"] },
  },
  {
    name: "a signature is handed on in lower case",
    file: "src/messages/handlers.ts",
    find: "sender_signature: message.senderSignature,",
    replace: "sender_signature: message.senderSignature.toLowerCase(),",
    foundBy: { operations: ["sendMessage"] },
  },
  {
    name: "a repetition is stored again",
    file: "src/messages/ingest/decide.ts",
    find: "const repeated = first !== undefined || !pass.fresh.has(message.key);",
    replace: "const repeated = first !== undefined && !pass.fresh.has(message.key);",
    foundBy: { operations: ["sendMessage"] },
  },
  {
    name: "an acknowledgement removes the older of two with one id, although only the younger was handed out",
    file: "src/messages/queue/store.ts",
    find: `              m.delivered_out_of_order or m.position <= (
                select q.delivery_cursor from queues as q
                where q.device_id = m.device_id
                \${db.placement.onlyShardsOf("q.device_id", ":deviceIds::text[]")}
              ) desc,
`,
    replace: "",
    foundBy: { test: "test/messages/acknowledging.test.ts" },
  },
  {
    name: "a change of the configuration is lost",
    file: "src/settings/service.ts",
    find: "  await replaceValues(transaction, values, change);",
    replace: "",
    foundBy: { operations: ["updateConfig"] },
  },
  {
    name: "a transaction may be sent again with other messages",
    file: "src/federation/inbound/repeated-delivery.ts",
    find: "if (!found.digest.equals(arrival.digest) && !arrival.covers(found.answer)) throw conflict();",
    replace: "",
    foundBy: { operations: ["deliverTransaction"] },
  },
];
