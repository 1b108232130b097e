import { Command } from "commander";
import { createAuditService } from "../audit/service.js";
import { createSystemClock } from "../platform/cluster/clock.js";
import { createNotifications } from "../platform/database/notifications.js";
import { clockAccepted, clockChannel } from "../platform/infrastructure.js";
import { type CliContext, withCliContext } from "./context.js";

export function clockCommand(): Command {
  return new Command("clock")
    .description("the database's clock, by which every node goes")
    .addCommand(showCommand())
    .addCommand(acceptCommand());
}

function showCommand(): Command {
  return new Command("show")
    .description("show the time of the database and how far it is from this machine's")
    .action(() => withCliContext(async (place) => console.log(describe(place))));
}

function acceptCommand(): Command {
  return new Command("accept")
    .description("vouch for the database's clock as it is, after a jump that nodes did not believe")
    .action(() => withCliContext(accept));
}

/** Nodes that do not hear it, or start later, decide for themselves. */
async function accept(place: CliContext): Promise<void> {
  const audit = createAuditService(place);
  const notifications = createNotifications(place);
  await audit.record(place.db, {
    ...{ action: "clock_accepted", admin: null, target: null, ipAddress: null, userAgent: null },
    details: { seconds: secondsAhead(place) },
  });
  await notifications.start();
  notifications.notify(clockChannel, clockAccepted);
  await notifications.stop();
  console.log(`${describe(place)}\nEvery node that runs now goes by it.`);
}

function describe(place: CliContext): string {
  const seconds = secondsAhead(place);
  const where = seconds === 0 ? "like" : `${Math.abs(seconds)} s ${seconds < 0 ? "behind" : "ahead of"}`;
  return `The database's clock says ${new Date(place.clock.nowMillis()).toISOString()}, ${where} this machine's.`;
}

function secondsAhead({ clock }: CliContext): number {
  return Math.round((clock.nowMillis() - createSystemClock().nowMillis()) / 1000);
}
