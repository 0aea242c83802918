/**
 * Returns the subdomain in a Host header. Undefined for a host that cannot be an agent's. Upper case is equivalent; a
 * trailing dot is not, because browsers keep separate cookies for it.
 * @param domain AGENTS_DOMAIN, with its port if it has one
 */
export function subdomainOf(host: string, domain: string): string | undefined {
  const end = `.${domain.toLowerCase()}`
  const name = host.toLowerCase()
  if (!name.endsWith(end)) return undefined
  const subdomain = name.slice(0, -end.length)
  return /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(subdomain) ? subdomain : undefined
}
