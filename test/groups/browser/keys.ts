import { openWelcome, sealWelcome } from "../../../src/client/index.js";
import { tsMls } from "../../../src/groups/index.js";

// What a member does with X25519 and Ed25519 keys.

const utf8 = (text: string) => new TextEncoder().encode(text);

async function useKeys(rounds: number): Promise<string> {
  const mls = tsMls();
  for (let round = 0; round < rounds; round++) {
    const signer = await mls.newSigner();
    const { keyPackage, initPrivateKey } = await mls.newKeyPackage({ identity: utf8("Ada"), signer });
    const { initKey } = await mls.readKeyPackage(keyPackage);
    const sealed = await sealWelcome({ cipherSuite: 1, initKey }, utf8("welcome"));
    const opened = await openWelcome([{ cipherSuite: 1, initPrivateKey }], sealed);
    if (opened === undefined) throw new Error("a Welcome cannot be opened");
  }
  return "used";
}

/** Begins, and calls back with the outcome, because drivers of browsers wait for no promise. */
Object.assign(globalThis, {
  useKeys: (rounds: number, done: (outcome: string) => void) =>
    void useKeys(rounds).then(done, (problem) => done(String(problem))),
});
