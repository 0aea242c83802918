import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { taskStates } from '#shared/agents/fleet/task-states/topic.ts'
import { checkAgent } from '#shared/agents/fleet/watchdog/check.ts'
import type { WatchdogContext } from '#shared/agents/fleet/watchdog/context.ts'
import { type WatchdogRound, tick } from '#shared/agents/fleet/watchdog/tick.ts'
import type { Check } from '#shared/agents/fleet/watchdog/topic.ts'
import { type Agent, agentKey, toAgent } from '#shared/agents/record/agent.ts'
import { newWatchdog, type Watchdog } from '#shared/agents/watchdog/schema.ts'
import type { WatchdogSettings } from '#shared/agents/watchdog/settings.ts'
import type { QueueName } from '#shared/manifest/queues.ts'
import type { Address } from '#shared/platform/containers/port.ts'
import { createLog } from '#shared/platform/log.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import { startTestTable } from '../platform/table.ts'
import { putAgent } from './agent-rows.ts'

/** The defaults of spec.md. */
export const settings: WatchdogSettings = {
  WATCHDOG_AUTO_REPAIR: true,
  WATCHDOG_CHECK_INTERVAL: 120,
  WATCHDOG_DEGRADED_CHECK_INTERVAL: 5,
  WATCHDOG_STARTUP_FAILURE_THRESHOLD: 3,
  WATCHDOG_MAX_REPAIR_ATTEMPTS: 2,
  WATCHDOG_CRASH_LOOP_WINDOW: 300,
  WATCHDOG_CRASH_LOOP_THRESHOLD: 3,
  WATCHDOG_REPAIR_STOP_WAIT: 5,
  WATCHDOG_REPAIR_START_WAIT: 30,
}

export interface Sent {
  queue: QueueName
  message: Record<string, unknown>
  delaySeconds: number
}

type Waiting = Record<'checks' | 'provisioning', number | undefined>

const fewWaiting = (): Waiting => ({ checks: 0, provisioning: 0 })

/** Records all messages in order. While `broken`, every send fails, as if the process died just before it. */
function startMailbox() {
  const sent: Sent[] = []
  /** `waiting`: the reported size of each queue; undefined if unknown. */
  const mailbox = { sent, broken: false, waiting: fewWaiting() }
  const send = async (queue: QueueName, body: unknown, delaySeconds = 0) => {
    if (mailbox.broken) throw new Error('the queue cannot be reached')
    sent.push({ queue, message: body as Sent['message'], delaySeconds })
  }
  const queues: Queues = {
    send: ({ queue }, body, options) => send(queue, body, options?.delaySeconds),
    sendAll: async ({ queue }, bodies, options) => {
      for (const body of bodies) await send(queue, body, options?.delaySeconds)
    },
  }
  return { mailbox, queues }
}

function unasked(sent: readonly Sent[]): Sent[] {
  return sent.filter(({ queue }) => queue !== 'task-states')
}

/** Gateways of agents, whose health the test sets. */
function startGateways() {
  const health = { status: 200, asked: 0, headers: {} as Record<string, string> }
  const open = new Map<string, { server: Server; address: Address }>()

  async function start(): Promise<{ address: Address; nameIt(agentId: string): void }> {
    let name: string | undefined
    const server = createServer((_request, response) => {
      health.asked++
      for (const [header, value] of Object.entries(health.headers))
        response.setHeader(header, value)
      if (name !== undefined) response.setHeader('agent-id', name)
      if (health.status === 0) response.destroy()
      else response.writeHead(health.status).end()
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const address: Address = { host: '127.0.0.1', port }
    return {
      address,
      nameIt(agentId) {
        name = agentId
        open.set(agentId, { server, address })
      },
    }
  }

  async function close(): Promise<void> {
    for (const { server } of open.values()) {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    }
  }
  return { health, start, addressOf: (agentId: string) => open.get(agentId)?.address, close }
}

/** Starts the watchdog over a real database and a real gateway. The test controls its clock and its messages. */
export async function startWatchdog() {
  const { table, close } = await startTestTable()
  const gateways = startGateways()
  const { mailbox, queues } = startMailbox()
  const ctx: WatchdogContext = { table, queues, settings }

  const read = async ({ id: agentId, userId }: Agent): Promise<Agent> => {
    const item = await table.get(agentKey({ userId, agentId }))
    if (item === undefined) throw new Error(`${agentId} is gone`)
    return toAgent(item)
  }

  const answer = async (message: Sent['message']): Promise<void> => {
    for (const { agentId, userId, askedAt } of taskStates.schema().parse(message).tasks)
      await table.update(agentKey({ userId, agentId }), {
        set: { seenUp: askedAt },
        add: { revision: 1 },
      })
  }

  const waiting = async (queue: keyof Waiting) => {
    const count = mailbox.waiting[queue]
    if (count === undefined) throw new Error('the queue is unreachable')
    return count
  }

  const closeAll = async () => {
    await Promise.all([close(), gateways.close()])
  }

  return {
    ctx,

    /** Runs one round of the tick over all agents, at a full minute. */
    round: (now: number): Promise<WatchdogRound> =>
      tick({ ...ctx, log: createLog(), waiting }, { now, at: now }),

    mailbox,
    health: gateways.health,
    read,

    /** Takes the messages since the last call, of one queue or of all queues. */
    taken(queue?: QueueName): Sent[] {
      const taken = mailbox.sent.filter((one) => queue === undefined || one.queue === queue)
      mailbox.sent.splice(0, Infinity, ...mailbox.sent.filter((one) => !taken.includes(one)))
      return taken
    },

    /** Creates an agent that runs, is healthy, and is due for its next check `dueIn` seconds after `now`. */
    async runningAgent(now: number, dueIn = 0, fields: Partial<Agent> = {}): Promise<Agent> {
      const watchdog: Watchdog = {
        ...newWatchdog(now),
        state: 'running',
        generation: 1,
        dueAt: now + dueIn * 1000,
      }
      const gateway = await gateways.start()
      const agent = await putAgent(table, 'usr_1', {
        taskArn: 'arn:aws:ecs:us-east-1:000000000000:task/platform/1',
        taskStatus: 'RUNNING',
        taskHealth: 'HEALTHY',
        taskVersion: 3,
        address: gateway.address,
        updatedAt: new Date(now).toISOString(),
        watchdog,
        ...fields,
      })
      gateway.nameIt(agent.id)
      return agent
    },

    /**
     * Starts the task of an agent's current generation.
     * @param at when it started
     */
    async startTask(agent: Agent, at?: number): Promise<void> {
      await table.update(agentKey({ userId: agent.userId, agentId: agent.id }), {
        set: {
          taskArn: `task-${agent.id}`,
          taskStatus: 'RUNNING',
          address: gateways.addressOf(agent.id),
          ...(at !== undefined && { startedAt: new Date(at).toISOString() }),
        },
        remove: ['previousTaskArn'],
        add: { revision: 1 },
      })
    },

    /**
     * Delivers an agent's check as its row describes it, and answers the watchdog's look at its task: the task exists.
     */
    async check(agent: Agent, now: number, dueAt?: number | null): Promise<Agent> {
      const current = await read(agent)
      const check: Check = {
        userId: agent.userId,
        agentId: agent.id,
        dueAt: dueAt === undefined ? current.watchdog.dueAt : dueAt,
      }
      await checkAgent(ctx, check, now)
      for (const { queue, message } of mailbox.sent.splice(0, Infinity, ...unasked(mailbox.sent)))
        if (queue === 'task-states') await answer(message)
      return read(agent)
    },

    /** Fails every check and every repair of an agent until the watchdog gives up. */
    async failAll(agent: Agent, now: number): Promise<void> {
      for (const seconds of [0, 5, 10, 15, 45, 50, 55, 85, 90]) {
        if ((await this.read(agent)).watchdog.repair === 'starting') await this.startTask(agent)
        await this.check(agent, now + seconds * 1000)
      }
    },

    /** Delivers one check. */
    deliver: (check: Check, now: number): Promise<void> => checkAgent(ctx, check, now),

    close: (): Promise<void> => closeAll(),

    [Symbol.asyncDispose]: (): Promise<void> => closeAll(),
  }
}

export type TestWatchdog = Awaited<ReturnType<typeof startWatchdog>>
