import {
  authorityKeyId,
  ec,
  extension,
  type Issued,
  isAuthority,
  keyUsage,
  nameOf,
  subjectKeyId,
  writeList,
} from "./certificate-writer.js";
import {
  accepted,
  authority,
  authorityExtensions,
  inDays,
  leaf,
  leafExtensions,
  refused,
  root,
  stricter,
  untrusted,
} from "./chain-drafts.js";
import { der, integer, none, sequence } from "./der-writer.js";

export function revocation(): void {
  const listed = (make: (issuer: Issued) => { chain: Issued[]; lists: Buffer[] }) => {
    const own = authority(null);
    return { anchors: [own], ...make(own) };
  };
  const by = (draft: Parameters<typeof writeList>[1]) =>
    listed((own) => ({ chain: [leaf(own)], lists: [writeList(own, draft)] }));
  const add = (
    title: string,
    { chain, ...around }: ReturnType<typeof listed>,
    says?: string,
    because?: string,
  ): void => {
    if (says === undefined) accepted(title, chain, around);
    else if (because === undefined) refused(title, chain, { ...around, says });
    else stricter(title, chain, { ...around, says, because });
  };
  const unknown = "revocation status is unknown";
  add("a list without the certificate", by({}));
  add("a list with others", by({ revoked: [77n] }));
  add(
    "a list with the certificate",
    listed((own) => {
      const revoked = leaf(own);
      return { chain: [revoked], lists: [writeList(own, { revoked: [revoked.serial] })] };
    }),
    "is revoked",
  );
  add("a list that is out of date", by({ thisUpdate: inDays(-9), nextUpdate: inDays(-1) }), unknown);
  add("a list of tomorrow", by({ thisUpdate: inDays(1), nextUpdate: inDays(9) }), unknown);
  add("a list without an end", by({ nextUpdate: null }));
  add("a list by another key", by({ signer: ec() }), unknown);
  add("a spoilt list", by({ spoilt: true }), unknown);
  add(
    "a list for a part",
    by({ extensions: [extension("2.5.29.28", sequence(der(0x82, Buffer.from([0xff]))), true)] }),
    unknown,
  );
  add(
    "a list of changes",
    by({ extensions: [extension("2.5.29.27", integer(1), true)] }),
    unknown,
    "it says nothing of what was revoked before",
  );
  add(
    "a list with an unknown critical extension",
    by({ extensions: [extension("1.3.6.1.4.1.99999.4", none(), true)] }),
    unknown,
  );
  const entryExtensions = [extension("1.3.6.1.4.1.99999.5", none(), true)];
  add("a list with an unknown critical entry", by({ revoked: [77n], entryExtensions }), unknown);
  const cannotList = authority(null, { extensions: [isAuthority(), keyUsage(["keyCertSign"])] });
  add(
    "a list of an authority that may not make lists",
    { chain: [leaf(cannotList)], anchors: [cannotList], lists: [writeList(cannotList)] },
    unknown,
  );
  const between = (revoke: boolean) =>
    listed((own) => {
      const below = authority(own);
      const lists = [writeList(own, { revoked: revoke ? [below.serial] : [] }), writeList(below)];
      return { chain: [leaf(below), below], lists };
    });
  add("lists of all authorities", between(false));
  add("an intermediate that is revoked", between(true), "is revoked");
}

export function crossings(): void {
  const [old, young] = [authority(null), authority(null)];
  const crossed = authority(old, { subject: young.name, key: young.key });
  accepted("a root that another one signed, both trusted", [leaf(young), crossed], { anchors: [old, young] });
  const unknownYoung = { anchors: [old] };
  accepted("a root that a trusted one signed", [leaf(young), crossed], unknownYoung);
  const key = ec();
  const subject = nameOf("test twin");
  const twins = [authority(root, { subject, key }), authority(old, { subject, key })];
  accepted("twins of which one is from a trusted root", [leaf(twins[0] as Issued), ...twins]);
  const identified = [...authorityExtensions, subjectKeyId(root.key)];
  const withId = authority(null, { key: root.key, extensions: identified });
  const right = leaf(withId, { extensions: [...leafExtensions(), authorityKeyId(root.key)] });
  accepted("a key identifier that fits", [right], { anchors: [withId] });
  const wrong = leaf(withId, { extensions: [...leafExtensions(), authorityKeyId(ec())] });
  refused("a key identifier of another key", [wrong], { anchors: [withId], says: untrusted });
  const selfIssued = authority(root, { subject: root.name });
  refused("an authority that certifies its next key", [leaf(selfIssued), selfIssued], { says: untrusted });
  const [left, right2] = [nameOf("test left"), nameOf("test right")];
  const keys = [ec(), ec()] as const;
  const a = authority(
    { raw: Buffer.alloc(0), name: right2, key: keys[1], serial: 1n },
    { subject: left, key: keys[0] },
  );
  const b = authority(
    { raw: Buffer.alloc(0), name: left, key: keys[0], serial: 1n },
    { subject: right2, key: keys[1] },
  );
  refused("two authorities that certify each other", [leaf(a), a, b], { says: untrusted });
}
