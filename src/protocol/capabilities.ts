import { supportedMlsVersions } from "./mls-versions.js";
import { mebibyte } from "./units.js";

/** The most bytes of ciphertext, added up over the recipients of a message to many, that count as one message. */
export const bytesPerMessage = mebibyte;
/** The most messages of a delivery, as in the contract. */
const maxTransactionMessages = 1000;

/** The parts of the settings that capabilities depend on, spelled as in the configuration tree. */
interface CapabilitySettings {
  server: { max_message_size: number };
  federation: { enabled: boolean };
  rate_limiting: { recipients_per_message: number };
}

interface CapabilityDeps {
  recipientsLimit: number;
  /** Whether devices are woken by pushes. */
  wakesDevices: boolean;
  /** Whether this server stores blobs. */
  storesBlobs: boolean;
  /** Whether this server has a certificate to show to others. */
  hasCertificate: boolean;
  /** Whether that certificate is valid for this server's domain now: other servers refuse its questions otherwise. */
  provesDomain: boolean;
}

/** The capabilities that the specification names, as the answer to an announcement states them. */
export function announcedCapabilities(
  settings: Pick<CapabilitySettings, "server" | "federation">,
  { hasCertificate }: Pick<CapabilityDeps, "hasCertificate">,
) {
  return {
    max_message_size: settings.server.max_message_size,
    // Without a certificate, every message to another server is refused.
    federation_enabled: settings.federation.enabled && hasCertificate,
    supported_mls_versions: [...supportedMlsVersions],
  };
}

/** All capabilities of this server, as the discovery document states them. */
export function capabilitiesOf(settings: CapabilitySettings, deps: CapabilityDeps) {
  const announced = announcedCapabilities(settings, deps);
  const asksPeers = announced.federation_enabled && deps.provesDomain;
  return {
    ...announced,
    max_message_recipients: deps.recipientsLimit,
    shared_ciphertexts: true,
    max_transaction_messages: maxTransactionMessages,
    attached_ciphertexts: true,
    dedup_tags: true,
    system_events: true,
    federated_slots: asksPeers,
    federated_key_packages: asksPeers,
    federated_lifetimes: announced.federation_enabled,
    federated_reports: asksPeers,
    rate_limit_headers: true,
    stream_sends: true,
    message_lifetime: true,
    group_message_cost: {
      recipients_per_message: settings.rate_limiting.recipients_per_message,
      bytes_per_message: bytesPerMessage,
    },
    blobs: deps.storesBlobs,
    wake_up_push: deps.wakesDevices,
  };
}
