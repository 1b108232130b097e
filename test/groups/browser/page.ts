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

/** A store whose connection is closed by somebody else, as browsers do in the background, and whose data are then deleted. */
async function loseStore() {
  const connections: IDBDatabase[] = [];
  const name = "lost";
  const { open: openDatabase } = IDBFactory.prototype;
  IDBFactory.prototype.open = function (...given) {
    const request = openDatabase.apply(this, given);
    request.addEventListener("success", () => connections.push(request.result));
    return request;
  };
  const lose = () => {
    for (const connection of connections) connection.close();
  };
  const store = indexedDbStore(name);
  await store.lock({ wait: false });
  await store.write([["a", new Uint8Array([1])]]);
  lose();
  await store.write([["b", new Uint8Array([2])]]);
  lose();
  const lost = (await store.list({ prefix: "" })).map(([, [value]]) => value);
  lose();
  await new Promise((resolve, reject) => {
    Object.assign(indexedDB.deleteDatabase(name), { onsuccess: resolve, onerror: reject });
  });
  const deleted = [await store.write([["c", new Uint8Array([3])]]).catch(String), await store.get("a").catch(String)];
  await store.close();
  const again = indexedDbStore(name);
  await again.lock({ wait: false });
  const left = (await again.list({ prefix: "" })).length;
  await again.close();
  return { lost, deleted, left };
}

Object.assign(globalThis, {
  open,
  loseStore,
  tryStore: () => tryStore(indexedDbStore("store"), indexedDbStore("store")),
  create: async (name: string, addresses: string[]) => (await groups?.create({ name }))?.add(addresses),
  send: async (text: string) => void (await groups?.groups()[0]?.send({ text })),
  texts: async () => ((await groups?.groups()[0]?.messages()) ?? []).map(({ text }) => text),
});
