import * as z from 'zod'
import { type ApiBody, type AskApi, ToolRefusal } from './tool.ts'

/** The description of agents' names in tools. */
export const agentName = z.string().describe('Id, subdomain or name')

interface Named {
  id: string
  name: string
}

/** Returns the item with an id, or with a unique name. @throws ToolRefusal if no item or several items match */
function findNamed<One extends Named>(
  kind: string,
  nameOrId: string,
  all: readonly One[],
  otherNames: (one: One) => unknown[] = () => [],
): One {
  const exact = all.find((one) => one.id === nameOrId || otherNames(one).includes(nameOrId))
  if (exact !== undefined) return exact
  const wanted = nameOrId.toLowerCase()
  const [found, ...others] = all.filter(({ name }) => name.toLowerCase() === wanted)
  if (found === undefined) throw new ToolRefusal(`No ${kind} has the name or id ${nameOrId}`)
  if (others.length > 0)
    throw new ToolRefusal(`More than one ${kind} has the name ${nameOrId}; use its id`)
  return found
}

/**
 * Returns the id of one of the caller's agents, by id, subdomain or name. @throws ToolRefusal if no agent or several
 * agents match
 */
export async function findAgentId(ask: AskApi, nameOrId: string): Promise<string> {
  if (/^agt_[0-9a-z]{26}$/.test(nameOrId)) return nameOrId
  const { agents } = await ask({ method: 'GET', path: '/api/agents' })
  const all = agents as (Named & ApiBody)[]
  return findNamed('agent', nameOrId, all, ({ subdomain }) => [subdomain]).id
}

/**
 * Returns the id of one of the caller's swarms, by id or name. @throws ToolRefusal if no swarm or several swarms match
 */
export async function findSwarmId(ask: AskApi, nameOrId: string): Promise<string> {
  const { swarms } = await ask({ method: 'GET', path: '/api/swarms' })
  return findNamed('swarm', nameOrId, swarms as Named[]).id
}
