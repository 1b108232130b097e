import type { Runtime } from "../../client/index.js";
import { demand, demandFunction, demandOptions, ifGiven } from "../../client/runtime/arguments.js";
import { Response as Body } from "./streams.js";
import { useSources } from "./web-crypto.js";

export interface ReactNativeOptions {
  /** Bytes suitable for keys, such as `getRandomBytes` of `expo-crypto`. */
  randomBytes: (length: number) => Uint8Array;
  /** React Native's `AppState`: the device reconnects at once when the application comes back. */
  appState?: { addEventListener(type: "change", listener: (state: string) => void): { remove(): void } } | undefined;
  /** A native Web Crypto with Ed25519, AES-GCM, HMAC and HKDF, such as `subtle` of `react-native-quick-crypto`. JavaScript by default. */
  subtle?: object | undefined;
}

/** The option `runtime` of `openGroups` and the client. Call it once, before anything else of this package. */
export function reactNativeRuntime(options: ReactNativeOptions): Partial<Runtime> {
  demandOptions(options, "options");
  const { randomBytes, appState, subtle } = options;
  demandFunction(randomBytes, "randomBytes");
  ifGiven(appState, ({ addEventListener }) => demandFunction(addEventListener, "appState.addEventListener"));
  ifGiven(subtle, (given) => demandFunction((given as SubtleCrypto).importKey, "subtle.importKey"));
  demand(randomBytes(1).length === 1, randomBytes, { what: "randomBytes", expected: "a function that makes bytes" });
  useSources({ randomBytes, subtle: subtle as SubtleCrypto | undefined });
  return {
    randomBytes,
    fetch: fetchWhole,
    ...(appState && {
      onResume(listener: () => void, until: AbortSignal): void {
        const subscription = appState.addEventListener("change", (state) => state === "active" && listener());
        until.addEventListener("abort", () => subscription.remove());
      },
    }),
  };
}

/** With the controller of the platform, whose `fetch` knows no other, and the body as a whole, because it has no streams. */
async function fetchWhole(url: string, { signal, redirect: _, ...init }: RequestInit): Promise<Response> {
  const { AbortController: Controller } = globalThis as unknown as { AbortController: typeof AbortController };
  const controller = new Controller();
  const follow = () => controller.abort();
  if (signal?.aborted) follow();
  signal?.addEventListener("abort", follow);
  const answer = await globalThis.fetch(url, { ...init, signal: controller.signal });
  // The platform follows redirects, whatever it is asked for.
  if (answer.url !== "" && answer.url !== undefined && new URL(answer.url).href !== new URL(url).href)
    throw new TypeError("the answer is a redirect");
  return wholeAnswer(answer);
}

function wholeAnswer(answer: Response): Response {
  const { status, ok, headers } = answer;
  const isText = /\b(?:json|text)\b/.test(headers.get("content-type") ?? "");
  const body = isText ? null : new Body(answer).body;
  const members = {
    text: () => answer.text(),
    json: () => answer.json(),
    arrayBuffer: () => answer.arrayBuffer(),
  };
  return { status, ok, headers, body, ...members } as Response;
}
