// Made by `npm run generate` from spec/. Do not edit.
import type { operations } from './openapi-types.js';
import type { Routes } from './routes.js';

export type OperationId = keyof operations & keyof Routes;

/** What is known of a caller, by the kind of its token. Times are Unix seconds. */
export interface Principals {
  device: { deviceId: string; sessionId: string; authTime: number; expiresAt: number };
  admin: {
    deviceId: string;
    sessionId: string;
    permissions: readonly string[];
    authTime: number;
    expiresAt: number;
  };
  federation: { domain: string };
}

/** What is left of a limit. Times are Unix seconds. */
export interface LimitState {
  name: string;
  limit: number;
  remaining: number;
  windowSeconds: number;
  resetAt: number | null;
}

/** The caller of an operation: one of the kinds that its security names. */
export type PrincipalOf<I extends OperationId> = Principals[Routes[I]['security'][number]];

type Nothing = Record<never, never>;
type Part<O, K extends string> = O extends { parameters: infer P }
  ? K extends keyof P
    ? Exclude<P[K], undefined>
    : Nothing
  : Nothing;
/** Node gives header names in lower case. */
type LowerCased<H> = { [K in keyof H as Lowercase<K & string>]: H[K] };
type JsonBody<O> = O extends { requestBody: { content: { 'application/json': infer B } } }
  ? B
  : O extends { requestBody?: { content: { 'application/json': infer B } } }
    ? B | undefined
    : undefined;

type Responses<I extends OperationId> = operations[I]['responses'];
type Content<R> = R extends { content: infer C } ? C : never;
/** The headers that `observeLimits` sets. */
type LimitHeader = 'RateLimit' | 'RateLimit-Policy';
/** The headers that a handler sets for a response, without the index signature for all others. */
type Documented<R> = R extends { headers: infer H }
  ? { [K in keyof H as string extends K ? never : K extends LimitHeader ? never : K]: H[K] }
  : Nothing;
type ReplyHeaders<H> = [keyof H] extends [never]
  ? { headers?: Record<string, never> }
  : Nothing extends H
    ? { headers?: H }
    : { headers: H };
/** The pieces, in order, of a body that is too long to be held as a whole. */
export type AnswerChunks = AsyncIterable<string | Uint8Array>;
/** A body as it arrives. Throws INVALID_REQUEST if it pauses for too long or ends early. */
export type BodyChunks = AsyncIterable<Uint8Array>;
/** Does what JSON.stringify does, at less cost for this body. */
type EncodeJson<B> = (body: B) => string | Buffer;
type ReplyBody<C, Streamed> = [C] extends [never]
  ? { type?: never; body?: never }
  : {
      [M in keyof C]: (M extends 'application/json' ? { type?: M; encode?: EncodeJson<C[M]> } : { type: M }) & {
        body: Streamed extends true ? AnswerChunks : C[M];
      };
    }[keyof C];

type ReplyOf<S, R, Streamed> = { status: S } & ReplyBody<Content<R>, Streamed> & ReplyHeaders<Documented<R>>;

/** A success answer of an operation. Errors are thrown. JSON is the media type unless `type` names another. */
export type Reply<I extends OperationId> = {
  [S in Routes[I]['success'] & keyof Responses<I>]: ReplyOf<S, Responses<I>[S], Routes[I]['streamed']>;
}[Routes[I]['success'] & keyof Responses<I>];

declare const sent: unique symbol;
/** A reply that passed through `Call.reply`. */
export type Sent<I extends OperationId> = Reply<I> & { readonly [sent]: I };

interface CallOf<I extends OperationId> {
  params: Part<operations[I], 'path'>;
  query: Part<operations[I], 'query'>;
  headers: LowerCased<Part<operations[I], 'header'>>;
  body: JsonBody<operations[I]>;
  /** The bytes behind the JSON of a body that has some. */
  attached: Buffer | null;
  /** The client's network key: an IPv4 address, or an IPv6 /64. Told when it is asked for; a spread copy lacks it. */
  ip: string;
  userAgent: string | null;
  /** Whether only the headers of the answer are wanted. */
  isHead: boolean;
  requestId: string;
  /** The bearer token as it was sent. */
  token: string | null;
  /** Aborted when the client has gone, or has its answer. */
  gone(): AbortSignal;
  /** Settles when the answer has left, when the client has gone, or after the longest time an answer may stand still. */
  left(): Promise<void>;
  /**
   * Puts the state of limits into the headers `RateLimit` and `RateLimit-Policy` of the answer, be it a success or an
   * error. Times are Unix seconds. A later call replaces an earlier one.
   */
  observeLimits(states: readonly LimitState[], now: number): void;
  /** Checks the reply's type: an argument is checked for extra properties, a returned value is not. */
  reply(reply: Reply<I>): Sent<I>;
}

/** A validated request. `principal` is there only where the operation has security. */
export type Call<I extends OperationId> = CallOf<I> &
  (Routes[I]['streamedBody'] extends true ? { /** Call it once. */ stream(): BodyChunks } : Nothing) &
  ([Routes[I]['security'][number]] extends [never]
    ? Nothing
    : { principal: PrincipalOf<I> | (Routes[I]['tokenOptional'] extends true ? null : never) });

export type Handler<I extends OperationId> = (call: Call<I>) => Promise<Sent<I>>;

/** How a device becomes known, gets addresses, and keeps its access token. */
export interface RegistrationHandlers {
  getRegistrationChallenge: Handler<'getRegistrationChallenge'>;
  createRegistrationChallenge: Handler<'createRegistrationChallenge'>;
  announceWithProof: Handler<'announceWithProof'>;
  announceDevice: Handler<'announceDevice'>;
  listAddresses: Handler<'listAddresses'>;
  endAddress: Handler<'endAddress'>;
  refreshDeviceToken: Handler<'refreshDeviceToken'>;
}

/** What this relay offers, its public keys, and whether it is up. */
export interface DiscoveryHandlers {
  getDiscovery: Handler<'getDiscovery'>;
  getSigningKeys: Handler<'getSigningKeys'>;
  getHealthz: Handler<'getHealthz'>;
  getReadyz: Handler<'getReadyz'>;
}

/** Sending messages, reading the queue, acknowledging. */
export interface MessagesHandlers {
  pollMessages: Handler<'pollMessages'>;
  sendMessage: Handler<'sendMessage'>;
  sendMessageBatch: Handler<'sendMessageBatch'>;
  sendMessageToMany: Handler<'sendMessageToMany'>;
  acknowledgeMessages: Handler<'acknowledgeMessages'>;
  acknowledgeMessage: Handler<'acknowledgeMessage'>;
}

/** How much a device may still do. */
export interface LimitsHandlers {
  getLimits: Handler<'getLimits'>;
}

/** How relays authenticate and deliver messages to each other. */
export interface FederationHandlers {
  createFederationChallenge: Handler<'createFederationChallenge'>;
  authenticateServer: Handler<'authenticateServer'>;
  pushOnlineMessages: Handler<'pushOnlineMessages'>;
  forwardSpamReport: Handler<'forwardSpamReport'>;
  deliverTransaction: Handler<'deliverTransaction'>;
  getBlocklist: Handler<'getBlocklist'>;
}

/** How an administrator logs in, stays logged in and logs out. */
export interface AdminSessionsHandlers {
  getAdminChallenge: Handler<'getAdminChallenge'>;
  loginAdmin: Handler<'loginAdmin'>;
  refreshAdminToken: Handler<'refreshAdminToken'>;
  logoutAdmin: Handler<'logoutAdmin'>;
  loginWithLink: Handler<'loginWithLink'>;
  listAdminSessions: Handler<'listAdminSessions'>;
  endAdminSession: Handler<'endAdminSession'>;
}

/** The server's configuration. */
export interface AdminConfigHandlers {
  getConfig: Handler<'getConfig'>;
  updateConfig: Handler<'updateConfig'>;
}

/** The trust state of devices, and how administrators change it. */
export interface AdminTrustHandlers {
  deleteVerification: Handler<'deleteVerification'>;
  verifyDevice: Handler<'verifyDevice'>;
  verifyDevices: Handler<'verifyDevices'>;
  revokeVerification: Handler<'revokeVerification'>;
  setRateLimit: Handler<'setRateLimit'>;
  listPendingDevices: Handler<'listPendingDevices'>;
  listDevices: Handler<'listDevices'>;
  getDevice: Handler<'getDevice'>;
  deleteDevice: Handler<'deleteDevice'>;
  testDevicePush: Handler<'testDevicePush'>;
  blockDevice: Handler<'blockDevice'>;
}

/** Other servers, their reputations, and the messages that wait for them. */
export interface AdminFederationHandlers {
  blockServer: Handler<'blockServer'>;
  unblockServer: Handler<'unblockServer'>;
  listBlockedServers: Handler<'listBlockedServers'>;
  getServerReputation: Handler<'getServerReputation'>;
  listPeers: Handler<'listPeers'>;
  listPeerBlocklists: Handler<'listPeerBlocklists'>;
  getPeerBlocklist: Handler<'getPeerBlocklist'>;
  getFederationPolicy: Handler<'getFederationPolicy'>;
  setFederationPolicy: Handler<'setFederationPolicy'>;
  listOutboxBacklogs: Handler<'listOutboxBacklogs'>;
  retryOutbox: Handler<'retryOutbox'>;
  purgeOutbox: Handler<'purgeOutbox'>;
}

/** Invites to register. */
export interface AdminInvitesHandlers {
  listInvites: Handler<'listInvites'>;
  createInvite: Handler<'createInvite'>;
  revokeInvite: Handler<'revokeInvite'>;
}

/** Backups of the server's database. */
export interface AdminBackupsHandlers {
  listBackups: Handler<'listBackups'>;
  startBackup: Handler<'startBackup'>;
}

/** Deletion of blobs that were reported. */
export interface AdminBlobsHandlers {
  removeBlob: Handler<'removeBlob'>;
}

/** Reporting unwanted messages. */
export interface ModerationHandlers {
  reportSpam: Handler<'reportSpam'>;
}

/** Small encrypted documents behind an address that can be passed on. */
export interface InfopackagesHandlers {
  uploadInfoPackage: Handler<'uploadInfoPackage'>;
  getInfoPackage: Handler<'getInfoPackage'>;
  revokeInfoPackage: Handler<'revokeInfoPackage'>;
  createRevocableInfoPackage: Handler<'createRevocableInfoPackage'>;
  getRevocableInfoPackage: Handler<'getRevocableInfoPackage'>;
  revokeRevocableInfoPackage: Handler<'revokeRevocableInfoPackage'>;
  uploadPlainInfoPackage: Handler<'uploadPlainInfoPackage'>;
  getPlainInfoPackage: Handler<'getPlainInfoPackage'>;
  revokePlainInfoPackage: Handler<'revokePlainInfoPackage'>;
}

/** MLS key packages, stored by a device and given out once each. */
export interface KeypackagesHandlers {
  claimKeyPackagesForPeer: Handler<'claimKeyPackagesForPeer'>;
  uploadKeyPackages: Handler<'uploadKeyPackages'>;
  fetchKeyPackage: Handler<'fetchKeyPackage'>;
  claimKeyPackages: Handler<'claimKeyPackages'>;
  getKeyPackageStatus: Handler<'getKeyPackageStatus'>;
}

/** Commit slots, by which a group decides which of several commits ends an epoch. */
export interface SlotsHandlers {
  readSlots: Handler<'readSlots'>;
  getSlot: Handler<'getSlot'>;
  takeSlot: Handler<'takeSlot'>;
  askSlot: Handler<'askSlot'>;
}

/** Files that clients have encrypted, stored for a time and downloaded by their ids. */
export interface BlobsHandlers {
  createBlob: Handler<'createBlob'>;
  downloadBlob: Handler<'downloadBlob'>;
  deleteBlob: Handler<'deleteBlob'>;
  uploadBlobPart: Handler<'uploadBlobPart'>;
  getBlobUpload: Handler<'getBlobUpload'>;
  completeBlob: Handler<'completeBlob'>;
}

/** Wake-up pushes for devices that hold no stream. */
export interface PushHandlers {
  getPushSubscription: Handler<'getPushSubscription'>;
  subscribeToPush: Handler<'subscribeToPush'>;
  unsubscribeFromPush: Handler<'unsubscribeFromPush'>;
  confirmPushSubscription: Handler<'confirmPushSubscription'>;
  testPushSubscription: Handler<'testPushSubscription'>;
}

/** Handing one encrypted blob to a new device of the same user. */
export interface ProvisioningHandlers {
  createProvisioning: Handler<'createProvisioning'>;
  createLinkingCode: Handler<'createLinkingCode'>;
  getLinkingCode: Handler<'getLinkingCode'>;
  pollProvisioningBlob: Handler<'pollProvisioningBlob'>;
  putProvisioningBlob: Handler<'putProvisioningBlob'>;
  postProvisioningBlob: Handler<'postProvisioningBlob'>;
}

/** The server's own measurements. */
export interface AdminMetricsHandlers {
  getMetrics: Handler<'getMetrics'>;
  getMetricsTimeseries: Handler<'getMetricsTimeseries'>;
  exportMetrics: Handler<'exportMetrics'>;
}

/** What administrators did. */
export interface AdminAuditHandlers {
  listAuditEntries: Handler<'listAuditEntries'>;
  exportAuditEntries: Handler<'exportAuditEntries'>;
}

/** The state of the server's components, and its alerts. */
export interface AdminHealthHandlers {
  getHealth: Handler<'getHealth'>;
  listAlerts: Handler<'listAlerts'>;
}

/** Every operation of the contract. */
export interface AllHandlers extends RegistrationHandlers, DiscoveryHandlers, MessagesHandlers, LimitsHandlers, FederationHandlers, AdminSessionsHandlers, AdminConfigHandlers, AdminTrustHandlers, AdminFederationHandlers, AdminInvitesHandlers, AdminBackupsHandlers, AdminBlobsHandlers, ModerationHandlers, InfopackagesHandlers, KeypackagesHandlers, SlotsHandlers, BlobsHandlers, PushHandlers, ProvisioningHandlers, AdminMetricsHandlers, AdminAuditHandlers, AdminHealthHandlers {}
