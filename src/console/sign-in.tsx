import { useEffect, useState } from "preact/hooks";
import { isAnswer } from "../client/connection/failures.js";
import type { DeviceKeys } from "../client/crypto/keys.js";
import { encodeHex } from "../protocol/encodings.js";
import { FailureNote } from "./failure-note.js";
import { forgetKeys, importKeys, isSupported, loadKeys, makeKeys, parseSecretKey, storeKeys } from "./keys.js";
import { discover, type SignedIn, signIn } from "./session.js";
import { texts } from "./texts.js";

interface SignInProps {
  notice: string | undefined;
  onSignedIn(session: SignedIn): void;
  onEnd(): void;
}

const t = texts.signIn;

/** Signs in with a key that the browser keeps, or with one from a file or pasted. */
export function SignIn({ notice, onSignedIn, onEnd }: SignInProps) {
  const [domain, setDomain] = useState("");
  const [kept, setKept] = useState<DeviceKeys>();
  const [failure, setFailure] = useState<{ cause: unknown; keys?: DeviceKeys }>();
  useEffect(() => {
    loadKeys().then(setKept);
    discover().then(
      (found) => {
        setDomain(found.domain);
        document.title = `${t.signIn}, ${found.domain}`;
      },
      (cause) => setFailure({ cause }),
    );
  }, []);
  const enter = async (keys: DeviceKeys) => {
    setFailure(undefined);
    await signIn(keys, onEnd).then(onSignedIn, (cause) => setFailure({ cause, keys }));
  };
  const refusal = failure?.keys !== undefined && isAnswer(failure.cause, "INVALID_ADMIN") ? failure.keys : undefined;
  return (
    <main class="sign-in">
      <h1>
        {texts.title}
        {domain && <small> {domain}</small>}
      </h1>
      {notice !== undefined && (
        <p class="note warn" role="status">
          {notice}
        </p>
      )}
      {failure !== undefined && <FailureNote failure={failure.cause} />}
      {refusal !== undefined && <HowToAdd keys={refusal} lead={t.notListed} />}
      <p class="hint">{t.linkHelp}</p>
      {kept === undefined ? (
        <MakeKey onMade={setKept} onFailure={(cause) => setFailure({ cause })} />
      ) : (
        <KeptKey keys={kept} onEnter={enter} onForgotten={() => setKept(undefined)} />
      )}
      <KeyFromOutside onEnter={enter} onFailure={(cause) => setFailure({ cause })} />
    </main>
  );
}

function HowToAdd({ keys, lead }: { keys: DeviceKeys; lead: string }) {
  return (
    <div class="note">
      <p>{lead}</p>
      <pre>
        <code>mls-relay admin add {encodeHex(keys.publicKey)}</code>
      </pre>
    </div>
  );
}

interface KeptKeyProps {
  keys: DeviceKeys;
  onEnter(keys: DeviceKeys): Promise<void>;
  onForgotten(): void;
}

function KeptKey({ keys, onEnter, onForgotten }: KeptKeyProps) {
  return (
    <section class="panel kept" aria-label={t.keptTitle}>
      <h2>{t.keptTitle}</h2>
      <HowToAdd keys={keys} lead={t.keptHelp} />
      <div class="buttons">
        <button type="button" class="primary" onClick={() => onEnter(keys)}>
          {t.withKept}
        </button>
        <button type="button" onClick={() => forgetKeys().then(onForgotten)}>
          {t.forget}
        </button>
      </div>
    </section>
  );
}

interface MakeKeyProps {
  onMade(keys: DeviceKeys): void;
  onFailure(cause: unknown): void;
}

function MakeKey({ onMade, onFailure }: MakeKeyProps) {
  const [canMake, setCanMake] = useState(true);
  useEffect(() => {
    isSupported().then(setCanMake);
  }, []);
  return (
    <section class="panel" aria-label={t.makeTitle}>
      <h2>{t.makeTitle}</h2>
      <p>{canMake ? t.makeHelp : t.cannotMake}</p>
      <button type="button" disabled={!canMake} onClick={() => makeKeys().then(onMade, onFailure)}>
        {t.make}
      </button>
    </section>
  );
}

interface KeyFromOutsideProps {
  onEnter(keys: DeviceKeys): Promise<void>;
  onFailure(cause: unknown): void;
}

function KeyFromOutside({ onEnter, onFailure }: KeyFromOutsideProps) {
  const [text, setText] = useState("");
  const [isKept, setKept] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const enter = async (event: Event) => {
    event.preventDefault();
    const secretKey = parseSecretKey(text);
    if (secretKey === undefined) return onFailure(new Error(t.notAKey));
    setBusy(true);
    try {
      const { keys, stored } = await importKeys(secretKey);
      if (isKept && stored !== undefined) await storeKeys(stored);
      await onEnter(keys);
    } finally {
      setBusy(false);
    }
  };
  const read = async (file: File | undefined) => setText((await file?.text()) ?? "");
  return (
    <form class="panel" aria-label={t.outsideTitle} onSubmit={enter}>
      <h2>{t.outsideTitle}</h2>
      <label>
        {t.file}
        <input type="file" accept=".pem,.key,text/plain" onChange={(event) => read(event.currentTarget.files?.[0])} />
      </label>
      <label>
        {t.paste}
        <textarea
          class="secret"
          rows={4}
          value={text}
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <label class="check">
        <input type="checkbox" checked={isKept} onChange={(event) => setKept(event.currentTarget.checked)} />
        <span>{t.keep}</span>
      </label>
      <button type="submit" class="primary" disabled={isBusy || text.trim() === ""}>
        {isBusy ? texts.working : t.signIn}
      </button>
    </form>
  );
}
