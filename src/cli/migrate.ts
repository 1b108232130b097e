import { Command } from "commander";
import { migrate } from "../platform/database/migrate.js";
import { withCliContext } from "./context.js";

export function migrateCommand(): Command {
  return new Command("migrate")
    .description("bring the database's schema up to this version (serve does it too)")
    .action(() => withCliContext(async ({ db }) => report(await migrate(db)), { anySchema: true, mayCreate: true }));
}

function report(steps: readonly string[]): void {
  console.log(steps.length === 0 ? "The schema is up to date." : `Applied: ${steps.join(", ")}`);
}
