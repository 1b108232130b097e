import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import { LRUCache } from "lru-cache";

// A packet that crosses machines is sealed: AES-256-GCM (NIST SP 800-38D) under a key of the sending process, which
// HKDF (RFC 5869) derives from a secret that all nodes read from their database. Each process has an id and counts its
// packets, so that no nonce is used twice. The receiver's id is also authenticated. A replayed packet does no harm,
// because its effect has already happened.
//
//   sender's id (8 bytes) | nonce (12) | tag (16) | sealed packet

const idBytes = 8;
const nonceBytes = 12;
const tagBytes = 16;
const headBytes = idBytes + nonceBytes + tagBytes;
const keyBytes = 32;
const purpose = "mls-relay packets of ";
const rememberedSenders = 1_000;

export type PacketSeal = ReturnType<typeof createPacketSeal>;

/** Node ids are 16 hexadecimal digits. */
export function createPacketSeal({ nodeId, secret }: { nodeId: string; secret: Uint8Array }) {
  const keyOf = (sender: string): Buffer => Buffer.from(hkdfSync("sha256", secret, "", purpose + sender, keyBytes));
  const own = { id: Buffer.from(nodeId, "hex"), key: keyOf(nodeId) };
  const keys = new LRUCache<string, Buffer>({ max: rememberedSenders });
  let sealedCount = 0n;

  return {
    seal(packet: Buffer, to: string): Buffer {
      const nonce = Buffer.alloc(nonceBytes);
      nonce.writeBigUInt64BE(sealedCount++, nonceBytes - 8);
      const cipher = createCipheriv("aes-256-gcm", own.key, nonce).setAAD(Buffer.from(to));
      const sealed = [cipher.update(packet), cipher.final()];
      return Buffer.concat([own.id, nonce, cipher.getAuthTag(), ...sealed]);
    },
    /** Throws unless a node that knows the secret has sealed the packet for this node. */
    open(sealed: Buffer): Buffer {
      if (sealed.length < headBytes) throw new RangeError("a sealed packet is too short");
      const sender = sealed.toString("hex", 0, idBytes);
      const key = keys.get(sender) ?? keyOf(sender);
      const nonce = sealed.subarray(idBytes, idBytes + nonceBytes);
      const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: tagBytes });
      decipher.setAAD(Buffer.from(nodeId)).setAuthTag(sealed.subarray(idBytes + nonceBytes, headBytes));
      const packet = Buffer.concat([decipher.update(sealed.subarray(headBytes)), decipher.final()]);
      keys.set(sender, key);
      return packet;
    },
  };
}
