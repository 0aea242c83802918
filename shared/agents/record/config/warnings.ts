import type * as z from 'zod'
import { channelNames, channels } from '#shared/manifest/channels.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import type { Agent } from '../agent.ts'
import { type ImageSettings, platformsImage } from '../image/platforms.ts'
import type { configWarnings } from './schema.ts'
import { namesOfSecrets } from './seal.ts'

/**
 * Finds the tokens of chat services that the agent's image does not sign in to (AGENT_CHANNELS) and the
 * platform does not serve itself. It does not know what an image of the owner's own serves, so an agent with such an
 * image has no warnings.
 * @returns the field `warnings` of a response, or no field without any
 */
export function warningsOf(
  agent: Agent,
  { config }: Reads<keyof ImageSettings | 'AGENT_CHANNELS' | 'deployed'>,
): { warnings?: z.input<typeof configWarnings> } {
  const { pinnedImage, id } = agent
  const isOwn = pinnedImage !== undefined && pinnedImage !== platformsImage(config, id)
  if (isOwn && config.deployed) return {}
  const served = new Set<string>(config.AGENT_CHANNELS)
  const tokens = new Set<string>(namesOfSecrets(agent))
  const warnings = channelNames.flatMap((name) => {
    const { title, token: field, variable } = channels[name]
    if (variable === undefined || !tokens.has(field) || served.has(name)) return []
    const message = `The agent’s image does not sign in to ${title}, so ${field} has no effect, except that the agent never sleeps. ${remedyOf(variable, config)}`
    return [{ field, message }]
  })
  return warnings.length === 0 ? {} : { warnings }
}

/** On one machine an agent cannot have an image of its own. */
function remedyOf(variable: string, { deployed }: { deployed: boolean }): string {
  return deployed
    ? `Remove it, or update the agent to an image of your own that uses ${variable}.`
    : 'Remove it.'
}
