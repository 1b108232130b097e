// Made by `npm run generate` from spec/. Do not edit.
export type BodyLimitName = 'default' | 'message' | 'batch' | 'multi' | 'federation' | 'keypackages' | 'infopackage' | 'provisioning' | 'slot' | 'bulk';

export interface Route {
  readonly method: 'get' | 'put' | 'post' | 'delete' | 'patch';
  readonly path: string;
  readonly tag: string;
  /** The status of success; the type names all of them, the value is the lowest. */
  readonly success: number;
  readonly security: readonly ('device' | 'admin' | 'federation')[];
  /** Which limit the body has; null where the operation takes none. */
  readonly bodyLimit: BodyLimitName | null;
  /** The array in the body whose items are judged one by one, so that text in one of them concerns that one alone. */
  readonly itemsCheckedApart: string | null;
  /** The media type of a body of JSON with bytes behind it, which is taken as well. */
  readonly attachedBytes: string | null;
  /** What an admin must be permitted to do; null where any admin, or anybody, may call. */
  readonly permission: string | null;
  /** Whether the body of success is sent piece by piece. */
  readonly streamed: boolean;
  /** Whether HEAD is answered where GET is. */
  readonly head: boolean;
  /** Whether people send its address to each other. */
  readonly sharedLink: boolean;
  /** Whether the answer has an entity tag, and is 304 to a caller who sends it. */
  readonly conditional: boolean;
}

/** Every operation by its id. Paths are in the form of Express, with the contract's parameter names. */
export const routes = {
  getRegistrationChallenge: { method: 'get', path: '/api/v1/announce/challenge', tag: 'registration', success: 200, security: [], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: false },
  createRegistrationChallenge: { method: 'post', path: '/api/v1/announce/challenge', tag: 'registration', success: 200, security: [], bodyLimit: 'default', itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: false },
  announceWithProof: { method: 'post', path: '/api/v1/announce', tag: 'registration', success: 200, security: [], bodyLimit: 'default', itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: false },
  announceDevice: { method: 'post', path: '/api/v1/device/announce', tag: 'registration', success: 200, security: [], bodyLimit: 'default', itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: false },
  listAddresses: { method: 'get', path: '/api/v1/addresses', tag: 'registration', success: 200, security: ['device'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: false },
  endAddress: { method: 'delete', path: '/api/v1/addresses/:prefix', tag: 'registration', success: 200, security: ['device'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: false },
  refreshDeviceToken: { method: 'post', path: '/v1/auth/refresh', tag: 'registration', success: 200, security: ['device'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: false },
  getDiscovery: { method: 'get', path: '/.well-known/svc', tag: 'discovery', success: 200, security: [], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: true, sharedLink: false, conditional: false },
  getSigningKeys: { method: 'get', path: '/.well-known/jwks.json', tag: 'discovery', success: 200, security: [], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: true, sharedLink: false, conditional: false },
  getHealthz: { method: 'get', path: '/healthz', tag: 'discovery', success: 200, security: [], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: true, sharedLink: false, conditional: false },
  getReadyz: { method: 'get', path: '/readyz', tag: 'discovery', success: 200, security: [], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: true, sharedLink: false, conditional: false },
  pollMessages: { method: 'get', path: '/v1/messages', tag: 'messages', success: 200, security: ['device'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: false },
  sendMessage: { method: 'post', path: '/v1/messages', tag: 'messages', success: 202, security: ['device'], bodyLimit: 'message', itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: false },
  sendMessageBatch: { method: 'post', path: '/v1/messages/batch', tag: 'messages', success: 202, security: ['device'], bodyLimit: 'batch', itemsCheckedApart: 'messages', attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: false },
  sendMessageToMany: { method: 'post', path: '/v1/messages/multi', tag: 'messages', success: 202, security: ['device'], bodyLimit: 'multi', itemsCheckedApart: 'recipients', attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: false },
  acknowledgeMessages: { method: 'post', path: '/v1/messages/ack', tag: 'messages', success: 200, security: ['device'], bodyLimit: 'default', itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: false },
  acknowledgeMessage: { method: 'delete', path: '/v1/messages/:message_id', tag: 'messages', success: 200, security: ['device'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: false },
  getSlot: { method: 'get', path: '/v1/slots/:slot', tag: 'slots', success: 200, security: [], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: false },
  takeSlot: { method: 'put', path: '/v1/slots/:slot', tag: 'slots', success: 200, security: ['device'], bodyLimit: 'slot', itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: false },
  getLimits: { method: 'get', path: '/v1/limits', tag: 'limits', success: 200, security: ['device'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: false },
  askSlot: { method: 'post', path: '/federation/v1/slots', tag: 'slots', success: 200, security: ['federation'], bodyLimit: 'slot', itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: false },
  createFederationChallenge: { method: 'post', path: '/federation/v1/challenge', tag: 'federation', success: 200, security: [], bodyLimit: 'default', itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: false },
  authenticateServer: { method: 'post', path: '/federation/v1/auth', tag: 'federation', success: 200, security: [], bodyLimit: 'default', itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: false },
  deliverTransaction: { method: 'put', path: '/federation/v1/deliver/:transaction_id', tag: 'federation', success: 200, security: ['federation'], bodyLimit: 'federation', itemsCheckedApart: 'messages', attachedBytes: 'application/vnd.svc-delivery', permission: null, streamed: false, head: false, sharedLink: false, conditional: false },
  getBlocklist: { method: 'get', path: '/.well-known/svc-blocklist', tag: 'federation', success: 200, security: [], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: true, sharedLink: false, conditional: false },
  getAdminChallenge: { method: 'get', path: '/admin/v1/auth/challenge', tag: 'admin-sessions', success: 200, security: [], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: false },
  loginAdmin: { method: 'post', path: '/admin/v1/auth', tag: 'admin-sessions', success: 200, security: [], bodyLimit: 'default', itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: false },
  refreshAdminToken: { method: 'post', path: '/admin/v1/auth/refresh', tag: 'admin-sessions', success: 200, security: ['admin'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: false },
  logoutAdmin: { method: 'post', path: '/admin/v1/auth/logout', tag: 'admin-sessions', success: 200, security: ['admin'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: false },
  loginWithLink: { method: 'post', path: '/admin/v1/auth/link', tag: 'admin-sessions', success: 200, security: [], bodyLimit: 'default', itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: false },
  listAdminSessions: { method: 'get', path: '/admin/v1/sessions', tag: 'admin-sessions', success: 200, security: ['admin'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: true },
  endAdminSession: { method: 'delete', path: '/admin/v1/sessions/:session_id', tag: 'admin-sessions', success: 200, security: ['admin'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: false },
  getConfig: { method: 'get', path: '/admin/v1/config', tag: 'admin-config', success: 200, security: ['admin'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: true },
  updateConfig: { method: 'patch', path: '/admin/v1/config', tag: 'admin-config', success: 200, security: ['admin'], bodyLimit: 'default', itemsCheckedApart: null, attachedBytes: null, permission: 'manage_config', streamed: false, head: false, sharedLink: false, conditional: false },
  deleteVerification: { method: 'delete', path: '/admin/v1/trust/verify/:device_id', tag: 'admin-trust', success: 200, security: ['admin'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: 'verify_devices', streamed: false, head: false, sharedLink: false, conditional: false },
  verifyDevice: { method: 'post', path: '/admin/v1/trust/verify', tag: 'admin-trust', success: 200, security: ['admin'], bodyLimit: 'default', itemsCheckedApart: null, attachedBytes: null, permission: 'verify_devices', streamed: false, head: false, sharedLink: false, conditional: false },
  verifyDevices: { method: 'post', path: '/admin/v1/trust/verify-bulk', tag: 'admin-trust', success: 200, security: ['admin'], bodyLimit: 'bulk', itemsCheckedApart: null, attachedBytes: null, permission: 'verify_devices', streamed: false, head: false, sharedLink: false, conditional: false },
  revokeVerification: { method: 'post', path: '/admin/v1/trust/revoke', tag: 'admin-trust', success: 200, security: ['admin'], bodyLimit: 'default', itemsCheckedApart: null, attachedBytes: null, permission: 'verify_devices', streamed: false, head: false, sharedLink: false, conditional: false },
  setRateLimit: { method: 'post', path: '/admin/v1/trust/set-rate-limit', tag: 'admin-trust', success: 200, security: ['admin'], bodyLimit: 'default', itemsCheckedApart: null, attachedBytes: null, permission: 'modify_rate_limits', streamed: false, head: false, sharedLink: false, conditional: false },
  listPendingDevices: { method: 'get', path: '/admin/v1/trust/pending', tag: 'admin-trust', success: 200, security: ['admin'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: 'verify_devices', streamed: false, head: false, sharedLink: false, conditional: true },
  listDevices: { method: 'get', path: '/admin/v1/devices', tag: 'admin-trust', success: 200, security: ['admin'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: 'verify_devices', streamed: false, head: false, sharedLink: false, conditional: true },
  getDevice: { method: 'get', path: '/admin/v1/devices/:device_id', tag: 'admin-trust', success: 200, security: ['admin'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: true },
  deleteDevice: { method: 'delete', path: '/admin/v1/devices/:device_id', tag: 'admin-trust', success: 200, security: ['admin'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: 'all', streamed: false, head: false, sharedLink: false, conditional: false },
  blockDevice: { method: 'post', path: '/admin/v1/devices/:device_id/block', tag: 'admin-trust', success: 200, security: ['admin'], bodyLimit: 'default', itemsCheckedApart: null, attachedBytes: null, permission: 'verify_devices', streamed: false, head: false, sharedLink: false, conditional: false },
  blockServer: { method: 'post', path: '/admin/v1/federation/block', tag: 'admin-federation', success: 200, security: ['admin'], bodyLimit: 'default', itemsCheckedApart: null, attachedBytes: null, permission: 'block_federation', streamed: false, head: false, sharedLink: false, conditional: false },
  unblockServer: { method: 'delete', path: '/admin/v1/federation/block/:server_domain', tag: 'admin-federation', success: 200, security: ['admin'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: 'block_federation', streamed: false, head: false, sharedLink: false, conditional: false },
  listBlockedServers: { method: 'get', path: '/admin/v1/federation/blocklist', tag: 'admin-federation', success: 200, security: ['admin'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: 'block_federation', streamed: false, head: false, sharedLink: false, conditional: true },
  getServerReputation: { method: 'get', path: '/admin/v1/federation/reputation/:server_domain', tag: 'admin-federation', success: 200, security: ['admin'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: 'block_federation', streamed: false, head: false, sharedLink: false, conditional: true },
  listPeers: { method: 'get', path: '/admin/v1/federation/peers', tag: 'admin-federation', success: 200, security: ['admin'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: 'block_federation', streamed: false, head: false, sharedLink: false, conditional: true },
  listPeerBlocklists: { method: 'get', path: '/admin/v1/federation/peer-lists', tag: 'admin-federation', success: 200, security: ['admin'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: 'block_federation', streamed: false, head: false, sharedLink: false, conditional: true },
  getPeerBlocklist: { method: 'get', path: '/admin/v1/federation/peer-lists/:server_domain', tag: 'admin-federation', success: 200, security: ['admin'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: 'block_federation', streamed: false, head: false, sharedLink: false, conditional: true },
  getFederationPolicy: { method: 'get', path: '/admin/v1/federation/policy', tag: 'admin-federation', success: 200, security: ['admin'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: 'block_federation', streamed: false, head: false, sharedLink: false, conditional: true },
  setFederationPolicy: { method: 'put', path: '/admin/v1/federation/policy', tag: 'admin-federation', success: 200, security: ['admin'], bodyLimit: 'keypackages', itemsCheckedApart: null, attachedBytes: null, permission: 'block_federation', streamed: false, head: false, sharedLink: false, conditional: false },
  listOutboxBacklogs: { method: 'get', path: '/admin/v1/federation/outbox', tag: 'admin-federation', success: 200, security: ['admin'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: 'block_federation', streamed: false, head: false, sharedLink: false, conditional: true },
  retryOutbox: { method: 'post', path: '/admin/v1/federation/outbox/:server_domain/retry', tag: 'admin-federation', success: 200, security: ['admin'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: 'block_federation', streamed: false, head: false, sharedLink: false, conditional: false },
  purgeOutbox: { method: 'delete', path: '/admin/v1/federation/outbox/:server_domain', tag: 'admin-federation', success: 200, security: ['admin'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: 'block_federation', streamed: false, head: false, sharedLink: false, conditional: false },
  listInvites: { method: 'get', path: '/admin/v1/invites', tag: 'admin-invites', success: 200, security: ['admin'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: 'verify_devices', streamed: false, head: false, sharedLink: false, conditional: true },
  createInvite: { method: 'post', path: '/admin/v1/invites', tag: 'admin-invites', success: 201, security: ['admin'], bodyLimit: 'default', itemsCheckedApart: null, attachedBytes: null, permission: 'verify_devices', streamed: false, head: false, sharedLink: false, conditional: false },
  revokeInvite: { method: 'delete', path: '/admin/v1/invites/:invite_id', tag: 'admin-invites', success: 200, security: ['admin'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: 'verify_devices', streamed: false, head: false, sharedLink: false, conditional: false },
  reportSpam: { method: 'post', path: '/v1/spam/report', tag: 'moderation', success: 200, security: ['device'], bodyLimit: 'default', itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: false },
  uploadInfoPackage: { method: 'post', path: '/v1/infopackages/upload', tag: 'infopackages', success: 200, security: ['device'], bodyLimit: 'infopackage', itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: false },
  getInfoPackage: { method: 'get', path: '/v1/infopackages/:url_segment', tag: 'infopackages', success: 200, security: [], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: true, conditional: false },
  revokeInfoPackage: { method: 'delete', path: '/v1/infopackages/:url_segment', tag: 'infopackages', success: 200, security: ['device'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: false },
  createRevocableInfoPackage: { method: 'post', path: '/api/v1/infopackages', tag: 'infopackages', success: 200, security: [], bodyLimit: 'infopackage', itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: false },
  getRevocableInfoPackage: { method: 'get', path: '/api/v1/infopackages/:segment', tag: 'infopackages', success: 200, security: [], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: true, conditional: false },
  revokeRevocableInfoPackage: { method: 'delete', path: '/api/v1/infopackages/:segment', tag: 'infopackages', success: 200, security: [], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: false },
  uploadPlainInfoPackage: { method: 'post', path: '/v1/info-packages/upload', tag: 'infopackages', success: 200, security: ['device'], bodyLimit: 'infopackage', itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: false },
  getPlainInfoPackage: { method: 'get', path: '/v1/info-packages/:url_segment', tag: 'infopackages', success: 200, security: [], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: true, conditional: false },
  revokePlainInfoPackage: { method: 'delete', path: '/v1/info-packages/:url_segment', tag: 'infopackages', success: 200, security: ['device'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: false },
  uploadKeyPackages: { method: 'post', path: '/api/v1/keypackage/upload', tag: 'keypackages', success: 200, security: ['device'], bodyLimit: 'keypackages', itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: false },
  fetchKeyPackage: { method: 'get', path: '/api/v1/keypackage/fetch', tag: 'keypackages', success: 200, security: ['device'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: false },
  getKeyPackageStatus: { method: 'get', path: '/api/v1/keypackage/status', tag: 'keypackages', success: 200, security: ['device'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: false },
  createProvisioning: { method: 'post', path: '/api/v1/provisioning/create', tag: 'provisioning', success: 200, security: [], bodyLimit: 'default', itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: false },
  pollProvisioningBlob: { method: 'get', path: '/api/v1/provisioning/:id', tag: 'provisioning', success: 200 as 200 | 202, security: [], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: false },
  putProvisioningBlob: { method: 'put', path: '/api/v1/provisioning/:id', tag: 'provisioning', success: 200, security: ['device'], bodyLimit: 'provisioning', itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: false },
  postProvisioningBlob: { method: 'post', path: '/api/v1/provisioning/:id', tag: 'provisioning', success: 200, security: ['device'], bodyLimit: 'provisioning', itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: false },
  getMetrics: { method: 'get', path: '/admin/v1/metrics', tag: 'admin-metrics', success: 200, security: ['admin'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: 'view_metrics', streamed: false, head: false, sharedLink: false, conditional: true },
  getMetricsTimeseries: { method: 'get', path: '/admin/v1/metrics/timeseries', tag: 'admin-metrics', success: 200, security: ['admin'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: 'view_metrics', streamed: false, head: false, sharedLink: false, conditional: true },
  exportMetrics: { method: 'get', path: '/admin/v1/metrics/export', tag: 'admin-metrics', success: 200, security: ['admin'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: 'view_metrics', streamed: false, head: false, sharedLink: false, conditional: false },
  listAuditEntries: { method: 'get', path: '/admin/v1/audit', tag: 'admin-audit', success: 200, security: ['admin'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: 'view_audit', streamed: false, head: false, sharedLink: false, conditional: true },
  exportAuditEntries: { method: 'get', path: '/admin/v1/audit/export', tag: 'admin-audit', success: 200, security: ['admin'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: 'view_audit', streamed: true, head: false, sharedLink: false, conditional: false },
  getHealth: { method: 'get', path: '/admin/v1/health', tag: 'admin-health', success: 200, security: ['admin'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: true },
  listAlerts: { method: 'get', path: '/admin/v1/alerts', tag: 'admin-health', success: 200, security: ['admin'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: null, streamed: false, head: false, sharedLink: false, conditional: true },
  listBackups: { method: 'get', path: '/admin/v1/backups', tag: 'admin-backups', success: 200, security: ['admin'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: 'manage_config', streamed: false, head: false, sharedLink: false, conditional: true },
  startBackup: { method: 'post', path: '/admin/v1/backups', tag: 'admin-backups', success: 202, security: ['admin'], bodyLimit: null, itemsCheckedApart: null, attachedBytes: null, permission: 'manage_config', streamed: false, head: false, sharedLink: false, conditional: false },
} as const satisfies Record<string, Route>;

export type Routes = typeof routes;

/** The version of the contract, as its documents say. */
export const contractVersion = '1.0.0';

/** The version of the interface that the specification names. */
export const interfaceVersion = '1.0.0';

/** Whose token each security scheme of the contract takes. */
export const securitySchemes = {
  deviceToken: 'device',
  adminToken: 'admin',
  federationToken: 'federation',
} as const;
