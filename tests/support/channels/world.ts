import { beforeAll, beforeEach } from 'vitest'
import { channels as tools } from '#functions/backend/agent-mcp/channels.ts'
import type { AgentCaller } from '#functions/backend/agent-mcp/context.ts'
import { senderRoutes } from '#functions/web/agent-lifecycle/senders.ts'
import * as filesGroup from '#functions/web/files.ts'
import { describeFile } from '#shared/agents/files/container/describe.ts'
import { requireAgent } from '#shared/agents/record/find.ts'
import { createLog } from '#shared/platform/log.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { say } from '../../../agent/gateway/testing/upstream.ts'
import { putAgent } from '../agents/agent-rows.ts'
import { channelsOver } from '../conversations/channels.ts'
import { encryptionKey } from '../conversations/chat.ts'
import { usePlayedAgent } from '../conversations/played-agent.ts'
import { callerOf } from '../http/caller.ts'

/** A request of a service. */
interface Sent {
  headers: Record<string, string>
  body: string
}

interface Delivered {
  state: string
  reason: string | null
}

/**
 * Provides each test with a user's agent at a played gateway, and with the routes and jobs of channels.
 * @param settings the addresses of played services; WEB_URL is a public https address unless they name another
 */
export function useChannels(settings: () => Record<string, string>) {
  const on = usePlayedAgent()
  let channels: ReturnType<typeof channelsOver>
  let agentId: string
  let channel: { id: string; kind: string }
  beforeAll(() => {
    channels = channelsOver(on.accounts.table, { WEB_URL: 'https://play.example', ...settings() })
  })
  beforeEach(async () => {
    const { address } = on.agent
    const agent = await putAgent(on.accounts.table, on.ada.id, { ...(address && { address }) })
    agentId = agent.id
    answerWith('Well.')
  })

  /** @param first what happens while the agent works */
  const answerWith = (text: string, first?: () => Promise<void>) =>
    void (on.gateway.reply = async (response) => {
      await first?.()
      say(response, text)
    })

  return {
    /** Creates a channel, which the following calls are about. @returns status and body */
    async create(body: object) {
      const { session } = on.ada
      const created = await channels.call('POST', `${agentId}/channels`, { session, body })
      channel = created.body as unknown as typeof channel
      return created
    },
    /** Changes the channel. @returns the status */
    async change(body: object): Promise<number> {
      const path = `${agentId}/channels/${channel.id}`
      return (await channels.call('PATCH', path, { session: on.ada.session, body })).status
    },
    answerWith,
    /** The jobs and routes of channels. */
    get jobs(): ReturnType<typeof channelsOver> {
      return channels
    },
    get agentId(): string {
      return agentId
    },
    get channelId(): string {
      return channel.id
    },
    get owner(): { id: string; session: string } {
      return on.ada
    },
    get table(): Table {
      return on.accounts.table
    },
    /** Carries out one message that waits. */
    deliver: () => channels.deliverOne(),
    /** Calls a tool as the agent, in its session `news`. */
    async use(name: string, input: object = {}): Promise<unknown> {
      const { table } = on.accounts
      const agent = await requireAgent({ table }, { agentId, owner: on.ada.id })
      const tool = tools.find((one) => one.name === name)
      const actor = { agentId, agent, userId: on.ada.id }
      const files = (path: string) =>
        describeFile({ table, packs: channels.objects, actor } as never, { path })
      const log = createLog({ function: 'test' })
      const ctx = { table, log, agent, session: 'news', files }
      return tool?.call(ctx as AgentCaller, tool.input.parse(input) as never)
    },
    /** Calls the routes of the agent's files. */
    async files(method: string, path: string, text?: string): Promise<Response> {
      const { table } = on.accounts
      const { objects: packs, queues, config } = channels
      const services = { table, packs, queues, config, adminEmails: [], encryptionKey }
      const call = callerOf(filesGroup, services as never)
      return call(method, `/api/agents/${agentId}/files${path}`, {
        session: on.ada.session,
        ...(text !== undefined && { text }),
      })
    },
    /** Requests due work, as the schedule does, and carries it out. */
    async settle(): Promise<void> {
      await channels.tick()
      await channels.deliver()
    },
    /** The messages that reached the agent, the oldest first. */
    asked: () => on.gateway.calls.map(({ body }) => body.messages.at(-1)?.content),
    /** Sends a request as the service does. @returns the response */
    receive: ({ headers, body }: Sent): Promise<Response> =>
      channels.receive(`${channel.kind}/${channel.id}`, { text: body, headers }),
    /** Sends a request as the service does, and carries out what follows. @returns the response */
    async post({ headers, body }: Sent, { id, kind } = channel): Promise<Response> {
      const answer = await channels.receive(`${kind}/${id}`, { text: body, headers })
      await channels.deliver()
      return answer
    },
    get: (query: Record<string, string>) =>
      channels.receive(`${channel.kind}/${channel.id}?${new URLSearchParams(query)}`, {
        method: 'GET',
      }),
    /** Decides about a person, as the owner does. */
    async decide(sender: string, decision: 'approve' | 'block' = 'approve'): Promise<number> {
      const { table } = on.accounts
      const { config } = channels
      const call = callerOf({ routes: senderRoutes }, { table, queues: channels.queues, config })
      const path = `/api/agents/${agentId}/channels/${channel.id}/senders/${sender}`
      const given = { session: on.ada.session, body: { decision } }
      return (await call('POST', path, given)).status
    },
    /** Has a person write a first message, and approves the person. Both are then forgotten. */
    async introduce(sender: string, first: Sent): Promise<void> {
      await this.post(first)
      if ((await this.decide(sender)) !== 200) throw new Error('the person was not approved')
      on.gateway.calls.length = 0
    },
    /** Lists the sessions of the agent. */
    async sessions(): Promise<string[]> {
      const answer = await on.topics(`?agentId=${agentId}`)
      const { topics } = (await answer.json()) as { topics: { topic: string }[] }
      return topics.map(({ topic }) => topic)
    },
    /** Lists the messages of the channel, the newest first. */
    async delivered(): Promise<Delivered[]> {
      const path = `${agentId}/channels/${channel.id}/deliveries`
      const { body } = await channels.call('GET', path, { session: on.ada.session })
      return (body as unknown as { deliveries: Delivered[] }).deliveries
    },
    /** The seconds that the clock of the jobs is ahead, by the delays of the messages that were delivered. */
    ahead: () => Math.round((channels.state.now - Date.now()) / 1000),
  }
}
