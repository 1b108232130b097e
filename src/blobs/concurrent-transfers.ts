import { overloaded } from "../protocol/errors.js";

/** Bounds the parts and blobs in transfer, of which one network address can take only a share. */
export type Transfers = ReturnType<typeof createTransfers>;

const retryAfterSeconds = 5;

export function createTransfers(limits: { perNode: number; perIp: number }) {
  const byIp = new Map<string, number>();
  let all = 0;
  return {
    /** Returns what ends the transfer. Throws OVERLOADED. */
    begin(ip: string): () => void {
      const own = byIp.get(ip) ?? 0;
      if (all >= limits.perNode || own >= limits.perIp)
        throw overloaded("too many blobs are in transfer at the moment", retryAfterSeconds);
      byIp.set(ip, own + 1);
      all++;
      let open = true;
      return () => {
        if (!open) return;
        open = false;
        all--;
        const left = (byIp.get(ip) ?? 1) - 1;
        if (left === 0) byIp.delete(ip);
        else byIp.set(ip, left);
      };
    },
  };
}
