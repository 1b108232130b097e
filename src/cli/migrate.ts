import { Command } from "commander";
import { migrate } from "../platform/database/migrate.js";
import { withCliContext } from "./context.js";

export function migrateCommand(): Command {
  return new Command("migrate")
    .description("migrate the database's schema to this version (serve does so too)")
    .action(() => withCliContext(async ({ db }) => report(await migrate(db)), { anySchema: true, mayCreate: true }));
}

function report(steps: readonly string[]): void {
  console.log(steps.length === 0 ? "The schema is up to date." : `Applied: ${steps.join(", ")}`);
}
