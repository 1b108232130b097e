// A process that starts an embedded PostgreSQL like a relay, prints where it is, and stops it when its input ends.
import { startEmbeddedPostgres } from "../../src/database/embedded/server.js";
import { createLogger } from "../../src/platform/logger.js";

const [, , dataDir = "", graceSeconds = ""] = process.argv;
const postgres = await startEmbeddedPostgres({
  dataDir,
  logger: createLogger({ level: "silent" }),
  graceSeconds: Number(graceSeconds),
});
process.stdout.write(`${JSON.stringify({ url: postgres.url, adopted: postgres.adopted })}\n`);
process.stdin.once("end", () => void postgres.stop());
process.stdin.resume();
