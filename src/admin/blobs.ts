import type { AuditService, Operator } from "../audit/service.js";
import type { BlobsService } from "../blobs/service.js";
import { decodeHex } from "../protocol/encodings.js";

/** Deletion of blobs that were reported. */
export type BlobAdministration = ReturnType<typeof createBlobAdministration>;

const charactersKept = 8;

export function createBlobAdministration(deps: {
  blobs: Pick<BlobsService, "removal">;
  audit: Pick<AuditService, "record">;
}) {
  const { blobs, audit } = deps;
  return {
    /** Deletes a blob by its id in hex. Throws NOT_FOUND or BLOBS_DISABLED. */
    async delete(id: string, by: Operator): Promise<void> {
      // Enough to tell entries apart.
      const target = id.toLowerCase().slice(0, charactersKept);
      await blobs.removal.erase(decodeHex(id) ?? new Uint8Array(), (trx) =>
        audit.record(trx, { ...by, action: "blob_deleted", target, details: {} }),
      );
    },
  };
}
