import type { SnapshotContent } from '../restore-points/content.ts'
import { ownerOnlySettings } from './schema.ts'

/**
 * Returns the content without settings that the new owner must choose: `webhookUrl`, which may contain a secret, and
 * `paidGateway`.
 */
export function portable(content: SnapshotContent): SnapshotContent {
  const config = { ...content.agent.config }
  for (const name of ownerOnlySettings) delete config[name]
  return { ...content, agent: { ...content.agent, config } }
}
