import { sign, verify } from "node:crypto";
import { type PublicJwk, publicKeyFromRaw } from "../../auth/ed25519-keys.js";
import type { SigningKeys } from "../../auth/signing-keys.js";
import type { Database } from "../../database/db.js";
import type { Clock } from "../../node/clock.js";
import { RelayError } from "../../protocol/errors.js";
import { blocklistText } from "../../protocol/signed-text.js";
import type { SettingsService } from "../../settings/service.js";
import type { Block } from "../model/types.js";
import { readBlocks, readPolicyVersion } from "../peers/policy-store.js";

/** The signed members of the document. `signature` is added to them. */
interface ListDocument {
  server: string;
  blocklist_version: "1.0";
  last_updated: number;
  blocked_servers: {
    domain: string;
    reason_category: Block["category"];
    severity: Block["severity"];
    blocked_since: number;
  }[];
}

const maxPublished = 10_000;

export function createPublishedLists(deps: {
  db: Database;
  clock: Clock;
  domain: string;
  settings: Pick<SettingsService, "current">;
  signingKeys: Pick<SigningKeys, "signer">;
}) {
  const { db, clock, settings, signingKeys } = deps;
  return {
    /** The signed block list. Throws NOT_FOUND while publishing is off. */
    async publish(): Promise<ListDocument & { signature: string }> {
      if (!settings.current().federation.publish_blocklist) {
        throw new RelayError("NOT_FOUND", "this server publishes no block list");
      }
      const { changedAt } = await readPolicyVersion(db);
      const blocks = await readBlocks(db, { now: clock.nowSeconds(), limit: maxPublished, offset: 0 });
      const document: ListDocument = {
        server: deps.domain,
        blocklist_version: "1.0",
        last_updated: changedAt,
        blocked_servers: blocks.map(show).sort((a, b) => (a.domain < b.domain ? -1 : 1)),
      };
      const { privateKey } = await signingKeys.signer();
      return { ...document, signature: sign(null, signedBytes(document), privateKey).toString("hex") };
    },
  };
}

/** Whether the document is signed with one of the keys. */
export function isSignedList(document: Readonly<Record<string, unknown>>, keys: readonly PublicJwk[]): boolean {
  const { signature } = document;
  if (typeof signature !== "string" || !/^[0-9a-fA-F]{128}$/.test(signature)) return false;
  const bytes = Buffer.from(signature, "hex");
  return keys.some(({ x }) => {
    const raw = Buffer.from(x, "base64url");
    return raw.length === publicKeyBytes && verify(null, signedBytes(document), publicKeyFromRaw(raw), bytes);
  });
}

const publicKeyBytes = 32;

function signedBytes(document: object): Buffer {
  return Buffer.from(blocklistText(document as Readonly<Record<string, unknown>>));
}

function show({ domain, category, severity, blockedAt }: Block): ListDocument["blocked_servers"][number] {
  return { domain, reason_category: category, severity, blocked_since: blockedAt };
}
