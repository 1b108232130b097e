import type { Store, StoreChange, StoreRange } from "../store/store.js";

/** What another store has, with changes on top that end with the program. The other store is only read. */
export function unwrittenStore(below: Pick<Store, "get" | "list">): Store {
  const changes = new Map<string, Uint8Array | undefined>();
  return {
    lock: async () => true,
    get: async (key) => (changes.has(key) ? changes.get(key) : below.get(key)),
    list: (range) => listBoth(below, changes, range),
    async write(written: readonly StoreChange[]) {
      for (const [key, value] of written) changes.set(key, value);
    },
    close: async () => {},
  };
}

async function listBoth(
  below: Pick<Store, "list">,
  changes: ReadonlyMap<string, Uint8Array | undefined>,
  { limit, ...range }: StoreRange,
): Promise<[string, Uint8Array][]> {
  const { prefix, after = "", before = "\uffff", last = false } = range;
  const isInRange = (key: string) => key.startsWith(prefix) && key > after && key < before;
  const changed = [...changes].filter(([key]) => isInRange(key));
  // As many of them may be gone.
  const found = await below.list({ ...range, ...(limit !== undefined && { limit: limit + changed.length }) });
  const all = [...new Map([...found, ...changed])].filter((one): one is [string, Uint8Array] => one[1] !== undefined);
  all.sort(([one], [other]) => (one < other ? -1 : 1));
  if (limit === undefined) return all;
  return last ? all.slice(Math.max(0, all.length - limit)) : all.slice(0, limit);
}
