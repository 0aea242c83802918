import { locateAgent } from '#shared/agents/record/find.ts'
import { notFound } from '#shared/platform/errors.ts'
import type { InternalActor } from '#shared/platform/identity/actor.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { amplificationRows } from './rows.ts'
import type { Amplification } from './schema.ts'

/** The maximum length of a message id; no amplification has a longer id. */
const longestId = 128

export async function findAmplification(
  { table }: { table: Table },
  id: string,
): Promise<Amplification | undefined> {
  if (id === '' || id.length > longestId) return undefined
  return amplificationRows.find(table, { id })
}

/**
 * Returns an amplification for a trusted caller, who may act for a user.
 * @throws PlatformError 404, also if the user owns neither party
 */
export async function requireAmplification(
  { table, owner }: Pick<Context<InternalActor>, 'owner' | 'table'>,
  { id }: { id: string },
): Promise<Amplification> {
  const found = await findAmplification({ table }, id)
  if (found === undefined) throw notFound('Amplification')
  if (owner !== undefined) {
    const parties = await Promise.all([found.from, found.to].map((one) => locateAgent(table, one)))
    if (!parties.some((party) => party?.userId === owner)) throw notFound('Amplification')
  }
  return found
}
