import * as z from 'zod'
import { type ApiBody, type AskApi, Refusal } from './tool.ts'

/** How tools name an agent. */
export const agentName = z.string().describe('Id, subdomain or unique name')

interface Named {
  id: string
  name: string
}

/** What has an id, or a name that no other has. @throws Refusal for none, and for several */
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
  if (found === undefined) throw new Refusal(`No ${kind} is called ${given}`)
  if (others.length > 0)
    throw new Refusal(`Several are called ${given}; name the ${kind} by its id`)
  return found
}

/** The id of an agent of the caller's, by its id, subdomain or name. @throws Refusal for none, and for several of a name */
export async function findAgentId(ask: AskApi, given: string): Promise<string> {
  if (/^agt_[0-9a-z]{26}$/.test(given)) return given
  const { agents } = await ask({ method: 'GET', path: '/api/agents' })
  const all = agents as (Named & ApiBody)[]
  return findNamed('agent', given, all, ({ subdomain }) => [subdomain]).id
}

/** The id of a swarm of the caller's, by its id or name. @throws Refusal for none, and for several of a name */
export async function findSwarmId(ask: AskApi, given: string): Promise<string> {
  const { swarms } = await ask({ method: 'GET', path: '/api/swarms' })
  return findNamed('swarm', given, swarms as Named[]).id
}
