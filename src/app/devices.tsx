import { useEffect, useRef, useState } from "preact/hooks";
import { Backup } from "./backup.js";
import { Blocked } from "./blocked.js";
import { Button } from "./button.js";
import { ContactLink } from "./contacts.js";
import { Dialog } from "./dialog.js";
import { useChanges } from "./hooks.js";
import * as notifications from "./notifications.js";
import { ChoosePicture } from "./profile-pictures.js";
import { Shared } from "./qr-code.js";
import { Refusal } from "./refusal.js";
import { type Comparison, changed, me, report } from "./session.js";
import { DeviceState } from "./status.js";
import { attempt } from "./tasks.js";
import { AskText, maxNameLength } from "./text-field.js";
import { t } from "./texts.js";

interface LinkingProps {
  qr?: string;
  code?: string;
  comparison?: Comparison;
  isWaiting?: true;
}

/** On a new device: shows the code for the other device to scan, and then the code that both show. */
export function Linking({ qr, code, comparison, isWaiting }: LinkingProps) {
  if (comparison !== undefined) return <Compare {...comparison} />;
  return (
    <>
      {isWaiting && <p role="status">{t.linkWaits}</p>}
      {qr !== undefined && <Shared text={qr} {...(code && { short: code })} label={t.linkQr} hint={t.linkQrHint} />}
      <Button label={t.cancel} onClick={() => location.reload()} />
    </>
  );
}

/** The comparison, which is the same on both devices. */
function Compare({ code, answer }: Comparison) {
  return (
    <>
      <p>{t.linkCompare}</p>
      <p class="code">{code}</p>
      <Button label={t.linkSame} class="main" onClick={() => answer(true)} />
      <Button label={t.cancel} onClick={() => answer(false)} />
    </>
  );
}

/** The user's account on this device, and how to link another one. */
export function Account({ onClose }: { onClose(): void }) {
  useChanges();
  const [showsStatus, showStatus] = useState(false);
  if (showsStatus) return <DeviceState onClose={onClose} />;
  return (
    <Dialog title={t.account} onClose={onClose}>
      <p>
        <b>{me().name}</b> <small class="address">{me().address}</small>
      </p>
      <AskText
        label={t.yourName}
        hint={t.yourNameHint}
        max={maxNameLength}
        submit={t.rename}
        now={me().name}
        onText={(name) => attempt(() => me().setProfile({ name }).then(changed))}
      />
      <ChoosePicture
        label={t.yourPicture}
        hasOne={me().person(me().user).picture !== undefined}
        onPicture={(picture) => me().setProfile({ picture })}
      />
      <ContactLink />
      <Button label={t.status} onClick={() => showStatus(true)} />
      {notifications.arePossible() && <Notifications />}
      <Backup />
      <Blocked />
      <h3>{t.linkDevice}</h3>
      <LinkAnother />
    </Dialog>
  );
}

function LinkAnother() {
  const [comparison, setComparison] = useState<Comparison | undefined>(undefined);
  const [step, setStep] = useState<"begin" | "wait" | "done">("begin");
  const isGone = useRef(false);
  const refuse = useRef(() => {});
  useEffect(
    () => () => {
      isGone.current = true;
      refuse.current();
    },
    [],
  );
  const compare = (code: string) =>
    new Promise<boolean>((resolve) => {
      refuse.current = () => resolve(false);
      if (isGone.current) return resolve(false);
      const answer = (isSame: boolean) => {
        setComparison(undefined);
        resolve(isSame);
      };
      setComparison({ code, answer });
    });
  const link = (qr: string) =>
    attempt(async () => {
      setStep("wait");
      try {
        await me().linkDevice(qr, { compare });
        setStep("done");
      } catch (problem) {
        setStep("begin");
        throw problem;
      }
    });
  if (comparison !== undefined) return <Compare {...comparison} />;
  if (step !== "begin") return <p role="status">{step === "done" ? t.linkDone : t.linkWaits}</p>;
  return (
    <>
      <p class="hint">{t.linkDeviceHint}</p>
      <ScanCode onCode={link} />
      <AskText label={t.linkPaste} submit={t.link} onText={link} />
    </>
  );
}

function Notifications() {
  const [areOn, setOn] = useState(notifications.areOn());
  const change = async () => {
    await (areOn ? notifications.turnOff(me()) : notifications.turnOn(me()));
    setOn(notifications.areOn());
  };
  return (
    <>
      <Button label={areOn ? t.notifyOff : t.notifyOn} onClick={() => attempt(change)} />
      {areOn && <NotificationNames />}
    </>
  );
}

function NotificationNames() {
  const [haveNames, setNames] = useState(notifications.haveNames());
  const change = async () => {
    await notifications.setNames(!haveNames);
    setNames(!haveNames);
  };
  return (
    <>
      <Button label={t.notifyNames} pressed={haveNames} onClick={() => attempt(change)} />
      <p class="hint">{t.notifyNamesHint}</p>
    </>
  );
}

/** Not available in all browsers yet, and unknown to TypeScript. */
type Detector = new (options: {
  formats: string[];
}) => { detect(image: ImageBitmapSource): Promise<{ rawValue: string }[]> };
const { BarcodeDetector } = globalThis as { BarcodeDetector?: Detector };

/** Takes a photo, so that the page needs no right to the camera. */
function ScanCode({ onCode }: { onCode(text: string): void }) {
  if (BarcodeDetector === undefined) return null;
  const read = async (file: File) => {
    const [found] = await new BarcodeDetector({ formats: ["qr_code"] }).detect(await createImageBitmap(file));
    if (found === undefined) report(new Refusal(t.linkNoPhoto));
    else onCode(found.rawValue);
  };
  const take = ({ currentTarget: { files } }: preact.TargetedEvent<HTMLInputElement>) => {
    const file = files?.[0];
    if (file !== undefined) attempt(() => read(file));
  };
  return (
    <label class="ask">
      {t.linkPhoto}
      <input type="file" accept="image/*" capture="environment" onChange={take} />
    </label>
  );
}
