import { checkPostgresUrl } from "../platform/config/checks.js";
import { constant, integer, optionalText, type ValuesOf } from "../platform/config/setting.js";

/** The connection to PostgreSQL. */
export const databaseSettings = {
  databaseUrl: {
    ...optionalText("An existing PostgreSQL (15 to 18)", "postgres:// URL", checkPostgresUrl),
    shownFallback: "an embedded PostgreSQL in DATA_DIR",
  },
  embeddedPostgresBin: {
    ...optionalText("A folder with postgres and initdb, for the embedded PostgreSQL", "folder"),
    shownFallback: "the programs that the relay brings",
  },
  readDatabaseUrl: {
    ...optionalText(
      "A replica of DATABASE_URL that metrics and the audit log are read from",
      "postgres:// URL",
      checkPostgresUrl,
    ),
    shownFallback: "DATABASE_URL",
  },
  databasePoolSize: integer("Maximum number of connections to the database per node", {
    default: 10,
    min: 2,
    max: 500,
  }),
};

export const databaseConstants = {
  databaseStatementTimeoutSeconds: constant("Longest time that a statement may take", 30),
  databaseConnectTimeoutSeconds: constant("Longest wait for a connection", 5),
};

export type DatabaseSettings = ValuesOf<typeof databaseSettings & typeof databaseConstants>;
