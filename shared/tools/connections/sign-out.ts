import { mailTo } from '#shared/accounts/users/mails/template.ts'
import { notify } from '#shared/accounts/users/notify.ts'
import { findUser } from '#shared/accounts/users/user.ts'
import { type AgentRef, ownerOf } from '#shared/agents/record/agent.ts'
import { eventWrites } from '#shared/agents/record/events/write.ts'
import { readAgent } from '#shared/agents/record/find.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import { changeConnection } from './change.ts'
import type { ConnectionSettings } from './context.ts'
import type { Connection } from './find.ts'

interface SignOut {
  agent: AgentRef
  name: string
  /** One sentence for the owner. */
  reason: string
  /** The tokens that were refused: newer ones are not signed out. */
  sealed: string | undefined
  /** True if the server no longer knows the platform as its client. */
  clientGone?: boolean
}

/**
 * Marks a connection as signed out, with an event of the agent, and tells its owner once. If this process dies before
 * the mail, the next request over the connection sends it.
 */
export async function signOut(
  ctx: Pick<Context, 'table' | 'log'> & ConnectionSettings,
  { agent, name, reason, sealed, clientGone = false }: SignOut,
): Promise<void> {
  const row = await readAgent(ctx.table, agent)
  if (row === undefined) return
  const now = Date.now()
  const text = `Connection ${name} is signed out: ${reason}`
  const happenings = [{ kind: 'configured' as const, text }]
  // Several connections may be signed out at one revision of the agent.
  const [event] = eventWrites(row, { happenings, by: 'platform', now, from: epochSeconds(now) })
  const changed = await changeConnection(ctx.table, agent, name, (current) => {
    if (current.state === 'signed-out' || current.tokens?.sealed !== sealed) return undefined
    const { tokens: _tokens, refresh: _refresh, server, ...rest } = current
    return {
      to: {
        ...rest,
        state: 'signed-out',
        reason,
        untold: true,
        ...(!clientGone && server !== undefined && { server }),
      },
      also: { event },
    }
  })
  if (changed !== undefined) await tellSignedOut(ctx, agent, changed)
}

/** Informs the owner of a signed-out connection by mail, unless a process has already done so. */
export async function tellSignedOut(
  ctx: Pick<Context, 'table' | 'log'> & ConnectionSettings,
  agent: AgentRef,
  { name, reason = '', untold, revision }: Connection,
): Promise<void> {
  if (untold !== true) return
  const { agentId } = agent
  const [row, user] = await Promise.all([
    readAgent(ctx.table, agent),
    findUser(ctx.table, ownerOf(agent)),
  ])
  if (user !== undefined && row !== undefined)
    await notify(ctx, user.id, {
      ...mailTo({
        to: user.email,
        name: user.name,
        subject: `The connection ${name} of ${row.name} is signed out`,
        paragraphs: [
          `${row.name} can no longer use the connection ${name}. ${reason}`,
          'Sign in again here:',
          `${ctx.webUrl}/agents/${agentId}/connections`,
        ],
      }),
      once: `connection-signed-out#${agentId}#${name}#${revision}`,
    })
  await markTold(ctx.table, agent, name)
}

async function markTold(table: Table, agent: AgentRef, name: string): Promise<void> {
  await changeConnection(table, agent, name, ({ untold, ...current }) =>
    untold === true ? { to: current } : undefined,
  )
}
