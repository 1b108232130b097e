export const themes = ["auto", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const storageKey = "mls-relay console theme";

export function storedTheme(): Theme {
  const stored = localStorage.getItem(storageKey);
  return themes.find((theme) => theme === stored) ?? "auto";
}

/** `auto` follows the operating system. */
export function applyTheme(theme: Theme): void {
  localStorage.setItem(storageKey, theme);
  document.documentElement.dataset["theme"] = theme;
  document.dispatchEvent(new Event("themechange"));
}
