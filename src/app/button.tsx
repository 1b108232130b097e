interface ButtonProps {
  label: string;
  /** Shown instead of the label, which then explains it. */
  icon?: string;
  class?: string;
  pressed?: boolean;
  expanded?: boolean;
  disabled?: boolean;
  onClick(): void;
}

export function Button({ label, icon, class: look, pressed, expanded, disabled, onClick }: ButtonProps) {
  const explained = icon === undefined ? {} : { "aria-label": label, title: label };
  const states = { "aria-pressed": pressed, "aria-expanded": expanded, disabled };
  return (
    <button type="button" class={look} {...states} {...explained} onClick={() => onClick()}>
      {icon ?? label}
    </button>
  );
}
