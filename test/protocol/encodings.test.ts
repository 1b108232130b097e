import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import {
  concatBytes,
  decodeBase64,
  decodedLength,
  decodeHex,
  encodeBase64,
  encodeHex,
  equalBytes,
  isBase64Form,
  parseHex,
} from "../../src/protocol/encodings.js";

afterEach(() => {
  vi.unstubAllGlobals();
});

const platforms = [
  { platform: "Node.js", prepare: () => undefined },
  { platform: "a browser", prepare: () => vi.stubGlobal("Buffer", undefined) },
];

describe.each(platforms)("in $platform", ({ prepare }) => {
  test("hexadecimal and base64 give back the bytes that were encoded", () => {
    prepare();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(equalBytes(decodeHex(encodeHex(bytes)) ?? new Uint8Array(1), bytes)).toBe(true);
        expect(equalBytes(decodeBase64(encodeBase64(bytes)) ?? new Uint8Array(1), bytes)).toBe(true);
        expect(decodedLength(encodeBase64(bytes))).toBe(bytes.length);
      }),
    );
  });

  test("text decodes as base64 only if it is what its bytes encode to", () => {
    prepare();
    const nearlyBase64 = fc.string({ unit: fc.constantFrom(..."AQgw+/=-_ \nŁ"), maxLength: 12 });
    fc.assert(
      fc.property(nearlyBase64, (text) => {
        const bytes = decodeBase64(text);
        const canonical = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/.test(
          text,
        );
        expect(bytes !== undefined).toBe(canonical);
        if (bytes !== undefined) expect(encodeBase64(bytes)).toBe(text);
      }),
    );
  });

  test("the form of base64 is what the contract's pattern says", () => {
    prepare();
    const nearlyBase64 = fc.string({ unit: fc.constantFrom(..."AQgw09+/=-_ \nŁ\u{1f600}"), maxLength: 12 });
    fc.assert(
      fc.property(nearlyBase64, (text) => {
        expect(isBase64Form(text)).toBe(/^[A-Za-z0-9+/]*={0,2}$/u.test(text));
      }),
    );
  });

  test.each([
    ["unpadded", "QUI"],
    ["the URL alphabet", "-_-_"],
    ["a space", "QUJ DRA="],
    ["a line break at the end", "QUJD\n"],
    ["bits set behind the last byte", "QUJ="],
    ["padding in the middle", "QQ==QUJD"],
    ["nothing but padding", "===="],
    ["a character whose low byte is a letter", "QUJ\u0141"],
  ])("base64 with %s is refused", (_, text) => {
    prepare();
    expect(decodeBase64(text)).toBeUndefined();
  });

  test("a message of ten megabytes survives base64", () => {
    prepare();
    const bytes = new Uint8Array(10 * 1024 * 1024).map((_, i) => (i * 31) & 255);
    const text = encodeBase64(bytes);
    expect(equalBytes(decodeBase64(text) ?? new Uint8Array(0), bytes)).toBe(true);
    expect(decodeBase64(`${text.slice(0, -1)}!`)).toBeUndefined();
  });
});

test("hexadecimal is read in either case and given in lower case", () => {
  expect(parseHex("00fFaB", 3)).toBe("00ffab");
  expect(encodeHex(Uint8Array.of(0, 255, 171))).toBe("00ffab");
});

test.each(["0", "0g", "0x00", " 00", "00 ", "é0", "０0"])("%j is not hexadecimal", (text) => {
  expect(decodeHex(text)).toBeUndefined();
});

test("hexadecimal of another length than asked for is refused", () => {
  expect(parseHex("0000", 3)).toBeUndefined();
  expect(decodeHex("0000", 1)).toBeUndefined();
});

test("byte strings are joined in order", () => {
  expect(concatBytes(Uint8Array.of(1), new Uint8Array(0), Uint8Array.of(2, 3))).toEqual(Uint8Array.of(1, 2, 3));
});
