import { Command } from "commander";
import type { Device } from "../devices/service.js";
import { pardonReports } from "../moderation/service.js";
import { inTransaction } from "../platform/database/connection.js";
import { shortDevice } from "../platform/redaction.js";
import { decodeBase64, encodeHex } from "../protocol/encodings.js";
import { deviceIdCandidates, parsePrefix } from "../protocol/identifiers.js";
import { jsonOption, limitOption, type ShowOptions, show, table, timeOf } from "./output.js";
import { byOperator, type CommandPlace, withServices } from "./services.js";

const named = ["<device>", "its id, public key (hex or base64), or one of its addresses"] as const;

export function devicesCommand(): Command {
  return new Command("devices")
    .description("the devices registered here")
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
    .description("show devices, the last active first")
    .option("--blocked", "only those that are blocked or banned")
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
    .argument(...named)
    .option(...jsonOption)
    .action((spelled: string, options: ShowOptions) =>
      withServices(async (place) => {
        const device = await demandDevice(place, spelled);
        show(summaryOf(device), options, () => [device.deviceId]);
      }),
    );
}

function showCommand(): Command {
  return new Command("show")
    .description("show what is known of a device")
    .argument(...named)
    .option(...jsonOption)
    .action((spelled: string, options: ShowOptions) =>
      withServices(async (place) => {
        const { deviceId } = await demandDevice(place, spelled);
        const { device, trustState, activity, spam, ...rest } = await place.services.admin.views.detail(deviceId);
        const view = { ...summaryOf(device), standing: trustState, activity, spam, ...rest };
        show(view, options, () =>
          table([
            ["device", device.deviceId],
            ["public key", encodeHex(device.publicKey)],
            ["registered", timeOf(device.registeredAt)],
            ["last active", timeOf(device.lastActive)],
            ["tier", trustState.tier],
            ["state", stateOf(device, place.clock.nowSeconds())],
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
    .argument(...named)
    .option("--reason <text>", "kept in the audit log")
    .action((spelled: string, { reason }: { reason?: string }) =>
      withServices(async (place) => {
        const { deviceId: target } = await demandDevice(place, spelled);
        await inTransaction(place.db, async (trx) => {
          await place.services.devices.block(trx, target, place.clock.nowSeconds());
          const details = reason === undefined ? {} : { reason };
          await place.services.audit.record(trx, { ...byOperator, action: "device_blocked", target, details });
        });
        console.log(`${target} is blocked.`);
      }),
    );
}

function unblockCommand(): Command {
  return new Command("unblock")
    .description("lift the block or ban of a device; no request can do that")
    .argument(...named)
    .action((spelled: string) => withServices((place) => unblock(place, spelled)));
}

/**
 * A blocked device may have been removed since: then only its id, in canonical form, finds the block. The reports that
 * led to it count no longer, or the next one would bring it back.
 */
async function unblock({ db, services }: CommandPlace, spelled: string): Promise<void> {
  const known = await findDevice({ db, services }, spelled);
  const candidates = known === undefined ? deviceIdCandidates(spelled) : [known.deviceId];
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
    .description("remove a device and everything that is kept of it; it cannot be brought back")
    .argument(...named)
    .option("--yes", "do it; without it, only say what would be removed")
    .action((spelled: string, { yes }: { yes?: boolean }) =>
      withServices(async (place) => {
        const device = await demandDevice(place, spelled);
        if (yes !== true) {
          const messages = await place.services.messages.countQueued(device.deviceId);
          throw new Error(`${device.deviceId} and its ${messages} queued messages would be removed: say --yes`);
        }
        await remove(place, device.deviceId);
        console.log(`${device.deviceId} is removed.`);
      }),
    );
}

/**
 * Its sessions end, so that nothing of it goes on. The entry in the audit log does not keep the id. A block outlives the
 * device as a keyed hash, as it does where a device is removed for being inactive.
 */
async function remove({ db, services, infrastructure }: CommandPlace, deviceId: string): Promise<void> {
  await infrastructure.sessions.revokeOthers(deviceId, null);
  await inTransaction(db, async (trx) => {
    await services.devices.remove(trx, deviceId);
    const target = shortDevice(deviceId);
    await services.audit.record(trx, { ...byOperator, action: "device_deleted", target, details: {} });
  });
}

async function demandDevice(place: CommandPlace, spelled: string): Promise<Device> {
  const device = await findDevice(place, spelled);
  if (device === undefined) throw new Error("there is no such device");
  return device;
}

async function findDevice(
  { db, services }: Pick<CommandPlace, "db" | "services">,
  spelled: string,
): Promise<Device | undefined> {
  const key = spelled.length === base64KeyLength ? decodeBase64(spelled) : undefined;
  const device = await services.devices.resolve(db, key === undefined ? spelled : encodeHex(key));
  if (device !== undefined) return device;
  const prefix = parsePrefix(spelled.split("@", 1)[0] ?? "");
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
