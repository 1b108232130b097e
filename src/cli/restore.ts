import { Command } from "commander";
import { readIdentities, restoreBackup } from "../backup/service.js";
import { loadMasterKey, readMasterKey } from "../platform/auth/master-key.js";
import { voidAll } from "./after-restore.js";
import { describeBackup, reportProgress } from "./backup-output.js";
import { type CliContext, withCliContext } from "./context.js";

interface RestoreOptions {
  identity?: string;
  withoutMasterKey?: boolean;
  quiet?: boolean;
}

export function restoreCommand(): Command {
  return new Command("restore")
    .description(
      "load a backup into an empty database (embedded, or that of DATABASE_URL) and void what may have been used since",
    )
    .argument("<file>", "the backup")
    .option("--identity <file>", "the age key file that decrypts the backup")
    .option("--without-master-key", "restore although the master key of the backup is lost; lists what is lost with it")
    .option("--quiet", "no progress")
    .action((file: string, options: RestoreOptions) =>
      withCliContext((context) => restore(context, file, options), { anySchema: true, mayCreate: true }),
    );
}

async function restore(context: CliContext, file: string, options: RestoreOptions): Promise<void> {
  const { config, random } = context;
  const restored = await restoreBackup(file, {
    ...context,
    identities: options.identity === undefined ? [] : await readIdentities(options.identity),
    masterKey: await readMasterKey(config, random),
    withoutMasterKey: options.withoutMasterKey === true,
    ...(options.quiet ? {} : { progress: reportProgress() }),
  });
  console.log(`${file} is loaded.\n${describeBackup(restored)}`);
  if (restored.skipped.length > 0)
    console.log(`Left out, because they are not the relay's: ${restored.skipped.join(", ")}`);
  if (options.withoutMasterKey) console.log(lost);
  if (restored.header.domain !== config.domain) {
    console.log(
      `The domain of the backup is ${restored.header.domain}, but the present configuration has ${config.domain}: set DOMAIN.`,
    );
  }
  await loadMasterKey(config, random);
  await voidAll(context);
}

const lost = [
  "Lost with the master key:",
  "  every token: devices, administrators and peers authenticate again",
  "  blocks of devices that were removed since, bans of network addresses, and who reported whom",
  "  the record of delivered messages: a message that is sent again is delivered again",
].join("\n");
