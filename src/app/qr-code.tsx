import { useState } from "preact/hooks";
import { encode } from "uqr";
import { Button } from "./button.js";
import { attempt } from "./tasks.js";
import { t } from "./texts.js";

/** The capacity of the largest QR code with the lowest error correction. */
const maxQrBytes = 2_900;

/** A text for another device or person, as a QR code and to copy. `short` can be typed instead of the text in the code. */
export function Shared({ text, short, label, hint }: { text: string; short?: string; label: string; hint: string }) {
  const [isCopied, setCopied] = useState(false);
  const shown = short ?? text;
  const copy = () => attempt(() => navigator.clipboard.writeText(shown).then(() => setCopied(true)));
  return (
    <section>
      <p class="hint">{hint}</p>
      <QrCode text={text} label={label} />
      <input
        readOnly
        aria-label={label}
        class={short && "short"}
        value={shown}
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
      <Button label={isCopied ? t.copied : t.copy} class="main" onClick={copy} />
    </section>
  );
}

/** Shows nothing if the text does not fit into a code: it can still be copied. */
function QrCode({ text, label }: { text: string; label: string }) {
  if (new TextEncoder().encode(text).length > maxQrBytes) return null;
  const { data, size } = encode(text, { border: 3 });
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
