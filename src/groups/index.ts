// The public interface of the package @mls-relay/groups. Anything not exported here may change at any time.

export { type Joiner, type Refused, UnreachableError } from "./changes.js";
export type { LinkOptions } from "./devices.js";
export { InvitationError } from "./door.js";
export type {
  AttachedFile,
  GroupEvent,
  Message,
  PassingEvent,
  Status,
  StoredEvent,
  UndeliveredReason,
} from "./events.js";
export {
  type AttachOptions,
  Group,
  type Invited,
  type InviteOptions,
  type MessageRange,
  type Outgoing,
  type PendingRequest,
} from "./group.js";
export type { Invitation } from "./group-context.js";
export { Groups, type GroupsOptions, openGroups } from "./groups.js";
export { indexedDbStore } from "./indexed-db-store.js";
export type { Listener } from "./ledger.js";
export type { Member } from "./members.js";
export type { MembershipState } from "./membership.js";
export { memoryStore } from "./memory-store.js";
export type {
  Change,
  GroupView,
  KeyPackageContent,
  Leaf,
  MadeChange,
  Mls,
  OwnKeyPackage,
  ProcessedCommit,
  ProposalKind,
  SignedCommit,
} from "./mls.js";
export { NotPermittedError, type Permission, type Roles } from "./permissions.js";
export { sqliteStore } from "./sqlite-store.js";
export { type Store, type StoreChange, StoreLockedError, type StoreRange } from "./store.js";
export { tsMls } from "./ts-mls.js";
