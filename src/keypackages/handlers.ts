import type { KeypackagesHandlers } from "../../generated/handlers.js";
import { encodeBase64 } from "../protocol/encodings.js";
import type { KeyPackagesService } from "./service.js";

/** Key packages on the wire. */
export function createKeyPackagesHandlers({ keyPackages }: { keyPackages: KeyPackagesService }): KeypackagesHandlers {
  return {
    async uploadKeyPackages(call) {
      const { body } = call;
      const request = {
        deviceId: body.device_id,
        keyPackages: body.key_packages,
        signature: body.signature,
        timestamp: body.timestamp,
        replace: body.replace,
        lastResortKeyPackage: body.last_resort_key_package,
        audience: body.audience,
      };
      const stored = await keyPackages.upload(call.principal.deviceId, request, call);
      return call.reply({
        status: 200,
        body: {
          device_id: body.device_id.toLowerCase(),
          uploaded_count: stored.uploaded,
          available_count: stored.available,
          expires_at: stored.expiresAt,
        },
      });
    },
    async fetchKeyPackage(call) {
      const { device_id: deviceId } = call.query;
      const fetched = await keyPackages.fetch(call.principal.deviceId, deviceId, call);
      const { keyPackage, remaining, lastResort } = fetched;
      return call.reply({
        status: 200,
        headers: { "Cache-Control": "no-store" },
        body: {
          device_id: deviceId.toLowerCase(),
          key_package: encodeBase64(keyPackage),
          remaining,
          ...(lastResort && { last_resort: true }),
        },
      });
    },
    async getKeyPackageStatus(call) {
      const status = await keyPackages.status(call.principal.deviceId);
      return call.reply({
        status: 200,
        body: {
          available_count: status.available,
          total_consumed: status.totalConsumed,
          next_expiry: status.nextExpiry,
          has_last_resort: status.hasLastResort,
        },
      });
    },
  };
}
