import type { AgentDetail } from '../typescript/index.ts'
import type { Cli, CommonFlags } from './cli.ts'
import { CommandError, exitCodes } from './failure.ts'

type Named = Pick<AgentDetail, 'id' | 'name'> & { websocketUrl?: string; subdomain?: string }

/**
 * Returns the id of the agent with this id, subdomain or unique name.
 * @throws CommandError if no agent matches, or several agents have that name
 */
export async function agentId(cli: Cli, flags: CommonFlags, nameOrId: string): Promise<string> {
  if (/^agt_\w+$/.test(nameOrId)) return nameOrId
  const { agents } = await cli.ask<{ agents: Named[] }>(flags, 'GET /api/agents')
  const bySubdomain = agents.find((one) => subdomainOf(one) === nameOrId)
  const byName = agents.filter(({ name }) => name === nameOrId)
  if (bySubdomain === undefined && byName.length > 1) {
    const ids = byName.map(({ id }) => id).join(', ')
    throw new CommandError(exitCodes.usage, `More than one agent is called ${nameOrId}: ${ids}`)
  }
  const found = bySubdomain ?? byName[0]
  if (found === undefined)
    throw new CommandError(exitCodes.notFound, `No agent ${nameOrId}`, 'agents ls')
  return found.id
}

/** Returns the first label of the host name of the agent's own address. */
function subdomainOf({ subdomain, websocketUrl = '' }: Named): string | undefined {
  if (subdomain !== undefined) return subdomain
  return URL.canParse(websocketUrl) ? new URL(websocketUrl).hostname.split('.')[0] : undefined
}
