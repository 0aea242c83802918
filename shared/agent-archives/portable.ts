import type { Content } from '../restore-points/content.ts'
import { forItsOwner } from './schema.ts'

/** The content without what its owner decides anew: `webhookUrl`, whose address may hold a secret, and `paidGateway`. */
export function portable(content: Content): Content {
  const config = { ...content.agent.config }
  for (const name of forItsOwner) delete config[name]
  return { ...content, agent: { ...content.agent, config } }
}
