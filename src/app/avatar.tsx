/** A circle with the name's first letter, in a colour derived from the name. */
export function Avatar({ name }: { name: string }) {
  let sum = 0;
  for (const sign of name) sum = (sum * 31 + (sign.codePointAt(0) ?? 0)) % 8;
  return (
    <span class={`avatar hue${sum}`} aria-hidden="true">
      {[...name.trim()][0]?.toUpperCase() ?? "?"}
    </span>
  );
}
