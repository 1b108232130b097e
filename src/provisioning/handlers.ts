import type { Call, ProvisioningHandlers } from "../../generated/handlers.js";
import { parseDomain } from "../protocol/address.js";
import { decodeHex, encodeBase64, encodeHex } from "../protocol/encodings.js";
import { RelayError } from "../protocol/errors.js";
import type { ProvisioningService } from "./service.js";

const noStore = { "Cache-Control": "no-store" } as const;

/** Device linking on the wire. */
export function createProvisioningHandlers({
  provisioning,
  domain,
}: {
  provisioning: ProvisioningService;
  domain: string;
}): ProvisioningHandlers {
  const put = async (call: PutCall) => {
    const expiresAt = await provisioning.put({
      id: idOf(call.params.id, domain),
      ciphertext: call.body.ciphertext,
      deviceId: call.principal.deviceId,
      observer: call,
    });
    return { status: "stored", expires_at: expiresAt } as const;
  };
  return {
    async createProvisioning(call) {
      const { body, ip } = call;
      const opened = await provisioning.open({
        ephemeralPublicKey: bytesOf(body.ephemeral_public_key),
        ttlSeconds: body.ttl_seconds,
        timestamp: body.timestamp,
        ip,
        observer: call,
      });
      return call.reply({
        status: 200,
        headers: noStore,
        body: {
          provisioning_address: `${opened.id}@${domain}`,
          poll_token: encodeHex(opened.pollToken),
          expires_at: opened.expiresAt,
        },
      });
    },
    async putProvisioningBlob(call) {
      return call.reply({ status: 200, body: await put(call) });
    },
    async postProvisioningBlob(call) {
      return call.reply({ status: 200, body: await put(call) });
    },
    async createLinkingCode(call) {
      const { code, expiresAt } = await provisioning.createCode({
        id: idOf(call.params.id, domain),
        pollToken: bytesOf(call.headers["x-poll-token"]),
        qr: call.body.qr,
      });
      return call.reply({ status: 200, headers: noStore, body: { linking_code: code, expires_at: expiresAt } });
    },
    async getLinkingCode(call) {
      const { deviceId } = call.principal;
      const qr = await provisioning.findQr({ code: call.params.code, deviceId, observer: call });
      return call.reply({ status: 200, headers: noStore, body: { qr } });
    },
    async pollProvisioningBlob(call) {
      const { "x-download-id": download } = call.headers;
      const polled = await provisioning.poll({
        id: idOf(call.params.id, domain),
        pollToken: bytesOf(call.headers["x-poll-token"]),
        download: download === undefined ? undefined : bytesOf(download),
        waitSeconds: call.query.wait ?? 0,
        gone: call.gone(),
      });
      if ("ciphertext" in polled) {
        const body = { status: "delivered", ciphertext: encodeBase64(polled.ciphertext) } as const;
        return call.reply({ status: 200, headers: noStore, body });
      }
      return call.reply({ status: 202, body: { status: "pending", expires_at: polled.expiresAt } });
    },
  };
}

type PutCall = Pick<Call<"putProvisioningBlob">, "params" | "body" | "principal" | "observeLimits">;

/** The id of a provisioning address, which may be written out with this server's domain. */
function idOf(written: string, domain: string): string {
  const [id = "", host] = written.toLowerCase().split("@");
  if (host === undefined || parseDomain(host, { ownDomain: domain }) === domain) return id;
  throw new RelayError("NOT_FOUND", "the provisioning address is another server's");
}

/** Decodes hexadecimal text. The contract's validator has checked its form and length. */
function bytesOf(hex: string): Uint8Array {
  const bytes = decodeHex(hex);
  if (bytes === undefined) throw new RelayError("INVALID_REQUEST", "malformed hexadecimal");
  return bytes;
}
