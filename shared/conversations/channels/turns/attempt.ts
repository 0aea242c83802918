import { findAgent } from '#shared/agents/record/find.ts'
import { ConditionFailed } from '#shared/platform/table/port.ts'
import { removeRows } from '#shared/platform/table/remove-rows.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { unlessLeaseLost } from '#shared/platform/work/lease-lost.ts'
import { channelChatRows, channelRows, channelWaitingRows } from '../rows.ts'
import type { ChatRef } from '../topic.ts'
import { type Chat, chatWork } from '../work.ts'
import { carryOutEvent, type TurnsContext } from './carry-out.ts'
import { oldestEvents } from './waiting.ts'

/** The most events of one attempt that need no turn. */
const maxEvents = 50

/**
 * Carries out the waiting events of a chat, one after the other, and at most one turn. Requests another attempt if
 * events are left. An event whose process died is carried out again, but its turn is not.
 */
export async function attemptChat(ctx: TurnsContext, message: ChatRef): Promise<void> {
  const { clock = Date.now } = ctx
  const row = await channelChatRows.find(ctx.table, message)
  const chat = row && (await chatWork.claim(ctx, row, { message, now: clock() }))
  if (chat === undefined) return
  if (!(await unlessLeaseLost(step(ctx, chat))))
    ctx.log.warn('the lease of a chat was lost', { channelId: chat.channelId })
}

async function step(ctx: TurnsContext, chat: Chat): Promise<void> {
  const { table, clock = Date.now } = ctx
  const { userId, agentId, channelId } = chat
  const [channel, agent] = await Promise.all([
    channelRows.find(table, { userId, agentId, channelId }),
    findAgent(ctx, { agentId, owner: userId }),
  ])
  if (channel === undefined || agent === undefined) return removeChat(ctx, chat)
  let current = chat
  for (let count = 0; ; count++) {
    const [event, another] = await oldestEvents(table, current, 2)
    let hadTurn = false
    if (event !== undefined) {
      const result = await carryOutEvent(ctx, { chat: current, channel, agent, event })
      if (result.wait !== undefined)
        return chatWork.later(ctx, current, result.wait, { now: clock() })
      current = result.chat
      hadTurn = result.hadTurn
    }
    if (another === undefined) {
      const newer = await ended(ctx, current)
      if (newer === undefined) return
      current = newer
    }
    if (hadTurn || count >= maxEvents) return chatWork.later(ctx, current, 0, { now: clock() })
  }
}

/** Ends the work, unless another event was added. @returns the chat with that event */
async function ended({ table }: TurnsContext, chat: Chat): Promise<Chat | undefined> {
  const { if: held, values } = chatWork.still(chat)
  try {
    await table.update(channelChatRows.key(chat), {
      remove: ['gsi1pk', 'gsi1sk', 'by', 'until'],
      if: `${held} AND #added = :added`,
      values: { ...values, added: chat.added },
    })
    return undefined
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
    const newer = await channelChatRows.find(table, chat)
    return newer?.by === chat.by ? newer : undefined
  }
}

/** Removes a chat of a deleted channel. */
async function removeChat({ table }: TurnsContext, chat: Chat): Promise<void> {
  const store = userStore(table, chat.userId)
  await removeRows(store, channelWaitingRows.prefix(chat), Infinity)
  await table.delete(channelChatRows.key(chat))
}
