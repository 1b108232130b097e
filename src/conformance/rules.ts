import type { Rule } from "./harness/types.js";
import { adminRules } from "./rules/admin.js";
import { adminConsoleRules, adminDeviceRules } from "./rules/admin-console.js";
import { adminFederationRules } from "./rules/admin-federation.js";
import { adminMonitoringRules } from "./rules/admin-monitoring.js";
import { adminTrustRules } from "./rules/admin-trust.js";
import { blobRules } from "./rules/blobs.js";
import { reachedRules } from "./rules/deliveries.js";
import { discoveryRules } from "./rules/discovery.js";
import { exhaustingRules } from "./rules/exhausting.js";
import { federationRules } from "./rules/federation.js";
import { generalRules } from "./rules/general.js";
import { infoPackageRules } from "./rules/infopackages.js";
import { keyPackageRules } from "./rules/keypackages.js";
import { messageRules } from "./rules/messages.js";
import { moderationRules } from "./rules/moderation.js";
import { peerRules } from "./rules/peers.js";
import { provisioningRules } from "./rules/provisioning.js";
import { pushRules } from "./rules/push.js";
import { queueRules } from "./rules/queue.js";
import { registrationRules } from "./rules/registration.js";
import { slotRules } from "./rules/slots.js";
import { streamRules } from "./rules/stream.js";
import { flowControlRules } from "./rules/stream-flow.js";

/** Every rule, in the order in which they are checked. Rules that use up limits or get the caller banned come last. */
export const rules: readonly Rule[] = [
  ...discoveryRules,
  ...registrationRules,
  ...generalRules,
  ...messageRules,
  ...queueRules,
  ...streamRules,
  ...flowControlRules,
  ...keyPackageRules,
  ...infoPackageRules,
  ...slotRules,
  ...blobRules,
  ...pushRules,
  ...provisioningRules,
  ...moderationRules,
  ...adminRules,
  ...adminTrustRules,
  ...adminFederationRules,
  ...adminMonitoringRules,
  ...adminConsoleRules,
  ...federationRules,
  ...peerRules,
  ...reachedRules,
  ...adminDeviceRules,
  ...exhaustingRules,
];
