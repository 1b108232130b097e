import { Command } from "commander";
import { showDevice, showListedDevice } from "../admin/answers.js";
import type { ListedDevice } from "../admin/device-views.js";
import { bySystem } from "../audit/service.js";
import type { Device } from "../devices/service.js";
import { print } from "../platform/print.js";
import { decodeBase64, encodeHex } from "../protocol/encodings.js";
import { RelayError } from "../protocol/errors.js";
import { parsePrefix } from "../protocol/identifiers.js";
import { jsonOption, limitOption, type ShowOptions, show, table, timeOf } from "./output.js";
import { type ServicesContext, withServices } from "./services.js";

const deviceArgument = [
  "<device>",
  "its id or the beginning of it, public key (hex or base64), or one of its addresses",
] as const;

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
      withServices(async ({ services, clock }) => {
        const filter = {
          state: options.blocked === true ? "blocked" : "any",
          idPrefix: "",
          sort: "-last_active",
          limit: options.limit,
          offset: 0,
        } as const;
        const listed = await services.admin.views.list(filter);
        const head = ["DEVICE", "REGISTERED", "LAST ACTIVE", "STATE"];
        const lines = listed.map(({ device }) => [
          device.deviceId,
          timeOf(device.registeredAt),
          timeOf(device.lastActive),
          stateOf(device, clock.nowSeconds()),
        ]);
        show(listed.map(summaryOf), options, () => table([head, ...lines]));
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
        const { deviceId } = await requireDevice(context, given);
        const filter = { state: "any", idPrefix: deviceId, sort: "-last_active", limit: 1, offset: 0 } as const;
        const [listed] = await context.services.admin.views.list(filter);
        show(listed === undefined ? null : summaryOf(listed), options, () => [deviceId]);
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
        const view = await context.services.admin.views.detail(deviceId);
        const { device, trustState, activity, spam, currentLimit } = view;
        show({ ...showDevice(view), public_key: encodeHex(device.publicKey) }, options, () =>
          table([
            ["device", device.deviceId],
            ["public key", encodeHex(device.publicKey)],
            ["registered", timeOf(device.registeredAt)],
            ["last active", timeOf(device.lastActive)],
            ["tier", trustState.tier],
            ["state", stateOf(device, context.clock.nowSeconds())],
            ["messages", `${activity.messagesSent} sent, ${activity.messagesReceived} received`],
            ["spam", `${spam.reporters} reporters, score ${spam.score}`],
            ["limit", currentLimit === null ? "none" : `${currentLimit} messages a window`],
          ]),
        );
      }),
    );
}

function blockCommand(): Command {
  return new Command("block")
    .description("block a device: it can send nothing until it is unblocked")
    .argument(...deviceArgument)
    .option("--reason <text>", "kept in the audit log")
    .action((given: string, { reason }: { reason?: string }) =>
      withServices(async (context) => {
        const { deviceId } = await requireDevice(context, given);
        await context.services.admin.devices.block(deviceId, reason, bySystem);
        print(`${deviceId} is blocked.`);
      }),
    );
}

function unblockCommand(): Command {
  return new Command("unblock")
    .description("lift the block or ban of a device")
    .argument(...deviceArgument)
    .action((given: string) => withServices((context) => unblock(context, given)));
}

/** A blocked device may have been removed since; then only its id finds the block. */
async function unblock({ db, services }: ServicesContext, given: string): Promise<void> {
  const known = await findDevice({ db, services }, given);
  const { deviceId } = await services.admin.devices.unblock(known?.deviceId ?? given, bySystem).catch(explain);
  print(`${deviceId} is neither blocked nor banned.`);
}

function explain(problem: unknown): never {
  if (!(problem instanceof RelayError) || problem.id !== "DEVICE_NOT_FOUND") throw problem;
  throw new Error("there is no such device", { cause: problem });
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
        await context.services.admin.devices.delete(device.deviceId, bySystem);
        print(`${device.deviceId} is removed.`);
      }),
    );
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
  const begun = idBeginning.test(given) ? await findByBeginning({ db, services }, given.toLowerCase()) : undefined;
  if (begun !== undefined) return begun;
  const prefix = parsePrefix(given.split("@", 1)[0] ?? "");
  return prefix === undefined ? undefined : services.devices.holderOf(db, prefix);
}

const base64KeyLength = 44;
/** Shorter than an id, and longer than the first part of an address. */
const idBeginning = /^[0-9a-f]{4,63}$/i;

/** Logs and the console show ids by their first digits. */
async function findByBeginning(
  { db, services }: Pick<ServicesContext, "db" | "services">,
  idPrefix: string,
): Promise<Device | undefined> {
  const filter = { state: "any", idPrefix, sort: "-last_active", now: 0, limit: 2, offset: 0 } as const;
  const [device, another] = await services.devices.list(db, filter);
  if (another !== undefined) throw new Error(`the ids of several devices begin with ${idPrefix}: give more digits`);
  return device;
}

function stateOf({ blockedAt, bannedUntil, verified }: Device, now: number): string {
  if (blockedAt !== null) return `blocked since ${timeOf(blockedAt)}`;
  if ((bannedUntil ?? 0) > now) return `banned until ${timeOf(bannedUntil)}`;
  return verified ? "verified" : "-";
}

function summaryOf(listed: ListedDevice) {
  return { ...showListedDevice(listed), public_key: encodeHex(listed.device.publicKey) };
}
