import { channels } from '#shared/manifest/channels.ts'
import type { Agent } from '../agent.ts'

/**
 * Returns whether an agent answers on a chat service. Its container polls the service, so no message could wake it
 * while it sleeps. Rows of an earlier release contain the tokens unencrypted in `config`.
 */
export function isOnChannels({
  config = {},
  secrets = {},
}: Partial<Pick<Agent, 'config' | 'secrets'>>): boolean {
  return Object.values(channels).some(
    ({ token }) => secrets[token] !== undefined || typeof config[token] === 'string',
  )
}
