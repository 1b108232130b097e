import { Command, InvalidArgumentError } from "commander";
import { createAdminList } from "../admin/service.js";
import { inTransaction } from "../platform/database/connection.js";
import { daySeconds } from "../protocol/units.js";
import { jsonOption, limitOption, type ShowOptions, show, table, timeOf } from "./output.js";
import { byOperator, type CommandPlace, withServices } from "./services.js";

/** Invites, which let devices register where registration is by invite. */
export function invitesCommand(): Command {
  return new Command("invites")
    .description("codes that let devices register")
    .addCommand(listCommand())
    .addCommand(createCommand())
    .addCommand(revokeCommand());
}

function listCommand(): Command {
  return new Command("list")
    .description("show the invites that have not expired, the youngest first; their codes are kept nowhere")
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
        show(invites, options, () => table([["INVITE", "USED", "EXPIRES", "STATE"], ...lines]));
      }),
    );
}

interface CreateOptions extends ShowOptions {
  uses: number;
  days: number | undefined;
  by?: string;
}

function createCommand(): Command {
  return new Command("create")
    .description("make an invite and print its code, which is shown this once")
    .option("--uses <number>", "devices that may register with it", parseCount, 1)
    .option("--days <number>", "days until it expires; the usual lifetime without it", parseCount)
    .option("--by <device_id>", "the administrator in whose name; the longest standing without it")
    .option(...jsonOption)
    .action((options: CreateOptions) => withServices((place) => create(place, options)));
}

async function create(place: CommandPlace, options: CreateOptions): Promise<void> {
  const { services, db, config } = place;
  const createdBy = await administrator(place, options.by);
  const asked = (options.days ?? 0) * daySeconds;
  const lifetimeSeconds = options.days === undefined ? config.inviteUsualLifetimeSeconds : asked;
  if (lifetimeSeconds > config.inviteMaxLifetimeSeconds) {
    throw new Error(`an invite lives for ${Math.floor(config.inviteMaxLifetimeSeconds / daySeconds)} days at most`);
  }
  const made = await inTransaction(db, async (trx) => {
    const invite = await services.registration.invites.create(trx, {
      maxUses: options.uses,
      lifetimeSeconds,
      createdBy,
    });
    const details = { max_uses: options.uses, expires_at: invite.expiresAt, domain: invite.domain };
    await services.audit.record(trx, { ...byOperator, action: "invite_created", target: invite.jti, details });
    return invite;
  });
  show(made, options, () => [made.code]);
}

/** Every invite is made in an administrator's name. */
async function administrator(place: CommandPlace, wanted: string | undefined): Promise<string> {
  const { services, config } = place;
  const list = createAdminList({ ...place, audit: services.audit, config, seeds: async () => [] });
  const admins = (await list.all()).map(({ deviceId }) => deviceId);
  const found = wanted === undefined ? admins[0] : admins.find((deviceId) => deviceId === wanted);
  if (found !== undefined) return found;
  throw new Error(
    wanted === undefined ? "there is no administrator: make one with `admin add`" : "no such administrator",
  );
}

function revokeCommand(): Command {
  return new Command("revoke")
    .description("revoke an invite; devices that registered with it stay")
    .argument("<invite>", "its id, as `invites list` shows it")
    .action((id: string) =>
      withServices(async ({ services, db }) => {
        const revoked = await inTransaction(db, async (trx) => {
          const outcome = await services.registration.invites.revoke(trx, id);
          if (outcome?.now !== true) return outcome;
          await services.audit.record(trx, { ...byOperator, action: "invite_revoked", target: id, details: {} });
          return outcome;
        });
        if (revoked === undefined) throw new Error("there is no such invite, or it has expired");
        console.log(`${id} is revoked since ${timeOf(revoked.revokedAt)}.`);
      }),
    );
}

const mostCounted = 1_000_000;

function parseCount(text: string): number {
  const count = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > mostCounted) throw new InvalidArgumentError(`It is no number from 1 to ${mostCounted}.`);
  return count;
}
