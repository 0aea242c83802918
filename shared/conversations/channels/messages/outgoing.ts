import type { Agent } from '#shared/agents/record/agent.ts'
import type { Effect } from '#shared/permits/policy/effect.ts'
import { traitsOf } from '../adapters/traits.ts'
import type { Channel } from '../channel.ts'
import type { Chat } from '../work.ts'
import type { OutgoingFile } from './outgoing-file.ts'

/** A message of an agent that is not sent yet. */
export interface Outgoing {
  agent: Agent
  channel: Channel
  chat: Chat
  text: string
  file?: OutgoingFile | undefined
  replyTo: Readonly<Record<string, string>>
  /** The id of the person that it is for, who must not be blocked when it is sent. */
  person: string
  /** True for a reply to a person who wrote; false if the agent begins. */
  answer: boolean
  /** The seed of the answered event, so that the answer is sent once. A tool's message has none. */
  event?: string | undefined
  /** The agent's session that sends it. */
  session: string
}

type ChannelEffect = Extract<Effect, { action: 'channel.send' }>

/** Returns the id of a chat as policies and the agent's tools name it. */
export function recipientOf(
  { kind }: Pick<Channel, 'kind'>,
  { name }: Pick<Chat, 'name'>,
  replyTo: Readonly<Record<string, string>>,
): string {
  return traitsOf(kind).recipient?.(replyTo) ?? name
}

/** Returns a message as the effect that the agent's policy decides. */
export function channelEffect({ channel, chat, replyTo, answer }: Outgoing): ChannelEffect {
  return {
    action: 'channel.send',
    target: { channel: channel.kind, to: recipientOf(channel, chat, replyTo) },
    answer,
  }
}

/** Divides the text of a message by the limits of its service. */
export function textsOf({ kind }: Pick<Channel, 'kind'>, text: string): string[] {
  return traitsOf(kind)
    .split(text)
    .filter((part) => part !== '')
}
