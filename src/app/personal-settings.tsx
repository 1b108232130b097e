import { useState } from "preact/hooks";
import type { Group } from "../groups/index.js";
import { Button } from "./button.js";
import { useChanges, useReading } from "./hooks.js";
import { changed, type Own } from "./session.js";
import { attempt } from "./tasks.js";
import { t } from "./texts.js";

export function OwnSettings({ group }: { group: Group }) {
  const version = useChanges();
  const [own, setOwn] = useState<Own>({});
  useReading(async () => setOwn(await group.local<Own>()), [version]);
  return (
    <p class="actions">
      {(["pinned", "muted", "archived"] as const).map((name) => (
        <Button
          key={name}
          label={t[name]}
          pressed={own[name] === true}
          onClick={() => attempt(() => group.setLocal({ [name]: own[name] ? undefined : true }).then(changed))}
        />
      ))}
    </p>
  );
}
