import { Command } from "commander";
import { loadMasterKey, readMasterKey } from "../auth/master-key.js";
import { type Restored, readIdentities, refuseOtherBackup, restoreBackup } from "../backup/service.js";
import { quoted } from "../platform/print.js";
import { inLog, type Progress, withProgress } from "../platform/progress.js";
import { daySeconds } from "../protocol/units.js";
import { keepAll, voidAll } from "./after-restore.js";
import { contentsOf, describeBackup, viewOfBackup } from "./backup-output.js";
import { type CliContext, withCliContext } from "./context.js";
import { jsonOption, type ShowOptions, show } from "./output.js";

interface RestoreOptions extends ShowOptions {
  identity?: string;
  withoutMasterKey?: boolean;
  quiet?: boolean;
}

export function restoreCommand(): Command {
  return new Command("restore")
    .description(
      "load a backup into an empty database (embedded, or that of DATABASE_URL) and void what may have been used since, unless it was made with --move",
    )
    .argument("<file>", "the backup")
    .option("--identity <file>", "the age key file that decrypts the backup")
    .option("--without-master-key", "restore although the master key of the backup is lost; lists what is lost with it")
    .option("--quiet", "no progress")
    .option(...jsonOption)
    .action(async (file: string, options: RestoreOptions) => {
      const identities = options.identity === undefined ? [] : await readIdentities(options.identity);
      // Checked before a database is created for it.
      await refuseOtherBackup(file, identities);
      await withCliContext((context) => restore(context, { file, identities }, options), {
        unmigrated: true,
        mayCreate: true,
      });
    });
}

async function restore(
  context: CliContext,
  { file, identities }: { file: string; identities: readonly string[] },
  options: RestoreOptions,
): Promise<void> {
  const { config, db, databaseUrl: url, random } = context;
  const masterKey = await readMasterKey(config, random);
  const withoutMasterKey = options.withoutMasterKey === true;
  const load = ({ at }: Progress) =>
    restoreBackup(file, { db, url, identities, masterKey, withoutMasterKey, progress: at });
  const restored = options.quiet
    ? await load(inLog)
    : await withProgress("restore", load, ({ end }) => contentsOf(end));
  await loadMasterKey(config, random);
  const isMove = isFreshMove(restored, context.clock.nowSeconds());
  const voided = await (isMove ? keepAll(context) : voidAll(context));
  const { skipped } = restored;
  show({ file, ...viewOfBackup(restored), skipped, move: isMove, voided }, options, () => [
    `${file} is loaded.`,
    describeBackup(restored),
    ...notesOn(restored, options, config.domain),
    ...voided,
  ]);
}

/**
 * Whether the backup proves that no relay has given anything out since: its relay had been stopped for good. The proof
 * ages, because the backup may have been restored before, and a relay may have run on that database since.
 */
function isFreshMove({ header }: Restored, now: number): boolean {
  return header.isMove === true && now - header.takenAt < daySeconds;
}

function notesOn({ skipped, header }: Restored, { withoutMasterKey }: RestoreOptions, domain: string): string[] {
  const { domain: before } = header;
  const leftOut = `Skipped, because they do not belong to the relay: ${skipped.map(quoted).join(", ")}`;
  const renamed = `The domain of the backup is ${quoted(before)}, but the configuration has ${domain}: set DOMAIN.`;
  return [
    ...(skipped.length > 0 ? [leftOut] : []),
    ...(withoutMasterKey ? [lost] : []),
    ...(before === domain ? [] : [renamed]),
  ];
}

const lost = [
  "Lost with the master key:",
  "  every token: devices, administrators and peers authenticate again",
  "  blocks of devices that were removed since, bans of network addresses, and who reported whom",
  "  the record of delivered messages: a message that is sent again is delivered again",
].join("\n");
