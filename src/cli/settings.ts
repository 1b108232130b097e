import { Command } from "commander";
import { changesOf } from "../admin/configuration.js";
import { bySystem } from "../audit/service.js";
import type { Transaction } from "../database/db.js";
import {
  type MachinePreset,
  machinePresets,
  type Preset,
  presets,
  readTexts,
  rulesByName,
  type SettingsChange,
} from "../settings/service.js";
import { jsonOption, type ShowOptions, show, table } from "./output.js";
import { type ServicesContext, withServices } from "./services.js";

/** What administrators change while the relay runs, for operators on the server's own machine. */
export function settingsCommand(): Command {
  return new Command("settings")
    .description("show and change the settings; running relays apply changes within a second")
    .addCommand(listCommand())
    .addCommand(setCommand())
    .addCommand(presetsCommand())
    .addCommand(applyCommand());
}

function listCommand(): Command {
  return new Command("list")
    .description("show every setting with its value and its default; * marks those that differ")
    .option(...jsonOption)
    .action((options: ShowOptions) =>
      withServices(async ({ services }) => {
        const current = services.settings.current() as unknown as Record<string, Record<string, unknown>>;
        const found = [...rulesByName].map(([name, { initial }]) => {
          const [group = "", key = ""] = name.split(".");
          return { name, value: current[group]?.[key], default: initial };
        });
        const preset = await services.settings.appliedPreset();
        show({ preset, settings: found }, options, () => [
          `preset: ${preset ?? "none"}`,
          ...table(
            found.map((one) => [
              one.value === one.default ? " " : "*",
              one.name,
              String(one.value),
              `[${one.default}]`,
            ]),
          ),
        ]);
      }),
    );
}

function setCommand(): Command {
  return new Command("set")
    .description("change settings: all of them, or none if one is wrong")
    .argument("<setting=value...>", "like registration.mode=invite_only")
    .option(...jsonOption)
    .action((given: string[], options: ShowOptions) =>
      withServices(async (context) => {
        const patch = readTexts(Object.fromEntries(given.map(splitAssignment)));
        const change = await context.services.settings.update(patch, null, (trx, made) =>
          record(context, { trx, details: { changes: changesOf(made) } }),
        );
        showChange(change, options);
      }),
    );
}

function presetsCommand(): Command {
  return new Command("presets")
    .description("show the presets, which are named sets of settings")
    .option(...jsonOption)
    .action((options: ShowOptions) =>
      show(viewOfPresets(), options, () => [
        ...Object.entries(presets).flatMap(describePreset),
        ...Object.entries(machinePresets).flatMap(describeMachinePreset),
      ]),
    );
}

/** Variables, constants and settings of PostgreSQL are spelled otherwise than the API's members, so their names are values. */
function viewOfPresets() {
  const named = (values: Readonly<Record<string, string | number>> = {}) =>
    Object.entries(values).map(([name, value]) => ({ name, value }));
  const ofSettings = Object.entries(presets).map(([name, { variables, ...preset }]) => {
    return [name, { ...preset, variables: named(variables) }];
  });
  const ofMachines = Object.entries(machinePresets).map(([name, { description, ...preset }]) => {
    const { variables, constants, postgresql } = preset;
    const lists = { variables: named(variables), constants: named(constants), postgresql: named(postgresql) };
    return [name, { description, ...lists }];
  });
  return Object.fromEntries([...ofSettings, ...ofMachines]) as Record<string, unknown>;
}

function applyCommand(): Command {
  return new Command("apply")
    .description("apply a preset to the settings of a relay that may be running")
    .argument("<preset>", Object.keys(presets).join(", "))
    .option(...jsonOption)
    .action((name: string, options: ShowOptions) =>
      withServices(async (context) => {
        const change = await context.services.settings.applyPreset(name, (trx, made) =>
          record(context, { trx, details: { preset: name, changes: changesOf(made) } }),
        );
        showChange(change, options);
      }),
    );
}

async function record(
  { services }: ServicesContext,
  { trx, details }: { trx: Transaction; details: Record<string, unknown> },
): Promise<void> {
  await services.audit.record(trx, { ...bySystem, action: "config_updated", target: "configuration", details });
}

function showChange({ before, after }: SettingsChange, options: ShowOptions): void {
  const changes = Object.keys(after).map((name) => ({ name, before: before[name], after: after[name] }));
  show(changes, options, () =>
    table(
      changes.map((one) => [one.name, `${one.before}`, one.before === one.after ? "(unchanged)" : `-> ${one.after}`]),
    ),
  );
}

function describePreset([name, { description, settings, variables = {} }]: [string, Preset]): string[] {
  const values = Object.entries(settings).flatMap(([group, keys]) =>
    Object.entries(keys).map(([key, value]) => [
      `  ${group}.${key}`,
      String(value),
      `[${rulesByName.get(`${group}.${key}`)?.initial}]`,
    ]),
  );
  const ofServe = Object.entries(variables).map(([variable, value]) => [
    `  ${variable}`,
    value,
    "(by `serve --preset`)",
  ]);
  return [`${name}: ${description}`, ...table([...values, ...ofServe])];
}

function describeMachinePreset([name, preset]: [string, MachinePreset]): string[] {
  const values = Object.entries({ ...preset.variables, ...preset.constants });
  const ofDatabase = Object.entries(preset.postgresql).map(([setting, value]) => [`  PostgreSQL: ${setting}`, value]);
  return [
    `${name}: ${preset.description} (only by \`serve --preset ${name}\`)`,
    ...table([...values.map(([variable, value]) => [`  ${variable}`, String(value)]), ...ofDatabase]),
  ];
}

function splitAssignment(text: string): [string, string] {
  const at = text.indexOf("=");
  if (at < 1) throw new Error(`${text} is not of the form setting=value`);
  return [text.slice(0, at), text.slice(at + 1)];
}
