import { mailTo } from '#shared/accounts/users/mails/template.ts'
import { notify } from '#shared/accounts/users/notify.ts'
import { findUser } from '#shared/accounts/users/user.ts'
import { type AgentRef, ownerOf } from '#shared/agents/record/agent.ts'
import { readAgent } from '#shared/agents/record/find.ts'
import { dayOf } from '#shared/platform/days.ts'
import { changeConnection } from '../change.ts'
import type { Connection } from '../find.ts'
import type { ServerFailure } from '../server/failure.ts'
import type { UsesConnections } from './context.ts'

/** Failures of the server as a whole. Others belong to one request. */
const lasting = new Set<ServerFailure['kind']>([
  'refused',
  'unreachable',
  'redirect',
  'scope',
  'status',
])

/**
 * Notes the outcome of a request over a connection: after a failure of its server, it is `failed` and its owner is told
 * by name, by at most one mail a day. The next successful request ends this state.
 */
export async function noteOutcome(
  ctx: UsesConnections,
  agent: AgentRef,
  { name, state }: Connection,
  failure?: ServerFailure,
): Promise<void> {
  if (failure === undefined) {
    if (state === 'failed') await changeConnection(ctx.table, agent, name, working)
    return
  }
  if (state !== 'connected' || !lasting.has(failure.kind)) return
  const { scope } = failure.facts
  const reason = `${failure.message}${scopesOf(failure)}.`
  await tellOwner(ctx, agent, {
    name,
    what: 'has failed',
    // The scopes are a text of the server, and a mail of the platform contains none.
    texts: [`${failure.message}.`, ...(scope === undefined ? [] : ['Sign in again to give them.'])],
    once: `failed#${dayOf(Date.now())}`,
  })
  const wanted = scope === undefined ? {} : { wantedScope: scope }
  await changeConnection(ctx.table, agent, name, (current) =>
    current.state === 'connected'
      ? { to: { ...current, ...wanted, state: 'failed', reason } }
      : undefined,
  )
}

function working({ reason: _, ...current }: Connection) {
  return current.state === 'failed'
    ? { to: { ...current, state: 'connected' as const } }
    : undefined
}

function scopesOf({ facts: { scope } }: ServerFailure): string {
  return scope === undefined ? '' : `: ${scope}. Its owner must sign in again`
}

interface News {
  name: string
  /** The end of the sentence about the connection. */
  what: string
  texts: readonly string[]
  /** Mails with the same text are sent once. */
  once: string
}

/** Sends a mail about a connection to the owner of its agent. */
export async function tellOwner(
  ctx: UsesConnections,
  agent: AgentRef,
  { name, what, texts, once }: News,
): Promise<void> {
  const [row, user] = await Promise.all([
    readAgent(ctx.table, agent),
    findUser(ctx.table, ownerOf(agent)),
  ])
  if (row === undefined || user === undefined) return
  await notify(ctx, user.id, {
    ...mailTo({
      to: user.email,
      name: user.name,
      subject: `The connection ${name} of ${row.name} ${what}`,
      paragraphs: [...texts, 'You can check it here:', `${ctx.webUrl}/agents/${agent.agentId}`],
    }),
    once: `connection#${agent.agentId}#${name}#${once}`,
  })
}
