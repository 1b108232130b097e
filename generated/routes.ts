// Made by `npm run generate` from spec/. Do not edit.
export type BodyLimitName = 'default' | 'message' | 'batch' | 'federation' | 'keypackages' | 'infopackage' | 'provisioning';

export interface Route {
  readonly method: 'get' | 'put' | 'post' | 'delete' | 'patch';
  readonly path: string;
  readonly tag: string;
  /** The status of success; the type names all of them, the value is the lowest. */
  readonly success: number;
  readonly security: readonly ('device' | 'admin' | 'federation')[];
  /** Which limit the body has; null where the operation takes none. */
  readonly bodyLimit: BodyLimitName | null;
  /** What an admin must be permitted to do; null where any admin, or anybody, may call. */
  readonly permission: string | null;
  /** Whether the body of success is sent piece by piece. */
  readonly streamed: boolean;
}

/** Every operation by its id. Paths are in the form of Express, with the contract's parameter names. */
export const routes = {
  getRegistrationChallenge: { method: 'get', path: '/api/v1/announce/challenge', tag: 'registration', success: 200, security: [], bodyLimit: null, permission: null, streamed: false },
  createRegistrationChallenge: { method: 'post', path: '/api/v1/announce/challenge', tag: 'registration', success: 200, security: [], bodyLimit: 'default', permission: null, streamed: false },
  announceWithProof: { method: 'post', path: '/api/v1/announce', tag: 'registration', success: 200, security: [], bodyLimit: 'default', permission: null, streamed: false },
  announceDevice: { method: 'post', path: '/api/v1/device/announce', tag: 'registration', success: 200, security: [], bodyLimit: 'default', permission: null, streamed: false },
  refreshDeviceToken: { method: 'post', path: '/v1/auth/refresh', tag: 'registration', success: 200, security: ['device'], bodyLimit: null, permission: null, streamed: false },
  getDiscovery: { method: 'get', path: '/.well-known/svc', tag: 'discovery', success: 200, security: [], bodyLimit: null, permission: null, streamed: false },
  getSigningKeys: { method: 'get', path: '/.well-known/jwks.json', tag: 'discovery', success: 200, security: [], bodyLimit: null, permission: null, streamed: false },
  getHealthz: { method: 'get', path: '/healthz', tag: 'discovery', success: 200, security: [], bodyLimit: null, permission: null, streamed: false },
  getReadyz: { method: 'get', path: '/readyz', tag: 'discovery', success: 200, security: [], bodyLimit: null, permission: null, streamed: false },
  pollMessages: { method: 'get', path: '/v1/messages', tag: 'messages', success: 200, security: ['device'], bodyLimit: null, permission: null, streamed: false },
  sendMessage: { method: 'post', path: '/v1/messages', tag: 'messages', success: 202, security: ['device'], bodyLimit: 'message', permission: null, streamed: false },
  sendMessageBatch: { method: 'post', path: '/v1/messages/batch', tag: 'messages', success: 202, security: ['device'], bodyLimit: 'batch', permission: null, streamed: false },
  acknowledgeMessages: { method: 'post', path: '/v1/messages/ack', tag: 'messages', success: 200, security: ['device'], bodyLimit: 'default', permission: null, streamed: false },
  acknowledgeMessage: { method: 'delete', path: '/v1/messages/:message_id', tag: 'messages', success: 200, security: ['device'], bodyLimit: null, permission: null, streamed: false },
  createFederationChallenge: { method: 'post', path: '/federation/v1/challenge', tag: 'federation', success: 200, security: [], bodyLimit: 'default', permission: null, streamed: false },
  authenticateServer: { method: 'post', path: '/federation/v1/auth', tag: 'federation', success: 200, security: [], bodyLimit: 'default', permission: null, streamed: false },
  deliverTransaction: { method: 'put', path: '/federation/v1/deliver/:transaction_id', tag: 'federation', success: 200, security: ['federation'], bodyLimit: 'federation', permission: null, streamed: false },
  getBlocklist: { method: 'get', path: '/.well-known/svc-blocklist', tag: 'federation', success: 200, security: [], bodyLimit: null, permission: null, streamed: false },
  getAdminChallenge: { method: 'get', path: '/admin/v1/auth/challenge', tag: 'admin-sessions', success: 200, security: [], bodyLimit: null, permission: null, streamed: false },
  loginAdmin: { method: 'post', path: '/admin/v1/auth', tag: 'admin-sessions', success: 200, security: [], bodyLimit: 'default', permission: null, streamed: false },
  refreshAdminToken: { method: 'post', path: '/admin/v1/auth/refresh', tag: 'admin-sessions', success: 200, security: ['admin'], bodyLimit: null, permission: null, streamed: false },
  logoutAdmin: { method: 'post', path: '/admin/v1/auth/logout', tag: 'admin-sessions', success: 200, security: ['admin'], bodyLimit: null, permission: null, streamed: false },
  getConfig: { method: 'get', path: '/admin/v1/config', tag: 'admin-config', success: 200, security: ['admin'], bodyLimit: null, permission: null, streamed: false },
  updateConfig: { method: 'patch', path: '/admin/v1/config', tag: 'admin-config', success: 200, security: ['admin'], bodyLimit: 'default', permission: 'manage_config', streamed: false },
  verifyDevice: { method: 'post', path: '/admin/v1/trust/verify', tag: 'admin-trust', success: 200, security: ['admin'], bodyLimit: 'default', permission: 'verify_devices', streamed: false },
  verifyDevices: { method: 'post', path: '/admin/v1/trust/verify-bulk', tag: 'admin-trust', success: 200, security: ['admin'], bodyLimit: 'default', permission: 'verify_devices', streamed: false },
  revokeVerification: { method: 'post', path: '/admin/v1/trust/revoke', tag: 'admin-trust', success: 200, security: ['admin'], bodyLimit: 'default', permission: 'verify_devices', streamed: false },
  setRateLimit: { method: 'post', path: '/admin/v1/trust/set-rate-limit', tag: 'admin-trust', success: 200, security: ['admin'], bodyLimit: 'default', permission: 'modify_rate_limits', streamed: false },
  listPendingDevices: { method: 'get', path: '/admin/v1/trust/pending', tag: 'admin-trust', success: 200, security: ['admin'], bodyLimit: null, permission: 'verify_devices', streamed: false },
  getDevice: { method: 'get', path: '/admin/v1/devices/:device_id', tag: 'admin-trust', success: 200, security: ['admin'], bodyLimit: null, permission: null, streamed: false },
  blockServer: { method: 'post', path: '/admin/v1/federation/block', tag: 'admin-federation', success: 200, security: ['admin'], bodyLimit: 'default', permission: 'block_federation', streamed: false },
  unblockServer: { method: 'delete', path: '/admin/v1/federation/block/:server_domain', tag: 'admin-federation', success: 200, security: ['admin'], bodyLimit: null, permission: 'block_federation', streamed: false },
  listBlockedServers: { method: 'get', path: '/admin/v1/federation/blocklist', tag: 'admin-federation', success: 200, security: ['admin'], bodyLimit: null, permission: 'block_federation', streamed: false },
  getServerReputation: { method: 'get', path: '/admin/v1/federation/reputation/:server_domain', tag: 'admin-federation', success: 200, security: ['admin'], bodyLimit: null, permission: 'block_federation', streamed: false },
  getFederationPolicy: { method: 'get', path: '/admin/v1/federation/policy', tag: 'admin-federation', success: 200, security: ['admin'], bodyLimit: null, permission: 'block_federation', streamed: false },
  setFederationPolicy: { method: 'put', path: '/admin/v1/federation/policy', tag: 'admin-federation', success: 200, security: ['admin'], bodyLimit: 'keypackages', permission: 'block_federation', streamed: false },
  listOutboxBacklogs: { method: 'get', path: '/admin/v1/federation/outbox', tag: 'admin-federation', success: 200, security: ['admin'], bodyLimit: null, permission: 'block_federation', streamed: false },
  retryOutbox: { method: 'post', path: '/admin/v1/federation/outbox/:server_domain/retry', tag: 'admin-federation', success: 200, security: ['admin'], bodyLimit: null, permission: 'block_federation', streamed: false },
  purgeOutbox: { method: 'delete', path: '/admin/v1/federation/outbox/:server_domain', tag: 'admin-federation', success: 200, security: ['admin'], bodyLimit: null, permission: 'block_federation', streamed: false },
  listInvites: { method: 'get', path: '/admin/v1/invites', tag: 'admin-invites', success: 200, security: ['admin'], bodyLimit: null, permission: 'verify_devices', streamed: false },
  createInvite: { method: 'post', path: '/admin/v1/invites', tag: 'admin-invites', success: 201, security: ['admin'], bodyLimit: 'default', permission: 'verify_devices', streamed: false },
  revokeInvite: { method: 'delete', path: '/admin/v1/invites/:invite_id', tag: 'admin-invites', success: 200, security: ['admin'], bodyLimit: null, permission: 'verify_devices', streamed: false },
  reportSpam: { method: 'post', path: '/v1/spam/report', tag: 'moderation', success: 200, security: ['device'], bodyLimit: 'default', permission: null, streamed: false },
  uploadInfoPackage: { method: 'post', path: '/v1/infopackages/upload', tag: 'infopackages', success: 200, security: ['device'], bodyLimit: 'infopackage', permission: null, streamed: false },
  getInfoPackage: { method: 'get', path: '/v1/infopackages/:url_segment', tag: 'infopackages', success: 200, security: [], bodyLimit: null, permission: null, streamed: false },
  revokeInfoPackage: { method: 'delete', path: '/v1/infopackages/:url_segment', tag: 'infopackages', success: 200, security: ['device'], bodyLimit: null, permission: null, streamed: false },
  createRevocableInfoPackage: { method: 'post', path: '/api/v1/infopackages', tag: 'infopackages', success: 200, security: [], bodyLimit: 'infopackage', permission: null, streamed: false },
  getRevocableInfoPackage: { method: 'get', path: '/api/v1/infopackages/:segment', tag: 'infopackages', success: 200, security: [], bodyLimit: null, permission: null, streamed: false },
  revokeRevocableInfoPackage: { method: 'delete', path: '/api/v1/infopackages/:segment', tag: 'infopackages', success: 200, security: [], bodyLimit: null, permission: null, streamed: false },
  uploadPlainInfoPackage: { method: 'post', path: '/v1/info-packages/upload', tag: 'infopackages', success: 200, security: ['device'], bodyLimit: 'infopackage', permission: null, streamed: false },
  getPlainInfoPackage: { method: 'get', path: '/v1/info-packages/:url_segment', tag: 'infopackages', success: 200, security: [], bodyLimit: null, permission: null, streamed: false },
  revokePlainInfoPackage: { method: 'delete', path: '/v1/info-packages/:url_segment', tag: 'infopackages', success: 200, security: ['device'], bodyLimit: null, permission: null, streamed: false },
  uploadKeyPackages: { method: 'post', path: '/api/v1/keypackage/upload', tag: 'keypackages', success: 200, security: ['device'], bodyLimit: 'keypackages', permission: null, streamed: false },
  fetchKeyPackage: { method: 'get', path: '/api/v1/keypackage/fetch', tag: 'keypackages', success: 200, security: ['device'], bodyLimit: null, permission: null, streamed: false },
  getKeyPackageStatus: { method: 'get', path: '/api/v1/keypackage/status', tag: 'keypackages', success: 200, security: ['device'], bodyLimit: null, permission: null, streamed: false },
  createProvisioning: { method: 'post', path: '/api/v1/provisioning/create', tag: 'provisioning', success: 200, security: [], bodyLimit: 'default', permission: null, streamed: false },
  pollProvisioningBlob: { method: 'get', path: '/api/v1/provisioning/:id', tag: 'provisioning', success: 200 as 200 | 202, security: [], bodyLimit: null, permission: null, streamed: false },
  putProvisioningBlob: { method: 'put', path: '/api/v1/provisioning/:id', tag: 'provisioning', success: 200, security: ['device'], bodyLimit: 'provisioning', permission: null, streamed: false },
  getMetrics: { method: 'get', path: '/admin/v1/metrics', tag: 'admin-metrics', success: 200, security: ['admin'], bodyLimit: null, permission: 'view_metrics', streamed: false },
  getMetricsTimeseries: { method: 'get', path: '/admin/v1/metrics/timeseries', tag: 'admin-metrics', success: 200, security: ['admin'], bodyLimit: null, permission: 'view_metrics', streamed: false },
  exportMetrics: { method: 'get', path: '/admin/v1/metrics/export', tag: 'admin-metrics', success: 200, security: ['admin'], bodyLimit: null, permission: 'view_metrics', streamed: false },
  listAuditEntries: { method: 'get', path: '/admin/v1/audit', tag: 'admin-audit', success: 200, security: ['admin'], bodyLimit: null, permission: 'view_audit', streamed: false },
  exportAuditEntries: { method: 'get', path: '/admin/v1/audit/export', tag: 'admin-audit', success: 200, security: ['admin'], bodyLimit: null, permission: 'view_audit', streamed: true },
  getHealth: { method: 'get', path: '/admin/v1/health', tag: 'admin-health', success: 200, security: ['admin'], bodyLimit: null, permission: null, streamed: false },
  listAlerts: { method: 'get', path: '/admin/v1/alerts', tag: 'admin-health', success: 200, security: ['admin'], bodyLimit: null, permission: null, streamed: false },
} as const satisfies Record<string, Route>;

export type Routes = typeof routes;

/** Whose token each security scheme of the contract takes. */
export const securitySchemes = {
  deviceToken: 'device',
  adminToken: 'admin',
  federationToken: 'federation',
} as const;
