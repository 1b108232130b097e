import { describeLivingNode, findLivingNodes } from "../platform/cluster/nodes.js";
import type { Db } from "../platform/database/connection.js";
import type { CliContext } from "./context.js";

/** For commands that change what a relay holds in memory: throws where one runs, or ran until a moment ago. */
export async function refuseBesideNodes(
  { db, config }: Pick<CliContext, "config"> & { db: Db },
  because: string,
): Promise<void> {
  const living = await findLivingNodes(db, config);
  if (living.length === 0) return;
  const nodes = living.map(describeLivingNode).join(" ");
  throw new Error(`a relay is running on this database; stop it first, as ${because}. ${nodes}`);
}
