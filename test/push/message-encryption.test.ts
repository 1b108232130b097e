import { createECDH, randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { checkVapid, decodeContent, decryptMessage } from "../../scripts/push-service/decryption.js";
import { encodeContent, encryptMessage, isPublicKey } from "../../src/push/message-encryption.js";
import { loadVapidKey } from "../../src/push/vapid.js";

const decode = (text: string) => Buffer.from(text, "base64url");

describe("the examples of the RFCs", () => {
  test("RFC 8188, 3.1: one record without a key id", () => {
    const ikm = decode("yqdlZ-tYemfogSmv7Ws5PQ");
    const body = decode("I1BsxtFttlv3u_Oo94xnmwAAEAAA-NAVub2qFgBEuQKRapoZu-IxkIva3MEB1PD-ly8Thjg");
    const given = { ikm, salt: decode("I1BsxtFttlv3u_Oo94xnmw"), keyId: Buffer.alloc(0), paddedBytes: 0 };
    expect(encodeContent(Buffer.from("I am the walrus"), given)).toEqual(body);
    expect(decodeContent(body, ikm).plaintext.toString()).toBe("I am the walrus");
  });

  test("RFC 8291, 5 and appendix A: a message from an application server to a user agent", () => {
    const receiver = createECDH("prime256v1");
    receiver.setPrivateKey(decode("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"));
    const auth = decode("BTBZMqHH6r4Tts7J_aSIgg");
    const body = decode(
      "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27ml" +
        "mlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPT" +
        "pK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
    );
    const encrypted = encryptMessage(
      Buffer.from("When I grow up, I want to be a watermelon"),
      { p256dh: receiver.getPublicKey(), auth },
      {
        salt: decode("DGv6ra1nlYgDCS1FRnbzlw"),
        privateKey: decode("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"),
        paddedBytes: 0,
      },
    );
    expect(encrypted.toString("base64url")).toBe(body.toString("base64url"));
    const { plaintext } = decryptMessage(body, { ecdh: receiver, auth });
    expect(plaintext.toString()).toBe("When I grow up, I want to be a watermelon");
  });

  test("RFC 8292, 2.4: the tests' check of a VAPID header takes the example, and no changed one", () => {
    const key = "BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs";
    const token =
      "eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3" +
      "NjgsInN1YiI6Im1haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0.i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDXb1JrErtmys" +
      "azNjjvW2L9OkSSHzvoD1oA";
    const claims = checkVapid(`vapid t=${token}, k=${key}`, decode(key));
    expect(claims).toEqual({ aud: "https://push.example.net", exp: 1453523768, sub: "mailto:push@example.com" });
    const changed = token.replace(/A$/, "B").replace("i3CYb", "i3CYc");
    expect(() => checkVapid(`vapid t=${changed}, k=${key}`, decode(key))).toThrow("not signed");
  });
});

describe("a message", () => {
  test("has the same length whatever it says, and opens for its receiver only", () => {
    const [receiver, other, sender] = [1, 2, 3].map(() => createECDH("prime256v1"));
    if (receiver === undefined || other === undefined || sender === undefined) throw new Error("there are three");
    for (const ecdh of [receiver, other, sender]) ecdh.generateKeys();
    const auth = randomBytes(16);
    const bodies = ['{"type":"wake"}', '{"type":"confirm","code":"UY2GrT4bQ1mUZ0cVh8nJxw"}'].map((text) => {
      const keys = { salt: randomBytes(16), privateKey: sender.getPrivateKey(), paddedBytes: 128 };
      const body = encryptMessage(Buffer.from(text), { p256dh: receiver.getPublicKey(), auth }, keys);
      const { plaintext, recordBytes } = decryptMessage(body, { ecdh: receiver, auth });
      expect([plaintext.toString(), recordBytes]).toEqual([text, 128]);
      expect(() => decryptMessage(body, { ecdh: other, auth })).toThrow();
      expect(() => decryptMessage(body, { ecdh: receiver, auth: randomBytes(16) })).toThrow();
      return body.length;
    });
    expect(new Set(bodies).size).toBe(1);
  });

  test("is made for points of P-256 only", () => {
    const ecdh = createECDH("prime256v1");
    ecdh.generateKeys();
    const point = ecdh.getPublicKey();
    expect(isPublicKey(point)).toBe(true);
    const moved = Buffer.from(point);
    moved.writeUInt8((moved[40] ?? 0) ^ 1, 40);
    expect(isPublicKey(moved)).toBe(false);
    expect(isPublicKey(point.subarray(0, 33))).toBe(false);
    expect(isPublicKey(Buffer.alloc(65, 4))).toBe(false);
  });
});

describe("the VAPID key", () => {
  test("follows from its secret, signs for one origin, and its tokens last twelve hours", async () => {
    const secret = randomBytes(32);
    const load = (bytes: Uint8Array) => loadVapidKey({ get: async () => bytes }, "https://relay.example");
    const [key, again, another] = [await load(secret), await load(secret), await load(randomBytes(32))];
    expect([again.publicKey, again.id]).toEqual([key.publicKey, key.id]);
    expect(another.id).not.toBe(key.id);
    const header = key.authorization("https://push.example", 1_000_000);
    const claims = checkVapid(header, decode(key.publicKey));
    expect(claims).toEqual({ aud: "https://push.example", exp: 1_043_200, sub: "https://relay.example" });
    expect(() => checkVapid(header, decode(another.publicKey))).toThrow("another key");
    expect(key.authorization("https://push.example", 1_000_060)).toBe(header);
    expect(checkVapid(key.authorization("https://push.example", 1_010_000), decode(key.publicKey)).exp).toBe(1_053_200);
  });
});
