// A process that starts an embedded PostgreSQL as a relay does, says where it is, and stops it when its input ends.
import { startEmbeddedPostgres } from "../../src/platform/embedded-postgres/server.js";
import { createLogger } from "../../src/platform/logger.js";

const [, , dataDir = ""] = process.argv;
const postgres = await startEmbeddedPostgres({ dataDir, logger: createLogger({ level: "silent" }) });
process.stdout.write(`${JSON.stringify({ url: postgres.url, adopted: postgres.adopted })}\n`);
process.stdin.once("end", () => void postgres.stop());
process.stdin.resume();
