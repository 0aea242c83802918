import { type AgentRef, ownerOf } from '#shared/agents/record/agent.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { isoOf } from '#shared/platform/times.ts'
import { formsOf } from '../broker/redact.ts'
import { changeConnection } from './change.ts'
import { type ConnectionSettings, usualWaits } from './context.ts'
import type { Connection } from './find.ts'
import { type OpenConnection, openConnection } from './open.ts'
import { connectionToolRows } from './rows.ts'
import { newBudget } from './server/exchange.ts'
import { ServerFailure } from './server/failure.ts'
import { listServerTools, type ServerTools } from './server/list-tools.ts'
import { mirroredParams } from './server/param-headers.ts'
import { signOut } from './sign-out.ts'

/**
 * Reads the tools of a server. A list that contains a secret of the connection is refused, because the agent reads it.
 * @throws ServerFailure
 */
export async function toolsOf(
  ctx: ConnectionSettings,
  { url, headers, secrets }: Pick<OpenConnection, 'url' | 'headers' | 'secrets'>,
  budget = budgetOf(ctx),
): Promise<ServerTools> {
  const tools = await listServerTools(ctx, { url, headers }, { budget })
  const text = JSON.stringify(tools)
  if (secrets.flatMap(formsOf).some((form) => text.includes(form)))
    throw new ServerFailure('invalid', 'The server repeats its access token in its tools')
  return tools
}

function budgetOf({ waits }: ConnectionSettings) {
  return newBudget(new AbortController().signal, { ...usualWaits, ...waits }.toolsMs)
}

/** Returns the row with the tools of a connection, and what the connection itself keeps of them. */
export function keptTools(agent: AgentRef, name: string, { tools, invalid }: ServerTools) {
  const key = { userId: ownerOf(agent), agentId: agent.agentId, name }
  const kept = tools.map((tool) => ({
    name: tool.name,
    ...(tool.description !== undefined && { description: tool.description }),
    declared: JSON.stringify(tool),
  }))
  return {
    put: connectionToolRows.put(key, { readAt: isoOf(Date.now()), tools: kept, invalid }),
    names: new Set(tools.map((tool) => tool.name)),
    readOnly: tools
      .filter(({ annotations }) => annotations?.readOnlyHint === true)
      .map((tool) => tool.name),
    mirrored: tools
      .filter(({ inputSchema }) => (mirroredParams(inputSchema) ?? []).length > 0)
      .map((tool) => tool.name),
  }
}

/**
 * Returns what a connection keeps of its tools after they were read. A tool counts as read-only only if the server
 * listed it as read-only when it was allowed. Otherwise the server could declare it later to pass the policy.
 */
export function afterReading(
  { allow, readOnly: before }: Pick<Connection, 'allow' | 'readOnly'>,
  { names, readOnly, mirrored }: Omit<ReturnType<typeof keptTools>, 'put'>,
): Pick<Connection, 'allow' | 'readOnly' | 'mirrored'> {
  return {
    mirrored,
    allow: allow.filter((tool) => names.has(tool)),
    readOnly: readOnly.filter((tool) => before.includes(tool) || !allow.includes(tool)),
  }
}

/**
 * Reads a connection's tools again and stores them. A tool that is gone is no longer allowed, also if it comes back. If
 * the server refuses a refreshed token too, the connection is signed out. If the server does not list its tools, the
 * connection becomes `failed`.
 * @returns the failure, if the tools could not be read
 */
export async function readTools(
  ctx: Pick<Context, 'table' | 'log'> & ConnectionSettings,
  { agent, name }: { agent: AgentRef; name: string },
): Promise<ServerFailure | PlatformError | undefined> {
  try {
    const kept = keptTools(agent, name, await listWithToken(ctx, agent, name))
    await changeConnection(ctx.table, agent, name, ({ reason: _, ...current }) => ({
      to: { ...current, state: 'connected', ...afterReading(current, kept) },
      also: { tools: { put: kept.put } },
    }))
    return undefined
  } catch (error) {
    if (error instanceof PlatformError) return error
    if (!(error instanceof ServerFailure)) throw error
    // The text of the server may contain anything, also the token that it received.
    const text = error.kind === 'rpc' ? 'The server refused to list its tools' : error.message
    const reason = `${text}.`
    return (await fail(ctx, agent, name, reason)) ?? error
  }
}

/** Marks a connection as `failed`. @returns an error if it was deleted in the meantime */
async function fail(
  { table }: Pick<Context, 'table'>,
  agent: AgentRef,
  name: string,
  reason: string,
): Promise<PlatformError | undefined> {
  try {
    await changeConnection(table, agent, name, (current) =>
      current.state === 'connected' ? { to: { ...current, state: 'failed', reason } } : undefined,
    )
    return undefined
  } catch (error) {
    if (error instanceof PlatformError) return error
    throw error
  }
}

async function listWithToken(
  ctx: Pick<Context, 'table' | 'log'> & ConnectionSettings,
  agent: AgentRef,
  name: string,
): Promise<ServerTools> {
  const budget = budgetOf(ctx)
  const first = await openConnection(ctx, { agent, name })
  try {
    return await toolsOf(ctx, first, budget)
  } catch (error) {
    if (!(error instanceof ServerFailure) || error.kind !== 'unauthorized') throw error
    const [refused] = first.secrets
    const second = await openConnection(ctx, { agent, name, refused: refused ?? '' })
    return await toolsOf(ctx, second, budget).catch(async (again: unknown) => {
      if (again instanceof ServerFailure && again.kind === 'unauthorized')
        await signOut(ctx, {
          agent,
          name,
          sealed: second.connection.tokens?.sealed,
          reason: 'The server does not accept the sign-in.',
        })
      throw again
    })
  }
}
