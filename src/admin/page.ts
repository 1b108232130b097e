/** One page of a list that was read with one extra item, to see whether there is another page. */
export function pageOf<Item>(
  found: readonly Item[],
  { limit, offset }: { limit: number; offset: number },
): { items: Item[]; has_more: boolean; next_offset: number | null } {
  const has_more = found.length > limit;
  return { items: found.slice(0, limit), has_more, next_offset: has_more ? offset + limit : null };
}
