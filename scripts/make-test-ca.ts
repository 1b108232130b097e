import { parseArgs } from "node:util";
import { openAuthorityFolder } from "./test-ca/folder.js";

// A certificate authority for trials: nothing about it is fit to be trusted by anybody else.

const usage = `npx tsx scripts/make-test-ca.ts [--readable] [--revoke <name>]... <folder> [<host name>]...

Makes a test authority in the folder (ca.pem, ca.key, crl.pem), or goes on with the one that is there, issues a
certificate for each host name (<name>.pem, <name>.key), and puts those to revoke on the list.

  --readable   private keys of servers may be read by everybody on this machine, for containers of another user`;

const forAll = 0o644;

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
  const opened = await openAuthorityFolder(folder, values.readable === true ? { now, keyMode: forAll } : { now });
  for (const name of names) await opened.issue(name);
  for (const name of values.revoke ?? []) await opened.revoke(name);
  console.log(`FEDERATION_CA_FILE=${opened.caFile} FEDERATION_CRL_FILE=${opened.crlFile}`);
  for (const name of names) {
    const { certFile, keyFile } = opened.filesOf(name);
    console.log(`${name}: TLS_CERT_FILE=${certFile} TLS_KEY_FILE=${keyFile}`);
  }
}
