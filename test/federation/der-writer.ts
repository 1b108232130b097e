/** Writes DER, right or wrong: certificates of tests are made without the library that reads them. */
export function der(tag: number, ...content: Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  if (body.length < 0x80) return Buffer.concat([Buffer.from([tag, body.length]), body]);
  const hex = body.length.toString(16);
  const length = Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex");
  return Buffer.concat([Buffer.from([tag, 0x80 + length.length]), length, body]);
}

export const sequence = (...content: Uint8Array[]): Buffer => der(0x30, ...content);
export const octets = (...content: Uint8Array[]): Buffer => der(0x04, ...content);
export const bits = (content: Uint8Array, unused = 0): Buffer => der(0x03, Buffer.from([unused]), content);
export const boolean = (value: boolean): Buffer => der(0x01, Buffer.from([value ? 0xff : 0]));
export const utf8 = (text: string): Buffer => der(0x0c, Buffer.from(text));
export const none = (): Buffer => der(0x05);

/** An integer that is not negative. */
export function integer(value: number | bigint | Uint8Array): Buffer {
  if (value instanceof Uint8Array)
    return der(0x02, (value[0] ?? 0) >= 0x80 ? Buffer.from([0]) : Buffer.alloc(0), value);
  const hex = value.toString(16);
  return integer(Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex"));
}

export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(arc)]));
}

function arc(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let left = Math.floor(value / 128); left > 0; left = Math.floor(left / 128)) bytes.unshift((left & 0x7f) | 0x80);
  return bytes;
}

/** UTCTime until 2049, GeneralizedTime after it. */
export function time(date: Date): Buffer {
  const text = `${date.toISOString().replaceAll(/[-:T]|\.\d+/g, "")}`;
  return date.getUTCFullYear() < 2050 ? der(0x17, Buffer.from(text.slice(2))) : der(0x18, Buffer.from(text));
}
