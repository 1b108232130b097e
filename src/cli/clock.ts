import { Command } from "commander";
import { bySystem, createAuditService } from "../audit/service.js";
import { clockAccepted, clockChannel } from "../composition/infrastructure.js";
import { createSystemClock } from "../node/clock.js";
import { print } from "../platform/print.js";
import { type CliContext, withCliContext } from "./context.js";
import { jsonOption, type ShowOptions, show } from "./output.js";

export function clockCommand(): Command {
  return new Command("clock")
    .description("show or accept the database's clock")
    .addCommand(showCommand())
    .addCommand(acceptCommand());
}

function showCommand(): Command {
  return new Command("show")
    .description("show the time of the database and how far it is from this machine's")
    .option(...jsonOption)
    .action((options: ShowOptions) =>
      withCliContext(async (context) => {
        const shown = { database_time: context.clock.nowSeconds(), seconds_ahead: secondsAhead(context) };
        show(shown, options, () => [describe(context)]);
      }),
    );
}

function acceptCommand(): Command {
  return new Command("accept")
    .description("accept the database's clock after a jump that the nodes did not trust")
    .action(() => withCliContext(accept));
}

/** Nodes that miss the notification, or start later, decide for themselves. */
async function accept(context: CliContext): Promise<void> {
  const audit = createAuditService(context);
  const { notifications } = context;
  await audit.record(context.db, {
    ...bySystem,
    action: "clock_accepted",
    target: null,
    details: { seconds: secondsAhead(context) },
  });
  await notifications.start();
  notifications.notify(clockChannel, clockAccepted);
  await notifications.stop();
  print(`${describe(context)}\nEvery running node uses it.`);
}

function describe(context: CliContext): string {
  const seconds = secondsAhead(context);
  const where = seconds === 0 ? "equal to" : `${Math.abs(seconds)} s ${seconds < 0 ? "behind" : "ahead of"}`;
  return `The database's clock says ${new Date(context.clock.nowMillis()).toISOString()}, ${where} this machine's.`;
}

function secondsAhead({ clock }: CliContext): number {
  return Math.round((clock.nowMillis() - createSystemClock().nowMillis()) / 1000);
}
