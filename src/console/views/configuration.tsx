import { configSchema, type GroupSchema, type SettingSchema } from "virtual:config-schema";
import type { AnswerOf, CallInput } from "../../client/connection/calls.js";
import type { Action } from "../action.js";
import { useConsole } from "../context.js";
import { type Draft, forgetDraft, setDraft, useDraft, type SettingValue as Value } from "../draft.js";
import { formatName, formatSetting, formatSize, formatTime, formatValue } from "../format.js";
import { Loaded } from "../loaded.js";
import { Panel } from "../panel.js";
import { usePolled } from "../polling.js";
import { changeQuery, usePlace } from "../route.js";
import type { SignedIn } from "../session.js";
import { texts } from "../texts.js";
import { sinceDays } from "./audit.js";
import { ChangedBy, type History, historyOf, type LastChange } from "./config-history.js";

type Config = AnswerOf<"getConfig">;
interface Change {
  group: string;
  name: string;
  from: Value;
  to: Value;
  /** What is wrong with the value, if anything. */
  problem: string | undefined;
}

const t = texts.configuration;
const historyDays = 365;
const maxEntries = 200;
const noHistory: History = new Map();

export function ConfigurationView() {
  const { session } = useConsole();
  const config = usePolled("config", () => session.call("getConfig"), 30);
  return (
    <Loaded polled={config}>
      {(current) =>
        session.may("listAuditEntries") ? (
          <FormWithHistory config={current} reload={config.reload} />
        ) : (
          <Form config={current} reload={config.reload} history={noHistory} />
        )
      }
    </Loaded>
  );
}

/** The form with who changed what last, as the audit log has it. */
function FormWithHistory({ config, reload }: { config: Config; reload: () => void }) {
  const { session } = useConsole();
  const load = () => {
    const since = sinceDays(historyDays, session.nowSeconds());
    return session.call("listAuditEntries", { query: { action: "config_updated", since, limit: maxEntries } });
  };
  const entries = usePolled("config history", load, 60);
  const done = () => {
    reload();
    entries.reload();
  };
  const history = historyOf(entries.data?.entries ?? []);
  const [last] = entries.data?.entries ?? [];
  return (
    <>
      {entries.data !== undefined && (
        <p class="hint">
          {last === undefined ? t.neverChanged : t.lastChanged(formatTime(last.timestamp))}{" "}
          {last !== undefined && <ChangedBy admin={last.admin} />}
        </p>
      )}
      <Form config={config} reload={done} history={history} />
    </>
  );
}

interface FormProps {
  config: Config;
  history: History;
  reload(): void;
}

function Form({ config, history, reload }: FormProps) {
  const { session, ask } = useConsole();
  const { query } = usePlace();
  const draft = useDraft();
  const changes = changesOf(config, draft);
  const problems = changes.filter(({ problem }) => problem !== undefined);
  const count = problems.length === 0 ? changes.length : 0;
  const filter = query["filter"] ?? "";
  const done = () => {
    forgetDraft();
    reload();
  };
  const review = (event: SubmitEvent) => {
    event.preventDefault();
    ask(changeAction(session, changes, done));
  };
  return (
    <form onSubmit={review} noValidate>
      <label class="filter">
        <span>{texts.filter}</span>
        <input type="search" value={filter} onInput={(event) => changeQuery({ filter: event.currentTarget.value })} />
      </label>
      <label class="filter">
        <input
          type="checkbox"
          checked={query["changed"] === "1"}
          onChange={(event) => changeQuery({ changed: event.currentTarget.checked ? "1" : "" })}
        />
        <span>{t.changedOnly}</span>
      </label>
      {Object.entries(configSchema.properties).map(([group, schema]) => (
        <Group
          key={group}
          group={group}
          schema={schema}
          values={{ config, draft, filter, history, changedOnly: query["changed"] === "1" }}
          onChange={
            session.may("updateConfig") ? (key, value) => setDraft(draftWith(config, draft, { key, value })) : undefined
          }
        />
      ))}
      {changes.length > 0 && (
        <div class="savebar">
          <Preview changes={changes} />
          <div class="buttons">
            <button type="submit" class="primary" disabled={count === 0}>
              {t.review(changes.length)}
            </button>
            <button type="button" onClick={forgetDraft}>
              {t.discard}
            </button>
          </div>
        </div>
      )}
      {!session.may("updateConfig") && <p class="note">{t.readOnly}</p>}
    </form>
  );
}

function Preview({ changes }: { changes: readonly Change[] }) {
  return (
    <ul class="changes" aria-label={t.preview} aria-live="polite">
      {changes.map((change) => (
        <li key={`${change.group}.${change.name}`} class={change.problem === undefined ? "" : "problem"}>
          {change.problem === undefined ? describe(change) : t.wrong(titleOf(change), change.problem)}
        </li>
      ))}
    </ul>
  );
}

function titleOf({ group, name }: Change): string {
  return `${formatName(group)}, ${formatName(name).toLowerCase()}`;
}

function describe(change: Change): string {
  const [from, to] = [formatSetting(change.name, change.from), formatSetting(change.name, change.to)];
  return `${titleOf(change)}: ${from} → ${to}`;
}

interface GroupProps {
  group: string;
  schema: GroupSchema;
  values: { config: Config; draft: Draft; filter: string; history: History; changedOnly: boolean };
  onChange: ((key: string, value: Value) => void) | undefined;
}

function Group({ group, schema, values: { config, draft, filter, history, changedOnly }, onChange }: GroupProps) {
  const wanted = filter.trim().toLowerCase();
  const shown = Object.entries(schema.properties).filter(([name, { description = "", default: usual }]) => {
    const isUsual = settingOf(config, group, name) === usual && draft[`${group}.${name}`] === undefined;
    if (changedOnly && isUsual) return false;
    return `${formatName(group)} ${formatName(name)} ${description}`.toLowerCase().includes(wanted);
  });
  if (shown.length === 0) return null;
  return (
    <Panel title={formatName(group)} {...(schema.description === undefined ? {} : { hint: schema.description })}>
      <div class="settings">
        {shown.map(([name, setting]) => (
          <Setting
            key={name}
            id={`${group}.${name}`}
            name={name}
            schema={setting}
            value={draft[`${group}.${name}`] ?? settingOf(config, group, name)}
            last={history.get(`${group}.${name}`)}
            onChange={onChange}
          />
        ))}
      </div>
    </Panel>
  );
}

interface SettingProps {
  id: string;
  name: string;
  schema: SettingSchema;
  value: Value;
  last: LastChange | undefined;
  onChange: GroupProps["onChange"];
}

function Setting({ id, name, schema, value, last, onChange }: SettingProps) {
  const describedBy = `${id}-help`;
  const isFixed = onChange === undefined || schema.const !== undefined || schema.readOnly === true;
  const problem = problemOf(name, schema, value);
  const size = formatSize(name, value);
  const shared = { id, disabled: isFixed, "aria-describedby": describedBy, "aria-invalid": problem !== undefined };
  return (
    <div class="setting">
      <label htmlFor={id}>{formatName(name)}</label>
      <SettingInput schema={schema} value={value} shared={shared} onChange={(next) => onChange?.(id, next)} />
      <small id={describedBy}>
        {problem !== undefined && <strong class="problem">{t.wrong(formatName(name), problem)}. </strong>}
        {schema.description} {size !== undefined && t.size(size)} {rangeOf(name, schema)}
      </small>
      {last !== undefined && (
        <small>
          {t.changedAt(formatTime(last.at))} <ChangedBy admin={last.admin} />{" "}
          {t.before(formatSetting(name, last.before))}{" "}
          {!isFixed && last.before !== value && (
            <button type="button" class="small" onClick={() => onChange?.(id, last.before)}>
              {t.putBack(formatName(name).toLowerCase(), formatSetting(name, last.before))}
            </button>
          )}
        </small>
      )}
    </div>
  );
}

interface SettingInputProps {
  schema: SettingSchema;
  value: Value;
  shared: { id: string; disabled: boolean; "aria-invalid": boolean };
  onChange(value: Value): void;
}

function SettingInput({ schema, value, shared, onChange }: SettingInputProps) {
  if (schema.type === "boolean")
    return (
      <input
        {...shared}
        type="checkbox"
        checked={value === true}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    );
  if (schema.enum !== undefined)
    return (
      <select {...shared} value={String(value)} onChange={(event) => onChange(event.currentTarget.value)}>
        {schema.enum.map((option) => (
          <option key={option} value={option}>
            {formatName(option)}
          </option>
        ))}
      </select>
    );
  if (schema.type === "string")
    return (
      <input
        {...shared}
        value={String(value)}
        maxLength={schema.maxLength}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    );
  return (
    <input
      {...shared}
      type="number"
      required
      step={schema.type === "integer" ? 1 : "any"}
      min={schema.minimum}
      max={schema.maximum}
      value={String(value)}
      onInput={({ currentTarget: { value: text, valueAsNumber } }) => onChange(text === "" ? "" : valueAsNumber)}
    />
  );
}

function rangeOf(name: string, { minimum, maximum, default: usual }: SettingSchema): string {
  const format = (value: unknown) => formatSize(name, value) ?? formatValue(value);
  const range = minimum === undefined || maximum === undefined ? "" : t.range(format(minimum), format(maximum));
  return usual === undefined ? range : `${range} ${t.usual(format(usual))}`;
}

function settingOf(config: Config, group: string, name: string): Value {
  return (config as unknown as Record<string, Record<string, Value>>)[group]?.[name] ?? "";
}

/** The draft with another value; one that is what the relay has is no change. */
function draftWith(config: Config, draft: Draft, { key, value }: { key: string; value: Value }): Draft {
  const { [key]: _, ...others } = draft;
  const [group = "", name = ""] = key.split(".");
  return settingOf(config, group, name) === value ? others : { ...others, [key]: value };
}

function changesOf(config: Config, draft: Draft): Change[] {
  return Object.entries(draft).flatMap(([key, to]) => {
    const [group = "", name = ""] = key.split(".");
    const from = settingOf(config, group, name);
    const schema = configSchema.properties[group]?.properties[name];
    return from === to ? [] : [{ group, name, from, to, problem: schema && problemOf(name, schema, to) }];
  });
}

/** What the contract has against a value, in words that follow the setting's name. */
function problemOf(
  name: string,
  { type, minimum, maximum, minLength = 0 }: SettingSchema,
  value: Value,
): string | undefined {
  if (type === "string") return String(value).length < minLength ? t.missing : undefined;
  if (type !== "integer" && type !== "number") return undefined;
  if (typeof value !== "number") return t.missing;
  if (type === "integer" && !Number.isInteger(value)) return t.notWhole;
  const isBelow = minimum !== undefined && value < minimum;
  const isAbove = maximum !== undefined && value > maximum;
  if (!isBelow && !isAbove) return undefined;
  const [least, most] = [formatSetting(name, minimum), formatSetting(name, maximum)];
  if (minimum === undefined) return t.atMost(most);
  return maximum === undefined ? t.atLeast(least) : t.outOfRange(least, most);
}

function changeAction(session: SignedIn, changes: readonly Change[], onDone: () => void): Action {
  const back = changes.map(({ from, to, ...setting }) => ({ ...setting, from: to, to: from }));
  return {
    title: t.change,
    explanation: changes.map(describe).join("; "),
    submitLabel: t.change,
    nameToType: session.domain,
    onDone,
    async run() {
      return { text: await change(session, changes), undo: () => change(session, back) };
    },
  };
}

async function change(session: SignedIn, changes: readonly Change[]): Promise<string> {
  const body: Record<string, Record<string, Value>> = {};
  for (const { group, name, to } of changes) body[group] = { ...body[group], [name]: to };
  await session.call("updateConfig", { body: body as NonNullable<CallInput<"updateConfig">["body"]> });
  return t.changed(changes.map(describe).join("; "));
}
