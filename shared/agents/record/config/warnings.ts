import type * as z from 'zod'
import { channelNames, channels } from '#shared/manifest/channels.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import type { Agent } from '../agent.ts'
import { type ImageSettings, platformsImage } from '../image/platforms.ts'
import type { configWarnings } from './schema.ts'
import { namesOfSecrets } from './seal.ts'

/**
 * Finds the tokens of chat services that the agent's image does not sign in to (AGENT_CHANNELS). The platform does not
 * know what an image of the owner's own serves, so an agent with such an image has no warnings.
 * @returns the field `warnings` of a response, or no field without any
 */
export function warningsOf(
  agent: Agent,
  { config }: Reads<keyof ImageSettings | 'AGENT_CHANNELS'>,
): { warnings?: z.input<typeof configWarnings> } {
  const { pinnedImage, id } = agent
  if (pinnedImage !== undefined && pinnedImage !== platformsImage(config, id)) return {}
  const served = new Set<string>(config.AGENT_CHANNELS)
  const tokens = new Set<string>(namesOfSecrets(agent))
  const unserved = channelNames.filter(
    (name) => tokens.has(channels[name].token) && !served.has(name),
  )
  if (unserved.length === 0) return {}
  const warnings = unserved.map((name) => {
    const { title, token: field, variable } = channels[name]
    return {
      field,
      message: `The agent’s image does not sign in to ${title}, so ${field} has no effect, except that the agent never sleeps. Remove it, or update the agent to an image of your own that uses ${variable}.`,
    }
  })
  return { warnings }
}
