import type { Agent } from '#shared/agents/record/agent.ts'
import { ownerOf } from '#shared/agents/record/agent.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { fileRows } from './rows.ts'

const gigabyte = 1024 ** 3

/** The default and the largest disk of a Fargate task in GiB. The image is on it too. */
const defaultGb = 20
const largestGb = 200

/**
 * Returns the size of the disk for an agent's container in GiB, with room for its files and for half as many new ones.
 * @returns undefined if the default is enough
 */
export async function diskGbOf(
  { table }: Pick<Context, 'table'>,
  agent: Agent,
): Promise<number | undefined> {
  const row = await fileRows.find(table, { userId: ownerOf(agent), agentId: agent.id })
  const files = (row?.bytes ?? 0) / gigabyte
  if (files * 3 <= defaultGb) return undefined
  return Math.min(largestGb, defaultGb + Math.ceil(files * 1.5))
}
