import type { Agent } from '#shared/agents/record/agent.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import type { ChangeAuthor } from '#shared/agents/record/context.ts'
import { eventWrites } from '#shared/agents/record/events/write.ts'
import { channelTokenOf } from '#shared/agents/record/watch/channel-due.ts'
import type { Context } from '#shared/platform/identity/context.ts'

interface Settled {
  /** The last characters of the encrypted token; undefined if the config has no token. */
  wanted: string | undefined
  /** Why the token cannot be used; the owner sees it. */
  refusal: string | undefined
}

/** Records that an agent's channel has the token, or that the token cannot be used. */
export async function settle(
  ctx: Pick<Context, 'table' | 'log'> & ChangeAuthor,
  agent: Agent,
  { wanted, refusal }: Settled,
  now = Date.now(),
): Promise<void> {
  const happenings = refusal === undefined ? [] : [{ kind: 'configured' as const, text: refusal }]
  const [write] = eventWrites(agent, { happenings, by: 'platform', now, from: 8 })
  await changeAgent(ctx, {
    agent,
    decide: (current) =>
      channelTokenOf(current) === wanted ? { ...current, channelToken: wanted } : current,
    now,
    ...(write && { onChange: { write, refused: eventExists } }),
  })
}

/** The write has no condition, so the table never refuses it. */
function eventExists(): Error {
  return new Error('the event exists already')
}
