import type * as z from 'zod'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { LogLine, LogPage } from '#shared/platform/logs/port.ts'
import type { Agent } from '../record/agent.ts'
import { lastTasks } from '../record/past-tasks.ts'
import { type LineFilter, wanted } from './filter.ts'
import type { logHistory } from './schema.ts'
import { listStreams } from './stream.ts'
import { taskIdOf } from './task-id.ts'

/**
 * The maximum number of requests to CloudWatch, which allows 25 per second and account; each task takes at least one.
 */
const maxRequests = 20

/** The maximum number of lines per CloudWatch response, for filters that match few lines. */
const searchedLines = 10_000

export interface HistoryQuery extends LineFilter {
  limit: number
}

/**
 * Returns an agent's last matching lines, oldest first, and whether it is being watched. If the newest task has fewer
 * lines than the limit, earlier tasks' lines come first: they explain why the agent was restarted. Searches up to 20
 * tasks and pages of 10,000 lines or a megabyte.
 */
export async function logHistoryOf(
  ctx: Pick<Context, 'table'> & Can<'logs'>,
  { agent, ...query }: HistoryQuery & { agent: Agent },
): Promise<z.input<typeof logHistory>> {
  const agentId = agent.id
  const [lines, streams] = await Promise.all([
    lastLines(ctx, agent, query),
    listStreams(ctx, { agentId }),
  ])
  return { agentId, lines, streaming: streams.length > 0, clients: streams.length }
}

async function lastLines(
  { table, logs }: Pick<Context, 'table'> & Can<'logs'>,
  agent: Agent,
  query: HistoryQuery,
): Promise<LogLine[]> {
  if (query.limit === 0) return []
  const past = await lastTasks(table, agent, maxRequests)
  // If the agent is older than the rows of tasks, its newest task is only in the agent's row.
  const arns = new Set([agent.taskArn ?? [], past.map(({ taskArn }) => taskArn)].flat())
  const remaining = { requests: maxRequests, lines: query.limit }
  const parts: LogLine[][] = []
  for (const arn of arns) {
    if (remaining.lines === 0 || remaining.requests === 0) break
    const found = await readBack({ logs }, { taskId: taskIdOf(arn), query, left: remaining })
    parts.unshift(found.lines)
    if (found.isBefore) break
  }
  return parts.flat()
}

/**
 * Returns the last matching lines of one task, within the remaining requests.
 * @returns also the newest page, and whether earlier lines are too old
 */
export async function readBack(
  { logs }: Can<'logs'>,
  input: { taskId: string; query: LineFilter; left: { requests: number; lines: number } },
): Promise<{ lines: LogLine[]; newest: LogPage | undefined; isBefore: boolean }> {
  const { taskId, query, left } = input
  const isWanted = wanted(query)
  const parts: LogLine[][] = []
  let newest: LogPage | undefined
  let before: string | undefined
  do {
    const pageSize = query.contains === undefined ? left.lines : searchedLines
    const page = await logs.last(taskId, pageSize, before)
    left.requests -= 1
    newest ??= page
    const lines = page?.lines.filter(isWanted).slice(-left.lines) ?? []
    parts.unshift(lines)
    left.lines -= lines.length
    const [oldest] = page?.lines ?? []
    if (oldest !== undefined && Date.parse(oldest.at) < (query.since ?? 0))
      return { lines: parts.flat(), newest, isBefore: true }
    // Without a search, one request returns all requested lines, or all lines of the task if there are fewer.
    before = query.contains === undefined ? undefined : page?.previous
  } while (before !== undefined && left.lines > 0 && left.requests > 0)
  return { lines: parts.flat(), newest, isBefore: false }
}
