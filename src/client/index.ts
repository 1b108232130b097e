// The public interface of the package @mls-relay/client. Anything not exported here may change at any time.

export type { ErrorName } from "../../generated/errors.js";
export { type AdminClient, type AdminOptions, type AdminSession, connectAdmin } from "./admin.js";
export { downloadBlob } from "./blobs/blob-download.js";
export type { BlobDownloadOptions } from "./blobs/blob-reading.js";
export { BlobError, type BlobReference, readBlobReference } from "./blobs/blob-references.js";
export type { BlobSource, BlobUploadOptions, BlobUploadState, UploadedBlob } from "./blobs/blob-sending.js";
export { deleteBlob, uploadBlob } from "./blobs/blob-upload.js";
export type { AnswerOf, Caller, CallInput, CallOptions, Exchanged, OperationId, Schemas } from "./connection/calls.js";
export { type Connection, type ConnectionOptions, connect } from "./connection/connection.js";
export { AnswerError, ConnectionError, isAnswer } from "./connection/failures.js";
export type { SeenLimit, SeenLimits } from "./connection/rate-limits.js";
export type { RelayClock } from "./connection/relay-clock.js";
export type { RetryPolicy } from "./connection/retry.js";
export type { Session, TokenSession } from "./connection/session.js";
export { SessionNotStoredError, type SessionStore } from "./connection/session-store.js";
export { isAcceptableKey } from "./crypto/acceptable-keys.js";
export {
  type EpochKeys,
  type Exporter,
  epochKeysOf,
  kindOfEnvelope,
  openEnvelope,
  type SealOptions,
  sealEnvelope,
} from "./crypto/envelope.js";
export { hkdfSha256Expand, hkdfSha256Extract, hmacSha256, sha256, sha512 } from "./crypto/hashes.js";
export { type DeviceKeys, deviceIdOf, deviceKeysOf, newSecretKey } from "./crypto/keys.js";
export {
  isSignedInEpoch,
  signCiphertext,
  signInEpoch,
  signOnce,
  verifyCiphertext,
} from "./crypto/message-signatures.js";
export { connectDevice, type DeviceClient, type DeviceOptions } from "./device/client.js";
export {
  type CompactInfo,
  type CompactInfoForm,
  type InfoLink,
  readCompactInfoQr,
  readInfoLink,
  writeCompactInfoQr,
  writeInfoLink,
} from "./infopackages/compact-info-qr.js";
export {
  type GroupInviteInfoPackage,
  type IdentityInfoPackage,
  openGroupInvite,
  openIdentity,
  type PackageType,
  type SealedInfoPackage,
  sealInfoPackage,
} from "./infopackages/info-packages.js";
export {
  fetchShared,
  type SharedInfoPackage,
  type SharingOptions,
  share,
  shareAnonymously,
  unshare,
  unshareAnonymously,
} from "./infopackages/share.js";
export { type ClaimedKeyPackage, type ClaimOptions, claimKeyPackages } from "./keys/key-package-claims.js";
export {
  type FetchedKeyPackage,
  fetchKeyPackage,
  keepKeyPackages,
  type MakeKeyPackages,
  type TopUp,
  type TopUpOptions,
  type UploadOptions,
  uploadKeyPackages,
} from "./keys/key-packages.js";
export {
  createKeyRing,
  type GroupKeys,
  type KeyRing,
  type KeyRingOptions,
  type KeyRingStore,
  type OpenedMessage,
  type WaitingMessage,
} from "./keys/key-ring.js";
export { answerLinking, beginLinking, type PendingLinking } from "./linking/linking-exchange.js";
export type { ReceivedLinkingPayload } from "./linking/linking-payload.js";
export { type LinkingQr, readLinkingQr } from "./linking/linking-qr.js";
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
} from "./messages/custom-media.js";
export {
  type FileId,
  type FileReference,
  formatFileId,
  isReferencedFile,
  newFileReference,
  parseFileId,
  readFileReference,
} from "./messages/file-references.js";
export type { GroupMessage, GroupResult } from "./messages/group-messages.js";
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
} from "./messages/group-permissions.js";
export type { IncomingMessage, OutgoingMessage, SystemEvent } from "./messages/messages.js";
export {
  type ContactRequest,
  encodeContactRequest,
  encodeSvcMessage,
  encodeSystemOperation,
  type Mention,
  messageReference,
  readContactRequest,
  readSvcMessage,
  readSystemOperation,
  type SvcMessage,
  type SystemOperation,
} from "./messages/svc-messages.js";
export type { DevicePush, HandledPush, PushHandling, PushSubscriptionKeys, SubscribeOptions } from "./push/push.js";
export type { Admission, AnnounceOptions } from "./registration/announce.js";
export { type JsonObject, MalformedError } from "./runtime/json-shape.js";
export { loaded, NotLoadedError } from "./runtime/loading.js";
export type { Runtime, SocketLike } from "./runtime/runtime.js";
export {
  canBeReported,
  RejectedError,
  type SealedContent,
  type SealedMessage,
  sealMessages,
  sealWelcomeMessage,
  sendSealed,
} from "./sealing/sealed-messages.js";
export {
  hpkeOf,
  type OwnKeyPackage,
  openWelcome,
  sealWelcome,
  type WelcomeRecipient,
} from "./sealing/sealed-welcomes.js";
export { readAttempts } from "./slots/attempts.js";
export type {
  CommitResult,
  CommitValidity,
  FollowResult,
  Rejoin,
  RejoinReason,
  Removed,
} from "./slots/commit-outcomes.js";
export {
  type CommitSlots,
  type CommitSlotsOptions,
  createCommitSlots,
} from "./slots/commit-slots.js";
export type { DecidedCommit, MadeCommit, PendingCommit, PendingCommitStore } from "./slots/pending-commit.js";
export { commitSlotKey, type TakingKey } from "./slots/slot-names.js";
export { isSlotReceipt, type SlotReceipt, type SlotRelay } from "./slots/slot-receipts.js";
export type { SlotTakers } from "./slots/user-attempts.js";
export type { DeviceQueue } from "./stream/device-queue.js";
export type { MessageHandling } from "./stream/inbox.js";
export type { Receiving, ReceivingEnd, ReceivingOptions, ReceivingStatus } from "./stream/receiving.js";
