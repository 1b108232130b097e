/** What the page remembers besides the groups. If the browser refuses storage, the page only forgets it. */
export function remembered(key: string): string | undefined {
  try {
    return localStorage.getItem(`mls-relay app ${key}`) ?? undefined;
  } catch {
    return undefined;
  }
}

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(`mls-relay app ${key}`, value);
  } catch {
    // The page works without it.
  }
}

export function forget(key: string): void {
  try {
    localStorage.removeItem(`mls-relay app ${key}`);
  } catch {
    // There is nothing to forget.
  }
}

export function forgetAll(): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith("mls-relay app ")) localStorage.removeItem(key);
  } catch {
    // There is nothing to forget.
  }
}
