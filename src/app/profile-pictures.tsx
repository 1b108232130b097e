// Shows pictures of people and groups, and shrinks them before they are set.

import { useEffect, useState } from "preact/hooks";
import type { Group, Picture, PictureInfo } from "../groups/index.js";
import { Avatar } from "./avatar.js";
import { Button } from "./button.js";
import { Refusal } from "./refusal.js";
import { changed, me } from "./session.js";
import { attempt } from "./tasks.js";
import { t } from "./texts.js";

/** Object URLs of pictures, by subject and id. The pictures are small, and stay until the page is closed. */
const read = new Map<string, string>();

/** A picture, or the first letter of the name if there is none. */
export function Face({ name, of }: { name: string; of: Group | string | undefined }) {
  const picture = infoOf(of);
  const key = picture && `${idOf(of)} ${picture.id}`;
  const [, draw] = useState(0);
  useEffect(() => {
    // A picture that cannot be read now is read when it is shown next.
    if (key !== undefined && !read.has(key))
      readFace(of, false).then(
        () => draw((count) => count + 1),
        () => undefined,
      );
  }, [key]);
  const url = key === undefined ? undefined : read.get(key);
  return url === undefined ? <Avatar name={name} /> : <img class="avatar" src={url} alt="" />;
}

/** Downloads a picture only when the user asks for it, because its relay learns who looks at it. */
export function ShowPicture({ of }: { of: Group | string }) {
  const picture = infoOf(of);
  if (picture === undefined || read.has(`${idOf(of)} ${picture.id}`)) return null;
  return <Button label={t.showPicture} onClick={() => attempt(() => readFace(of, true).then(changed))} />;
}

const idOf = (of: Group | string | undefined) => (typeof of === "object" ? of.id : of);

function infoOf(of: Group | string | undefined): PictureInfo | undefined {
  if (typeof of !== "object") return of ? me().person(of).picture : undefined;
  return of.direct === undefined ? of.picture : me().person(of.direct).picture;
}

async function readFace(of: Group | string | undefined, download: boolean): Promise<void> {
  const info = infoOf(of);
  if (of === undefined || info === undefined) return;
  const user = typeof of === "object" ? of.direct : of;
  const picture: Picture | undefined = await (user === undefined
    ? (of as Group).readPicture({ download })
    : me().picture(user, { download }));
  if (picture === undefined) return;
  const { bytes, mediaType: type } = picture;
  read.set(`${idOf(of)} ${info.id}`, URL.createObjectURL(new Blob([bytes], { type })));
}

interface ChooseProps {
  label: string;
  hasOne: boolean;
  onPicture(picture: { bytes: Uint8Array; mediaType: string } | null): Promise<unknown>;
}

export function ChoosePicture({ label, hasOne, onPicture }: ChooseProps) {
  const choose = ({ currentTarget }: preact.TargetedEvent<HTMLInputElement>) => {
    const file = currentTarget.files?.[0];
    if (file !== undefined) attempt(async () => onPicture(await smallOf(file)).then(changed));
    currentTarget.value = "";
  };
  return (
    <div class="ask">
      <label class="ask">
        {label}
        <input type="file" accept="image/*" onChange={choose} />
      </label>
      {hasOne && <Button label={t.removePicture} onClick={() => attempt(() => onPicture(null).then(changed))} />}
    </div>
  );
}

const side = 256;
const mediaType = "image/jpeg";

/** The middle of a photo, drawn again, so that it is small and has no metadata such as the location. */
async function smallOf(file: File): Promise<{ bytes: Uint8Array; mediaType: string }> {
  const image = await createImageBitmap(file).catch(() => {
    throw new Refusal(t.noPicture);
  });
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = side;
  const edge = Math.min(image.width, image.height);
  const [left, top] = [(image.width - edge) / 2, (image.height - edge) / 2];
  canvas.getContext("2d")?.drawImage(image, left, top, edge, edge, 0, 0, side, side);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, mediaType, 0.85));
  if (blob === null) throw new Refusal(t.noPicture);
  return { bytes: new Uint8Array(await blob.arrayBuffer()), mediaType };
}
