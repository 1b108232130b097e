import type { Knex } from "knex";
import { platformMigration } from "./0001-platform.js";
import { settingsMigration } from "./0002-settings.js";
import { devicesMigration } from "./0003-devices.js";
import { registrationMigration } from "./0004-registration.js";
import { mailboxMigration } from "./0005-mailbox.js";
import { metricsMigration } from "./0006-metrics.js";
import { auditMigration } from "./0007-audit.js";
import { messageIdsMigration } from "./0008-message-ids.js";
import { keypackagesMigration } from "./0010-keypackages.js";
import { provisioningMigration } from "./0011-provisioning.js";
import { infopackagesMigration } from "./0012-infopackages.js";
import { moderationMigration } from "./0013-moderation.js";
import { federationPeersMigration } from "./0020-federation-peers.js";
import { federationDeliveriesMigration } from "./0021-federation-deliveries.js";
import { outboxMigration } from "./0023-outbox.js";
import { outboxNextMigration } from "./0024-outbox-next.js";
import { adminMigration } from "./0030-admin.js";
import { monitoringMigration } from "./0033-monitoring.js";
import { outboxUnreachedMigration } from "./0034-outbox-unreached.js";
import { federationSessionChainsMigration } from "./0036-federation-session-chains.js";
import { jobRunsMigration } from "./0039-job-runs.js";
import { nodeDomainsMigration } from "./0040-node-domains.js";
import { writeProbeMigration } from "./0041-write-probe.js";
import { sendingWindowsMigration } from "./0043-sending-windows.js";
import { deliveredApartMigration } from "./0044-delivered-apart.js";
import { earlierKeysMigration } from "./0045-earlier-keys.js";
import { usedSignaturesMigration } from "./0047-used-signatures.js";
import { infoPackageBalanceMigration } from "./0048-info-package-balance.js";
import { backupsMigration } from "./0050-backups.js";
import { rateLimitsMigration } from "./0051-rate-limits.js";
import { sharedCiphertextsMigration } from "./0056-shared-ciphertexts.js";
import { alertPushesMigration } from "./0058-alert-pushes.js";
import { adminSessionsMigration } from "./0062-admin-sessions.js";
import { backupHistoryMigration } from "./0063-backup-history.js";
import { namesMigration } from "./0068-names.js";
import { collationsMigration } from "./0069-collations.js";
import { messageKeysMigration } from "./0073-message-keys.js";
import { outboxTransactionsMigration } from "./0078-outbox-transactions.js";
import { nodeLeadersMigration } from "./0085-node-leaders.js";
import { placelessKeysMigration } from "./0096-placeless-keys.js";
import { writeProbeTimeMigration } from "./0097-write-probe-time.js";
import { delayedTransactionsMigration } from "./0098-delayed-transactions.js";
import { inviteHandlesMigration } from "./0099-invite-handles.js";
import { nodeAddressesMigration } from "./0100-node-addresses.js";

/** One step of the schema. Its name is its identity: once released, neither name nor content changes. */
export interface Migration {
  name: string;
  up(db: Knex): Promise<void>;
}

/** Every step, in the order in which they run. */
export const migrations: readonly Migration[] = [
  platformMigration,
  settingsMigration,
  devicesMigration,
  registrationMigration,
  mailboxMigration,
  metricsMigration,
  auditMigration,
  messageIdsMigration,
  keypackagesMigration,
  provisioningMigration,
  infopackagesMigration,
  moderationMigration,
  federationPeersMigration,
  federationDeliveriesMigration,
  outboxMigration,
  outboxNextMigration,
  adminMigration,
  monitoringMigration,
  outboxUnreachedMigration,
  federationSessionChainsMigration,
  jobRunsMigration,
  nodeDomainsMigration,
  writeProbeMigration,
  sendingWindowsMigration,
  deliveredApartMigration,
  earlierKeysMigration,
  usedSignaturesMigration,
  infoPackageBalanceMigration,
  backupsMigration,
  rateLimitsMigration,
  sharedCiphertextsMigration,
  alertPushesMigration,
  adminSessionsMigration,
  backupHistoryMigration,
  namesMigration,
  collationsMigration,
  messageKeysMigration,
  outboxTransactionsMigration,
  nodeLeadersMigration,
  placelessKeysMigration,
  writeProbeTimeMigration,
  delayedTransactionsMigration,
  inviteHandlesMigration,
  nodeAddressesMigration,
];
