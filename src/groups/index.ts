// The public interface of the package @mls-relay/groups. Anything not exported here may change at any time.

export type { DeviceStatus } from "./devices/device-status.js";
export type { CompareOptions, LinkingError, LinkOptions } from "./devices/linking.js";
export { shownName } from "./encoding/names.js";
export type { DirectOptions } from "./founding.js";
export {
  type AttachOptions,
  Group,
  type Invited,
  type MessageRange,
  type Outgoing,
  type OutgoingContent,
  type PendingRequest,
} from "./group.js";
export { Groups, type GroupsOptions, hasDevice, openGroups, type SearchOptions } from "./groups.js";
export { InvitationError } from "./membership/invitation-error.js";
export type { InviteOptions } from "./membership/invitation-links.js";
export { type Joiner, type Refused, UnreachableError } from "./mls/changes.js";
export { GroupFullError } from "./mls/group-size.js";
export type { Invitation } from "./mls/invitations.js";
export type { Member, Person, PictureInfo, ShownMember } from "./mls/members.js";
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
} from "./mls/mls.js";
export { NotPermittedError, type Permission, type Roles } from "./mls/permissions.js";
export { tsMls } from "./mls/ts-mls.js";
export type { AppearanceOptions } from "./profiles/group-appearance.js";
export type { ProfileOptions } from "./profiles/own-profile.js";
export type { Picture } from "./profiles/pictures.js";
export type { RestoreOptions } from "./recovery/backup.js";
export type { RecoveryError } from "./recovery/recovery-error.js";
export type { ReportOptions } from "./sending/report.js";
export type {
  AttachedFile,
  Content,
  Delivery,
  GroupEvent,
  Message,
  PassingEvent,
  Status,
  StoredEvent,
  UndeliveredReason,
} from "./store/events.js";
export { indexedDbStore } from "./store/indexed-db-store.js";
export type { Listener } from "./store/ledger.js";
export { memoryStore } from "./store/memory-store.js";
export type { Consent, MembershipState } from "./store/records.js";
export { type SqliteDriver, type SqliteStatement, type SqliteValue, sqliteStoreOver } from "./store/sqlite-driver.js";
export { sqliteStore } from "./store/sqlite-store.js";
export { type Store, type StoreChange, StoreLockedError, type StoreRange } from "./store/store.js";
