// What React Native gives a program beside the language, and no more: fetch with whole bodies, WebSocket, timers, Headers, an AbortController
// without reasons, and a URL that is of little use. `emit` tells the test what to do, and the test calls `receive`. Old syntax, for old engines.
(() => {
  const scope = globalThis;
  const waiting = {};
  let last = 0;
  const ask = (kind, given, answered) => {
    const id = ++last;
    waiting[id] = answered;
    emit(JSON.stringify({ kind: kind, id: id, given: given }));
    return id;
  };
  const bytesOf = (base64) => {
    const text = scope.atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
    return bytes;
  };
  const base64Of = (bytes) => {
    let text = "";
    for (let at = 0; at < bytes.length; at++) text += String.fromCharCode(bytes[at]);
    return scope.btoa(text);
  };
  scope.receive = (text) => {
    const message = JSON.parse(text);
    const answered = waiting[message.id];
    if (answered) answered(message.given);
  };

  scope.setTimeout = (work, millis) => ask("timer", { millis: millis || 0 }, () => work());
  scope.clearTimeout = (id) => {
    delete waiting[id];
  };
  scope.performance = { now: () => Date.now() };
  if (scope.queueMicrotask === undefined) scope.queueMicrotask = (work) => void Promise.resolve().then(work);
  const silent = () => {};
  scope.console = { log: silent, warn: silent, error: silent };

  const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (scope.btoa === undefined)
    scope.btoa = (text) => {
      let result = "";
      for (let at = 0; at < text.length; at += 3) {
        const [a, b, c] = [text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2)];
        result += digits[a >> 2] + digits[((a & 3) << 4) | (b >> 4)];
        result += at + 1 < text.length ? digits[((b & 15) << 2) | (c >> 6)] : "=";
        result += at + 2 < text.length ? digits[c & 63] : "=";
      }
      return result;
    };
  if (scope.atob === undefined)
    scope.atob = (base64) => {
      if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(base64))
        throw new Error("no base64");
      let text = "";
      for (let at = 0; at < base64.length; at += 4) {
        const [a, b, c, d] = [0, 1, 2, 3].map((one) => digits.indexOf(base64[at + one]));
        text += String.fromCharCode((a << 2) | (b >> 4));
        if (c >= 0) text += String.fromCharCode(((b & 15) << 4) | (c >> 2));
        if (d >= 0) text += String.fromCharCode(((c & 3) << 6) | d);
      }
      return text;
    };
  if (scope.TextEncoder === undefined)
    scope.TextEncoder = class {
      encode(text) {
        const binary = unescape(encodeURIComponent(text));
        const bytes = new Uint8Array(binary.length);
        for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
        return bytes;
      }
    };

  scope.Headers = class {
    constructor(given) {
      this.pairs = {};
      for (const name of Object.keys(given || {})) this.set(name, given[name]);
    }
    set(name, value) {
      this.pairs[name.toLowerCase()] = String(value);
    }
    get(name) {
      const value = this.pairs[name.toLowerCase()];
      return value === undefined ? null : value;
    }
  };
  scope.Blob = class {};
  scope.URL = class {
    constructor() {
      throw new Error("React Native's URL was used");
    }
  };
  scope.AbortController = class {
    constructor() {
      const listeners = [];
      this.signal = {
        aborted: false,
        listeners: listeners,
        addEventListener: (_, listener) => listeners.push(listener),
      };
    }
    abort() {
      this.signal.aborted = true;
      this.signal.listeners.splice(0).forEach((listener) => void listener());
    }
  };

  scope.fetch = (url, init) =>
    new Promise((resolve, reject) => {
      const { body } = init;
      const headers = init.headers instanceof scope.Headers ? init.headers.pairs : init.headers;
      const given = { url: url, method: init.method, headers: headers };
      if (typeof body === "string") given.text = body;
      else if (body) given.base64 = base64Of(body);
      const fail = () => reject(new TypeError("Network request failed"));
      const id = ask("fetch", given, (answer) => {
        delete waiting[id];
        if (answer.failed) return fail();
        resolve({
          status: answer.status,
          ok: answer.status >= 200 && answer.status < 300,
          url: answer.url,
          headers: new scope.Headers(answer.headers),
          text: () => Promise.resolve(decodeURIComponent(escape(scope.atob(answer.base64)))),
          json: () => Promise.resolve(JSON.parse(decodeURIComponent(escape(scope.atob(answer.base64))))),
          arrayBuffer: () => Promise.resolve(bytesOf(answer.base64).buffer),
        });
      });
      if (init.signal)
        init.signal.addEventListener("abort", () => {
          emit(JSON.stringify({ kind: "abort", id: id }));
          fail();
        });
    });

  scope.WebSocket = class {
    constructor(url) {
      this.id = ask("socket", { url: url }, (event) => {
        const listener = this[`on${event.type}`];
        if (listener) listener(event);
      });
    }
    send(data) {
      emit(JSON.stringify({ kind: "frame", id: this.id, given: { data: data } }));
    }
    close(code, reason) {
      emit(JSON.stringify({ kind: "close", id: this.id, given: { code: code, reason: reason } }));
    }
  };

  // Modules of the application.
  const packed = (value) => (value instanceof ArrayBuffer ? { base64: base64Of(new Uint8Array(value)) } : value);
  const unpacked = (row) => {
    const whole = Object.assign({}, row);
    if (row.value && row.value.base64 !== undefined) whole.value = bytesOf(row.value.base64).buffer;
    return whole;
  };
  const query = (given) =>
    new Promise((resolve, reject) =>
      ask("sqlite", given, (answer) => {
        if (answer.failed) reject(new Error(answer.failed));
        else resolve({ rows: answer.rows.map(unpacked) });
      }),
    );
  scope.opSqlite = {
    open: (options) => {
      query({ method: "open", options: options });
      return {
        execute: (sql, values) => query({ method: "execute", sql: sql, values: (values || []).map(packed) }),
        executeRaw: (sql) => query({ method: "executeRaw", sql: sql }),
        executeBatch: (statements) =>
          query({ method: "executeBatch", statements: statements.map((one) => [one[0], one[1].map(packed)]) }),
        close: () => void query({ method: "close" }),
      };
    },
  };
  scope.randomBytesOf = (base64) => {
    const pool = bytesOf(base64);
    let at = 0;
    return (length) => {
      if (at + length > pool.length) throw new Error("the test has no more random bytes");
      at += length;
      return pool.slice(at - length, at);
    };
  };
  scope.base64Of = base64Of;
  scope.answer = (id, work) => {
    const say = (given) => emit(JSON.stringify({ kind: "answer", id: id, given: given }));
    Promise.resolve()
      .then(work)
      .then(
        (value) => say({ value: value }),
        (problem) => say({ problem: [problem, problem.stack, problem.cause].join(" ") }),
      );
  };
})();
