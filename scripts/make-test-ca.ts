import { parseArgs } from "node:util";
import { openAuthorityFolder } from "./test-ca/folder.js";

// A certificate authority for tests and closed trials. Nobody else may trust it: its key is a plain file.

const usage = `npx tsx scripts/make-test-ca.ts [--readable] [--revoke <name>]... <folder> [<host name>]...

Creates a test authority in the folder (ca.pem, ca.key, crl.pem) unless there is one, issues a certificate for each
host name (<name>.pem, <name>.key), and adds the revoked names to the revocation list.

  --readable   every account can read the private keys of servers, for containers of another user`;

const readableByAll = 0o644;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { readable: { type: "boolean" }, revoke: { type: "string", multiple: true }, help: { type: "boolean" } },
});
const [folder, ...names] = positionals;
if (values.help === true || folder === undefined) {
  console.log(usage);
  process.exitCode = values.help === true ? 0 : 2;
} else {
  const now = new Date(performance.timeOrigin + performance.now());
  const opened = await openAuthorityFolder(
    folder,
    values.readable === true ? { now, keyMode: readableByAll } : { now },
  );
  for (const name of names) await opened.issue(name);
  for (const name of values.revoke ?? []) await opened.revoke(name);
  console.log(`FEDERATION_CA_FILE=${opened.caFile} FEDERATION_CRL_FILE=${opened.crlFile}`);
  for (const name of names) {
    const { certFile, keyFile } = opened.filesOf(name);
    console.log(`${name}: TLS_CERT_FILE=${certFile} TLS_KEY_FILE=${keyFile}`);
  }
}
