// The part of URL that the packages use. React Native's takes texts for addresses that are none, and cannot set a fragment. This one refuses
// what other parsers read in different ways: backslashes, user names, control characters, and hosts that are not ASCII.

const form = /^([a-z][a-z0-9+.-]*):(?:\/\/([^/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?$/i;
const host = /^(?:(?:[a-z0-9_-]+\.)*[a-z0-9_-]+\.?|\[[0-9a-f:.]+\])$/;
const ports: Readonly<Record<string, string>> = { "http:": "80", "https:": "443", "ws:": "80", "wss:": "443" };
const isOdd = (code: number) => code <= 0x20 || code === 0x5c || code === 0x7f;

class Parameters {
  readonly #url: Address;

  constructor(url: Address) {
    this.#url = url;
  }

  get(name: string): string | null {
    return this.#pairs().find(([one]) => one === name)?.[1] ?? null;
  }

  set(name: string, value: string): void {
    const others = this.#pairs().filter(([one]) => one !== name);
    const all = [...others, [name, value] as const];
    this.#url.search = `?${all.map((pair) => pair.map(encodeURIComponent).join("=")).join("&")}`;
  }

  #pairs(): (readonly [name: string, value: string])[] {
    const decoded = (text: string) => decodeURIComponent(text.replaceAll("+", " "));
    return this.#url.search
      .slice(1)
      .split("&")
      .filter((part) => part !== "")
      .map((part) => {
        const [name = "", ...value] = part.split("=");
        return [decoded(name), decoded(value.join("="))];
      });
  }
}

class Address {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: string;
  readonly pathname: string;
  readonly username = "";
  readonly password = "";
  readonly searchParams = new Parameters(this);
  readonly #hasHost: boolean;
  #search: string;
  #hash: string;

  constructor(given: string | Address) {
    const text = String(given).trim();
    const [, scheme = "", authority, path = "", search = "", hash = ""] = form.exec(text) ?? [];
    const isWeb = ports[`${scheme.toLowerCase()}:`] !== undefined;
    const [, name = "", port = ""] = /^(.*?)(?::(\d{0,5}))?$/.exec(authority ?? "") ?? [];
    const hostname = isWeb ? name.toLowerCase() : name;
    const isOk = scheme !== "" && (!isWeb || host.test(hostname)) && !name.includes("@") && Number(port) < 65_536;
    if (!isOk || [...text].some((character) => isOdd(character.codePointAt(0) as number)))
      throw new TypeError("Invalid URL");
    this.protocol = `${scheme.toLowerCase()}:`;
    this.hostname = hostname;
    this.port = port === "" || String(Number(port)) === ports[this.protocol] ? "" : String(Number(port));
    this.#hasHost = authority !== undefined;
    this.pathname = isWeb ? withoutDots(encoded(path || "/")) : encoded(path);
    this.#search = search === "?" ? "" : encoded(search);
    this.#hash = hash === "#" ? "" : encoded(hash);
  }

  static canParse(text: string): boolean {
    try {
      return new Address(text) instanceof Address;
    } catch {
      return false;
    }
  }

  get host(): string {
    return this.port === "" ? this.hostname : `${this.hostname}:${this.port}`;
  }

  get origin(): string {
    return ports[this.protocol] === undefined ? "null" : `${this.protocol}//${this.host}`;
  }

  get search(): string {
    return this.#search;
  }

  set search(text: string) {
    const bare = text.replace(/^\?/, "");
    this.#search = bare === "" ? "" : encoded(`?${bare}`);
  }

  get hash(): string {
    return this.#hash;
  }

  set hash(text: string) {
    const bare = text.replace(/^#/, "");
    this.#hash = bare === "" ? "" : encoded(`#${bare}`);
  }

  get href(): string {
    return `${this.protocol}${this.#hasHost ? `//${this.host}` : ""}${this.pathname}${this.#search}${this.#hash}`;
  }

  toString(): string {
    return this.href;
  }
}

/** Everything that is not ASCII, and the quotes and brackets that no address has. */
function encoded(text: string): string {
  return text.replace(/[^!#-;=?-~]+/g, (part) => encodeURIComponent(part));
}

function withoutDots(path: string): string {
  const kept: string[] = [];
  const parts = path.split("/").slice(1);
  for (const [at, part] of parts.entries()) {
    const dots = part.replace(/%2e/gi, ".");
    if (dots === "..") kept.pop();
    else if (dots !== ".") kept.push(part);
    if (/^\.\.?$/.test(dots) && at === parts.length - 1) kept.push("");
  }
  return `/${kept.join("/")}`;
}

export { Address as URL };
