import { useEffect, useState } from "preact/hooks";
import type { DeviceStatus } from "../groups/index.js";
import { Backup } from "./backup.js";
import { Button } from "./button.js";
import { Dialog } from "./dialog.js";
import { useChanges, useReading } from "./hooks.js";
import { Refusal } from "./refusal.js";
import { me, nowMillis } from "./session.js";
import { attempt, inBackground } from "./tasks.js";
import { fill, language, sizeOf, t } from "./texts.js";
import { momentOf } from "./times.js";

type Limits = Awaited<ReturnType<ReturnType<typeof me>["device"]["limits"]>>["limits"];

/** Limits that a user can do something about, by the relay's names. */
const shownLimits = {
  messages: t.limitMessages,
  online_messages: t.limitOnline,
  key_package_claims: t.limitAdding,
  blobs_hour: t.limitFiles,
  blob_bytes_day: t.limitFileBytes,
  blob_storage: t.limitFileStorage,
} as const;

/** What this device is waiting for, what its limits leave, and what it stores. */
export function DeviceState({ onClose }: { onClose(): void }) {
  const version = useChanges();
  const [status, setStatus] = useState<DeviceStatus | undefined>(undefined);
  useReading(async () => setStatus(await me().deviceStatus()), [version]);
  return (
    <Dialog title={t.status} onClose={onClose}>
      <p role="status">{t[me().status]}</p>
      <h3>{t.statusWaits}</h3>
      {status !== undefined && <Waiting status={status} />}
      <LimitsLeft />
      <StorageUsed keptFileBytes={status?.keptFileBytes ?? 0} />
      <Backup />
    </Dialog>
  );
}

function Waiting({ status }: { status: DeviceStatus }) {
  const lines = linesOf(status);
  if (lines.length === 0) return <p>{t.statusNothing}</p>;
  return (
    <ul class="facts">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

/** Each kind of waiting item, by group. */
function linesOf({ unsent, changes, asked, invited, joinRequests, lost, unopened }: DeviceStatus): string[] {
  const nameOf = (group: string) => me().group(group)?.name || t.nameless;
  const messages = unsent.filter(({ message }) => message !== undefined);
  const others = unsent.length - messages.length;
  const perGroup = byGroup(messages).map(([group, those]) => {
    const times = those.flatMap(({ retryAtMillis }) => retryAtMillis ?? []);
    const next =
      times.length === 0 ? "" : ` ${fill(t.statusNext, { time: momentOf(Math.min(...times), nowMillis()) })}`;
    const isLimited = those.some(({ error }) => error === "RATE_LIMIT_EXCEEDED");
    const why = isLimited ? ` ${t.statusLimited}` : times.length > 0 ? ` ${t.statusAway}` : "";
    return fill(t.statusUnsent, { name: nameOf(group), count: those.length }) + why + next;
  });
  return [
    ...perGroup,
    ...byGroup(changes).map(([group, those]) => fill(t.statusChanges, { name: nameOf(group), count: those.length })),
    ...(others > 0 ? [fill(t.statusOthers, { count: others })] : []),
    ...(unopened > 0 ? [fill(t.statusUnopened, { count: unopened })] : []),
    ...asked.map(({ name }) => fill(t.waiting, { name })),
    ...invited.map(({ name }) => fill(t.statusInvited, { name })),
    ...joinRequests.map(({ group, count }) => fill(t.statusRequests, { name: nameOf(group), count })),
    ...lost.map(({ group }) => `${nameOf(group)}: ${t.mustRejoin}`),
  ];
}

function byGroup<T extends { group: string }>(all: readonly T[]): [group: string, T[]][] {
  const groups = [...new Set(all.map(({ group }) => group))];
  return groups.map((group) => [group, all.filter((one) => one.group === group)]);
}

function LimitsLeft() {
  const [limits, setLimits] = useState<Limits | "away" | undefined>(undefined);
  useEffect(
    () =>
      inBackground(async () => {
        const answer = await me()
          .device.limits({ retries: { attempts: 1 } })
          .catch(() => undefined);
        setLimits(answer?.limits ?? "away");
      }),
    [],
  );
  return (
    <>
      <h3>{t.limits}</h3>
      {limits === "away" && <p class="hint">{t.limitsAway}</p>}
      {limits !== undefined && limits !== "away" && (
        <ul class="facts">
          {limits.map((limit) => {
            const label = shownLimits[limit.name as keyof typeof shownLimits];
            return label && <li key={limit.name}>{limitLine(label, limit)}</li>;
          })}
        </ul>
      )}
    </>
  );
}

function limitLine(label: string, { name, remaining, limit, reset_at }: Limits[number]): string {
  const isBytes = name.includes("bytes") || name.includes("storage");
  const [left, all] = [remaining, limit].map((number) => (isBytes ? sizeOf(number) : number.toLocaleString(language)));
  const line = fill(t.limitLeft, { label, left: left ?? "", all: all ?? "" });
  if (remaining === limit || reset_at === null) return line;
  return `${line} ${fill(t.limitReset, { time: momentOf(1000 * reset_at, nowMillis()) })}`;
}

function StorageUsed({ keptFileBytes }: { keptFileBytes: number }) {
  const [found, setFound] = useState<{ usage: number; quota: number; isPersistent: boolean } | undefined>(undefined);
  const read = async () => {
    const { usage = 0, quota = 0 } = (await navigator.storage?.estimate()) ?? {};
    setFound({ usage, quota, isPersistent: (await navigator.storage?.persisted()) ?? false });
  };
  useEffect(() => inBackground(read), []);
  const persist = async () => {
    const isGranted = (await navigator.storage?.persist()) ?? false;
    await read();
    if (!isGranted) throw new Refusal(t.persistRefused);
  };
  if (found === undefined) return null;
  const { usage, quota, isPersistent } = found;
  return (
    <>
      <h3>{t.storage}</h3>
      <ul class="facts">
        <li>{fill(t.storageUsed, { used: sizeOf(usage), quota: sizeOf(quota) })}</li>
        {keptFileBytes > 0 && <li>{fill(t.storageFiles, { size: sizeOf(keptFileBytes) })}</li>}
        <li>{isPersistent ? t.persistent : t.notPersistent}</li>
      </ul>
      {!isPersistent && <Button label={t.persist} onClick={() => attempt(persist)} />}
    </>
  );
}
