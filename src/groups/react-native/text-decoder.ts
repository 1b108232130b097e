// UTF-8 only (https://encoding.spec.whatwg.org/#utf-8-decoder): Hermes has a TextEncoder and no TextDecoder.

const replacement = 0xfffd;
const byteOrderMark = 0xfeff;
/** Of arguments that one call takes. */
const unitsAtOnce = 4_096;

export class TextDecoder {
  readonly #isFatal: boolean;
  readonly #keepsMark: boolean;
  #started = false;
  #code = 0;
  #needed = 0;
  #lowest = 0x80;
  #highest = 0xbf;

  constructor(label = "utf-8", { fatal = false, ignoreBOM = false }: { fatal?: boolean; ignoreBOM?: boolean } = {}) {
    if (!/^utf-?8$/i.test(label)) throw new RangeError(`this decoder has no ${label}`);
    this.#isFatal = fatal;
    this.#keepsMark = ignoreBOM;
  }

  decode(input: Uint8Array | ArrayBuffer = new Uint8Array(), { stream = false }: { stream?: boolean } = {}): string {
    const bytes = input instanceof Uint8Array ? input : new Uint8Array(input);
    let text = "";
    let units: number[] = [];
    const put = (code: number) => {
      const isMark = code === byteOrderMark && !this.#started && !this.#keepsMark;
      this.#started = true;
      if (isMark) return;
      if (code > 0xffff) units.push(0xd800 + ((code - 0x10000) >> 10), 0xdc00 + ((code - 0x10000) & 0x3ff));
      else units.push(code);
      if (units.length < unitsAtOnce) return;
      text += String.fromCharCode(...units);
      units = [];
    };
    for (let at = 0; at < bytes.length; ) {
      const byte = bytes[at] as number;
      if (this.#needed === 0) {
        at++;
        if (byte < 0x80) put(byte);
        else if (!this.#begin(byte)) put(this.#malformed());
      } else if (byte < this.#lowest || byte > this.#highest) {
        // This byte begins another character.
        this.#needed = 0;
        put(this.#malformed());
      } else {
        at++;
        [this.#lowest, this.#highest] = [0x80, 0xbf];
        this.#code = (this.#code << 6) | (byte & 0x3f);
        if (--this.#needed === 0) put(this.#code);
      }
    }
    if (!stream) {
      const isCut = this.#needed > 0;
      this.#needed = 0;
      if (isCut) put(this.#malformed());
      this.#started = false;
    }
    return text + String.fromCharCode(...units);
  }

  #begin(byte: number): boolean {
    if (byte < 0xc2 || byte > 0xf4) return false;
    this.#needed = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    // Longer forms than needed, surrogates, and what is behind Unicode.
    this.#lowest = byte === 0xe0 ? 0xa0 : byte === 0xf0 ? 0x90 : 0x80;
    this.#highest = byte === 0xed ? 0x9f : byte === 0xf4 ? 0x8f : 0xbf;
    this.#code = byte & (0x3f >> this.#needed);
    return true;
  }

  #malformed(): number {
    if (!this.#isFatal) return replacement;
    this.#started = false;
    throw new TypeError("the bytes are not UTF-8");
  }
}
