// What members find in slots, and what becomes of commits.

/**
 * How a member evaluates the content of a slot. All members must evaluate the same bytes alike, so `void` is only for content that
 * does not open or parse, belongs to another group or epoch, or is not from a member by its signature and membership tag.
 * `unusable` is for any other content that this member cannot apply, including a commit that it has made itself and whose state
 * it has lost: it must join again. `disputed` is unusable content that other members may settle: this member waits for them (`disputes`).
 */
export type CommitValidity = "valid" | "void" | "unusable" | "disputed";

/** Why a member must join again: to be removed and added, or to continue in a new group that others have made. */
export type RejoinReason =
  /** The slot's content is kept no longer: the member was away for too long. */
  | "slot expired"
  /** The relay was restored from a backup and has forgotten slots: the group continues as a new group. */
  | "slots restarted"
  /** The commit that counts cannot be applied by this member. */
  | "unusable commit"
  /** All attempts of the epoch were taken by void content, or no other user is left to take one. */
  | "no attempt left"
  /** The epoch began so long ago that the relay may soon forget its slot: nobody commits in it, and the group continues as a new one. */
  | "epoch too old";

export type Rejoin = { kind: "rejoin"; reason: RejoinReason };

/** A commit that was applied has removed this member from the group. */
export type Removed = { kind: "removed" };

/** The commit that counts is disputed, and the members have not settled it yet. Only with the option `disputes`. */
export type Disputed = { kind: "disputed" };

/** What became of a commit. After `lost`, the winner has been applied: make a new commit if it is still wanted. */
export type CommitResult = { kind: "won" } | { kind: "lost" } | Disputed | Removed | Rejoin;

/**
 * `applied` is the number of commits that were applied. `later`: messages of the present epoch may still be queued, or wait in a
 * key ring, so the rest is followed once they are handled, and `onFollowed` is called.
 */
export type FollowResult =
  | { kind: "current"; applied: number }
  | { kind: "later"; applied: number }
  | Disputed
  | Removed
  | Rejoin;
