import type * as z from 'zod'
import { listAgents } from '#shared/agents/record/list.ts'
import type { CompletionEvent } from '#shared/ai/usage/event.ts'
import { completionsBetween } from '#shared/ai/usage/queries/completions.ts'
import { lastTurns, type ChatTurn } from '#shared/conversations/chat/turns.ts'
import { add, fromFloat, toNumber } from '#shared/money/amounts/amount.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { type UserStore, userStore } from '#shared/platform/table/user-store.ts'
import type { tracesAnswer } from './schema.ts'

/** contract.md 10. */
const maxTurns = 20
const longestDescription = 200

/** The maximum duration of a turn. A turn without an answer after this time counts as failed. */
const longestTurnMs = 300_000

/** The time for recording the cost of a call after its answer. */
const recordingMs = 60_000

/**
 * Returns the last twenty turns of the user's agents, newest first, in four steps: the agents, the daily counts,
 * the messages of the most recently asked agents, and the cost of each turn's calls (at most twenty queries,
 * concurrently).
 * @param now epoch milliseconds
 */
export async function fleetTraces(
  { table, owner }: Pick<UserContext, 'owner' | 'table'>,
  now = Date.now(),
): Promise<z.input<typeof tracesAnswer>> {
  const store = userStore(table, owner)
  const agents = await listAgents({ table }, { userId: owner })
  const byId = new Map(agents.map((agent) => [agent.id, agent]))
  const turns = await lastTurns(store, { agents, most: maxTurns })
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

function statusOf({ askedAt, answer, failedAt }: ChatTurn, agentRuns: boolean, now: number) {
  if (failedAt !== null) return 'failed' as const
  if (answer !== null) return answer.brokeOff ? ('failed' as const) : ('completed' as const)
  const mayRun = agentRuns && now - Date.parse(askedAt) < longestTurnMs
  return mayRun ? ('running' as const) : ('failed' as const)
}

/** Returns the start of a text without half a character at its end. */
function startOf(question: string): string {
  return question.slice(0, longestDescription).replace(/[\ud800-\udbff]$/, '')
}

/**
 * Returns the cost of a turn in USD, if it can be determined. The event of a call does not contain its turn, so the
 * agent's events during the turn are used only if their tokens equal the tokens of its answer.
 */
async function costOf(
  store: UserStore,
  { agentId, askedAt, answer }: ChatTurn,
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
