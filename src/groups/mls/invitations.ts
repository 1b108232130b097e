// The invitations of a group, which are part of its context: which of them are valid, how many there can be, which one is dropped for a new one, and who may change them.

/** Anyone with the private key, which only the link contains, may ask to be added. Each addition consumes one use, in the same commit. */
export interface Invitation {
  /** 16 hex digits. */
  id: string;
  /** An Ed25519 public key. */
  key: Uint8Array;
  /** The user who has made it: it ends when others remove them. */
  by: string;
  expiresAtSeconds: number;
  usesLeft: number;
  /** Whether a member has to approve each request. */
  needsApproval: boolean;
}

/** Of a group. */
export const maxInvitations = 50;
/** Each user's share. A commit that gives its author more is void. */
const maxInvitationsOfUser = 10;

/** The invitations that have not expired. */
export function countingOf({ invitations }: { invitations: readonly Invitation[] }, nowMillis: number): Invitation[] {
  return invitations.filter(({ expiresAtSeconds }) => expiresAtSeconds > nowMillis / 1000);
}

/**
 * If there is no room for all, one of the user who has made the most makes way: the one that ends first. So nobody's share is used up by others. Throws if the user has
 * made too many, or no other user has made more.
 */
export function withInvitation(counting: readonly Invitation[], made: Invitation): Invitation[] {
  const countOf = (user: string) => counting.filter(({ by }) => by === user).length;
  const own = countOf(made.by);
  if (own >= maxInvitationsOfUser)
    throw new RangeError(
      `a user has at most ${maxInvitationsOfUser} invitations to a group that count: revoke one first`,
    );
  if (counting.length < maxInvitations) return [...counting, made];
  const most = Math.max(...counting.map(({ by }) => countOf(by)));
  if (most <= own)
    throw new RangeError(`a group has at most ${maxInvitations} invitations that count: revoke one first`);
  const theirs = counting.filter(({ by }) => countOf(by) === most);
  const first = theirs.reduce((one, other) => (other.expiresAtSeconds < one.expiresAtSeconds ? other : one));
  return [...counting.filter((one) => one !== first), made];
}

/** Whether a commit of `user` may change the invitations like this. It bans the users in `banned`, whose invitations end. */
export function allowsInvitations(
  [old, next]: readonly [{ invitations: Invitation[] }, { invitations: Invitation[] }],
  { mayInvite, user, banned }: { mayInvite: boolean; user: string; banned: readonly string[] },
): boolean {
  const { invitations } = next;
  const isFrom = (test: (before: Invitation, one: Invitation) => boolean) => (one: Invitation) =>
    old.invitations.some((before) => test(before, one));
  const ended = old.invitations.filter(({ id }) => !invitations.some((one) => one.id === id));
  const altered = invitations.filter((one) => !isFrom(isSame)(one));
  const made = altered.filter((one) => !isFrom(isUsed)(one));
  const areDifferent = new Set(invitations.map(({ id }) => id)).size === invitations.length;
  const isWithinShare = invitations.filter(({ by }) => by === user).length <= maxInvitationsOfUser;
  const areOwn = made.every((one) => one.by === user && !isFrom(hasIdOf)(one));
  return (
    (mayInvite || ended.every(({ by }) => banned.includes(by))) &&
    (altered.length === 0 || mayInvite) &&
    (made.length === 0 || (areOwn && isWithinShare)) &&
    areDifferent
  );
}

function hasIdOf(one: Invitation, other: Invitation): boolean {
  return one.id === other.id;
}

function isSame(one: Invitation, other: Invitation): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Somebody was added by it: nothing else of an invitation ever changes. */
function isUsed(before: Invitation, after: Invitation): boolean {
  return after.usesLeft < before.usesLeft && isSame({ ...before, usesLeft: 0 }, { ...after, usesLeft: 0 });
}
