import { afterAll, beforeAll, expect, test } from "vitest";
import { encodeRecord } from "../../src/groups/encoding/records.js";
import { type Group, type Message, memoryStore, type Store } from "../../src/groups/index.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import { groupOf, openDevice, openPerson, roomy, untilHas } from "./people.js";

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay(roomy);
});
afterAll(() => relay?.stop());

const found: [said: string, queries: string[], others: string[]][] = [
  [
    "Meet me at the café, it's near Straße 12",
    ["cafe", "CAFÉ", "strasse", "STRASSE 12", "its near".split(" ")[1] as string, "caf me"],
    ["afé", "2"],
  ],
  ["The cafe\u0301 was closed", ["café closed", "cafe\u0301"], ["closed open"]],
  ["İstanbul'a, sonra ISPARTA'ya", ["istanbul", "İSTANBUL", "ıstanbul", "ısparta", "isparta"], ["tanbul"]],
  ["Ο Οδυσσεύς γύρισε", ["οδυσσευς", "ΟΔΥΣΣΕΥΣ", "Οδυσσεύ"], ["δυσσεύς"]],
  ["这是中文測試，不是英文", ["中文", "測", "文測試"], ["文中", "測文"]],
  ["明日東京へ行きます", ["東京", "行き", "京へ行"], ["京東"]],
  ["내일 서울역에서 만나요", ["서울", "역에서", "서울역에서"], ["울서"]],
  ["วันนี้อากาศดีมาก", ["อากาศ", "ดีมาก"], ["มากดี"]],
  ["नमस्ते दुनिया", ["नमस्ते", "दुनि"], ["निया"]],
  ["שָׁלוֹם לכולם", ["שלום", "לכולם"], ["לום"]],
  ["See https://example.org/menu?x=1 🎉 :-)", ["example", "org", "menu", "🎉", ":-)"], ["xample", "🎊"]],
];

const textsFor = (messages: readonly Message[]) => messages.map(({ text }) => text);

test("messages are found by their words, in any case and script, with and without marks", async () => {
  const ada = await openPerson(relay, "Ada");
  const group = await ada.create({ name: "Languages" });
  for (const [said] of found) await group.send({ text: said });
  for (const [said, queries, others] of found) {
    for (const query of queries)
      expect([query, textsFor(await ada.search(query))]).toEqual([query, expect.arrayContaining([said])]);
    for (const query of others)
      expect([query, textsFor(await ada.search(query))]).not.toEqual([query, expect.arrayContaining([said])]);
  }
  for (const nothing of ["", "  ", "\u0301"]) expect(await ada.search(nothing)).toEqual([]);
  for (const wrong of ["x".repeat(1_001), undefined, 1])
    await expect(ada.search(wrong as string)).rejects.toThrow(TypeError);
  for (const limit of [0, 1.5, 1_001]) await expect(ada.search("the", { limit })).rejects.toThrow(TypeError);
  await expect(ada.search("the", { signal: AbortSignal.abort() })).rejects.toThrow();
});

/** As if they had come over the years. */
async function fill(store: Store, group: string, texts: readonly string[]): Promise<void> {
  const message = (text: string, seq: number) => ({
    ...{ id: `old-${seq}`, group, from: { user: "", name: "Ben", device: "" }, isMine: false, text, seq },
    ...{ sentAtMillis: seq, receivedAtMillis: seq, reactions: {}, receipts: {} },
  });
  const key = (seq: number) => `message/${group}/${String(seq).padStart(12, "0")}`;
  await store.lock({ wait: true });
  await store.write(texts.map((text, seq) => [key(seq), encodeRecord(message(text, seq))]));
  await store.close();
}

test("the words of a long history are kept, also of what is edited, deleted, imported and has disappeared", async () => {
  const store = memoryStore();
  const first = await openDevice(relay, "Ada", { store });
  const { id } = await first.create({ name: "Years" });
  const mine = await (first.group(id) as Group).send({ text: "original" });
  await first.close();
  await fill(
    store,
    id,
    Array.from({ length: 4_500 }, (_, at) => (at % 1_500 === 0 ? `needle ${at}` : `hay ${at % 70}`)),
  );
  let lists = 0;
  const counting: Store = {
    ...{ lock: (options) => store.lock(options), get: (key) => store.get(key), close: () => store.close() },
    ...{ write: (changes) => store.write(changes) },
    list: async (range) => {
      const listed = await store.list(range);
      lists += listed.length;
      return listed;
    },
  };
  const ada = await openPerson(relay, "Ada", { store: counting });
  const ben = await openPerson(relay, "Ben");
  const group = ada.group(id) as Group;
  await group.add([ben.address]);
  const bens = await groupOf(ben, "Years");
  const needles = ["needle 3000", "needle 1500", "needle 0"];
  expect(textsFor(await ada.search("Needle"))).toEqual(needles);
  expect(textsFor(await ada.search("needle", { limit: 2 }))).toEqual(needles.slice(0, 2));
  expect(textsFor(await ada.search("needle", { group: id }))).toEqual(needles);
  expect(await ada.search("needle", { group: bens.id === id ? "00" : id })).toEqual([]);
  lists = 0;
  expect(await ada.search("absent")).toEqual([]);
  expect(lists).toBeLessThan(100);

  await group.edit(mine.id, "rewritten");
  expect(textsFor(await ada.search("original"))).toEqual([]);
  expect(textsFor(await ada.search("rewrit"))).toEqual(["rewritten"]);
  const [old] = await ada.search("needle 1500");
  await store.write([[`index/${id}/${old?.id}`, encodeRecord({ seq: old?.seq })]]);
  await group.deleteMessages([old?.id as string]);
  expect(textsFor(await ada.search("needle"))).toEqual(["needle 3000", "needle 0"]);
  // Nothing of it is left among the words either.
  const kept = await store.list({ prefix: "search/" });
  expect(kept.length).toBeGreaterThan(1);
  expect(kept.filter(([, value]) => Buffer.from(value).includes("1500"))).toEqual([]);

  await group.setDisappearing(60);
  await group.send({ text: "needle in a minute" });
  await untilHas(bens, "needle in a minute");
  expect(textsFor(await ben.search("needle"))).toEqual(["needle in a minute"]);
  relay.clock.advance(120);
  expect(await ben.search("needle")).toEqual([]);
  expect(textsFor(await ada.search("needle"))).toEqual(["needle 3000", "needle 0"]);
  await until(async () => (await ada.search("minute")).length === 0, "it is gone");
});
