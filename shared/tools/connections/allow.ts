import { requireAgent } from '#shared/agents/record/find.ts'
import { notFound, PlatformError } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { auditPart } from './audited.ts'
import { changeConnection } from './change.ts'
import { connectionToolRows } from './rows.ts'
import type { ConnectionView } from './schema.ts'
import { viewOf } from './view.ts'

/**
 * Sets the tools of a connection that its agent may use.
 * @throws PlatformError 400 for a tool that the server has not listed, 404
 */
export async function allowTools(
  ctx: UserContext,
  { agentId, name, allow }: { agentId: string; name: string; allow: readonly string[] },
): Promise<ConnectionView> {
  const { table, owner } = ctx
  await requireAgent({ table }, { agentId, owner })
  const kept = await connectionToolRows.find(table, { userId: owner, agentId, name })
  const tools = kept?.tools ?? []
  const listed = new Set(tools.map((tool) => tool.name))
  const changed = await changeConnection(
    table,
    { userId: owner, agentId },
    name,
    async (current) => {
      const unknown = allow.find((one) => !listed.has(one))
      if (unknown !== undefined)
        throw new PlatformError(
          'bad-request',
          `tools.allow: the server has no tool ${JSON.stringify(unknown)}`,
        )
      const to = { ...current, allow: [...new Set(allow)] }
      const entry = auditPart(ctx, { userId: owner, agentId }, { before: current, after: to })
      return { to, also: { audit: await entry } }
    },
  )
  if (changed === undefined) throw notFound('Connection')
  return viewOf(changed, kept)
}
