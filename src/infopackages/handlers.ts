import type { InfopackagesHandlers } from "../../generated/handlers.js";
import { routes } from "../../generated/routes.js";
import { decodeBase64, decodeHex, encodeBase64 } from "../protocol/encodings.js";
import { invalidMember } from "../protocol/errors.js";
import { groupIdOf } from "./plain-package.js";
import type { Download, InfoPackagesService, PackageType, Terms } from "./service.js";

const noStore = { "Cache-Control": "no-store" } as const;

interface InfoPackagesHandlersDeps {
  infopackages: InfoPackagesService;
  /** The public URL of this server, without a trailing slash. */
  baseUrl: string;
}

/** Info packages on the wire. */
export function createInfopackagesHandlers(deps: InfoPackagesHandlersDeps): InfopackagesHandlers {
  const { infopackages, baseUrl } = deps;

  return {
    async uploadInfoPackage(call) {
      const { body, principal } = call;
      const sealed = {
        ciphertext: readCiphertext(body.ciphertext),
        packageType: body.package_type,
        ...readTerms(body),
      };
      const { segment, expiresAt, maxUses } = await infopackages.uploadSealed(principal.deviceId, sealed, call);
      const answer = { url_segment: segment, expires_at: expiresAt, max_uses: maxUses };
      return call.reply({ status: 200, headers: noStore, body: answer });
    },
    async getInfoPackage(call) {
      const found = await infopackages.download("sealed", call.params.url_segment.toLowerCase(), downloadOf(call));
      const body = {
        ...showPackage(found),
        ...showType(found),
        expires_at: found.expiresAt,
        remaining_uses: found.usesRemaining,
      };
      return call.reply({ status: 200, headers: noStore, body });
    },
    async revokeInfoPackage(call) {
      const segment = call.params.url_segment.toLowerCase();
      const at = await infopackages.revokeAsUploader("sealed", segment, call.principal.deviceId);
      return call.reply({ status: 200, body: { revoked: true, revoked_at: at } });
    },
    async createRevocableInfoPackage(call) {
      const { body, ip } = call;
      const sealed = { ciphertext: readCiphertext(body.ciphertext), ...readTerms(body) };
      const { segment, expiresAt, maxUses, revocationToken } = await infopackages.uploadRevocable(ip, sealed, call);
      const url = urlOf(baseUrl, "getRevocableInfoPackage", segment);
      const answer = { url, revocation_token: revocationToken, expires_at: expiresAt, max_uses: maxUses };
      return call.reply({ status: 200, headers: noStore, body: answer });
    },
    async getRevocableInfoPackage(call) {
      const found = await infopackages.download("revocable", call.params.segment.toLowerCase(), downloadOf(call));
      return call.reply({ status: 200, headers: noStore, body: showPackage(found) });
    },
    async revokeRevocableInfoPackage(call) {
      const token = decodeHex(call.headers["x-revocation-token"]) ?? new Uint8Array(0);
      const at = await infopackages.revokeByToken(call.params.segment.toLowerCase(), token);
      return call.reply({ status: 200, body: { success: true, revoked: true, revoked_at: at } });
    },
    ...createPlainHandlers(deps),
  };
}

/** The handlers of packages that the server encrypts. */
function createPlainHandlers({
  infopackages,
  baseUrl,
}: InfoPackagesHandlersDeps): Pick<
  InfopackagesHandlers,
  "uploadPlainInfoPackage" | "getPlainInfoPackage" | "revokePlainInfoPackage"
> {
  return {
    async uploadPlainInfoPackage(call) {
      const { body, principal } = call;
      const plain = { content: body.content, packageType: body.package_type, ...readTerms(body) };
      const { segment, expiresAt, maxUses, key, displayName } = await infopackages.uploadPlain(
        principal.deviceId,
        plain,
        call,
      );
      const url = urlOf(baseUrl, "getPlainInfoPackage", segment);
      const groupId = groupIdOf(body.package_type, body.content);
      const qr = {
        infopackage_url: url,
        infopackage_key: key,
        package_type: body.package_type,
        display_name: displayName,
        ...(groupId === undefined ? {} : { group_id: groupId }),
      };
      const answer = {
        url,
        decryption_key: key,
        expires_at: expiresAt,
        max_uses: maxUses,
        qr_data: JSON.stringify(qr),
      };
      return call.reply({ status: 200, headers: noStore, body: answer });
    },
    async getPlainInfoPackage(call) {
      const found = await infopackages.download("plain", call.params.url_segment.toLowerCase(), downloadOf(call));
      return call.reply({ status: 200, headers: noStore, body: { ...showPackage(found), ...showType(found) } });
    },
    async revokePlainInfoPackage(call) {
      const segment = call.params.url_segment.toLowerCase();
      const at = await infopackages.revokeAsUploader("plain", segment, call.principal.deviceId);
      return call.reply({ status: 200, body: { revoked: true, revoked_at: at } });
    },
  };
}

function downloadOf({ headers }: { headers: { "x-download-id"?: string } }): Uint8Array | undefined {
  return headers["x-download-id"] === undefined ? undefined : decodeHex(headers["x-download-id"]);
}

function urlOf(baseUrl: string, operation: "getRevocableInfoPackage" | "getPlainInfoPackage", segment: string): string {
  return `${baseUrl}${routes[operation].path.replace(/:\w+$/, segment)}`;
}

function readTerms(body: { ttl_seconds: number; max_uses?: number | null }): Terms {
  return { ttlSeconds: body.ttl_seconds, maxUses: body.max_uses ?? null };
}

function readCiphertext(text: string): Uint8Array {
  const bytes = decodeBase64(text);
  if (bytes !== undefined) return bytes;
  throw invalidMember("ciphertext", "must be base64, padded and canonical");
}

function showPackage({ ciphertext, createdAt }: Download): { ciphertext: string; created_at: number } {
  return { ciphertext: encodeBase64(ciphertext), created_at: createdAt };
}

/** Packages of the kinds that show their type are always uploaded with one. */
function showType({ packageType }: Download): { package_type: PackageType } {
  return { package_type: packageType as PackageType };
}
