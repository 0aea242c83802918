import type { AgentSettings } from './context.ts'

const longestSlug = 40

/** The subdomain of a new agent: the slug of its name, and the last 8 characters of its id to tell it from others. */
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

/** Where an agent's gateway is reached by its owner: contract.md 7. */
export function agentUrls(
  subdomain: string,
  { AGENTS_DOMAIN, deployed }: Pick<AgentSettings, 'AGENTS_DOMAIN' | 'deployed'>,
): { url: string; websocketUrl: string } {
  const host = `${subdomain}.${AGENTS_DOMAIN}`
  const secure = deployed ? 's' : ''
  return { url: `http${secure}://${host}`, websocketUrl: `ws${secure}://${host}` }
}

/** The version of the agent runtime, as its image's tag tells; null for an image without one. */
export function imageVersion(image: string): string | null {
  const [name = ''] = image.slice(image.lastIndexOf('/') + 1).split('@')
  return name.split(':')[1] ?? null
}
