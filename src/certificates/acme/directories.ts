const directories: Readonly<Record<string, string>> = {
  letsencrypt: "https://acme-v02.api.letsencrypt.org/directory",
  "letsencrypt-staging": "https://acme-staging-v02.api.letsencrypt.org/directory",
};

/** The URL of an ACME server's directory, of which some have names. */
export function acmeDirectoryUrl(directory: string): string {
  return new URL(directories[directory] ?? directory).href;
}
