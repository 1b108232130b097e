import { resolve } from "node:path";
import { Command } from "commander";
import { bySystem, createAuditService } from "../audit/service.js";
import { rotateMasterKey } from "../auth/master-key-rotation.js";
import { deleteSecrets } from "../auth/secrets.js";
import type { KeyNote, SigningKeyState, SigningKeys } from "../auth/signing-keys.js";
import { lockNodes } from "../node/nodes.js";
import { print } from "../platform/print.js";
import { vapidSecret } from "../push/service.js";
import { type CliContext, refuseWhileNodesRun, withCliContext, withInfrastructure } from "./context.js";
import { jsonOption, type ShowOptions, show } from "./output.js";

export function keysCommand(): Command {
  return new Command("keys")
    .description("manage signing keys, the master key and the key for pushes")
    .addCommand(listCommand())
    .addCommand(rotateCommand())
    .addCommand(revokeCommand())
    .addCommand(rotateMasterCommand())
    .addCommand(replacePushCommand());
}

function listCommand(): Command {
  return new Command("list")
    .description("show the keys, oldest first")
    .option(...jsonOption)
    .action((options: ShowOptions) =>
      withKeys(async (keys) => {
        const found = await keys.list();
        show(found.map(view), options, () => found.map(describe));
      }),
    );
}

function rotateCommand(): Command {
  return new Command("rotate")
    .description("sign with a new key; tokens signed by older ones stay valid until they expire")
    .option(...jsonOption)
    .action((options: ShowOptions) => withKeys((keys, note) => rotate(keys, note, options)));
}

function revokeCommand(): Command {
  return new Command("revoke")
    .description("revoke a key and every token that it has signed, at once")
    .argument("<kid>", "the key's id, as `keys list` shows it")
    .action((kid: string) => withKeys((keys, note) => revoke(keys, kid, note)));
}

function rotateMasterCommand(): Command {
  return new Command("rotate-master")
    .description("encrypt every secret in the database under a new master key; the relay must be stopped")
    .action(() => withCliContext(rotateMaster));
}

function replacePushCommand(): Command {
  return new Command("replace-push")
    .description("replace the key that signs pushes; devices must subscribe again, and the relay must be stopped")
    .action(() => withCliContext(replacePushKey));
}

/** The next start makes another key, and removes the subscriptions for this one, which push services would refuse. */
async function replacePushKey(context: CliContext): Promise<void> {
  const audit = createAuditService(context);
  await context.db.transaction(async (trx) => {
    await lockNodes(trx);
    await refuseWhileNodesRun({ config: context.config, db: trx }, "it has the key in memory");
    await deleteSecrets(trx, [vapidSecret]);
    await audit.record(trx, { ...bySystem, action: "key_rotated", target: "push", details: {} });
  });
  print("The next start makes a new key for pushes. Devices subscribe again when their applications start.");
}

async function rotateMaster(context: CliContext): Promise<void> {
  await refuseWhileNodesRun(context, "it has the master key in memory");
  const { db, config, random } = context;
  const audit = createAuditService(context);
  const count = await rotateMasterKey({
    db,
    config,
    random,
    async note(trx, secrets) {
      // A node that has started meanwhile would continue to encrypt with the old key.
      await lockNodes(trx);
      await refuseWhileNodesRun({ config, db: trx }, "it has the master key in memory");
      await audit.record(trx, { ...bySystem, action: "master_key_rotated", target: null, details: { secrets } });
    },
  });
  const { masterKey, masterKeyFile } = config;
  const where = masterKey === null ? `It is in ${resolve(masterKeyFile)}.` : "Start with it as MASTER_KEY from now on.";
  print(`${count} secrets are encrypted with the new master key. ${where}`);
}

async function rotate(keys: SigningKeys, note: KeyNote, options: ShowOptions): Promise<void> {
  const kid = await keys.rotate(note);
  show({ kid }, options, () => [`${kid} signs new tokens from now on.`]);
}

async function revoke(keys: SigningKeys, kid: string, note: KeyNote): Promise<void> {
  if (!(await keys.revoke(kid, note))) throw new Error(`there is no key ${kid}, or it is already revoked`);
  print(`${kid} is revoked.`);
}

function view({ kid, state, createdAt, retiredAt, revokedAt }: SigningKeyState) {
  return { kid, state, created_at: createdAt, retired_at: retiredAt, revoked_at: revokedAt };
}

function describe(key: SigningKeyState): string {
  const made = new Date(key.createdAt * 1000).toISOString();
  return `${key.kid}  ${key.state.padEnd(9)}  made ${made}`;
}

function withKeys(work: (keys: SigningKeys, note: KeyNote) => Promise<void>): Promise<void> {
  return withCliContext((context) => withSigningKeys(context, work));
}

/** `work` records its changes of keys by calling the note. */
export function withSigningKeys(
  context: CliContext,
  work: (keys: SigningKeys, note: KeyNote) => Promise<void>,
): Promise<void> {
  return withInfrastructure(context, async ({ signingKeys, clock, random }, lifecycle) => {
    const audit = createAuditService({ clock, random });
    await lifecycle.begin(signingKeys);
    await work(signingKeys, async (trx, action, target) => {
      await audit.record(trx, { ...bySystem, action, target, details: {} });
    });
  });
}
