/** The host itself and every name above it. A block of a domain covers its subdomains, so a block of any of these names covers the host. */
export function namesCovering(host: string): string[] {
  const labels = host.split(".");
  return labels.map((_, i) => labels.slice(i).join("."));
}
