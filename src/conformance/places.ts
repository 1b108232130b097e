// Which section of the specification has a rule, or how a server announces the extension that the rule belongs to. A
// server that does not announce an extension may lack it, and breaks nothing.

import type { OperationId } from "../../generated/handlers.js";
import { routes } from "../../generated/routes.js";
import type { Rule } from "./harness/types.js";

/** Where a rule has its authority. */
type Place =
  /** A section of the interface specification. */
  | { kind: "specification"; section: string }
  /** Something that a server offers beyond it, and where the server says so. */
  | { kind: "extension"; announced: string };

const spec = (section: string): Place => ({ kind: "specification", section });
const extension = (announced: string): Place => ({ kind: "extension", announced });

/** Extensions without a capability: the operation or the member is in the document that discovery links to. */
const byContract = extension("`links.openapi`");
const routing = spec("Message routing");
const announcing = spec("Device registration with proof of delay");
const administration = spec("Admin configuration, metrics, audit, health");
const trust = spec("Trust management (admin)");
const sessions = spec("Admin authentication");
const servers = spec("Federation management (admin, permission block_federation)");
const sealed = spec("Info packages (client-encrypted variant, primary)");
const revocable = spec("Info packages (revocation-token variant)");
const plain = spec("Info packages (server-encrypting variant, older)");
const errors = spec("Errors");

/** The place of each operation. The compiler asks for a new operation's. */
const ofOperations: Readonly<Record<OperationId, Place>> = {
  getRegistrationChallenge: announcing,
  createRegistrationChallenge: announcing,
  announceWithProof: announcing,
  announceDevice: spec("Device announcement, variant with address prefixes"),
  listAddresses: byContract,
  endAddress: byContract,
  refreshDeviceToken: spec("Authentication"),
  getDiscovery: spec("Discovery and published block list"),
  getSigningKeys: extension("`links.jwks`"),
  getHealthz: byContract,
  getReadyz: byContract,
  pollMessages: routing,
  sendMessage: routing,
  sendMessageBatch: routing,
  sendMessageToMany: extension("`capabilities.max_message_recipients`"),
  acknowledgeMessages: routing,
  acknowledgeMessage: routing,
  getSlot: extension("`slots`"),
  readSlots: extension("`slots.max_slots_per_reading`"),
  takeSlot: extension("`slots`"),
  createBlob: extension("`blobs`"),
  uploadBlobPart: extension("`blobs`"),
  getBlobUpload: extension("`blobs`"),
  completeBlob: extension("`blobs`"),
  downloadBlob: extension("`blobs`"),
  deleteBlob: extension("`blobs`"),
  removeBlob: extension("`blobs`"),
  getLimits: extension("`capabilities.rate_limit_headers`"),
  askSlot: extension("`capabilities.federated_slots`"),
  getPushSubscription: extension("`capabilities.wake_up_push`"),
  subscribeToPush: extension("`capabilities.wake_up_push`"),
  unsubscribeFromPush: extension("`capabilities.wake_up_push`"),
  confirmPushSubscription: extension("`capabilities.wake_up_push`"),
  testPushSubscription: extension("`capabilities.wake_up_push`"),
  claimKeyPackages: byContract,
  claimKeyPackagesForPeer: extension("`capabilities.federated_key_packages`"),
  createFederationChallenge: byContract,
  authenticateServer: spec("Federation"),
  deliverTransaction: spec("Federation"),
  pushOnlineMessages: extension("`capabilities.federated_lifetimes`"),
  forwardSpamReport: extension("`capabilities.federated_reports`"),
  getBlocklist: spec("Discovery and published block list"),
  getAdminChallenge: sessions,
  loginAdmin: sessions,
  refreshAdminToken: sessions,
  logoutAdmin: sessions,
  loginWithLink: byContract,
  listAdminSessions: byContract,
  endAdminSession: byContract,
  getConfig: administration,
  updateConfig: administration,
  deleteVerification: byContract,
  verifyDevice: trust,
  verifyDevices: trust,
  revokeVerification: byContract,
  setRateLimit: trust,
  listPendingDevices: trust,
  listDevices: byContract,
  getDevice: trust,
  deleteDevice: byContract,
  blockDevice: byContract,
  testDevicePush: extension("`capabilities.wake_up_push`"),
  blockServer: servers,
  unblockServer: servers,
  listBlockedServers: servers,
  getServerReputation: servers,
  listPeers: byContract,
  listPeerBlocklists: byContract,
  getPeerBlocklist: byContract,
  getFederationPolicy: byContract,
  setFederationPolicy: servers,
  listOutboxBacklogs: byContract,
  retryOutbox: byContract,
  purgeOutbox: byContract,
  listInvites: byContract,
  createInvite: byContract,
  revokeInvite: byContract,
  reportSpam: spec("Spam report"),
  uploadInfoPackage: sealed,
  getInfoPackage: sealed,
  revokeInfoPackage: sealed,
  createRevocableInfoPackage: revocable,
  getRevocableInfoPackage: revocable,
  revokeRevocableInfoPackage: revocable,
  uploadPlainInfoPackage: plain,
  getPlainInfoPackage: plain,
  revokePlainInfoPackage: plain,
  uploadKeyPackages: spec("KeyPackages"),
  fetchKeyPackage: spec("KeyPackages"),
  getKeyPackageStatus: byContract,
  createProvisioning: spec("Device linking"),
  pollProvisioningBlob: byContract,
  putProvisioningBlob: byContract,
  postProvisioningBlob: byContract,
  createLinkingCode: byContract,
  getLinkingCode: byContract,
  getMetrics: administration,
  getMetricsTimeseries: administration,
  exportMetrics: administration,
  listAuditEntries: administration,
  exportAuditEntries: administration,
  getHealth: administration,
  listAlerts: administration,
  listBackups: byContract,
  startBackup: byContract,
};

/** Rules whose place is not that of the first operation in their source. */
export const ofRules: Readonly<Record<string, Place>> = {
  "discovery.document": byContract,
  "discovery.documents": byContract,
  "registration.audience": byContract,
  "registration.revoke-others": byContract,
  "general.unknown-route": byContract,
  "general.unknown-query": byContract,
  "messages.spelling": spec("Message (client to server)"),
  "messages.duplicate": spec("Message (client to server)"),
  "messages.batch-size": spec("Limits"),
  "messages.many-size": extension("`capabilities.max_message_recipients`"),
  "messages.size": spec("Limits"),
  "messages.malformed.unknown": byContract,
  "messages.malformed.event": extension("`capabilities.system_events`"),
  "queue.system-event": extension("`capabilities.system_events`"),
  "stream.system": extension("`capabilities.system_events`"),
  "stream.online-only": extension("`capabilities.message_lifetime`"),
  "stream.sends": extension("`capabilities.stream_sends`"),
  "stream.window": spec("Flow control"),
  "stream.pause": spec("Flow control"),
  "stream.replaced": spec("Flow control"),
  "stream.outside": extension("`links.asyncapi`"),
  "stream.large-frame": extension("`links.asyncapi`"),
  "limits.stream-replacements": extension("`links.asyncapi`"),
  "keypackages.last-resort": byContract,
  "keypackages.repeated": byContract,
  "keypackages.bounds": byContract,
  "infopackages.bounds": spec("Limits"),
  "moderation.one-report": spec("Trust tier (per device_id)"),
  "provisioning.once": byContract,
  "provisioning.code": byContract,
  "trust.spelling": spec("Device"),
  "trust.unknown": errors,
  "trust.verify": byContract,
  "admin.permissions": spec("Authentication"),
  "admin.conditional": byContract,
  "servers.published-list": byContract,
  "federation.newer-peer": byContract,
  "federation.shared-ciphertext": extension("`capabilities.shared_ciphertexts`"),
  "federation.attached-ciphertexts": extension("`capabilities.attached_ciphertexts`"),
  "servers.outbox": byContract,
  "time.info-package": spec("Info package"),
  "time.address": spec("Delivery mapping"),
};

/** Throws if the rule's source names no operation and the table above does not name the rule. */
export function placeOf({ id, source }: Pick<Rule, "id" | "source">): Place {
  const listed = ofRules[id];
  if (listed !== undefined) return listed;
  if (id.startsWith("general.")) return generalPlace(id, source);
  if (source.startsWith("asyncapi: ")) return spec("Stream lifecycle");
  const operation = operationsIn(source)[0];
  if (operation === undefined) throw new Error(`src/conformance/places.ts names no place for ${id}`);
  return ofOperations[operation];
}

/** How a place is printed: the section, or what announces the extension. */
export function describePlace(place: Place): string {
  return place.kind === "specification" ? place.section : `extension, announced by ${place.announced}`;
}

/** The forms of refusals are this contract's; that a token is required is the specification's for its operations. */
function generalPlace(id: string, source: string): Place {
  const operation = operationsIn(source)[0];
  if (!id.startsWith("general.token.") || operation === undefined) return byContract;
  const place = ofOperations[operation];
  return place.kind === "specification" ? spec("Authentication") : place;
}

/** The operations that a source names, by their ids or by the schemas of their requests. */
function operationsIn(source: string): OperationId[] {
  const words = source.split(/\W+/).map((word) => word.replace(/^([A-Z])(\w+)Request$/, lowerFirst));
  return words.filter((word): word is OperationId => Object.hasOwn(routes, word));
}

function lowerFirst(_: string, first: string, rest: string): string {
  return first.toLowerCase() + rest;
}
