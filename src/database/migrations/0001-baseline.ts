import { adminTables } from "./baseline/admin.js";
import { auditTables } from "./baseline/audit.js";
import { backupTables } from "./baseline/backup.js";
import { blobsTables } from "./baseline/blobs.js";
import { devicesTables } from "./baseline/devices.js";
import { federationTables } from "./baseline/federation.js";
import { healthTables } from "./baseline/health.js";
import { infopackagesTables } from "./baseline/infopackages.js";
import { keypackagesTables } from "./baseline/keypackages.js";
import { messageKeysTables } from "./baseline/message-keys.js";
import { messagesTables } from "./baseline/messages.js";
import { metricsTables } from "./baseline/metrics.js";
import { moderationTables } from "./baseline/moderation.js";
import { outboxTables } from "./baseline/outbox.js";
import { platformTables } from "./baseline/platform.js";
import { provisioningTables } from "./baseline/provisioning.js";
import { registrationTables } from "./baseline/registration.js";
import { settingsTables } from "./baseline/settings.js";
import { slotsTables } from "./baseline/slots.js";

/** The tables of every module. Times are Unix seconds unless a column's name says otherwise. */
const tables = [
  platformTables,
  settingsTables,
  devicesTables,
  registrationTables,
  messagesTables,
  messageKeysTables,
  federationTables,
  outboxTables,
  keypackagesTables,
  provisioningTables,
  infopackagesTables,
  slotsTables,
  blobsTables,
  moderationTables,
  adminTables,
  auditTables,
  metricsTables,
  healthTables,
  backupTables,
];

export const baseline = {
  name: "0001-baseline",
  async up(db: { run(sql: string): Promise<void> }): Promise<void> {
    for (const ofModule of tables) await db.run(ofModule);
  },
};
