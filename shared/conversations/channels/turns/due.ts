import type { Agent } from '#shared/agents/record/agent.ts'
import type { Channel } from '../channel.ts'
import type { Chat } from '../work.ts'
import type { WaitingEvent } from './waiting.ts'

/** The oldest event of a chat that was not carried out. */
export interface Due {
  chat: Chat
  channel: Channel
  agent: Agent
  event: WaitingEvent
}
