import { Client, crypto } from "acme-client";
import type { createChallenges } from "./challenges.js";
import { type AcmeFiles, readOrMakeKey } from "./files.js";

// Loaded when a certificate is ordered: the library and what it depends on take memory.

const directories: Readonly<Record<string, string>> = {
  letsencrypt: "https://acme-v02.api.letsencrypt.org/directory",
  "letsencrypt-staging": "https://acme-staging-v02.api.letsencrypt.org/directory",
};

/** An order is given up after about a minute, so a relay that is stopped meanwhile does not wait longer. */
const polling = { backoffAttempts: 8, backoffMin: 1_000, backoffMax: 10_000 };

/** Orders a certificate from an ACME server and returns it with its chain, as PEM. */
export async function orderCertificate(deps: {
  directory: string;
  host: string;
  files: AcmeFiles;
  challenges: Pick<ReturnType<typeof createChallenges>, "add" | "remove">;
}): Promise<string> {
  const { directory, host, files, challenges } = deps;
  const client = new Client({
    directoryUrl: directories[directory] ?? directory,
    accountKey: await readOrMakeKey(files.accountKey),
    ...polling,
  });
  await openAccount(client);
  const key = await readOrMakeKey(files.key);
  const [, csr] = await crypto.createCsr({ commonName: host, altNames: [host] }, key);
  return client.auto({
    csr,
    challengePriority: ["http-01"],
    // The name may not lead back to this machine from inside its network.
    skipChallengeVerification: true,
    challengeCreateFn: (_authorization, challenge, answer) => challenges.add(challenge.token, answer),
    challengeRemoveFn: (_authorization, challenge) => challenges.remove(challenge.token),
  });
}

/**
 * Finds or creates the account of the key (RFC 8555, section 7.3.1). The library then tries to update an existing
 * account, which some servers refuse; the account is known by then.
 */
async function openAccount(client: Client): Promise<void> {
  try {
    await client.createAccount({ termsOfServiceAgreed: true });
  } catch (error) {
    if (!knowsAccount(client)) throw error;
  }
}

function knowsAccount(client: Client): boolean {
  try {
    return client.getAccountUrl() !== "";
  } catch {
    return false;
  }
}
