import { Command } from "commander";
import { migrate } from "../database/migrations/migrate.js";
import { withCliContext } from "./context.js";
import { jsonOption, type ShowOptions, show } from "./output.js";

export function migrateCommand(): Command {
  return new Command("migrate")
    .description("migrate the database's schema to this version (serve does so too)")
    .option(...jsonOption)
    .action((options: ShowOptions) =>
      withCliContext(
        async ({ db }) => {
          const onWait = (message: string) => void process.stderr.write(`${message}\n`);
          report(await migrate(db, undefined, { onWait }), options);
        },
        { unmigrated: true, mayCreate: true },
      ),
    );
}

function report(applied: readonly string[], options: ShowOptions): void {
  show({ applied }, options, () => [
    applied.length === 0 ? "The schema is up to date." : `Applied: ${applied.join(", ")}`,
  ]);
}
