import type { BlobsHandlers } from "../../generated/handlers.js";
import { decodeBase64, decodeHex, encodeHex } from "../protocol/encodings.js";
import { invalidMember } from "../protocol/errors.js";
import type { BlobsService } from "./service.js";

const noStore = { "Cache-Control": "no-store" } as const;

/** Blobs on the wire. */
export function createBlobsHandlers({ blobs }: { blobs: BlobsService }): BlobsHandlers {
  return {
    async createBlob(call) {
      const { size, lifetime_seconds: lifetimeSeconds, max_downloads: maxDownloads } = call.body;
      const by = { deviceId: call.principal.deviceId, ip: call.ip };
      const created = await blobs.uploads.create(by, { size, lifetimeSeconds, maxDownloads }, call);
      const body = {
        blob_id: encodeHex(created.id),
        upload_token: encodeHex(created.uploadToken),
        delete_token: encodeHex(created.deleteToken),
        part_bytes: created.partBytes,
        parts: created.parts,
        expires_at: created.expiresAt,
      };
      return call.reply({ status: 201, headers: noStore, body });
    },
    async uploadBlobPart(call) {
      const part = Number(call.params.part);
      await blobs.uploads.putPart({
        id: readHex(call.params.blob_id),
        uploadToken: readHex(call.headers["x-upload-token"]),
        part,
        digest: readDigest(call.headers["content-digest"]),
        chunks: call.stream(),
        ip: call.ip,
      });
      return call.reply({ status: 200, headers: noStore, body: { part } });
    },
    async getBlobUpload(call) {
      const state = await blobs.uploads.state(readHex(call.params.blob_id), readHex(call.headers["x-upload-token"]));
      const body = {
        size: state.size,
        part_bytes: state.partBytes,
        stored_parts: state.storedParts,
        complete: state.isComplete,
        expires_at: state.expiresAt,
      };
      return call.reply({ status: 200, headers: noStore, body });
    },
    async completeBlob(call) {
      const id = readHex(call.params.blob_id);
      const { size, expiresAt } = await blobs.uploads.complete(id, readHex(call.headers["x-upload-token"]));
      return call.reply({ status: 200, headers: noStore, body: { size, expires_at: expiresAt } });
    },
    async downloadBlob(call) {
      const { range: given, "if-range": ifRange, "x-download-id": download } = call.headers;
      const found = await blobs.downloads.read(
        {
          id: readHex(call.params.blob_id),
          range: given,
          ifRange,
          download: download === undefined ? undefined : readHex(download),
          isHead: call.isHead,
          ip: call.ip,
          ended: call.gone(),
        },
        call,
      );
      if ("address" in found) return call.reply({ status: 307, headers: { ...noStore, Location: found.address } });
      const { size, tag, range, length, chunks } = found;
      const headers = { ...noStore, "Content-Length": length, "Accept-Ranges": "bytes", ETag: tag } as const;
      const type = "application/octet-stream";
      if (range === undefined) return call.reply({ status: 200, type, headers, body: chunks });
      const rangeHeaders = { ...headers, "Content-Range": `bytes ${range.first}-${range.last}/${size}` };
      return call.reply({ status: 206, type, headers: rangeHeaders, body: chunks });
    },
    async deleteBlob(call) {
      await blobs.removal.delete(readHex(call.params.blob_id), readHex(call.headers["x-delete-token"]));
      return call.reply({ status: 200, headers: noStore, body: { deleted: true } });
    },
  };
}

/** The contract has checked the form. */
function readHex(text: string): Buffer {
  return Buffer.from(decodeHex(text) ?? []);
}

/** The contract has checked the form, but not the bits that base64 leaves unused. */
function readDigest(header: string): Uint8Array {
  const bytes = decodeBase64(header.slice("sha-256=:".length, -1));
  if (bytes === undefined) throw invalidMember("content-digest", "must be canonical base64", { part: "header" });
  return bytes;
}
