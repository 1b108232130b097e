import { supportedMlsVersions } from "./mls-versions.js";

/** The most messages of a delivery, as in the contract. */
const mostTransactionMessages = 1000;

/** The parts of the settings that capabilities depend on, spelled as in the configuration tree. */
interface CapabilitySettings {
  server: { max_message_size: number };
  federation: { enabled: boolean };
}

/** The capabilities of this server, as the discovery document and an announcement's answer state them. */
export function capabilitiesOf(settings: CapabilitySettings, { recipientsLimit }: { recipientsLimit: number }) {
  return {
    max_message_size: settings.server.max_message_size,
    max_message_recipients: recipientsLimit,
    federation_enabled: settings.federation.enabled,
    shared_ciphertexts: true,
    max_transaction_messages: mostTransactionMessages,
    attached_ciphertexts: true,
    dedup_tags: true,
    system_events: true,
    rate_limit_headers: true,
    stream_sends: true,
    supported_mls_versions: [...supportedMlsVersions],
  };
}
