import { type AgentRef, ownerOf } from '#shared/agents/record/agent.ts'
import { sha256Hex } from '#shared/platform/crypto.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { changeConnection } from '../change.ts'
import { type Connection, type KeptTool, requireConnection } from '../find.ts'
import { offered } from '../offered.ts'
import { afterReading, keptTools } from '../read-tools.ts'
import { connectionToolRows } from '../rows.ts'
import { newBudget } from '../server/exchange.ts'
import { ServerFailure } from '../server/failure.ts'
import { listServerTools, type ServerTool, type ServerTools } from '../server/list-tools.ts'
import { withoutAnnotations } from '../server/param-headers.ts'
import { askOver } from './ask.ts'
import type { UsesConnections } from './context.ts'
import { beginConnectionRecord } from './record.ts'
import { redactResult } from './redact.ts'
import { tellOwner } from './state.ts'

/** The age in milliseconds after which a list is read again from the server. */
const freshMs = 600_000

/** The longest time to read a list, in milliseconds. A turn waits for it, and then uses the stored list. */
const readMs = 4000

/**
 * Returns the allowed tools of a connection for its agent, as its server declares them, up to a size. If the stored list
 * is old, it is read again: the owner gets a mail about allowed tools that have changed or are gone, and new tools are
 * not allowed.
 * @throws PlatformError 404
 */
export async function listAllowedTools(
  ctx: UsesConnections,
  { agent, name, signal }: { agent: AgentRef; name: string; signal: AbortSignal },
): Promise<ServerTool[]> {
  const ref = { userId: ownerOf(agent), agentId: agent.agentId, name }
  const [connection, kept] = await Promise.all([
    requireConnection(ctx.table, agent, name),
    connectionToolRows.find(ctx.table, ref),
  ])
  const { allow, state } = connection
  if (allow.length === 0 || state === 'pending' || state === 'signed-out') return []
  const isOld = kept === undefined || Date.parse(kept.readAt) < Date.now() - freshMs
  const tools = isOld ? await readAgain(ctx, { agent, connection, kept, signal }) : undefined
  return offered(tools ?? kept?.tools ?? [], allow).tools.map(declarationOf)
}

/** Returns a tool as its server declared it, for the agent. */
function declarationOf({ declared }: KeptTool): ServerTool {
  const tool = JSON.parse(declared) as ServerTool
  return { ...tool, inputSchema: withoutAnnotations(tool.inputSchema) }
}

/** @returns the tools; undefined if the server does not list them */
async function readAgain(
  ctx: UsesConnections,
  {
    agent,
    connection,
    kept,
    signal,
  }: {
    agent: AgentRef
    connection: Connection
    kept: { tools: readonly KeptTool[] } | undefined
    signal: AbortSignal
  },
): Promise<KeptTool[] | undefined> {
  const { name } = connection
  const record = beginConnectionRecord(ctx, agent, {
    connection: name,
    method: 'tools/list',
    tool: null,
    decision: null,
  })
  const budget = newBudget(AbortSignal.any([signal, record.cut]), readMs)
  try {
    const { answer, secrets } = await askOver(ctx, {
      agent,
      name,
      send: (server, dialect) => listServerTools(ctx, server, { budget, kept: dialect }),
    })
    record.answered(200, undefined)
    const tools = redactResult({ ...answer }, secrets) as unknown as ServerTools
    return await store(ctx, agent, connection.allow, { name, before: kept?.tools ?? [], tools })
  } catch (error) {
    if (error instanceof ServerFailure && error.facts.status !== undefined)
      record.answered(error.facts.status, undefined)
    if (!(error instanceof ServerFailure || error instanceof PlatformError)) throw error
    return undefined
  } finally {
    record.passedBack(budget.bytes)
    await record.end()
  }
}

interface NewList {
  name: string
  before: readonly KeptTool[]
  tools: ServerTools
}

/** Stores a list, and tells the owner of allowed tools that have changed. */
async function store(
  ctx: UsesConnections,
  agent: AgentRef,
  allow: readonly string[],
  { name, before, tools }: NewList,
): Promise<KeptTool[]> {
  const listed = keptTools(agent, name, tools)
  const { put } = listed
  const after = connectionToolRows.parse(put).tools
  await tellChanges(ctx, agent, name, {
    before: before.filter((tool) => allow.includes(tool.name)),
    after,
  })
  await changeConnection(ctx.table, agent, name, (current) => ({
    to: { ...current, ...afterReading(current, listed) },
    also: { tools: { put } },
  }))
  return after
}

async function tellChanges(
  ctx: UsesConnections,
  agent: AgentRef,
  name: string,
  { before, after }: { before: readonly KeptTool[]; after: readonly KeptTool[] },
): Promise<void> {
  const declared = new Map(after.map((tool) => [tool.name, tool.declared]))
  const gone = before.filter((tool) => !declared.has(tool.name))
  const changed = before.filter(
    (tool) => declared.has(tool.name) && declared.get(tool.name) !== tool.declared,
  )
  if (gone.length + changed.length === 0) return
  const hash = await sha256Hex(
    JSON.stringify([...gone, ...changed].map((tool) => [tool.name, declared.get(tool.name)])),
  )
  await tellOwner(ctx, agent, {
    name,
    what: 'has changed tools',
    texts: [
      ...(changed.length > 0
        ? [
            `Tools that the agent may use have another description or other fields: ${inWords(changed)}.`,
          ]
        : []),
      ...(gone.length > 0
        ? [`The server no longer has tools that the agent may use: ${inWords(gone)}.`]
        : []),
    ],
    once: `tools#${hash.slice(0, 32)}`,
  })
}

const mostNamed = 20

/** Names of tools are texts of the server. */
function inWords(tools: readonly KeptTool[]): string {
  const names = tools
    .slice(0, mostNamed)
    .map((tool) => tool.name.slice(0, 64).replaceAll(/[^\w.-]/g, '?'))
  return tools.length > mostNamed ? `${names.join(', ')} and others` : names.join(', ')
}
