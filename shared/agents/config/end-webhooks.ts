import type { EndedWebhook } from '../../accounts/end-sessions.ts'
import type { Table } from '../../platform/table/port.ts'
import { changeAgent } from '../change.ts'
import { listAgents } from '../list.ts'

/**
 * Takes `webhookUrl` out of the config of every agent of a user, so that nothing is posted there until its owner sets it
 * again. Messages of other agents go to the inbox meanwhile. Repeating it takes away what was set in between.
 * @returns what was taken away
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

/** The rest of an address may be a secret. */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'an address that is no URL'
}
