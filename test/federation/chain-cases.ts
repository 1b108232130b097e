import { generateKeyPairSync } from "node:crypto";
import {
  type CertificateDraft,
  directory,
  dns,
  ec,
  email,
  extendedUsage,
  extension,
  type Issued,
  ip,
  isAuthority,
  isNoAuthority,
  keyUsage,
  nameConstraints,
  nameOf,
  names,
  rsa,
  signatures,
  usages,
  write,
} from "./certificate-writer.js";
import { crossings, revocation } from "./chain-cases-lists.js";
import {
  accepted,
  authority,
  authorityExtensions,
  badKey,
  type ChainCase,
  cases,
  constrained,
  host,
  inDays,
  leaf,
  leafExtensions,
  leafFor,
  mayNot,
  refused,
  root,
  server,
  stricter,
  unfit,
  unread,
  untrusted,
} from "./chain-drafts.js";
import { bits, boolean, der, integer, none, oid, sequence, utf8 } from "./der-writer.js";

/** All cases, with the keys, serial numbers and dates of this run. */
export function chainCases(): readonly ChainCase[] {
  cases.length = 0;
  for (const add of [paths, signaturesAndKeys, constraints, leaves, forms, revocation, crossings]) add();
  return cases;
}

function paths(): void {
  accepted("a certificate from a root", [leaf(root)]);
  const one = authority(root);
  accepted("one intermediate", [leaf(one), one]);
  const two = authority(one);
  accepted("two intermediates", [leaf(two), two, one]);
  accepted("intermediates in the wrong order", [leaf(two), one, two]);
  accepted("an intermediate that is not needed", [leaf(one), one, authority(root)]);
  refused("the intermediate left out", [leaf(authority(root))], { says: untrusted });
  refused("another root of the same name", [leaf(authority(null, { subject: root.name }))], { says: untrusted });
  refused("a root of nobody's", [leaf(authority(null))], { says: untrusted });
  accepted("an intermediate that is an anchor", [leaf(one)], { anchors: [one] });
  const flat = authority(root, { extensions: [isAuthority(0), keyUsage(["keyCertSign"])] });
  accepted("a path length of 0 over a leaf", [leaf(flat), flat]);
  const below = authority(flat);
  refused("a path length of 0 over an intermediate", [leaf(below), below, flat], { says: untrusted });
  const flatLoose = authority(root, { extensions: [isAuthority(0, false), keyUsage(["keyCertSign"])] });
  const belowLoose = authority(flatLoose);
  refused("a path length that is not critical", [leaf(belowLoose), belowLoose, flatLoose], { says: untrusted });
  const shortRoot = authority(null, { extensions: [isAuthority(0), keyUsage(["keyCertSign"])] });
  const belowRoot = authority(shortRoot);
  refused("a path length of the root", [leaf(belowRoot), belowRoot], { anchors: [shortRoot], says: untrusted });
  const pretender = write(root, { extensions: [isNoAuthority(), keyUsage(["keyCertSign"])] });
  refused("an intermediate that is no authority", [leaf(pretender), pretender], { says: untrusted });
  const bare = write(root, { extensions: [isNoAuthority()] });
  refused("an intermediate without a usage that is no authority", [leaf(bare), bare], { says: untrusted });
  const plainLeaf = leaf(root);
  refused("a leaf that issues", [leaf(plainLeaf), plainLeaf], { says: untrusted });
  const signer = write(root, { extensions: [isAuthority(), keyUsage(["digitalSignature"])] });
  refused("an intermediate that may not sign", [leaf(signer), signer], { says: untrusted });
  const signerLoose = write(root, { extensions: [isAuthority(), keyUsage(["digitalSignature"], false)] });
  refused("an intermediate that may not sign, not critical", [leaf(signerLoose), signerLoose], { says: untrusted });
  const unlimited = write(root, { extensions: [isAuthority()] });
  accepted("an intermediate without a key usage", [leaf(unlimited), unlimited]);
  const forClients = constrained(root, extendedUsage([usages.client]));
  refused("an intermediate for clients", [leaf(forClients), forClients], { says: untrusted });
  const forServers = constrained(root, extendedUsage([usages.server], true));
  accepted("an intermediate for servers, critical", [leaf(forServers), forServers]);
  const old = authority(root, { notBefore: inDays(-9), notAfter: inDays(-1) });
  refused("an intermediate that has expired", [leaf(old), old], { says: untrusted });
  const early = authority(root, { notBefore: inDays(1), notAfter: inDays(9) });
  refused("an intermediate that is not yet valid", [leaf(early), early], { says: untrusted });
  const oldRoot = authority(null, { notBefore: inDays(-9), notAfter: inDays(-1) });
  refused("a root that has expired", [leaf(oldRoot)], { anchors: [oldRoot], says: untrusted });
  const first = write(root, { version: 0 });
  refused("an intermediate of version 1", [leaf(first), first], { says: untrusted });
  const firstRoot = write(null, { version: 0 });
  stricter("a root of version 1", [leaf(firstRoot)], {
    ...{ anchors: [firstRoot], says: untrusted },
    because: "an authority says that it is one (RFC 5280, section 4.2.1.9)",
  });
  const policy = constrained(root, extension("2.5.29.36", sequence(der(0x80, Buffer.from([0])))));
  stricter("policies that are required, not critical", [leaf(policy), policy], {
    ...{ says: untrusted, because: "policies are not evaluated, so an authority that requires them is not accepted" },
  });
  const policyCritical = constrained(root, extension("2.5.29.36", sequence(der(0x80, Buffer.from([0]))), true));
  stricter("policies that are required, critical", [leaf(policyCritical), policyCritical], {
    ...{ says: untrusted, because: "policies are not evaluated, so an authority that requires them is not accepted" },
  });
  const policies = constrained(root, extension("2.5.29.32", sequence(sequence(oid("2.5.29.32.0")))));
  accepted("policies that are only named", [leaf(policies), policies]);
  const unknown = constrained(root, extension("1.3.6.1.4.1.99999.1", utf8("x"), true));
  refused("an intermediate with an unknown critical extension", [leaf(unknown), unknown], { says: untrusted });
  const known = constrained(root, extension("1.3.6.1.4.1.99999.1", utf8("x")));
  accepted("an intermediate with an unknown extension", [leaf(known), known]);
  const oldKind = constrained(root, extension("2.16.840.1.113730.1.1", bits(Buffer.from([0x40]), 6)));
  stricter("a Netscape type that is no authority's", [leaf(oldKind), oldKind], {
    ...{ says: untrusted, because: "it limits what the certificate is for, and is not evaluated" },
  });
}

function signaturesAndKeys(): void {
  refused("a spoilt signature", [leaf(root, { spoilt: true })], { says: untrusted });
  const spoiltBelow = authority(root, { spoilt: true });
  refused("an intermediate with a spoilt signature", [leaf(spoiltBelow), spoiltBelow], { says: untrusted });
  refused("a signature by another key", [leaf({ ...root, key: ec() })], { says: untrusted });
  const rsaRoot = authority(null, { key: rsa() });
  const byRsa = (draft: CertificateDraft) => [leaf(rsaRoot, draft)];
  const rsaTrust = { anchors: [rsaRoot] };
  accepted("RSA with SHA-256", byRsa({}), rsaTrust);
  accepted("RSA with SHA-384", byRsa({ signature: signatures.rsaSha384 }), rsaTrust);
  accepted("RSA-PSS with SHA-256", byRsa({ signature: signatures.rsaPss }), rsaTrust);
  const broken = { ...rsaTrust, says: "signature is of a kind" };
  refused("RSA with MD5", byRsa({ signature: signatures.rsaMd5 }), broken);
  refused("RSA with SHA-1", byRsa({ signature: signatures.rsaSha1 }), broken);
  refused("RSA-PSS with SHA-1", byRsa({ signature: signatures.rsaPssSha1 }), broken);
  stricter("RSA with SHA-224", byRsa({ signature: signatures.rsaSha224 }), {
    ...{ ...broken, because: "no public authority uses it, and nothing is lost without it" },
  });
  refused("ECDSA with SHA-1", [leaf(root, { signature: signatures.ecdsaSha1 })], { says: "signature is of a kind" });
  const md5Below = authority(rsaRoot, { signature: signatures.rsaMd5 });
  refused("an intermediate signed with MD5", [leaf(md5Below), md5Below], { ...rsaTrust, says: untrusted });
  const sha1Below = authority(rsaRoot, { signature: signatures.rsaSha1 });
  refused("an intermediate signed with SHA-1", [leaf(sha1Below), sha1Below], { ...rsaTrust, says: untrusted });
  const sha1Root = authority(null, { key: rsa(), signature: signatures.rsaSha1 });
  accepted("a root that signed itself with SHA-1", [leaf(sha1Root)], { anchors: [sha1Root] });
  const small = rsa(1024);
  refused("a key of 1024 bits", [leaf(root, { key: small })], { says: badKey });
  const smallBelow = authority(root, { key: small });
  refused("an intermediate's key of 1024 bits", [leaf(smallBelow), smallBelow], { says: badKey });
  const smallRoot = authority(null, { key: small });
  refused("a root's key of 1024 bits", [leaf(smallRoot)], { anchors: [smallRoot], says: untrusted });
  accepted("an RSA key with the exponent 3", [leaf(root, { key: rsa(2048, 3) })]);
  accepted("an RSA key of 4096 bits", [leaf(root, { key: rsa(4096) })]);
  const exponent = integer(Buffer.from(`7${"f".repeat(511)}`, "hex"));
  const slowest = sequence(oid("1.2.840.113549.1.1.1"), none());
  const modulus = integer(Buffer.from(rsa().publicKey.export({ format: "jwk" }).n ?? "", "base64url"));
  const publicKey = sequence(slowest, bits(sequence(modulus, exponent)));
  stricter("an RSA key with an exponent of 2048 bits", [leaf(root, { publicKey })], {
    ...{ says: badKey, because: "a signature check takes as many multiplications as the exponent has bits" },
  });
  const slow = rsa(2048, 2 ** 31 + 11);
  const bound = "a signature check takes as many multiplications as the exponent has bits";
  stricter("an RSA key with a large exponent", [leaf(root, { key: slow })], { says: badKey, because: bound });
  const slowBelow = authority(root, { key: slow });
  stricter("an intermediate's key with a large exponent", [leaf(slowBelow), slowBelow], {
    says: badKey,
    because: bound,
  });
  const large = authority(root, { key: rsa(5120) });
  stricter("an intermediate's key of 5120 bits", [leaf(large), large], {
    ...{ says: untrusted, because: "keys are bounded by what their checks take (maxRsaBits)" },
  });
  for (const curve of ["P-384", "P-521"]) {
    const below = authority(root, { key: ec(curve) });
    accepted(`an intermediate with ${curve}`, [leaf(below), below]);
  }
  const edBelow = authority(root, { key: generateKeyPairSync("ed25519") });
  accepted("an intermediate with Ed25519", [leaf(edBelow), edBelow]);
  const usual = "certificates of public authorities have Ed25519, P-256, P-384, P-521 or RSA keys";
  const oddCurve = authority(root, { key: ec("secp256k1") });
  stricter("an intermediate with secp256k1", [leaf(oddCurve), oddCurve], { says: badKey, because: usual });
  const ed448 = authority(root, { key: generateKeyPairSync("ed448") });
  stricter("an intermediate with Ed448", [leaf(ed448), ed448], { says: "signature is of a kind", because: usual });
  const spelledOut = generateKeyPairSync("ec", { namedCurve: "P-256", paramEncoding: "explicit" });
  refused("a curve that is spelled out", [leaf(root, { key: spelledOut })], { says: badKey });
  const four = [root];
  for (let i = 0; i < 4; i++) four.unshift(authority(four[0] as Issued, { key: ec("P-521") }));
  stricter("four intermediates of the slowest kind", [leaf(four[0] as Issued), ...four.slice(0, 4)], {
    ...{ says: "too many signature checks", because: "what a chain may cost is bounded" },
  });
}

function constraints(): void {
  const under = (constraint: Buffer, ...subjectNames: Buffer[]): Issued[] => {
    const below = constrained(root, constraint);
    return [leafFor(below, ...subjectNames), below];
  };
  const peer = dns(host);
  for (const critical of [true, false]) {
    const said = critical ? "critical" : "not critical";
    const only = (...permitted: Buffer[]) => nameConstraints({ permitted }, critical);
    const not = (...excluded: Buffer[]) => nameConstraints({ excluded }, critical);
    accepted(`a permitted host, ${said}`, under(only(dns("example")), peer));
    refused(`a host that is not permitted, ${said}`, under(only(dns("other.example")), peer), { says: mayNot });
    refused(`an excluded host, ${said}`, under(not(peer), peer), { says: mayNot });
    refused(`an excluded domain, ${said}`, under(not(dns("example")), peer), { says: mayNot });
    accepted(`another host excluded, ${said}`, under(not(dns("other.example")), peer));
    const both = [peer, dns("other.example")];
    refused(`one of two hosts not permitted, ${said}`, under(only(peer), ...both), { says: mayNot });
    refused(
      `an address that is not permitted, ${said}`,
      under(only(ip(10, 0, 0, 0, 255, 0, 0, 0)), peer, ip(11, 0, 0, 1)),
      {
        says: mayNot,
      },
    );
    accepted(`a permitted address, ${said}`, under(only(ip(10, 0, 0, 0, 255, 0, 0, 0)), peer, ip(10, 1, 2, 3)));
    refused(`all addresses excluded, ${said}`, under(not(ip(0, 0, 0, 0, 0, 0, 0, 0)), peer, ip(10, 1, 2, 3)), {
      says: mayNot,
    });
    refused(`a host below that is only permitted with a dot, ${said}`, under(only(dns(`.${host}`)), peer), {
      says: mayNot,
    });
    const rootOnly = authority(null, { extensions: [...authorityExtensions, only(dns("other.example"))] });
    refused(`a constraint of the root, ${said}`, [leaf(rootOnly)], { anchors: [rootOnly], says: mayNot });
    const above = constrained(root, only(dns("other.example")));
    const below = authority(above);
    refused(`a constraint two levels up, ${said}`, [leaf(below), below, above], { says: mayNot });
    const others = "constraints on other names than hosts and addresses are not evaluated";
    stricter(`a constraint on directory names, ${said}`, under(not(directory(nameOf("nobody"))), peer), {
      ...{ says: mayNot, because: others },
    });
    stricter(`a constraint on mail addresses, ${said}`, under(only(email("example")), peer), {
      says: mayNot,
      because: others,
    });
  }
  accepted("a permitted host in capitals", under(nameConstraints({ permitted: [dns("EXAMPLE")] }), peer));
  stricter(
    "a wildcard over an excluded name",
    under(nameConstraints({ excluded: [dns("a.example")] }), peer, dns("*.example")),
    {
      ...{ says: mayNot, because: "the wildcard stands for the excluded name" },
    },
  );
  const empty = extension("2.5.29.30", sequence(), true);
  stricter("constraints that are empty", under(empty, peer), {
    ...{ says: unread, because: "RFC 5280, section 4.2.1.10 forbids it" },
  });
}

function leaves(): void {
  const from = (...extensions: Buffer[]): Issued[] => [leaf(root, { extensions })];
  const usual = leafExtensions();
  const [notAuthority, , , subjectNames] = usual as [Buffer, Buffer, Buffer, Buffer];
  accepted("a certificate without usages", from(notAuthority, subjectNames));
  accepted("a certificate without basic constraints", from(server.usage, server.extended, subjectNames));
  refused("an expired certificate", [leaf(root, { notBefore: inDays(-9), notAfter: inDays(-1) })], { says: "expired" });
  refused("a certificate that is not yet valid", [leaf(root, { notBefore: inDays(1), notAfter: inDays(9) })], {
    says: "not yet valid",
  });
  accepted("a certificate with a date beyond 2050", [leaf(root, { notAfter: new Date("2055-01-01T00:00:00Z") })]);
  refused("a certificate for another host", [leafFor(root, dns("other.example"))], { says: "another domain" });
  refused("a certificate for a longer host", [leafFor(root, dns("peer.example.org"))], { says: "another domain" });
  const named = write(root, { subject: nameOf(host), extensions: [isNoAuthority(), server.usage, server.extended] });
  stricter("a host in the subject only", [named], {
    ...{ says: "another domain", because: "names in the subject do not count (RFC 9525)" },
  });
  accepted("one host of several", [leafFor(root, dns("a.example"), dns(host))]);
  accepted("a host in capitals", [leafFor(root, dns("PEER.example"))]);
  refused("a wildcard for a whole top-level domain", [leafFor(root, dns("*.example"))], { says: "another domain" });
  refused("a wildcard alone", [leafFor(root, dns("*"))], { says: "another domain" });
  refused("a host cut short by a zero byte", [leafFor(root, dns(`${host}\0.evil.test`))], { says: unread });
  refused("an address only", [leafFor(root, ip(127, 0, 0, 1))], { says: "another domain" });
  refused("a host as a mail address", [leafFor(root, email(host))], { says: "another domain" });
  const client = from(notAuthority, server.usage, extendedUsage([usages.client]), subjectNames);
  refused("a certificate for clients", client, { says: "not for servers" });
  const any = from(notAuthority, server.usage, extendedUsage([usages.any]), subjectNames);
  refused("a certificate for any usage", any, { says: "not for servers" });
  const both = from(notAuthority, server.usage, extendedUsage([usages.client, usages.server], true), subjectNames);
  accepted("a certificate for clients and servers, critical", both);
  const enciphers = from(notAuthority, keyUsage(["keyEncipherment"]), server.extended, subjectNames);
  stricter("a key for encipherment", enciphers, {
    ...{ says: "not for signatures", because: "peers sign the answer to a nonce, and TLS 1.3 has nothing else" },
  });
  const certifies = from(notAuthority, keyUsage(["keyCertSign"], false), server.extended, subjectNames);
  refused("a key for certificates only", certifies, { says: "not for signatures" });
  const itself = write(root, { extensions: [...authorityExtensions, names(dns(host))] });
  refused("an authority as a server", [itself], { says: "that of an authority" });
  const serving = write(root, {
    extensions: [isAuthority(), keyUsage(["keyCertSign", "digitalSignature"]), names(dns(host))],
  });
  stricter("an authority that may also serve", [serving], {
    ...{ says: "that of an authority", because: "an authority's key is not to be on a server" },
  });
  const alone = write(null, { subject: nameOf(host), extensions: usual });
  refused("a self-signed certificate", [alone], { says: "self-signed" });
  stricter("a self-signed certificate that is an anchor", [alone], {
    ...{ anchors: [root, alone], says: "self-signed", because: "anchors are authorities" },
  });
  const critical = extension("1.3.6.1.4.1.99999.2", none(), true);
  refused("an unknown critical extension", from(...usual, critical), { says: unfit });
  accepted("an unknown extension", from(...usual, extension("1.3.6.1.4.1.99999.2", none())));
  const netscape = extension("2.16.840.1.113730.1.1", bits(Buffer.from([0x80]), 7));
  refused("a Netscape type for clients", from(...usual, netscape), { says: unfit });
  const staple = extension("1.3.6.1.5.5.7.1.24", sequence(integer(5)));
  accepted("a certificate that asks for stapling", from(...usual, staple));
}

function forms(): void {
  const usual = leafExtensions();
  const twice = [isNoAuthority(), server.usage, server.extended, names(dns(host)), names(dns("other.example"))];
  refused("names given twice", [leaf(root, { extensions: twice })], { says: unread });
  const mark = extension("1.3.6.1.4.1.99999.3", none());
  stricter("an unknown extension given twice", [leaf(root, { extensions: [...usual, mark, mark] })], {
    ...{ says: unread, because: "RFC 5280, section 4.2 forbids it" },
  });
  const usageTwice = authority(root, { extensions: [...authorityExtensions, keyUsage(["digitalSignature"])] });
  refused("an intermediate's usage given twice", [leaf(usageTwice), usageTwice], { says: unread });
  const other = signatures.ecdsaSha384.algorithm;
  refused("two names for one algorithm", [leaf(root, { outerAlgorithm: other })], { says: unread });
  stricter("extensions in version 1", [leaf(root, { version: 0 })], {
    ...{ says: unread, because: "RFC 5280, section 4.1.2.9: only version 3 has extensions" },
  });
  const until = der(0x17, Buffer.from("400101000000Z"));
  const odd = (from: string, tag = 0x17): Issued[] => [
    leaf(root, { validity: sequence(der(tag, Buffer.from(from)), until) }),
  ];
  refused("a date with an offset", odd("2001010000+0100"), { says: unread });
  refused("a date without seconds", odd("2001010000Z"), { says: unread });
  refused("a date with fractions", odd("20200101000000.5Z", 0x18), { says: unread });
  refused("a date that does not exist", odd("200231000000Z"), { says: unread });
  const trailing = sequence(boolean(true), none());
  const garbled = authority(root, { extensions: [extension("2.5.29.19", trailing, true), keyUsage(["keyCertSign"])] });
  refused("basic constraints that cannot be read", [leaf(garbled), garbled], { says: unread });
}
