/** Letters that are not confused when read aloud (Crockford's base 32). */
const codeLetters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** 40 bits as eight characters, `XXXX-XXXX`. */
export function shortCode(bytes: Uint8Array): string {
  let number = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  let text = "";
  for (let i = 0; i < 8; i++) {
    text = codeLetters.charAt(Number(number % 32n)) + text;
    number /= 32n;
  }
  return `${text.slice(0, 4)}-${text.slice(4)}`;
}
