import { Command } from "commander";
import { createAuditService } from "../audit/service.js";
import { openMasterKey } from "../platform/open-master-key.js";
import { createSigningKeys, type KeyNote, type SigningKeyState, type SigningKeys } from "../platform/signing-keys.js";
import { atWorkplace } from "./workplace.js";

export function keysCommand(): Command {
  return new Command("keys")
    .description("the keys that sign tokens")
    .addCommand(listCommand())
    .addCommand(rotateCommand())
    .addCommand(revokeCommand());
}

function listCommand(): Command {
  return new Command("list")
    .description("show the keys, oldest first")
    .action(() => withKeys(async (keys) => console.log((await keys.list()).map(describe).join("\n"))));
}

function rotateCommand(): Command {
  return new Command("rotate")
    .description("sign with a new key; tokens signed by older ones stay valid until they expire")
    .action(() => withKeys(rotate));
}

function revokeCommand(): Command {
  return new Command("revoke")
    .description("end a key and every token that it has signed, at once")
    .argument("<kid>", "the key's id, as `keys list` shows it")
    .action((kid: string) => withKeys((keys, note) => revoke(keys, kid, note)));
}

async function rotate(keys: SigningKeys, note: KeyNote): Promise<void> {
  console.log(`${await keys.rotate(note)} signs from now on.`);
}

async function revoke(keys: SigningKeys, kid: string, note: KeyNote): Promise<void> {
  if (!(await keys.revoke(kid, note))) throw new Error(`there is no key ${kid}, or it is revoked already`);
  console.log(`${kid} is revoked.`);
}

function describe(key: SigningKeyState): string {
  const made = new Date(key.createdAt * 1000).toISOString();
  return `${key.kid}  ${key.state.padEnd(9)}  made ${made}`;
}

function withKeys(work: (keys: SigningKeys, note: KeyNote) => Promise<void>): Promise<void> {
  return atWorkplace(async (place) => {
    const masterKey = await openMasterKey(place);
    const keys = createSigningKeys({ ...place, masterKey, limits: place.config });
    const audit = createAuditService(place);
    const note: KeyNote = async (trx, action, target) => {
      await audit.record(trx, { action, target, admin: null, details: {}, ipAddress: null, userAgent: null });
    };
    await keys.start();
    try {
      await work(keys, note);
    } finally {
      await keys.stop();
    }
  });
}
