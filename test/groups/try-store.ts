import type { Store } from "../../src/groups/index.js";

const bytes = (...values: number[]) => new Uint8Array(values);

/** What a store does when it is tried. */
export const expectedOfStore = {
  locked: true,
  found: [["a/1", "a/2", "a/3"], ["a/1", "a/2"], ["a/2", "a/3"], ["a/2"], [2]],
  lockedTwice: false,
  lockedAfterClose: true,
  kept: ["a/1", "a/3"],
};

/** Tries a store, and the same data opened `again`. */
export async function tryStore(store: Store, again: Store): Promise<unknown> {
  const keysOf = async (of: Store, range: Parameters<Store["list"]>[0]) => (await of.list(range)).map(([key]) => key);
  const locked = await store.lock({ wait: false });
  await store.write([
    ["a/1", bytes(1)],
    ["a/2", bytes(2)],
    ["a/3", bytes(3)],
    ["b/1", bytes(9)],
  ]);
  const found = [
    await keysOf(store, { prefix: "a/" }),
    await keysOf(store, { prefix: "a/", limit: 2 }),
    await keysOf(store, { prefix: "a/", limit: 2, last: true }),
    await keysOf(store, { prefix: "a/", after: "a/1", before: "a/3" }),
    [...((await store.get("a/2")) ?? [])],
  ];
  const lockedTwice = await again.lock({ wait: false });
  await store.write([["a/2", undefined]]);
  const waiting = again.lock({ wait: true });
  await store.close();
  const lockedAfterClose = await waiting;
  // A closed store in memory is empty.
  const kept = again === store ? expectedOfStore.kept : await keysOf(again, { prefix: "a/" });
  await again.close();
  return { locked, found, lockedTwice, lockedAfterClose, kept };
}
