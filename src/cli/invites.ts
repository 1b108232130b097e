import { Command, InvalidArgumentError } from "commander";
import { renderUnicodeCompact } from "uqr";
import { showCreatedInvite, showInvite } from "../admin/answers.js";
import { requireAdministrator } from "../admin/service.js";
import { bySystem } from "../audit/service.js";
import { print } from "../platform/print.js";
import { daySeconds } from "../protocol/units.js";
import { inviteLifetime } from "../registration/service.js";
import { jsonOption, limitOption, type ShowOptions, show, table, timeOf } from "./output.js";
import { type ServicesContext, withServices } from "./services.js";

/** Invites let devices register if the registration policy requires one. */
export function invitesCommand(): Command {
  return new Command("invites")
    .description("manage invites, which let devices register")
    .addCommand(listCommand())
    .addCommand(createCommand())
    .addCommand(revokeCommand());
}

function listCommand(): Command {
  return new Command("list")
    .description("show the invites that have not expired, the newest first; their codes and handles are not stored")
    .option(...limitOption)
    .option(...jsonOption)
    .action((options: ShowOptions & { limit: number }) =>
      withServices(async ({ services, db }) => {
        const { invites } = await services.registration.invites.list(db, { limit: options.limit, offset: 0 });
        const lines = invites.map((invite) => [
          invite.jti,
          `${invite.uses}/${invite.maxUses}`,
          timeOf(invite.expiresAt),
          invite.revokedAt === null ? "-" : `revoked ${timeOf(invite.revokedAt)}`,
        ]);
        show(invites.map(showInvite), options, () => table([["INVITE", "USED", "EXPIRES", "STATE"], ...lines]));
      }),
    );
}

interface CreateOptions extends ShowOptions {
  uses: number;
  days: number | undefined;
  by?: string;
  qr: boolean;
}

function createCommand(): Command {
  return new Command("create")
    .description("create an invite and print its link and handle, which cannot be shown again")
    .addHelpText("after", "\nThe handle is for people who type it. With --json, the signed code is shown too.")
    .option("--uses <number>", "number of devices that may register with it", parseCount, 1)
    .option("--days <number>", "days until it expires; default: the configured lifetime", parseCount)
    .option("--by <device_id>", "the administrator in whose name it is created; default: the longest-serving one")
    .option("--no-qr", "print no QR code")
    .option(...jsonOption)
    .action((options: CreateOptions) => withServices((context) => create(context, options)));
}

async function create(context: ServicesContext, options: CreateOptions): Promise<void> {
  const { services, db, config } = context;
  const createdBy = await requireAdministrator(db, options.by);
  const lifetimeSeconds = inviteLifetime(options.days && options.days * daySeconds, config);
  if (lifetimeSeconds === undefined) {
    throw new Error(
      `an invite can be valid for at most ${Math.floor(config.inviteMaxLifetimeSeconds / daySeconds)} days`,
    );
  }
  const made = await db.transaction(async (trx) => {
    const invite = await services.registration.invites.create(trx, {
      maxUses: options.uses,
      lifetimeSeconds,
      createdBy,
    });
    const details = { max_uses: options.uses, expires_at: invite.expiresAt, domain: invite.domain };
    await services.audit.record(trx, { ...bySystem, action: "invite_created", target: invite.jti, details });
    return invite;
  });
  // A fragment is not sent to servers, so no access log contains the handle.
  const link = `${config.baseUrl}/#invite=${made.handle ?? made.code}`;
  show({ link, ...showCreatedInvite(made, createdBy) }, options, () => [
    link,
    ...(options.qr ? ["", renderUnicodeCompact(link), ""] : []),
    `handle   ${made.handle}`,
    `expires  ${timeOf(made.expiresAt)}, in ${describeDays(lifetimeSeconds)}`,
    `devices  ${made.maxUses}`,
  ]);
}

function describeDays(seconds: number): string {
  const days = Math.round(seconds / daySeconds);
  return days === 1 ? "1 day" : `${days} days`;
}

function revokeCommand(): Command {
  return new Command("revoke")
    .description("revoke an invite; devices that registered with it stay")
    .argument("<invite>", "its id, as `invites list` shows it")
    .action((id: string) =>
      withServices(async ({ services, db }) => {
        const revoked = await db.transaction(async (trx) => {
          const outcome = await services.registration.invites.revoke(trx, id);
          if (outcome?.now !== true) return outcome;
          await services.audit.record(trx, { ...bySystem, action: "invite_revoked", target: id, details: {} });
          return outcome;
        });
        if (revoked === undefined) throw new Error("there is no such invite, or it has expired");
        print(`${id} was revoked at ${timeOf(revoked.revokedAt)}.`);
      }),
    );
}

const maxCounted = 1_000_000;

function parseCount(text: string): number {
  const count = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > maxCounted) throw new InvalidArgumentError(`It must be a number from 1 to ${maxCounted}.`);
  return count;
}
