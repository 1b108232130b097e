import { Command } from "commander";
import { voidAdminChallenges } from "../admin/challenges.js";
import { bySystem, createAuditService } from "../audit/service.js";
import { openMasterKey } from "../auth/master-key-rotation.js";
import { voidCountedBlobs } from "../blobs/service.js";
import { markers, removeMarkers } from "../database/migrations/restore-marker.js";
import { voidNonces } from "../federation/inbound/nonces.js";
import { voidLimitedPackages } from "../infopackages/service.js";
import { voidKeyPackages } from "../keypackages/service.js";
import { copyKeysIntoPartitions } from "../messages/service.js";
import { daySeconds } from "../protocol/units.js";
import { voidProvisioning } from "../provisioning/service.js";
import { voidChallenges, voidInvites } from "../registration/service.js";
import { voidSlotKey } from "../slots/service.js";
import { type CliContext, refuseWhileNodesRun, withCliContext } from "./context.js";
import { withSigningKeys } from "./keys.js";
import { jsonOption, type ShowOptions, show } from "./output.js";

export function afterRestoreCommand(): Command {
  return new Command("after-restore")
    .description(
      "void what a relay may have handed out after the backup; run it after a restore, before the relay starts",
    )
    .option(...jsonOption)
    .action((options: ShowOptions) =>
      withCliContext(
        async (context) => {
          const voided = await voidAll(context);
          show({ voided }, options, () => voided);
        },
        { accepted: markers },
      ),
    );
}

/** Every step is idempotent, so an interrupted run is repeated as a whole. */
const steps: readonly { done: string; run(context: CliContext): Promise<unknown> }[] = [
  {
    done: "Keys of sent messages are where this database looks for them.",
    run: carryKeys,
  },
  { done: "Key packages are void; devices upload new ones.", run: ({ db }) => voidKeyPackages(db) },
  { done: "Provisioning blobs are gone.", run: ({ db }) => voidProvisioning(db) },
  { done: "Blobs with a number of downloads are gone.", run: ({ db }) => voidCountedBlobs(db) },
  { done: "Info packages of limited use are used up.", run: ({ db }) => voidLimitedPackages(db) },
  { done: "Challenges of registrations are gone.", run: ({ db }) => voidChallenges(db) },
  {
    done: "Challenges of administrators and nonces of peers are void.",
    run: ({ db }) => Promise.all([voidAdminChallenges(db), voidNonces(db)]),
  },
  {
    done: "The key of commit slots is void: groups that use this relay's slots continue as new groups.",
    run: ({ db }) => voidSlotKey(db),
  },
  {
    done: "Invites are revoked.",
    run: ({ db, clock }) => db.transaction((trx) => voidInvites(trx, clock.nowSeconds())),
  },
  { done: "Every token is void: devices, administrators and peers authenticate again.", run: replaceKeys },
  { done: "The restoration is in the audit log.", run: recordRestore },
];

/** Returns a sentence for each step. */
export async function voidAll(context: CliContext): Promise<string[]> {
  await refuseWhileNodesRun(context, "it has in memory what this command voids");
  // Opened first: with the wrong key, nothing may be voided.
  await openMasterKey(context);
  for (const { run } of steps) await run(context);
  await removeMarkers(context.db, markers);
  return steps.map(({ done }) => done);
}

/** For a move: nothing can have been given out since the backup was made. Returns a sentence for each step. */
export async function keepAll(context: CliContext): Promise<string[]> {
  await carryKeys(context);
  await recordRestore(context);
  await removeMarkers(context.db, markers);
  return ["The relay was moved: key packages, invites, tokens and commit slots stay as they are."];
}

async function carryKeys({ db, placement, clock }: CliContext): Promise<void> {
  if (placement.hasPartitions) await copyKeysIntoPartitions(db, Math.floor(clock.nowSeconds() / daySeconds));
}

async function recordRestore(context: CliContext): Promise<void> {
  await createAuditService(context).record(context.db, {
    ...bySystem,
    action: "database_restored",
    target: null,
    details: {},
  });
}

/**
 * A restored database does not know which sessions ended after the backup, so every earlier signing key is revoked. Revoking
 * the last one creates a new one.
 */
async function replaceKeys(context: CliContext): Promise<void> {
  await withSigningKeys(context, async (keys, note) => {
    const signing = (await keys.list()).filter(({ state }) => state !== "revoked");
    await keys.rotate(note);
    for (const { kid } of signing) await keys.revoke(kid, note);
  });
}
