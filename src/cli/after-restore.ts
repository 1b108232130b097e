import { Command } from "commander";
import { adminChallengesSecret } from "../admin/challenges.js";
import { createAuditService } from "../audit/service.js";
import { noncesSecret } from "../federation/inbound/nonces.js";
import { voidLimitedPackages } from "../infopackages/service.js";
import { voidKeyPackages } from "../keypackages/service.js";
import { openMasterKey } from "../platform/auth/master-key-rotation.js";
import { deleteSecrets } from "../platform/auth/secrets.js";
import { createSigningKeys, type KeyNote } from "../platform/auth/signing-keys.js";
import { inTransaction } from "../platform/database/connection.js";
import { removeRestoreMarker } from "../platform/database/restore-marker.js";
import { voidProvisioning } from "../provisioning/service.js";
import { voidChallenges, voidInvites } from "../registration/service.js";
import { type CliContext, withCliContext } from "./context.js";
import { refuseBesideNodes } from "./refuse-beside-nodes.js";

export function afterRestoreCommand(): Command {
  return new Command("after-restore")
    .description("once a backup has been restored, before the relay starts: void what may have been given out since")
    .action(() => withCliContext(voidAll, { halfRestored: true }));
}

/** Each step may be run again, so a run that was broken off is repeated as a whole. */
const steps: readonly { done: string; run(place: CliContext): Promise<unknown> }[] = [
  { done: "Key packages are void; devices upload new ones.", run: ({ db }) => voidKeyPackages(db) },
  { done: "Provisioning blobs are gone.", run: ({ db }) => voidProvisioning(db) },
  { done: "Info packages of limited use are used up.", run: ({ db }) => voidLimitedPackages(db) },
  { done: "Challenges of registrations are gone.", run: ({ db }) => voidChallenges(db) },
  {
    done: "Challenges of administrators and nonces of peers are void.",
    run: ({ db }) => deleteSecrets(db, [adminChallengesSecret, noncesSecret]),
  },
  {
    done: "Invites are revoked.",
    run: ({ db, clock }) => inTransaction(db, (trx) => voidInvites(trx, clock.nowSeconds())),
  },
  { done: "Every token is void: devices, administrators and peers prove anew who they are.", run: replaceKeys },
  { done: "The audit log tells of the restoration.", run: recordRestore },
];

export async function voidAll(place: CliContext): Promise<void> {
  await refuseBesideNodes(place, "it holds in memory what is to be void");
  // Asked for first: with the wrong key nothing is to be void.
  await openMasterKey(place);
  for (const { done, run } of steps) {
    await run(place);
    console.log(done);
  }
  await removeRestoreMarker(place.db);
}

async function recordRestore(place: CliContext): Promise<void> {
  await createAuditService(place).record(place.db, {
    ...{ action: "database_restored", admin: null, target: null, details: {}, ipAddress: null, userAgent: null },
  });
}

/**
 * A restored database has forgotten which sessions were ended since the backup, so no key that signed before is trusted
 * any more. Revoking the last one makes a new one.
 */
async function replaceKeys(place: CliContext): Promise<void> {
  const masterKey = await openMasterKey(place);
  const keys = createSigningKeys({ ...place, masterKey, config: place.config });
  const audit = createAuditService(place);
  const note: KeyNote = async (trx, action, target) => {
    await audit.record(trx, { action, target, admin: null, details: {}, ipAddress: null, userAgent: null });
  };
  await keys.start();
  try {
    const signing = (await keys.list()).filter(({ state }) => state !== "revoked");
    await keys.rotate(note);
    for (const { kid } of signing) await keys.revoke(kid, note);
  } finally {
    await keys.stop();
  }
}
