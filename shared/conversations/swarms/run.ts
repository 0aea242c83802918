import { idPrefixes } from '#shared/manifest/ids.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { newId, newSeed } from '#shared/platform/ids.ts'
import { commit } from '#shared/platform/table/commit.ts'
import { webhookParts } from '#shared/signals/outbound-webhooks/emit.ts'
import { runEnded } from '#shared/signals/outbound-webhooks/run-ended.ts'
import { type ChatContext, converseWhole } from '../chat/converse.ts'
import { longestContent } from '../chat/message.ts'
import { requireSwarm } from './swarm.ts'

export interface SwarmResult {
  agentId: string
  reply: string | null
  error: string | null
}

/**
 * Runs a prompt on every member concurrently. A failed member reports its error and does not delay the others; a
 * deleted agent counts as failed.
 * @throws PlatformError 404 for another user's swarm
 */
export async function runSwarm(
  ctx: ChatContext & UserContext,
  { swarmId, prompt }: { swarmId: string; prompt: string },
): Promise<{ id: string; results: SwarmResult[] }> {
  const { id, agents } = await requireSwarm(ctx, swarmId)
  const group = newId(idPrefixes.swarmRun, ctx.seed)
  let cancelled = false
  const results = await Promise.all(
    agents.map(async (agentId): Promise<SwarmResult> => {
      try {
        const request = { message: prompt, agentId, topic: id, stream: false }
        const { reply } = await converseWhole(
          { ...ctx, seed: newSeed(), platform: 'swarm', group },
          request,
        )
        // Truncated as in the history, because all replies are in memory and in the response together.
        return { agentId, reply: reply.slice(0, longestContent).toWellFormed(), error: null }
      } catch (error) {
        if (error instanceof PlatformError && error.code === 'CANCELLED') cancelled = true
        if (error instanceof PlatformError) return { agentId, reply: null, error: error.message }
        // The request does not fail, because a retry would run the prompt again on the other members.
        ctx.log.error('a member of a swarm failed', { swarmId: id, agentId, error })
        return { agentId, reply: null, error: 'Something went wrong' }
      }
    }),
  )
  const failed = results.filter(({ error }) => error !== null)
  const whole = failed.length < results.length ? 'finished' : 'failed'
  const state = cancelled ? 'cancelled' : whole
  const error = state === 'finished' ? null : (failed[0]?.error ?? null)
  const run = { runId: group, kind: 'swarm', state, error } as const
  const event = runEnded(run, { swarmId: id, results: outcomes(results) })
  const parts = await webhookParts(ctx, ctx.owner, [event])
  if (parts.webhooks !== undefined) await commit(ctx.table, parts)
  return { id, results }
}

/** Returns the results without the replies, which are in the history. */
function outcomes(results: readonly SwarmResult[]): Omit<SwarmResult, 'reply'>[] {
  return results.map(({ agentId, error }) => ({ agentId, error }))
}
