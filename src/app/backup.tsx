import { useRef, useState } from "preact/hooks";
import { Button } from "./button.js";
import { forget, remember, remembered } from "./local-storage.js";
import { changed, currentState, me, nowMillis, open } from "./session.js";
import { attempt } from "./tasks.js";
import { fill, t } from "./texts.js";
import { momentOf } from "./times.js";

const dayMillis = 86_400_000;
const weekMillis = 7 * dayMillis;

/** Whether it is time to ask for a backup: a day after the user's first start, and a week after each "later". */
function mustAsk(): boolean {
  if (me().hasRecoveryKey || me().groups().length === 0) return false;
  const since = remembered("askBackup");
  if (since === undefined) askLater(dayMillis);
  return since !== undefined && nowMillis() > Number(since);
}

function askLater(millis: number): void {
  remember("askBackup", String(nowMillis() + millis));
}

export function AskForBackup({ onBackup }: { onBackup(): void }) {
  if (!mustAsk()) return null;
  const later = () => {
    askLater(weekMillis);
    changed();
  };
  return (
    <section class="pad" aria-label={t.backup}>
      <p class="hint">{t.backupAsk}</p>
      <Button label={t.backupBegin} class="main" onClick={onBackup} /> <Button label={t.later} onClick={later} />
    </section>
  );
}

/** The recovery key and its backup file. */
export function Backup() {
  const [key, setKey] = useState<string | undefined>(undefined);
  const last = remembered("backup");
  const create = async () => {
    setKey(await me().createRecoveryKey());
    forget("backup");
    changed();
  };
  const save = async () => {
    const file = await new Response(await me().exportBackup({ messages: true })).blob();
    const link = document.createElement("a");
    link.href = URL.createObjectURL(file);
    link.download = `${new Date(nowMillis()).toISOString().slice(0, 10)}.mls-backup`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    remember("backup", String(nowMillis()));
    changed();
  };
  return (
    <>
      <h3>{t.backup}</h3>
      <p class="hint">{t.backupHint}</p>
      {key !== undefined && (
        <>
          <p class="digits">{key}</p>
          <p role="status">{t.recoveryKeyOnce}</p>
        </>
      )}
      {me().hasRecoveryKey && <Button label={t.backupSave} class="main" onClick={() => attempt(save)} />}{" "}
      {key === undefined && (
        <Button
          label={me().hasRecoveryKey ? t.recoveryKeyOther : t.recoveryKeyCreate}
          onClick={() => (!me().hasRecoveryKey || confirm(t.recoveryKeySure)) && attempt(create)}
        />
      )}
      {me().hasRecoveryKey && (
        <p class="hint" role="status">
          {last === undefined ? t.backupNone : fill(t.backupLast, { time: momentOf(Number(last), nowMillis()) })}
        </p>
      )}
    </>
  );
}

/** The last input, so that the user can correct a mistyped group of the key. */
let typed = "";

function forgetTyped(): void {
  if (currentState().at === "open") typed = "";
}

/** Asks for the file and the recovery key on a new device. */
export function Restore() {
  const [isAsking, ask] = useState(typed !== "");
  const file = useRef<HTMLInputElement>(null);
  const restore = (event: Event) => {
    event.preventDefault();
    const backup = file.current?.files?.[0];
    if (backup !== undefined) attempt(() => open("", { restore: { backup, key: typed } }).then(forgetTyped));
  };
  if (!isAsking) return <Button label={t.restore} onClick={() => ask(true)} />;
  return (
    <form onSubmit={restore} class="ask">
      <label>
        {t.backupFile}
        <input ref={file} type="file" required />
      </label>
      <label>
        {t.recoveryKey}
        <input
          required
          inputMode="numeric"
          autocomplete="off"
          aria-describedby="key-hint"
          defaultValue={typed}
          onInput={({ currentTarget }) => {
            typed = currentTarget.value;
          }}
        />
      </label>
      <p class="hint" id="key-hint">
        {t.recoveryKeyHint}
      </p>
      <button type="submit" class="main">
        {t.restore}
      </button>
    </form>
  );
}
