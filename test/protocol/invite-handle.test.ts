import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { newInviteHandle, parseInviteHandle } from "../../src/protocol/invite-handle.js";

const randomBytes = fc.uint8Array({ minLength: 19, maxLength: 19 });
const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

describe("a handle", () => {
  test("is read in every spelling that people use", () => {
    fc.assert(
      fc.property(randomBytes, (bytes) => {
        const handle = newInviteHandle(bytes);
        expect(handle).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){4}$/);
        const typed = handle.toLowerCase().replaceAll("0", "o").replaceAll("1", "l");
        for (const spelling of [handle, typed, typed.replaceAll("-", ""), handle.replaceAll("-", " ")]) {
          expect(parseInviteHandle(spelling)).toBe(handle);
        }
      }),
    );
  });

  test("with one wrong character is not read, whichever it is", () => {
    fc.assert(
      fc.property(randomBytes, fc.nat(19), fc.integer({ min: 1, max: 31 }), (bytes, place, step) => {
        const typed = [...newInviteHandle(bytes).replaceAll("-", "")];
        const right = letters.indexOf(typed[place] ?? "");
        typed[place] = letters.charAt((right + step) % letters.length);
        expect(parseInviteHandle(typed.join(""))).toBeUndefined();
      }),
    );
  });

  test("with two neighbours that changed places is not read, except 0 and Z", () => {
    fc.assert(
      fc.property(randomBytes, fc.nat(18), (bytes, place) => {
        const typed = [...newInviteHandle(bytes).replaceAll("-", "")];
        const [one = "", other = ""] = [typed[place], typed[place + 1]];
        fc.pre(one !== other && ![one + other, other + one].includes("0Z"));
        [typed[place], typed[place + 1]] = [other, one];
        expect(parseInviteHandle(typed.join(""))).toBeUndefined();
      }),
    );
  });

  test("is nothing else", () => {
    for (const text of ["", "a.b.c", "AAAA-AAAA-AAAA-AAAA", "UUUU-UUUU-UUUU-UUUU-UUUU", "3AHR--Z6DM-V29G-QY5C-KT11"]) {
      expect(parseInviteHandle(text)).toBeUndefined();
    }
  });
});
