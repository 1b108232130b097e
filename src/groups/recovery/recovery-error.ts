/**
 * `key`: a group of the recovery key is mistyped or missing (`groups`, from 1). `otherKey`: the backup was made with another key. `damaged`: it is cut off, was changed, or is no backup.
 * `version`: a later version of this package has made it.
 */
export class RecoveryError extends Error {
  readonly reason: "key" | "otherKey" | "damaged" | "version";
  readonly groups: readonly number[];

  constructor(reason: RecoveryError["reason"], groups: readonly number[] = []) {
    const texts = {
      key: `the recovery key is mistyped in these groups: ${groups.join(", ")}`,
      otherKey: "the backup was made with another recovery key",
      damaged: "the backup is damaged, or the file is none",
      version: "a later version has made the backup",
    };
    super(texts[reason]);
    this.name = "RecoveryError";
    this.reason = reason;
    this.groups = groups;
  }
}
