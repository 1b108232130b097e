// The commits of a group that this device keeps, to prove to returning members that the group continues.

import { type DecidedCommit, type EpochKeys, openEnvelope } from "../../client/index.js";
import { encodeRecord } from "../encoding/records.js";
import type { Joiner } from "../mls/changes.js";
import { membersOf } from "../mls/members.js";
import type { GroupView } from "../mls/mls.js";
import type { Transaction } from "../store/ledger.js";
import { inGroup, logKey, logPrefix } from "../store/record-keys.js";
import type { Log, LoggedCommit } from "../store/records.js";
import { maxLogged, maxLoggedBytes, type Proof, proofOf } from "./continuity.js";
import type { Membership } from "./membership.js";

/** After a user leaves, others remove them within this many epochs. */
const epochsUntilRemoved = 16;

/** A commit that is kept for returning members. */
export function loggedOf(
  { content, receipt, attempt }: DecidedCommit,
  { keys, before, after }: { keys: EpochKeys; before: GroupView; after: GroupView },
): LoggedCommit {
  const commit = openEnvelope(keys, content);
  if (commit === undefined) throw new Error("the commit is in no envelope of its epoch");
  const present = membersOf(after).map(({ device }) => device);
  const removed = membersOf(before).flatMap(({ device }) => (present.includes(device) ? [] : [device]));
  return { epoch: Number(before.epoch), content, receipt, attempt, commit, removed };
}

/** Keeps commits for returning members. */
export function keepCommits(transaction: Transaction, membership: Membership, logged: readonly LoggedCommit[]): Log {
  const { door, log: before = [], epochs } = membership.stored;
  const present = epochs[0]?.epoch;
  const log = [...before];
  for (const one of logged) {
    const value = encodeRecord(one);
    transaction.setBytes(logKey(membership.id, one.epoch), value);
    const isKnown = one.epoch === present && door !== undefined;
    log.push({ epoch: one.epoch, bytes: value.length, ...(isKnown && { door }) });
  }
  let bytes = log.reduce((sum, one) => sum + one.bytes, 0);
  while (log.length > maxLogged || bytes > maxLoggedBytes) {
    const [oldest] = log.splice(0, 1);
    if (oldest === undefined) break;
    bytes -= oldest.bytes;
    transaction.remove(logKey(membership.id, oldest.epoch));
  }
  return log;
}

/** Proves to a former member that the group continues; nobody else gets earlier commits. Undefined if this device lacks them. */
export async function proofFor(
  transaction: Transaction,
  membership: Membership,
  {
    joiner: { device, sinceEpoch, saidEpoch },
    logged,
  }: { joiner: Pick<Joiner, "device" | "sinceEpoch" | "saidEpoch">; logged: LoggedCommit },
): Promise<Proof | undefined> {
  const stored = await transaction.readAll(inGroup(logPrefix, membership.id));
  const log = [...stored.map(([, one]) => one), logged];
  // The last epoch that a leaving member knows is earlier than the one in which others removed them.
  const gone = log.findLast(({ removed }) => removed.includes(device))?.epoch;
  const known = gone === undefined ? undefined : (saidEpoch ?? Math.max(log[0]?.epoch ?? 0, gone - epochsUntilRemoved));
  const from = sinceEpoch ?? known;
  const needed = log.filter(({ epoch }) => from !== undefined && epoch >= from);
  return needed[0]?.epoch === from ? proofOf(needed) : undefined;
}
