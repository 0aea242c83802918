import * as z from 'zod'
import { type ApiBody, type AskApi, ToolRefusal } from './tool.ts'

/** The description of agents' names in tools. */
export const agentName = z.string().describe('Id, subdomain or unique name')

interface Named {
  id: string
  name: string
}

/** Returns the item with an id, or with a unique name. @throws ToolRefusal if no item or several items match */
function findNamed<One extends Named>(
  kind: string,
  given: string,
  all: readonly One[],
  otherNames: (one: One) => unknown[] = () => [],
): One {
  const exact = all.find((one) => one.id === given || otherNames(one).includes(given))
  if (exact !== undefined) return exact
  const wanted = given.toLowerCase()
  const [found, ...others] = all.filter(({ name }) => name.toLowerCase() === wanted)
  if (found === undefined) throw new ToolRefusal(`No ${kind} is called ${given}`)
  if (others.length > 0)
    throw new ToolRefusal(`Several are called ${given}; name the ${kind} by its id`)
  return found
}

/**
 * Returns the id of one of the caller's agents, by id, subdomain or name. @throws ToolRefusal if no agent or several
 * agents match
 */
export async function findAgentId(ask: AskApi, given: string): Promise<string> {
  if (/^agt_[0-9a-z]{26}$/.test(given)) return given
  const { agents } = await ask({ method: 'GET', path: '/api/agents' })
  const all = agents as (Named & ApiBody)[]
  return findNamed('agent', given, all, ({ subdomain }) => [subdomain]).id
}

/**
 * Returns the id of one of the caller's swarms, by id or name. @throws ToolRefusal if no swarm or several swarms match
 */
export async function findSwarmId(ask: AskApi, given: string): Promise<string> {
  const { swarms } = await ask({ method: 'GET', path: '/api/swarms' })
  return findNamed('swarm', given, swarms as Named[]).id
}
