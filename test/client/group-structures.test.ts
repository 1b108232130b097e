import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  decodeCustomMedia,
  encodeCustomMedia,
  inlineItem,
  largestInlineItem,
  largestReferencedItem,
  placeForMedia,
  referencedItem,
} from "../../src/client/messages/custom-media.js";
import {
  isReferencedFile,
  newFileReference,
  parseFileId,
  readFileReference,
} from "../../src/client/messages/file-references.js";
import {
  allows,
  changePermissions,
  decodeGroupPermissions,
  encodeGroupPermissions,
  flagsOf,
  foundGroupPermissions,
  mayDevice,
  permissionFlags,
  problemOfChange,
} from "../../src/client/messages/group-permissions.js";
import { MalformedError } from "../../src/client/runtime/json-shape.js";
import { utf8 } from "../../src/protocol/encodings.js";

const [founder, officer, guest] = [1, 2, 3].map((n) => String(n).repeat(64)) as [string, string, string];

describe("group permissions", () => {
  test("the flags are those of the specification", () => {
    const positions = Object.entries(permissionFlags).map(([name, flag]) => [name, flag.toString(2).length - 1]);
    expect(Object.fromEntries(positions)).toEqual({
      SEND_MESSAGES: 0,
      INVITE_MEMBERS: 10,
      REMOVE_MEMBERS: 11,
      MANAGE_ROLES: 20,
      ADMINISTRATOR: 63,
    });
  });

  test("an administrator may do everything, others what they have, strangers nothing", () => {
    const start = foundGroupPermissions(founder, 100);
    const group = changePermissions(start, {
      by: founder,
      deviceId: guest,
      flags: flagsOf("SEND_MESSAGES"),
      nowSeconds: 101,
    });
    for (const name of ["SEND_MESSAGES", "REMOVE_MEMBERS", "MANAGE_ROLES"] as const) {
      expect(mayDevice(group, founder, name)).toBe(true);
    }
    expect(mayDevice(group, guest, "SEND_MESSAGES")).toBe(true);
    expect(mayDevice(group, guest, "INVITE_MEMBERS")).toBe(false);
    expect(mayDevice(group, officer, "SEND_MESSAGES")).toBe(false);
    expect(allows(1n << 62n, "SEND_MESSAGES")).toBe(false);
  });

  test("who manages roles gives only what they have, and the founder stays", () => {
    const start = foundGroupPermissions(founder, 100);
    const flags = flagsOf("MANAGE_ROLES", "SEND_MESSAGES");
    const group = changePermissions(start, { by: founder, deviceId: officer, flags, nowSeconds: 101 });
    const give = (given: bigint | null, to = guest, by = officer) =>
      changePermissions(group, { by, deviceId: to, flags: given, nowSeconds: 102 });
    expect(give(flagsOf("SEND_MESSAGES"))).toMatchObject({ version: 3, lastUpdatedBy: officer, lastUpdatedAt: 102 });
    expect(() => give(flagsOf("ADMINISTRATOR"), officer)).toThrow("does not have itself");
    expect(() => give(flagsOf("INVITE_MEMBERS"))).toThrow("does not have itself");
    expect(() => give(null, founder)).toThrow("does not have itself");
    expect(() => give(0n, guest, guest)).toThrow("may not manage roles");
    expect(problemOfChange(group, { ...group, version: 3, founder: officer })).toContain("founder");
    expect(problemOfChange(group, { ...group, version: 5, lastUpdatedBy: founder })).toContain("does not follow");
  });

  test("all 64 bits survive the extension", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }), (flags) => {
        const start = foundGroupPermissions(founder, 100);
        const group = changePermissions(start, { by: founder, deviceId: guest, flags, nowSeconds: 101 });
        expect(decodeGroupPermissions(encodeGroupPermissions(group))).toEqual(group);
      }),
    );
    const start = foundGroupPermissions(founder, 100);
    expect(() => changePermissions(start, { by: founder, deviceId: guest, flags: 1n << 64n, nowSeconds: 1 })).toThrow(
      "64",
    );
    expect(() => decodeGroupPermissions(utf8("{}"))).toThrow(MalformedError);
  });
});

describe("file references", () => {
  const bytes = new Uint8Array(randomBytes(1_000));

  test("a reference names the uploader, and knows its file again", () => {
    const reference = newFileReference(founder, bytes);
    expect(parseFileId(reference.file_id)).toMatchObject({ uploaderDeviceId: founder });
    expect(reference).toMatchObject({ file_size: 1_000, plaintext_hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(isReferencedFile(reference, bytes)).toBe(true);
    expect(isReferencedFile(reference, bytes.slice(1))).toBe(false);
    expect(readFileReference(JSON.parse(JSON.stringify(reference)))).toEqual(reference);
  });

  test("malformed references are refused", () => {
    const reference = newFileReference(founder, bytes);
    for (const bad of [
      { file_id: founder },
      { file_id: `${founder}:1` },
      { file_size: -1 },
      { plaintext_hash: "ab" },
    ]) {
      expect(() => readFileReference({ ...reference, ...bad })).toThrow(MalformedError);
    }
  });
});

describe("custom media", () => {
  const about = { name: "wave", media_type: "image/webp" };

  test("the limits of the specification decide where an item stands", () => {
    expect(placeForMedia(50_000)).toBe("inline");
    expect(placeForMedia(50_001)).toBe("file");
    expect(placeForMedia(500_000)).toBe("file");
    expect(() => placeForMedia(500_001)).toThrow(MalformedError);
  });

  test("items at their limits are carried, larger ones are not", () => {
    const inline = inlineItem(about, new Uint8Array(largestInlineItem));
    const file = referencedItem(about, {
      ...newFileReference(founder, new Uint8Array()),
      file_size: largestReferencedItem,
    });
    const media = { sticker_packs: [{ name: "summer", stickers: [inline, file] }], emoji: [inline] };
    expect(decodeCustomMedia(encodeCustomMedia(media))).toEqual(media);
    expect(() => inlineItem(about, new Uint8Array(largestInlineItem + 1))).toThrow(MalformedError);
    const large = { ...newFileReference(founder, new Uint8Array()), file_size: largestReferencedItem + 1 };
    expect(() => referencedItem(about, large)).toThrow(MalformedError);
    const forged = utf8(JSON.stringify({ sticker_packs: [], emoji: [{ ...about, file: large }] }));
    expect(() => decodeCustomMedia(forged)).toThrow(MalformedError);
    const both = utf8(JSON.stringify({ sticker_packs: [], emoji: [{ ...inline, file: large }] }));
    expect(() => decodeCustomMedia(both)).toThrow("either");
  });
});
