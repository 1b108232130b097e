import { Command } from "commander";
import { migrate } from "../database/migrations/migrate.js";
import { printError } from "../platform/print.js";
import { type Progress, withProgress } from "../platform/progress.js";
import { withCliContext } from "./context.js";
import { jsonOption, type ShowOptions, show } from "./output.js";

export function migrateCommand(): Command {
  return new Command("migrate")
    .description("migrate the database's schema to this version (serve does so too)")
    .option(...jsonOption)
    .action((options: ShowOptions) =>
      withCliContext(
        async ({ db }) => {
          const run = ({ at, clear }: Progress) => {
            const onWait = (message: string) => {
              clear();
              printError(message);
            };
            return migrate(db, undefined, { onWait, onStep: at });
          };
          const summaryOf = ({ length }: string[]) => (length === 0 ? undefined : `${length} steps`);
          report(await withProgress("migration", run, summaryOf), options);
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
