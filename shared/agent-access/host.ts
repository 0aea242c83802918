/**
 * The subdomain that a Host header names, undefined for a host that cannot be an agent's. Upper case means the same;
 * a dot at the end does not: browsers keep other cookies for it.
 * @param domain AGENTS_DOMAIN, with its port where it has one
 */
export function subdomainOf(host: string, domain: string): string | undefined {
  const end = `.${domain.toLowerCase()}`
  const name = host.toLowerCase()
  if (!name.endsWith(end)) return undefined
  const subdomain = name.slice(0, -end.length)
  return /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(subdomain) ? subdomain : undefined
}
