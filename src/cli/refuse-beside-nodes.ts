import type { Db } from "../platform/database/connection.js";
import { describeLivingNode, findLivingNodes } from "../platform/nodes.js";
import type { Workplace } from "./workplace.js";

/** For commands that change what a relay holds in memory: throws where one runs, or ran until a moment ago. */
export async function refuseBesideNodes(
  { db, config }: Pick<Workplace, "config"> & { db: Db },
  because: string,
): Promise<void> {
  const living = await findLivingNodes(db, config);
  if (living.length === 0) return;
  const nodes = living.map(describeLivingNode).join(" ");
  throw new Error(`a relay is running on this database; stop it first, as ${because}. ${nodes}`);
}
