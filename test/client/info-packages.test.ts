import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import {
  type CompactInfo,
  readCompactInfoQr,
  readInfoLink,
  writeCompactInfoQr,
  writeInfoLink,
} from "../../src/client/infopackages/compact-info-qr.js";
import {
  type GroupInviteInfoPackage,
  type IdentityInfoPackage,
  openGroupInvite,
  openIdentity,
  sealInfoPackage,
} from "../../src/client/infopackages/info-packages.js";
import { MalformedError } from "../../src/client/runtime/json-shape.js";
import { decodeBase64, encodeBase64, encodeHex } from "../../src/protocol/encodings.js";

const identity: IdentityInfoPackage = {
  user_id: "user-1",
  user_public_key: encodeHex(randomBytes(32)),
  default_persona: "work",
  personas: { work: { name: "Ada Löwe" }, __proto: { name: "odd" } },
  devices: [{ device_id: "d" }],
  created_at: 1_767_225_600,
};
const invite: GroupInviteInfoPackage = {
  group_id: "g",
  group_name: "Lighthouse",
  welcome_message: encodeBase64(randomBytes(300)),
  invited_by: "user-1",
  invited_by_name: "Ada",
  created_at: 1_767_225_600,
};

describe("info packages", () => {
  test("an identity and an invitation are read with their key", () => {
    const sealed = sealInfoPackage(identity);
    expect(openIdentity(sealed.ciphertext, sealed.key)).toEqual(identity);
    const sealedInvite = sealInfoPackage({ ...invite, group_description: "at nine" });
    expect(openGroupInvite(sealedInvite.ciphertext, sealedInvite.key)).toEqual({
      ...invite,
      group_description: "at nine",
    });
  });

  test("the ciphertext is nonce, ciphertext and tag of ChaCha20-Poly1305", async () => {
    const { ciphertext, key } = sealInfoPackage(identity);
    const bytes = decodeBase64(ciphertext) as Uint8Array;
    const { createDecipheriv } = await import("node:crypto");
    const decipher = createDecipheriv("chacha20-poly1305", key, bytes.subarray(0, 12), { authTagLength: 16 });
    decipher.setAuthTag(bytes.subarray(-16));
    const plaintext = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
    expect(JSON.parse(plaintext.toString())).toEqual(identity);
  });

  test("two packages of the same content have nothing in common", () => {
    const [one, other] = [sealInfoPackage(identity), sealInfoPackage(identity)];
    expect(one.key).not.toEqual(other.key);
    expect(one.ciphertext.slice(0, 16)).not.toBe(other.ciphertext.slice(0, 16));
  });

  test("a wrong key, a changed byte, and the other kind of package are refused", () => {
    const { ciphertext, key } = sealInfoPackage(identity);
    const changed = decodeBase64(ciphertext) as Uint8Array;
    changed[20] = (changed[20] as number) ^ 1;
    expect(() => openIdentity(ciphertext, new Uint8Array(32))).toThrow(MalformedError);
    expect(() => openIdentity(encodeBase64(changed), key)).toThrow(MalformedError);
    expect(() => openIdentity("AAAA", key)).toThrow(MalformedError);
    expect(() => openGroupInvite(ciphertext, key)).toThrow("group_id is not a string");
  });
});

describe("QR codes and links to info packages", () => {
  const info: CompactInfo = {
    url: "https://relay.example/v1/infopackages/7d444840-9dc0-41d1-b245-5ffdce74fad2",
    key: new Uint8Array(randomBytes(32)),
    packageType: "group_invite",
    displayName: "Lighthouse",
    groupId: "g",
  };

  test("both forms are written and read", () => {
    for (const form of ["info_package", "infopackage"] as const) {
      expect(readCompactInfoQr(writeCompactInfoQr(info, form))).toEqual(info);
    }
    const written = JSON.parse(writeCompactInfoQr(info));
    expect(written).toEqual({
      infopackage_url: info.url,
      infopackage_key: encodeHex(info.key),
      package_type: "group_invite",
      display_name: "Lighthouse",
      group_id: "g",
    });
  });

  test("a key is read as hex, as base64, and as a list of bytes", () => {
    const base = { info_package_url: info.url, package_type: "identity", display_name: "Ada" };
    for (const key of [encodeHex(info.key), encodeBase64(info.key), [...info.key]]) {
      expect(readCompactInfoQr(JSON.stringify({ ...base, info_package_key: key })).key).toEqual(info.key);
    }
  });

  test("what is no QR code of an info package is refused", () => {
    const good = JSON.parse(writeCompactInfoQr(info));
    for (const bad of [
      { infopackage_url: "http://relay.example/v1/infopackages/x" },
      { infopackage_url: "https://user@relay.example/x" },
      { infopackage_url: `${info.url}#key` },
      { infopackage_key: "00" },
      { package_type: "virus" },
      { display_name: 7 },
    ]) {
      expect(() => readCompactInfoQr(JSON.stringify({ ...good, ...bad }))).toThrow(MalformedError);
    }
    expect(() => readCompactInfoQr("hello")).toThrow(MalformedError);
    expect(() => readCompactInfoQr("[]")).toThrow(MalformedError);
  });

  test("a link carries the key where no server sees it", () => {
    const link = writeInfoLink(info);
    expect(new URL(link).hash).toBe(`#${encodeHex(info.key)}.group_invite`);
    expect(new URL(link).pathname + new URL(link).search).not.toContain(encodeHex(info.key));
    const { url, key, packageType } = info;
    expect(readInfoLink(link)).toEqual({ url, key, packageType });
    expect(readInfoLink(`${url}#${encodeHex(key)}`)).toEqual({ url, key });
    const passedOn = [`${link}\n`, ` ${link}.`, link.replace("#", "?utm_source=x#"), `${link}:~:text=a`];
    for (const one of passedOn) expect(readInfoLink(one)).toEqual({ url, key, packageType });
    expect(() => readInfoLink(info.url)).toThrow(MalformedError);
  });
});
