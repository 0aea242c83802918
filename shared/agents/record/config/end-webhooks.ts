import type { EndedWebhook } from '#shared/accounts/users/end-sessions.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { changeAgent } from '../change.ts'
import { listAgents } from '../list.ts'

/**
 * Removes `webhookUrl` from the config of all agents of a user. Until the owner sets it again, messages of other agents
 * are stored in the inbox. A repeated call also removes addresses that were set in between.
 * @returns the removed addresses
 */
export async function endAgentWebhooks(table: Table, userId: string): Promise<EndedWebhook[]> {
  const ended: EndedWebhook[] = []
  for (const agent of await listAgents({ table }, { userId, consistent: true })) {
    let url: unknown
    await changeAgent(
      { table },
      {
        agent,
        kind: 'configured',
        decide: (current) => {
          url = current.config.webhookUrl
          if (url === undefined) return current
          const { webhookUrl: _ended, ...config } = current.config
          return { ...current, config }
        },
      },
    )
    if (typeof url === 'string') ended.push({ agentId: agent.id, origin: originOf(url) })
  }
  return ended
}

/** The rest of the URL can be secret. */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'an invalid URL'
}
