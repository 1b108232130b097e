import { Command, InvalidArgumentError } from "commander";
import { checkRecipient, readIdentities, verifyBackup, writeBackup } from "../backup/service.js";
import { countBlobs, describeBlobStorage } from "../blobs/service.js";
import { addMarker, moveMarker, removeMarkers } from "../database/migrations/restore-marker.js";
import { print } from "../platform/print.js";
import { inLog, type Progress, withProgress } from "../platform/progress.js";
import { contentsOf, describeBackup, viewOfBackup } from "./backup-output.js";
import { type CliContext, refuseWhileNodesRun, withCliContext } from "./context.js";
import { type ShowOptions, show } from "./output.js";

interface BackupOptions extends ShowOptions {
  verify?: boolean;
  move?: boolean;
  cancelMove?: boolean;
  age?: readonly string[];
  identity?: string;
  bytesPerSecond?: number;
  quiet?: boolean;
}

export function backupCommand(): Command {
  return new Command("backup")
    .description("write a backup of the database to a new file while the relay runs, or check one")
    .argument("[file]", "the new file; with --verify, the one to check")
    .option(
      "--age <recipient>",
      "encrypt to this age key (age1…); may be repeated; default: BACKUP_AGE_RECIPIENTS",
      recipients,
    )
    .option("--bytes-per-second <n>", "read no faster than this, like 500k or 20M", parseRate)
    .option("--verify", "read the whole file and check every checksum; needs no database")
    .option("--identity <file>", "with --verify: the age key file that decrypts the backup")
    .option("--move", "of a stopped relay, to continue on another database: restore then keeps everything")
    .option("--cancel-move", "let the relay start on this database again; do not restore the backup of the move")
    .option("--quiet", "no progress")
    .option("--json", "print the outcome as JSON")
    .addHelpText("after", "\nThe master key is not in the backup: keep it elsewhere (docs/how-to/backup.md).")
    .action(async (file: string | undefined, options: BackupOptions) => {
      if (options.cancelMove) return cancelMove();
      if (file === undefined) throw new InvalidArgumentError("Name the file of the backup.");
      await (options.verify ? verify(file, options) : take(file, options));
    });
}

async function take(file: string, options: BackupOptions): Promise<void> {
  const isMove = options.move === true;
  const accepted = isMove ? [moveMarker] : [];
  await withCliContext(
    async (context) => {
      const { config, databaseUrl, db, clock } = context;
      if (isMove) await markAsMoved(context);
      const encryptTo = options.age ?? config.backupAgeRecipients;
      const write = ({ at }: Progress) =>
        writeBackup(file, {
          url: databaseUrl,
          db,
          now: clock.nowSeconds,
          domain: config.domain,
          isMove,
          recipients: encryptTo,
          bytesPerSecond: options.bytesPerSecond ?? null,
          progress: at,
        });
      const { bytes, isRecorded } = options.quiet
        ? await write(inLog)
        : await withProgress("backup", write, (made) => `${made.bytes} bytes`);
      const encrypted = encryptTo.length > 0;
      const secrecy = encrypted ? "encrypted" : "not encrypted: anyone with the file can read everything in it";
      show({ file, bytes, encrypted, recorded: isRecorded }, options, () => [`${file}: ${bytes} bytes, ${secrecy}`]);
      if (options.json) return;
      await noteBlobs(context);
      if (isMove) print(movedNote);
      if (!isRecorded) print("The database accepts no writes, so `status` and alerts do not know of this backup.");
    },
    { accepted },
  );
}

async function noteBlobs({ db, config }: CliContext): Promise<void> {
  const { count } = await countBlobs(db);
  if (count > 0 && config.blobStorage !== "off")
    print(`Not in the backup: the bytes of ${count} blobs. Copy ${describeBlobStorage(config)} as well.`);
}

const movedNote =
  "No relay starts on this database any more. Restore the backup within a day and start the relay on its database, or " +
  "give the move up with `mls-relay backup --cancel-move`.";

/** Marked first: a relay that starts now does not come to serve, and one that serves already is found. */
async function markAsMoved(context: CliContext): Promise<void> {
  await addMarker(context.db, moveMarker);
  try {
    await refuseWhileNodesRun(context, "what it accepts from now on would be lost");
  } catch (error) {
    await removeMarkers(context.db, [moveMarker]);
    throw error;
  }
}

async function cancelMove(): Promise<void> {
  await withCliContext(({ db }) => removeMarkers(db, [moveMarker]), { accepted: [moveMarker] });
  print("The relay may start on this database again. Delete the backup of the move: to restore it now would be wrong.");
}

async function verify(file: string, options: BackupOptions): Promise<void> {
  const identities = options.identity === undefined ? [] : await readIdentities(options.identity);
  const read = ({ at }: Progress) => verifyBackup(file, { identities, progress: at });
  const found = options.quiet
    ? await read(inLog)
    : await withProgress("verification", read, ({ end }) => contentsOf(end));
  show({ file, ...viewOfBackup(found) }, options, () => [`${file} is whole.`, describeBackup(found)]);
}

function recipients(text: string, before: readonly string[] = []): readonly string[] {
  try {
    checkRecipient(text);
  } catch {
    throw new InvalidArgumentError("It must be an age recipient (age1…).");
  }
  return [...before, text];
}

const factors: Readonly<Record<string, number>> = { "": 1, k: 1024, M: 1024 ** 2, G: 1024 ** 3 };

function parseRate(text: string): number {
  const [, digits = "", unit = ""] = /^(\d{1,12})([kMG]?)$/.exec(text) ?? [];
  const rate = Number(digits) * (factors[unit] ?? 0);
  if (rate < 1) throw new InvalidArgumentError("It must be a number of bytes, like 500k or 20M.");
  return rate;
}
