import type { Call, RegistrationHandlers } from "../../generated/handlers.js";
import type { StoragePreferences } from "../devices/service.js";
import type { ServerConfig } from "../platform/config/server.js";
import { announcedCapabilities } from "../protocol/capabilities.js";
import { decodeHex, encodeHex } from "../protocol/encodings.js";
import { RelayError } from "../protocol/errors.js";
import { spellPrefix } from "../protocol/identifiers.js";
import type { SettingsService } from "../settings/service.js";
import type { AnnouncementRequest, RegistrationService } from "./service.js";

type AnyAnnouncement = Pick<
  Call<"announceWithProof"> | Call<"announceDevice">,
  "body" | "ip" | "gone" | "observeLimits"
>;
type Body = AnyAnnouncement["body"];

const noStore = { "Cache-Control": "no-store" } as const;

/** Registration on the wire. */
export function createRegistrationHandlers(deps: {
  registration: RegistrationService;
  settings: Pick<SettingsService, "current">;
  config: Pick<ServerConfig, "domain"> & { readonly recipientsLimit: number };
  /** Whether this server has a certificate to show to others. */
  hasCertificate: boolean;
}): RegistrationHandlers {
  const { registration, settings, config, hasCertificate } = deps;
  const { domain } = config;

  const newChallenge = async (publicKey: string, call: Pick<AnyAnnouncement, "ip" | "observeLimits">) => {
    const issued = await registration.challenge({ publicKey: bytesOf(publicKey), ip: call.ip, observer: call });
    const { iterations, expiresAt } = issued;
    return { challenge: encodeHex(issued.challenge), iterations, expires_at: expiresAt };
  };

  return {
    async createRegistrationChallenge(call) {
      const body = await newChallenge(call.body.public_key, call);
      return call.reply({ status: 200, headers: noStore, body });
    },
    async getRegistrationChallenge(call) {
      const body = await newChallenge(call.query.public_key, call);
      return call.reply({ status: 200, headers: noStore, body });
    },
    async announceWithProof(call) {
      const { body } = call;
      const publicKey = bytesOf(body.public_key);
      const registered = await registration.register({ ...readCommon(call), publicKey });
      const { prefix, createdAt } = registered;
      return call.reply({
        status: 200,
        headers: noStore,
        body: {
          status: "success",
          device_id: body.device_id.toLowerCase(),
          delivery_address: { full_address: `${prefix}@${domain}`, prefix, created_at: createdAt },
          access_token: registered.accessToken,
          expires_at: registered.expiresAt,
        },
      });
    },
    async announceDevice(call) {
      const { body } = call;
      const announced = await registration.announce({
        ...readCommon(call),
        publicKey: body.public_key === undefined ? undefined : bytesOf(body.public_key),
        prefixes: body.delivery_address_prefixes,
      });
      return call.reply({
        status: 200,
        headers: noStore,
        body: {
          status: "success",
          device_id: body.device_id.toLowerCase(),
          announced_addresses: announced.prefixes.map((prefix) => `${prefix}@${domain}`),
          access_token: announced.accessToken,
          expires_at: announced.expiresAt,
          server_capabilities: announcedCapabilities(settings.current(), { ...config, hasCertificate }),
        },
      });
    },
    async refreshDeviceToken(call) {
      const session = await registration.refresh(call.principal);
      const body = { access_token: session.accessToken, expires_at: session.expiresAt };
      return call.reply({ status: 200, headers: noStore, body });
    },
    async listAddresses(call) {
      const active = await registration.addresses(call.principal.deviceId);
      const addresses = active.map(({ prefix, spelling, createdAt, announcedAt, expiresAt }) => {
        const spelled = spellPrefix(prefix, spelling);
        return {
          full_address: `${spelled}@${domain}`,
          prefix: spelled,
          created_at: createdAt,
          announced_at: announcedAt,
          expires_at: expiresAt,
        };
      });
      return call.reply({ status: 200, headers: noStore, body: { addresses } });
    },
    async endAddress(call) {
      const ended = await registration.endAddress(call.principal.deviceId, call.params.prefix);
      const { prefix, spelling, endedAt } = ended;
      const body = { full_address: `${spellPrefix(prefix, spelling)}@${domain}`, ended_at: endedAt };
      return call.reply({ status: 200, body });
    },
  };
}

function readCommon(call: AnyAnnouncement): AnnouncementRequest {
  const { body } = call;
  return {
    deviceId: body.device_id,
    signature: body.signature,
    timestamp: body.timestamp,
    audience: body.audience,
    ip: call.ip,
    proof: body.vdf_proof && readProof(body.vdf_proof),
    challenge: body.challenge === undefined ? undefined : bytesOf(body.challenge),
    inviteCode: body.invite_code,
    revokeOthers: body.revoke_others ?? false,
    preferences: body.storage_preferences && readPreferences(body.storage_preferences),
    gone: call.gone(),
    observer: call,
  };
}

function readProof(proof: NonNullable<Body["vdf_proof"]>): NonNullable<AnnouncementRequest["proof"]> {
  return {
    input: bytesOf(proof.input),
    iterations: proof.iterations,
    output: bytesOf(proof.output),
    checkpoints: proof.checkpoints?.map(bytesOf),
  };
}

function readPreferences(sent: NonNullable<Body["storage_preferences"]>): StoragePreferences {
  return {
    maxRetentionDays: sent.max_retention_days ?? null,
    offlineMessageLimit: sent.offline_message_limit ?? null,
    hidePresence: sent.hide_presence ?? false,
  };
}

/** Decodes hexadecimal text. The contract's validator has checked its form and length. */
function bytesOf(hex: string): Uint8Array {
  const bytes = decodeHex(hex);
  if (bytes === undefined) throw new RelayError("INVALID_REQUEST", "malformed hexadecimal");
  return bytes;
}
