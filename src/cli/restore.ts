import { Command } from "commander";
import { readIdentities, restoreBackup } from "../backup/service.js";
import { loadMasterKey, readMasterKey } from "../platform/auth/master-key.js";
import { voidAll } from "./after-restore.js";
import { describeBackup, reportProgress } from "./backup-words.js";
import { type CliContext, withCliContext } from "./context.js";

interface RestoreOptions {
  identity?: string;
  withoutMasterKey?: boolean;
  quiet?: boolean;
}

export function restoreCommand(): Command {
  return new Command("restore")
    .description("load a backup into an empty database, embedded or DATABASE_URL's, and void what must not come twice")
    .argument("<file>", "the backup")
    .option("--identity <file>", "the age key file that opens an encrypted backup")
    .option("--without-master-key", "go on although its master key is lost; says what is lost with it")
    .option("--quiet", "no progress")
    .action((file: string, options: RestoreOptions) =>
      withCliContext((place) => restore(place, file, options), { anySchema: true, mayCreate: true }),
    );
}

async function restore(place: CliContext, file: string, options: RestoreOptions): Promise<void> {
  const { config, random } = place;
  const restored = await restoreBackup(file, {
    ...place,
    identities: options.identity === undefined ? [] : await readIdentities(options.identity),
    masterKey: await readMasterKey(config, random),
    withoutMasterKey: options.withoutMasterKey === true,
    ...(options.quiet ? {} : { progress: reportProgress() }),
  });
  console.log(`${file} is loaded.\n${describeBackup(restored)}`);
  if (restored.skipped.length > 0) console.log(`Left out, as not the relay's: ${restored.skipped.join(", ")}`);
  if (options.withoutMasterKey) console.log(lost);
  if (restored.header.domain !== config.domain) {
    console.log(`Its domain is ${restored.header.domain}, and here it would be ${config.domain}: set DOMAIN.`);
  }
  await loadMasterKey(config, random);
  await voidAll(place);
}

const lost = [
  "Lost with the master key:",
  "  every token: devices, administrators and peers prove again who they are",
  "  blocks of devices that were removed since, bans of network addresses, and who reported whom",
  "  what told a repeated message from a new one: a message that is sent again is delivered again",
].join("\n");
