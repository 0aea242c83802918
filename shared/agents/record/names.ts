import type { AgentSettings } from './context.ts'

const longestSlug = 40

/**
 * Returns the subdomain of a new agent: the slug of its name, and the last 8 characters of its id to make it unique.
 */
export function subdomainFor(name: string, agentId: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, longestSlug)
    .replace(/^-+|-+$/g, '')
  return `${slug === '' ? 'agent' : slug}-${agentId.slice(-8)}`
}

/** Returns the URLs of an agent's gateway for its owner: contract.md 7. */
export function agentUrls(
  subdomain: string,
  { AGENTS_DOMAIN, deployed }: Pick<AgentSettings, 'AGENTS_DOMAIN' | 'deployed'>,
): { url: string; websocketUrl: string } {
  const host = `${subdomain}.${AGENTS_DOMAIN}`
  const secure = deployed ? 's' : ''
  return { url: `http${secure}://${host}`, websocketUrl: `ws${secure}://${host}` }
}

/** Returns the version of the agent runtime from the image's tag. Null for an image without a tag. */
export function imageVersion(image: string): string | null {
  const [name = ''] = image.slice(image.lastIndexOf('/') + 1).split('@')
  return name.split(':')[1] ?? null
}
