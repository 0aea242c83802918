import type * as z from 'zod'
import { listAgents } from '../agents/list.ts'
import { lastTurns, type Turn } from '../chat/turns.ts'
import type { UserContext } from '../identity/context.ts'
import { add, fromFloat, toNumber } from '../money/amount.ts'
import { type UserStore, userStore } from '../platform/table/user-store.ts'
import type { CompletionEvent } from '../usage/event.ts'
import { completionsBetween } from '../usage/queries/completions.ts'
import type { tracesAnswer } from './schema.ts'

/** contract.md 10. */
const mostTurns = 20
const longestDescription = 200

/** The longest that a function may take for a turn; one that was killed with its process was given up by then. */
const longestTurnMs = 300_000

/** What a call has cost is recorded after its answer. */
const recordingMs = 60_000

/**
 * The last twenty turns of the user's agents, newest first, in four steps: the agents, the days' counts, the messages of
 * the agents that were asked last, and what each turn's calls have cost (at most twenty queries, side by side).
 * @param now epoch milliseconds
 */
export async function fleetTraces(
  { table, actor }: Pick<UserContext, 'actor' | 'table'>,
  now = Date.now(),
): Promise<z.input<typeof tracesAnswer>> {
  const { id: userId } = actor.user
  const store = userStore(table, userId)
  const agents = await listAgents({ table }, { userId })
  const byId = new Map(agents.map((agent) => [agent.id, agent]))
  const turns = await lastTurns(store, { agents, most: mostTurns })
  const traces = turns.map(async (turn) => {
    const { id, agentId, question, askedAt, answer } = turn
    const agent = byId.get(agentId)
    return {
      id,
      agentId,
      agentName: agent?.name ?? null,
      status: statusOf(turn, agent?.status === 'running', now),
      description: startOf(question),
      model: answer?.model ?? null,
      tokensUsed: answer?.usage?.total_tokens ?? null,
      costUsd: await costOf(store, turn),
      startedAt: askedAt,
      completedAt: answer?.at ?? turn.failedAt,
    }
  })
  return { traces: await Promise.all(traces) }
}

function statusOf({ askedAt, answer, failedAt }: Turn, agentRuns: boolean, now: number) {
  if (failedAt !== null) return 'failed' as const
  if (answer !== null) return answer.brokeOff ? ('failed' as const) : ('completed' as const)
  const mayRun = agentRuns && now - Date.parse(askedAt) < longestTurnMs
  return mayRun ? ('running' as const) : ('failed' as const)
}

/** Without the half of a character at its end. */
function startOf(question: string): string {
  return question.slice(0, longestDescription).replace(/[\ud800-\udbff]$/, '')
}

/**
 * What a turn has cost in USD, where that can be known: no event of a call names its turn, so those of the agent during
 * the turn count only where their tokens are exactly the ones that its answer tells of.
 */
async function costOf(
  store: UserStore,
  { agentId, askedAt, answer }: Turn,
): Promise<number | null> {
  const usage = answer?.usage
  if (answer === null || !usage) return null
  const events = await completionsBetween(store, {
    agentId,
    from: Date.parse(askedAt),
    to: Date.parse(answer.at) + recordingMs,
  })
  const fits = (some: readonly CompletionEvent[]) =>
    sum(some.map(({ inputTokens }) => inputTokens)) === usage.prompt_tokens &&
    sum(some.map(({ outputTokens }) => outputTokens)) === usage.completion_tokens
  const single = (events ?? []).map((event) => [event])
  const found = [events ?? [], ...single].filter((some) => some.length > 0).find(fits)
  const costs = (found ?? []).map(({ costUsd }) => costUsd)
  if (costs.length === 0 || costs.includes(null)) return null
  return toNumber(
    costs
      .map((cost) => fromFloat('meteredUSD', cost ?? 0, 'nearest'))
      .reduce((total, cost) => add(total, cost)),
  )
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
