// What the test of groups runs in a page.
import { type Groups, type GroupsOptions, indexedDbStore, openGroups, tsMls } from "../../../src/groups/index.js";
import { tryStore } from "../try-store.js";

type Given = Pick<GroupsOptions, "name" | "whenLocked"> & { relay: string; domain: string };

let groups: Groups | undefined;

async function open({ relay, domain, name, whenLocked }: Given): Promise<string> {
  const store = indexedDbStore("trial");
  const admission = { by: "nothing" } as const;
  groups = await openGroups({ relay, domain, name, whenLocked, store, mls: tsMls(), admission });
  return groups.address;
}

Object.assign(globalThis, {
  open,
  tryStore: () => tryStore(indexedDbStore("store"), indexedDbStore("store")),
  create: async (name: string, addresses: string[]) => (await groups?.create({ name }))?.add(addresses),
  send: async (text: string) => void (await groups?.groups()[0]?.send({ text })),
  texts: async () => ((await groups?.groups()[0]?.messages()) ?? []).map(({ text }) => text),
});
