import { Command } from "commander";
import type { Device } from "../devices/service.js";
import { pardonReports } from "../moderation/service.js";
import { inTransaction } from "../platform/database/connection.js";
import { shortDevice } from "../platform/redaction.js";
import { decodeBase64, encodeHex } from "../protocol/encodings.js";
import { deviceIdCandidates, parsePrefix } from "../protocol/identifiers.js";
import { jsonOption, limitOption, type ShowOptions, show, table, timeOf } from "./output.js";
import { byOperator, type ServicesContext, withServices } from "./services.js";

const deviceArgument = ["<device>", "its id, public key (hex or base64), or one of its addresses"] as const;

export function devicesCommand(): Command {
  return new Command("devices")
    .description("manage the devices registered at this relay")
    .addCommand(listCommand())
    .addCommand(findCommand())
    .addCommand(showCommand())
    .addCommand(blockCommand())
    .addCommand(unblockCommand())
    .addCommand(deleteCommand());
}

interface ListOptions extends ShowOptions {
  blocked?: boolean;
  limit: number;
}

function listCommand(): Command {
  return new Command("list")
    .description("show devices, the most recently active first")
    .option("--blocked", "only blocked or banned devices")
    .option(...limitOption)
    .option(...jsonOption)
    .action((options: ListOptions) =>
      withServices(async ({ services, db, clock }) => {
        const filter = { barredOnly: options.blocked === true, now: clock.nowSeconds(), limit: options.limit };
        const devices = await services.devices.list(db, filter);
        const head = ["DEVICE", "REGISTERED", "LAST ACTIVE", "STATE"];
        const lines = devices.map((device) => [
          device.deviceId,
          timeOf(device.registeredAt),
          timeOf(device.lastActive),
          stateOf(device, filter.now),
        ]);
        show(devices.map(summaryOf), options, () => table([head, ...lines]));
      }),
    );
}

function findCommand(): Command {
  return new Command("find")
    .description("print the id of a device")
    .argument(...deviceArgument)
    .option(...jsonOption)
    .action((given: string, options: ShowOptions) =>
      withServices(async (context) => {
        const device = await requireDevice(context, given);
        show(summaryOf(device), options, () => [device.deviceId]);
      }),
    );
}

function showCommand(): Command {
  return new Command("show")
    .description("show everything about a device")
    .argument(...deviceArgument)
    .option(...jsonOption)
    .action((given: string, options: ShowOptions) =>
      withServices(async (context) => {
        const { deviceId } = await requireDevice(context, given);
        const { device, trustState, activity, spam, ...rest } = await context.services.admin.views.detail(deviceId);
        const view = { ...summaryOf(device), standing: trustState, activity, spam, ...rest };
        show(view, options, () =>
          table([
            ["device", device.deviceId],
            ["public key", encodeHex(device.publicKey)],
            ["registered", timeOf(device.registeredAt)],
            ["last active", timeOf(device.lastActive)],
            ["tier", trustState.tier],
            ["state", stateOf(device, context.clock.nowSeconds())],
            ["messages", `${activity.messagesSent} sent, ${activity.messagesReceived} received`],
            ["spam", `${spam.reporters} reporters, score ${spam.score}`],
            ["limit", rest.currentLimit === null ? "none" : `${rest.currentLimit} messages a window`],
          ]),
        );
      }),
    );
}

function blockCommand(): Command {
  return new Command("block")
    .description("block a device: it can neither send nor announce until it is unblocked")
    .argument(...deviceArgument)
    .option("--reason <text>", "kept in the audit log")
    .action((given: string, { reason }: { reason?: string }) =>
      withServices(async (context) => {
        const { deviceId: target } = await requireDevice(context, given);
        await inTransaction(context.db, async (trx) => {
          await context.services.devices.block(trx, target, context.clock.nowSeconds());
          const details = reason === undefined ? {} : { reason };
          await context.services.audit.record(trx, { ...byOperator, action: "device_blocked", target, details });
        });
        console.log(`${target} is blocked.`);
      }),
    );
}

function unblockCommand(): Command {
  return new Command("unblock")
    .description("lift the block or ban of a device; there is no request for this")
    .argument(...deviceArgument)
    .action((given: string) => withServices((context) => unblock(context, given)));
}

/**
 * A blocked device may have been removed since. Then only its id in canonical form finds the block. The reports that led to
 * the block no longer count, because otherwise the next report would restore it.
 */
async function unblock({ db, services }: ServicesContext, given: string): Promise<void> {
  const known = await findDevice({ db, services }, given);
  const candidates = known === undefined ? deviceIdCandidates(given) : [known.deviceId];
  for (const target of candidates) {
    const lifted = await inTransaction(db, async (trx) => {
      if (!(await services.devices.unblock(trx, target))) return false;
      await pardonReports(trx, target);
      await services.audit.record(trx, { ...byOperator, action: "device_unblocked", target, details: {} });
      return true;
    });
    if (lifted) return console.log(`${target} is neither blocked nor banned.`);
  }
  throw new Error("there is no such device");
}

function deleteCommand(): Command {
  return new Command("delete")
    .description("remove a device and all its data; this cannot be undone")
    .argument(...deviceArgument)
    .option("--yes", "remove it; without this option, only report what would be removed")
    .action((given: string, { yes }: { yes?: boolean }) =>
      withServices(async (context) => {
        const device = await requireDevice(context, given);
        if (yes !== true) {
          const messages = await context.services.messages.countQueued(device.deviceId);
          throw new Error(
            `${device.deviceId} and its ${messages} queued messages would be removed: confirm with --yes`,
          );
        }
        await remove(context, device.deviceId);
        console.log(`${device.deviceId} is removed.`);
      }),
    );
}

/**
 * Its sessions end at once. The entry in the audit log does not contain the id. A block is kept as a keyed hash, as it is for
 * devices that are removed for inactivity.
 */
async function remove({ db, services, infrastructure }: ServicesContext, deviceId: string): Promise<void> {
  await infrastructure.sessions.revokeOthers(deviceId, null);
  await inTransaction(db, async (trx) => {
    await services.devices.remove(trx, deviceId);
    const target = shortDevice(deviceId);
    await services.audit.record(trx, { ...byOperator, action: "device_deleted", target, details: {} });
  });
}

async function requireDevice(context: ServicesContext, given: string): Promise<Device> {
  const device = await findDevice(context, given);
  if (device === undefined) throw new Error("there is no such device");
  return device;
}

async function findDevice(
  { db, services }: Pick<ServicesContext, "db" | "services">,
  given: string,
): Promise<Device | undefined> {
  const key = given.length === base64KeyLength ? decodeBase64(given) : undefined;
  const device = await services.devices.resolve(db, key === undefined ? given : encodeHex(key));
  if (device !== undefined) return device;
  const prefix = parsePrefix(given.split("@", 1)[0] ?? "");
  return prefix === undefined ? undefined : services.devices.holderOf(db, prefix);
}

const base64KeyLength = 44;

function stateOf({ blockedAt, bannedUntil, verified }: Device, now: number): string {
  if (blockedAt !== null) return `blocked since ${timeOf(blockedAt)}`;
  if ((bannedUntil ?? 0) > now) return `banned until ${timeOf(bannedUntil)}`;
  return verified ? "verified" : "-";
}

function summaryOf({ publicKey, ...device }: Device): object {
  return { ...device, publicKey: encodeHex(publicKey) };
}
