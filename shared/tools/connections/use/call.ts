import { type Agent, type AgentRef, ownerOf } from '#shared/agents/record/agent.ts'
import { park, type PendingApproval } from '#shared/permits/approvals/park.ts'
import { permitted, policyDenied } from '#shared/permits/policy/ask.ts'
import { notFound, PlatformError } from '#shared/platform/errors.ts'
import { requireConnection } from '../find.ts'
import { connectionToolRows } from '../rows.ts'
import { askServer } from '../server/ask.ts'
import { newBudget } from '../server/exchange.ts'
import { ServerFailure } from '../server/failure.ts'
import { mirroredParams, paramHeaders } from '../server/param-headers.ts'
import { askOver } from './ask.ts'
import type { UsesConnections } from './context.ts'
import { toolEffect, toolSummary } from './effect.ts'
import { toParkedCall } from './parked.ts'
import { beginConnectionRecord } from './record.ts'
import { redactResult } from './redact.ts'

export interface ToolCall {
  agent: Agent
  /** The connection's name. */
  name: string
  tool: string
  input: Record<string, unknown>
  /** The agent's session that calls. */
  session: string
  /** Aborted when the caller disconnects. */
  signal: AbortSignal
  /** Called once, before the call is sent. The call is then approved. */
  sending?: () => Promise<void>
}

/** The result of a tool as its server returned it, or the approval that it waits for. */
export type ToolCallOutcome = { result: Record<string, unknown> } | { pending: PendingApproval }

/**
 * Calls an allowed tool of a connection's MCP server for an agent, which never sees the connection's tokens. The policy
 * decides before anything is sent. The call is sent once, and recorded.
 * @throws PlatformError 404 for an unknown connection, and for a tool that is not allowed; 403 POLICY_DENIED; 409
 * CONNECTION_SIGNED_OUT; 429 BROKER_BUSY; 502, 503, 504
 */
export async function callConnectionTool(
  ctx: UsesConnections,
  { agent, name, tool, input, session, signal, sending }: ToolCall,
): Promise<ToolCallOutcome> {
  const ref = { agentId: agent.id, userId: agent.userId }
  const connection = await requireConnection(ctx.table, ref, name)
  if (!connection.allow.includes(tool)) throw notFound('Tool')
  const effect = toolEffect(connection, tool)
  const requested = { connection: name, method: 'tools/call', tool }
  if (sending === undefined) {
    const decision = await permitted(ctx, { agent, effect })
    if (decision.then !== 'allow')
      await beginConnectionRecord(ctx, ref, { ...requested, decision: decision.then }).end()
    if (decision.then === 'deny') throw policyDenied(effect, decision)
    if (decision.then === 'ask')
      return {
        pending: await park(ctx, {
          agent,
          effect,
          session,
          summary: toolSummary(effect),
          request: toParkedCall({ name, tool, input }),
          uncount: decision.uncount,
        }),
      }
  }
  const record = beginConnectionRecord(ctx, ref, { ...requested, decision: 'allow' })
  const budget = newBudget(AbortSignal.any([signal, record.cut]))
  const params = { name: tool, arguments: input }
  const mirrored = connection.mirrored?.includes(tool)
    ? await mirroredHeaders(ctx, ref, { name, tool, input })
    : undefined
  const request = {
    method: 'tools/call',
    params,
    mirrored,
    budget,
    sending: sending && onlyOnce(sending),
  }
  try {
    const { answer, secrets } = await askOver(ctx, {
      agent: ref,
      name,
      send: (server, kept) => askServer(ctx, server, { ...request, kept }),
    })
    record.answered(200, undefined)
    return { result: redactResult(answer, secrets) }
  } catch (error) {
    if (!(error instanceof ServerFailure)) throw error
    record.cut.throwIfAborted()
    if (error.facts.status !== undefined) record.answered(error.facts.status, undefined)
    throw refusalOf(error)
  } finally {
    record.passedBack(budget.bytes)
    await record.end()
  }
}

/** Returns the headers that repeat parameters, by the declaration that the server listed last. */
async function mirroredHeaders(
  { table }: Pick<UsesConnections, 'table'>,
  agent: AgentRef,
  { name, tool, input }: Pick<ToolCall, 'name' | 'tool' | 'input'>,
): Promise<Record<string, string>> {
  const kept = await connectionToolRows.find(table, {
    userId: ownerOf(agent),
    agentId: agent.agentId,
    name,
  })
  const declared = kept?.tools.find((one) => one.name === tool)?.declared
  const { inputSchema } = JSON.parse(declared ?? '{}') as { inputSchema?: unknown }
  return paramHeaders(mirroredParams(inputSchema) ?? [], input)
}

function onlyOnce(act: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => (done ??= act())
}

/** Returns the error for the caller. Its only text of the server is the message of a JSON-RPC error, without tokens. */
export function refusalOf(failure: ServerFailure): PlatformError {
  const { kind, message } = failure
  const options = { foreign: true, cause: failure } as const
  if (kind === 'aborted')
    return new PlatformError('bad-request', message, { ...options, code: 'CLIENT_CLOSED_REQUEST' })
  if (kind === 'timeout')
    return new PlatformError('timeout', message, { ...options, code: 'CONNECTION_TIMEOUT' })
  if (kind === 'rpc')
    return new PlatformError('bad-gateway', `The server refused the call: ${message}`, options)
  return new PlatformError('bad-gateway', message, { ...options, code: 'CONNECTION_UNREACHABLE' })
}
