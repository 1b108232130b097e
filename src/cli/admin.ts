import { lookup } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { Command, InvalidArgumentError } from "commander";
import { type AdminList, createAdminList, permissions, readAdminEntry } from "../admin/service.js";
import { createAuditService } from "../audit/service.js";
import { defaultKeyFile, MissingKeyFile, makeKeyFile, readKeyFile } from "../auth/admin-key.js";
import { loadConfig } from "../composition/config.js";
import { createSystemClock } from "../node/clock.js";
import { findRunningUrl } from "../node/nodes.js";
import type { ServerName } from "../node/server-name.js";
import { localUrl } from "../platform/net/local-url.js";
import { print } from "../platform/print.js";
import { encodeHex } from "../protocol/encodings.js";
import { deviceIdOf } from "../protocol/identifiers.js";
import { describeKey, logIn, type RelayAddress } from "./admin-login.js";
import { hasDatabase, withCliContext } from "./context.js";
import type { Route } from "./direct-call.js";
import { jsonOption, type ShowOptions, show } from "./output.js";

export function adminCommand(): Command {
  return new Command("admin")
    .description("manage administrators and their keys")
    .addCommand(keygenCommand())
    .addCommand(addCommand())
    .addCommand(listCommand())
    .addCommand(removeCommand())
    .addCommand(loginCommand());
}

function keygenCommand(): Command {
  return new Command("keygen")
    .description("make an administrator's key; the relay needs only the public half")
    .option("--out <file>", "the new file, readable by its owner alone", defaultKeyFile(process.env))
    .option(...jsonOption)
    .action(async ({ out: given, ...options }: ShowOptions & { out?: string }) => {
      const out = requireKeyFile(given, "--out");
      const known = await readKeyFile(out).catch(ignoreMissing);
      const { publicKey } = known ?? (await makeKeyFile(out));
      const made = { device_id: deviceIdOf(publicKey), public_key: encodeHex(publicKey), key_file: out };
      const kept = known === undefined ? "" : " (exists already, and is kept)";
      show(made, options, () => [describeKey(publicKey), `key file    ${out}${kept}`]);
    });
}

function addCommand(): Command {
  return new Command("add")
    .description("add an administrator, or change the permissions of an existing one")
    .argument("[public_key]", "64 hexadecimal characters; default: the key in the key file")
    .option("--key <file>", "read the public key from this key file", defaultKeyFile(process.env))
    .option("--permissions <list>", `separated by commas: ${permissions.join(", ")}`, "all")
    .option(...jsonOption)
    .action(async (publicKey: string | undefined, options: ShowOptions & { key?: string; permissions: string }) => {
      const hex = publicKey ?? encodeHex((await readKeyFile(requireKeyFile(options.key, "--key"))).publicKey);
      const entry = readAdminEntry(hex, splitList(options.permissions));
      await withList(async (list) => {
        const { deviceId, added } = await list.put(entry);
        const outcome = added ? "is an administrator" : "was an administrator before, and now has the permissions";
        const { permissions: granted } = entry;
        show({ device_id: deviceId, added, permissions: granted }, options, () => [
          `${deviceId} ${outcome}: ${granted}`,
        ]);
      });
    });
}

function listCommand(): Command {
  return new Command("list")
    .description("show the administrators, the longest-serving first")
    .option(...jsonOption)
    .action((options: ShowOptions) =>
      withList(async (list) => {
        const admins = (await list.all()).map(({ deviceId, permissions: granted }) => ({
          device_id: deviceId,
          permissions: granted,
        }));
        show(admins, options, () => admins.map((admin) => `${admin.device_id}  ${admin.permissions.join(",")}`));
      }),
    );
}

function removeCommand(): Command {
  return new Command("remove")
    .description("remove an administrator and end all their sessions within a second")
    .argument("<device_id>", "64 hexadecimal characters, or the public key")
    .action((deviceId: string) =>
      withList(async (list) => {
        if (!(await list.remove(deviceId))) throw new Error("there is no such administrator");
        print(`${deviceId} is no longer an administrator.`);
      }),
    );
}

function loginCommand(): Command {
  return new Command("login")
    .description("log in and print the token, which is valid for an hour")
    .option("--key <file>", "the administrator's key file", defaultKeyFile(process.env))
    .option(
      "--url <url>",
      "the relay's address; default: BASE_URL of the environment's configuration, or this machine while that name is not in DNS",
    )
    .option("--domain <domain>", "the relay's domain; default: the host of the URL")
    .option(
      "--connect <host:port>",
      "connect to this address instead of the one that DNS has for the URL's host",
      parseHostPort,
    )
    .option("--ca <file>", "trust these certificate authorities (PEM) and no others")
    .option("--json", "print the whole answer")
    .action(async (options: LoginOptions) => {
      const key = await readKeyFile(requireKeyFile(options.key, "--key"));
      const answer = await logIn(key, await relayOf(options), createSystemClock().nowSeconds());
      show(answer, options, () => [answer.admin_token]);
    });
}

function ignoreMissing(problem: unknown): undefined {
  if (!(problem instanceof MissingKeyFile)) throw problem;
}

function requireKeyFile(file: string | undefined, option: string): string {
  if (file !== undefined) return file;
  throw new Error(`this account has no home folder for the key file: set HOME, or name the file with ${option}`);
}

interface LoginOptions extends ShowOptions {
  key?: string;
  url?: string;
  domain?: string;
  connect?: NonNullable<Route["connect"]>;
  ca?: string;
}

async function relayOf({ url, domain, connect, ca }: LoginOptions): Promise<RelayAddress> {
  const route = { ...(connect && { connect }), ...(ca !== undefined && { ca: await readFile(ca, "utf8") }) };
  if (url !== undefined) return { url, domain: domain ?? new URL(url).host, route };
  const relay = await findRelay();
  const own = { url: relay.baseUrl, domain: domain ?? relay.domain, route };
  if (connect !== undefined || (await hasAddress(new URL(relay.baseUrl).hostname))) return own;
  // The name is not yet in DNS: connect to the relay on this machine.
  const here = new URL(relay.listensAt);
  if (here.protocol === "http:") return { ...own, url: here.origin };
  return {
    ...own,
    route: { ...route, connect: { host: here.hostname.replace(/^\[|\]$/g, ""), port: Number(here.port) } },
  };
}

/** The relay that runs on the environment's database; without a database, the one that the environment describes. */
async function findRelay(): Promise<ServerName & { listensAt: string }> {
  const config = loadConfig(process.env);
  const described = { ...config, listensAt: localUrl(config, config.port) };
  if (!(await hasDatabase(config))) return described;
  let found = described;
  await withCliContext(async ({ db, config: { domain, baseUrl } }) => {
    found = { ...described, domain, baseUrl, listensAt: (await findRunningUrl(db, config)) ?? described.listensAt };
  });
  return found;
}

function hasAddress(host: string): Promise<boolean> {
  return lookup(host.replace(/^\[|\]$/g, "")).then(
    () => true,
    () => false,
  );
}

/** `127.0.0.1:8443` or `[::1]:8443` */
function parseHostPort(text: string): NonNullable<Route["connect"]> {
  const [, host, port] = /^(\[[0-9a-fA-F:.]+\]|[^:]+):(\d{1,5})$/.exec(text) ?? [];
  if (host === undefined || Number(port) < 1 || Number(port) > 65_535) {
    throw new InvalidArgumentError("It must be a host with a port, like 127.0.0.1:8443.");
  }
  return { host: host.replace(/^\[|\]$/g, ""), port: Number(port) };
}

function splitList(text: string): string[] {
  return text
    .split(/[,+]/)
    .map((word) => word.trim())
    .filter((word) => word !== "");
}

function withList(work: (list: AdminList) => Promise<void>): Promise<void> {
  return withCliContext(({ db, clock, random, logger, poll }) => {
    const audit = createAuditService({ clock, random });
    return work(createAdminList({ db, clock, logger, poll, audit, seeds: async () => [] }));
  });
}
