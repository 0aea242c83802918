import { mailTo } from '#shared/accounts/users/mails/template.ts'
import { notify } from '#shared/accounts/users/notify.ts'
import { findUser } from '#shared/accounts/users/user.ts'
import { eventWrites } from '#shared/agents/record/events/write.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { Write } from '#shared/platform/table/port.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import type { Due } from './due.ts'

export type LoopContext = Pick<Context, 'table' | 'log'> & Can<'mailer' | 'webUrl'>

/** The shortest time between two mails about the loops of a chat, in milliseconds. */
const toldMs = 86_400_000

/**
 * Tells the owner by mail that a chat has too many turns, unless they were told in the last day. A repetition for the
 * same event sends no second mail.
 * @param now epoch milliseconds
 * @returns the event of the agent, which is stored together with the time `toldAt`; undefined if the owner was told
 */
export async function tellLoop(
  ctx: LoopContext,
  { chat, channel, agent, event }: Due,
  now: number,
): Promise<Write | undefined> {
  if (chat.toldAt !== undefined && now - chat.toldAt < toldMs) return undefined
  const { id: channelId, userId, kind } = channel
  const text = `The ${kind} channel had 60 turns in ten minutes in the chat ${chat.name}. Until there are fewer, its messages are not carried out`
  const user = await findUser(ctx.table, userId)
  if (user !== undefined)
    await notify(ctx, userId, {
      ...mailTo({
        to: user.email,
        name: user.name,
        subject: `${agent.name} may talk to another program`,
        paragraphs: [
          `${text}. Block the sender if it is a program that answers ${agent.name}:`,
          `${ctx.webUrl}/agents/${agent.id}/channels`,
        ],
      }),
      once: `channel-loop#${channelId}#${event.seed}`,
    })
  const happenings = [{ kind: 'configured' as const, text }]
  // Several chats may loop at one revision of the agent.
  const from = epochSeconds(now)
  const [write] = eventWrites(agent, { happenings, by: 'platform', now, from })
  return write
}
