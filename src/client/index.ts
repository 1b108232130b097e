// The public interface of the package @mls-relay/client. Anything not exported here may change at any time.

export type { ErrorName } from "../../generated/errors.js";
export { type AdminClient, type AdminOptions, type AdminSession, connectAdmin } from "./admin.js";
export type { Admission, AnnounceOptions } from "./announce.js";
export { type BlobDownloadOptions, downloadBlob } from "./blob-download.js";
export { BlobError, type BlobReference, readBlobReference } from "./blob-references.js";
export {
  type BlobSource,
  type BlobUploadOptions,
  type BlobUploadState,
  deleteBlob,
  type UploadedBlob,
  uploadBlob,
} from "./blob-upload.js";
export type { AnswerOf, Caller, CallInput, CallOptions, Exchanged, OperationId, Schemas } from "./calls.js";
export { connectDevice, type DeviceClient, type DeviceOptions } from "./client.js";
export {
  type CommitResult,
  type CommitSlots,
  type CommitSlotsOptions,
  type CommitValidity,
  createCommitSlots,
  type DecidedCommit,
  type FollowResult,
  type MadeCommit,
  type PendingCommit,
  type PendingCommitStore,
  type Rejoin,
  type RejoinReason,
  type Removed,
} from "./commit-slots.js";
export {
  type CompactInfo,
  type CompactInfoForm,
  type InfoLink,
  readCompactInfoQr,
  readInfoLink,
  writeCompactInfoQr,
  writeInfoLink,
} from "./compact-info-qr.js";
export { type Connection, type ConnectionOptions, connect } from "./connection.js";
export {
  type CustomMedia,
  customMediaType,
  decodeCustomMedia,
  encodeCustomMedia,
  inlineItem,
  largestInlineItem,
  largestReferencedItem,
  type MediaItem,
  placeForMedia,
  referencedItem,
  type StickerPack,
} from "./custom-media.js";
export type { DeviceQueue } from "./device-queue.js";
export {
  type EpochKeys,
  epochKeysOf,
  kindOfEnvelope,
  openEnvelope,
  type SealOptions,
  sealEnvelope,
} from "./envelope.js";
export { AnswerError, ConnectionError, isAnswer } from "./failures.js";
export {
  type FileId,
  type FileReference,
  formatFileId,
  isReferencedFile,
  newFileReference,
  parseFileId,
  readFileReference,
} from "./file-references.js";
export type { GroupMessage, GroupResult } from "./group-messages.js";
export {
  allows,
  changePermissions,
  decodeGroupPermissions,
  encodeGroupPermissions,
  flagsOf,
  foundGroupPermissions,
  type GroupPermissions,
  groupPermissionsType,
  mayDevice,
  type PermissionName,
  permissionFlags,
  problemOfChange,
} from "./group-permissions.js";
export { hkdfSha256Expand, hkdfSha256Extract, hmacSha256, sha256, sha512 } from "./hashes.js";
export type { MessageHandling } from "./inbox.js";
export {
  type GroupInviteInfoPackage,
  type IdentityInfoPackage,
  openGroupInvite,
  openIdentity,
  type PackageType,
  type SealedInfoPackage,
  sealInfoPackage,
} from "./info-packages.js";
export { type JsonObject, MalformedError } from "./json-shape.js";
export { type ClaimedKeyPackage, type ClaimOptions, claimKeyPackages } from "./key-package-claims.js";
export {
  type FetchedKeyPackage,
  fetchKeyPackage,
  keepKeyPackages,
  type MakeKeyPackages,
  type TopUp,
  type TopUpOptions,
  type UploadOptions,
  uploadKeyPackages,
} from "./key-packages.js";
export {
  createKeyRing,
  type GroupKeys,
  type KeyRing,
  type KeyRingOptions,
  type KeyRingStore,
  type OpenedMessage,
  type WaitingMessage,
} from "./key-ring.js";
export { type DeviceKeys, deviceIdOf, deviceKeysOf, newSecretKey } from "./keys.js";
export { type LinkingQr, type ReceivedLinkingPayload, readLinkingQr } from "./linking.js";
export { answerLinking, beginLinking, type PendingLinking } from "./linking-exchange.js";
export { isSignedInEpoch, signCiphertext, signInEpoch, signOnce, verifyCiphertext } from "./message-signatures.js";
export type { IncomingMessage, OutgoingMessage, SystemEvent } from "./messages.js";
export type { DevicePush, HandledPush, PushHandling, PushSubscriptionKeys, SubscribeOptions } from "./push.js";
export type { SeenLimit, SeenLimits } from "./rate-limits.js";
export type { Receiving, ReceivingEnd, ReceivingOptions, ReceivingStatus } from "./receiving.js";
export type { RelayClock } from "./relay-clock.js";
export type { RetryPolicy } from "./retry.js";
export type { Runtime, SocketLike } from "./runtime.js";
export { RejectedError, type SealedMessage, sealMessages, sealWelcomeMessage, sendSealed } from "./sealed-messages.js";
export { type OwnKeyPackage, openWelcome, sealWelcome, type WelcomeRecipient } from "./sealed-welcomes.js";
export type { Session, TokenSession } from "./session.js";
export { SessionNotStoredError, type SessionStore } from "./session-store.js";
export {
  fetchShared,
  type SharedInfoPackage,
  type SharingOptions,
  share,
  shareAnonymously,
  unshare,
  unshareAnonymously,
} from "./share.js";
export {
  commitSlotKey,
  type Exporter,
  isSlotReceipt,
  type SlotReceipt,
  type SlotRelay,
  type TakingKey,
} from "./slot-receipts.js";
export {
  type ContactRequest,
  encodeContactRequest,
  encodeSvcMessage,
  encodeSystemOperation,
  readContactRequest,
  readSvcMessage,
  readSystemOperation,
  type SvcMessage,
  type SystemOperation,
} from "./svc-messages.js";
