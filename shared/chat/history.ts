import type { Table } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { chooseAgent } from './choose-agent.ts'
import { listMessages } from './message.ts'
import type { ChatMessage } from './schema.ts'

/**
 * The last messages between a user and an agent, oldest first.
 * @throws PlatformError 404 for an agent that is not the user's
 */
export async function chatHistory(
  table: Table,
  userId: string,
  { agentId, limit }: { agentId?: string | undefined; limit: number },
): Promise<ChatMessage[]> {
  const agent = await chooseAgent(table, userId, agentId)
  return agent === undefined ? [] : listMessages(userStore(table, userId), agent.id, limit)
}
