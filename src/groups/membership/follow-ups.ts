import type { CommitNews } from "../encoding/content.js";

/** Work that a step of a membership leaves for the group's commit loop, once its transaction is committed. */
export type FollowUp =
  /** News of a commit that may be the next one. */
  | { kind: "hear"; group: string; news: CommitNews }
  /** There may be a change to carry out. */
  | { kind: "change"; group: string }
  /** Something waits for commits of the group that this device has not followed. */
  | { kind: "follow"; group: string }
  /** The commit that ended a past epoch may have been replaced. */
  | { kind: "review"; group: string; epoch: number }
  /** Something waits for an epoch of any group. */
  | { kind: "waiting" };
