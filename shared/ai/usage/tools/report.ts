import { incrementBase32 } from 'ulid'
import { toUser } from '#shared/accounts/users/user.ts'
import { locatorKey, ownerOf } from '#shared/agents/record/agent.ts'
import { locatorRows } from '#shared/agents/record/rows.ts'
import { notFound, PlatformError } from '#shared/platform/errors.ts'
import type { AgentActor, InternalActor } from '#shared/platform/identity/actor.ts'
import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { Log } from '#shared/platform/log.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { attribute } from '#shared/signals/spans/conventions.ts'
import { recordSpans } from '#shared/signals/spans/record.ts'
import { type Span, spanOf, type TraceContext, traceFrom } from '#shared/signals/spans/span.ts'
import { type ToolEvent, toolEvent } from '../event.ts'
import { logLine } from '../log-line.ts'
import { recordEvents } from '../record-events.ts'
import type { ReportedCall } from './schema.ts'

/**
 * Records tool calls as usage events: all of them, or none if the caller may not report one of them.
 * @returns the number of events
 * @throws PlatformError 404 for an agent that is not the caller and not the caller's, 400 if `agentId` is missing
 */
export async function reportTools(
  ctx: Pick<Context<AgentActor | InternalActor>, 'actor' | 'owner' | 'table' | 'log' | 'seed'> &
    Sends<'telemetry'> & { request: Request },
  { calls }: { calls: readonly ReportedCall[] },
): Promise<number> {
  const { table, log, actor, seed, queues, request } = ctx
  const owners = await ownersOf(ctx, calls)
  let eventSeed = seed
  const events = calls.map(({ agentId = agentOf(actor), toolName, success, durationMs }) => {
    const userId = owners.get(agentId) ?? ''
    const call = { userId, agentId, toolName, success, durationMs, endpoint: '/api/usage/events' }
    const event = toolEvent(call, eventSeed)
    eventSeed = incrementBase32(eventSeed)
    return event
  })
  await keep(table, log, events)
  if (
    actor.type === 'agent' &&
    actor.rows.owner !== undefined &&
    toUser(actor.rows.owner).telemetry
  )
    await recordSpans(
      { queues, log },
      ownerOf(actor),
      toolSpans(events, traceFrom(request.headers.get('traceparent'))),
    )
  return events.length
}

/** Returns the spans of reported calls, which end now. */
function toolSpans(events: readonly ToolEvent[], trace: TraceContext): Span[] {
  const end = Date.now()
  return events.map(({ agentId, toolName, durationMs, success }) =>
    spanOf('execute_tool', {
      ...trace,
      of: toolName,
      start: end - durationMs,
      end,
      attributes: { [attribute.toolName]: toolName, [attribute.agentId]: agentId },
      ...(!success && { error: 'the tool failed' }),
    }),
  )
}

async function keep(table: Table, log: Log, events: ToolEvent[]): Promise<void> {
  try {
    await recordEvents({ table }, { events })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    log.error(`[UsageLogger] Failed to log usage: ${message}`)
    throw error
  }
  for (const event of events) log.info(logLine(event), { tool: event.toolName })
}

/** Returns the owner of each reported agent, by agent id. */
async function ownersOf(
  { table, actor, owner }: Pick<Context<AgentActor | InternalActor>, 'actor' | 'owner' | 'table'>,
  calls: readonly ReportedCall[],
): Promise<Map<string, string>> {
  const ids = [...new Set(calls.map(({ agentId = agentOf(actor) }) => agentId))]
  if (actor.type === 'agent') {
    if (ids.some((id) => id !== actor.agentId)) throw notFound('Agent')
    return new Map([[actor.agentId, ownerOf(actor)]])
  }
  const rows = await table.getMany(ids.map(locatorKey))
  return new Map(
    ids.map((id, index) => {
      const row = rows[index]
      const userId = row && ownerOf(locatorRows.parse(row))
      if (userId === undefined || (owner ?? userId) !== userId) throw notFound('Agent')
      return [id, userId]
    }),
  )
}

/**
 * Returns the agent that reports about itself.
 * @throws PlatformError 400 for a trusted caller, which is not an agent
 */
function agentOf(actor: AgentActor | InternalActor): string {
  if (actor.type === 'agent') return actor.agentId
  throw new PlatformError('bad-request', 'agentId required')
}
