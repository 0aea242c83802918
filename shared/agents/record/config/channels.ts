import { channels } from '#shared/manifest/channels.ts'
import type { Agent } from '../agent.ts'

type HasSecrets = Partial<Pick<Agent, 'config' | 'secrets'>>

/**
 * Returns whether an agent answers on a chat service by a token of its config. Rows of an earlier release contain the
 * tokens unencrypted in `config`.
 */
export function isOnChannels({ config = {}, secrets = {} }: HasSecrets): boolean {
  return Object.values(channels).some(
    ({ token }) => secrets[token] !== undefined || typeof config[token] === 'string',
  )
}

/**
 * Returns whether an agent's container signs in to a chat service. No message could wake such an agent, because the
 * platform does not receive its messages.
 */
export function hasOwnBot({ config = {}, secrets = {} }: HasSecrets): boolean {
  return Object.values(channels).some(
    ({ token, variable }) =>
      variable !== undefined && (secrets[token] !== undefined || typeof config[token] === 'string'),
  )
}
