import type { Content } from '../restore-points/content.ts'
import { forItsOwner } from './schema.ts'

/**
 * Returns the content without settings that the new owner must choose: `webhookUrl`, whose address may contain a
 * secret, and `paidGateway`.
 */
export function portable(content: Content): Content {
  const config = { ...content.agent.config }
  for (const name of forItsOwner) delete config[name]
  return { ...content, agent: { ...content.agent, config } }
}
