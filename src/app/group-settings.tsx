import type { Group } from "../groups/index.js";
import { ChoosePicture } from "./profile-pictures.js";
import { attempt } from "./tasks.js";
import { AskText, maxNameLength } from "./text-field.js";
import { spanOf, t } from "./texts.js";

const [hour, day] = [3_600, 86_400];
const maxDescriptionLength = 1_000;
const spans = [hour, day, 7 * day, 28 * day];

/** The settings that all members share, as far as this one may change them. */
export function GroupSettings({ group }: { group: Group }) {
  const { disappearSeconds: now = 0 } = group;
  const choices = [...new Set([0, ...spans, now])].sort((one, other) => one - other);
  return (
    <>
      {group.may("rename") && group.direct === undefined && (
        <>
          <AskText
            label={t.groupName}
            submit={t.rename}
            now={group.name}
            max={maxNameLength}
            onText={(name) => attempt(() => group.rename(name))}
          />
          <AskText
            label={t.description}
            submit={t.describe}
            now={group.description}
            isOptional
            max={maxDescriptionLength}
            onText={(description) => attempt(() => group.setAppearance({ description }))}
          />
          <ChoosePicture
            label={t.groupPicture}
            hasOne={group.picture !== undefined}
            onPicture={(picture) => group.setAppearance({ picture })}
          />
        </>
      )}
      <label>
        {t.disappearing}{" "}
        <select
          disabled={!group.may("setDisappearing")}
          value={now}
          onChange={({ currentTarget: { value } }) => attempt(() => group.setDisappearing(Number(value) || undefined))}
        >
          {choices.map((seconds) => (
            <option key={seconds} value={seconds}>
              {seconds === 0 ? t.never : spanOf(seconds)}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}
