import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DescribeTasksCommand, ECSClient } from '@aws-sdk/client-ecs'
import { vi } from 'vitest'
import { onDeleted } from '#functions/jobs/provisioning/on-deleted.ts'
import { newUser } from '#shared/accounts/users/user.ts'
import { createAgent } from '#shared/agents/fleet/create.ts'
import { startAgent } from '#shared/agents/fleet/lifecycle/start.ts'
import { consumeProvisioning } from '#shared/agents/fleet/provisioning/consume.ts'
import type { ProvisioningContext } from '#shared/agents/fleet/provisioning/context.ts'
import { provisioning } from '#shared/agents/fleet/requests/topic.ts'
import { observeTasks } from '#shared/agents/fleet/task-states/observe.ts'
import { taskStates } from '#shared/agents/fleet/task-states/topic.ts'
import { applyTaskEvent, type TaskEventOutcome } from '#shared/agents/fleet/tasks/apply-event.ts'
import type { TaskEvent } from '#shared/agents/fleet/tasks/topic.ts'
import { maintainWarmPool, type WarmPoolContext } from '#shared/agents/fleet/warm-pool/maintain.ts'
import { handOvers } from '#shared/agents/fleet/warm-pool/topic.ts'
import { handOver } from '#shared/agents/fleet/watchdog/hand-over.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import type { AgentContext, AgentQueue, AgentSetting } from '#shared/agents/record/context.ts'
import { readAgent } from '#shared/agents/record/find.ts'
import type { WatchdogSettings } from '#shared/agents/watchdog/settings.ts'
import type { SubscriptionStatus } from '#shared/money/plans/subscriptions.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { ecsContainers } from '#shared/platform/containers/ecs.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import { createLog } from '#shared/platform/log.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { buildProgram } from '#stacks/build/programs.ts'
import type { Family } from '#stacks/local/containers/family.ts'
import { startContainers } from '#stacks/local/containers/start.ts'
import { compileCache } from '../platform/compile-cache.ts'
import { trusted } from '../platform/context.ts'
import { startTestTable } from '../platform/table.ts'
import { startBootstrap } from './bootstrap.ts'

export interface Sent {
  queue: string
  body: Record<string, unknown>
  delaySeconds: number
}

/** Other images of a fleet: a working one, one that exits immediately, and one that never responds. */
export const otherImage = 'registry.example/agent:2.0.0'
export const crashingImage = 'registry.example/crashing:1'
export const silentImage = 'registry.example/silent:1'

const root = join(import.meta.dirname, '../../..')
const entry = 'tests/support/agents/fleet-container.ts'

const server: Family = {
  command: [process.execPath, await buildProgram(root, { name: 'fleet-container', entry })],
  env: compileCache,
  containerName: 'agent',
  stopTimeoutSeconds: 5,
  cpu: 256,
  memory: 512,
}

/**
 * The agents' domain over a database and a container engine of its own. Messages wait in `sent` and `events` until a
 * test delivers them, in any order and any number of times.
 */
export async function startFleet(options: { settings?: Record<string, string> } = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'fleet-'))
  const database = await startTestTable()
  const events: TaskEvent[] = []
  const sent: Sent[] = []
  const room = { tasks: Infinity, spot: true }
  const engine = await startContainers({
    dir,
    cluster: 'fleet',
    families: { 'agent-label': server, 'agent-solo': server },
    images: {
      [otherImage]: {},
      [crashingImage]: { command: [process.execPath, '-e', 'process.exit(7)'] },
      [silentImage]: { command: ['sleep', '600'] },
    },
    capacity: () => room.tasks,
    trouble: () => ({ noSpot: !room.spot }),
    onTaskEvent: async (event) => void events.push(event as unknown as TaskEvent),
  })
  const queues: Queues = {
    send: async ({ queue }, body, { delaySeconds = 0 } = {}) =>
      void sent.push({ queue, body: body as Sent['body'], delaySeconds }),
    sendAll: async (topic, bodies) => {
      for (const body of bodies) await queues.send(topic, body)
    },
  }
  const bootstrap = await startBootstrap(() => ({ table: database.table, config }))
  const config = loadConfig({
    BACKEND_URL: bootstrap.url,
    WALLET_ENCRYPTION_KEY: 'a key that is long enough for the tests',
    AGENT_IMAGE: 'registry.example/agent:1.2.3',
    ADMIN_EMAILS: 'admin@b.co',
    ...options.settings,
  })
  const containers = ecsContainers({
    cluster: 'fleet',
    familyPrefix: '',
    subnets: [],
    securityGroups: [],
    endpoint: engine.endpoint,
  })
  const { table } = database
  let users = 0
  const services = trusted<AgentContext<AgentQueue | 'channel-set-ups'> & Reads<AgentSetting>>({
    table,
    queues,
    config,
  })
  const settings: WatchdogSettings = config
  const consumer: ProvisioningContext = {
    ...services,
    queues,
    config,
    containers,
    onDeleted,
    log: createLog(),
  }

  const fleet = {
    table,
    queues,
    services,
    settings,
    consumer,
    containers,
    /** The container engine's endpoint, for ECS and for the logs of its tasks. */
    endpoint: engine.endpoint,
    /** The container engine's state folder. */
    dir,
    sent,
    events,
    /** Sets how many tasks fit on the host, and whether spare capacity counts. */
    room,

    /** Drops all waiting messages, as a queue that loses everything would. */
    forget() {
      sent.length = 0
      events.length = 0
      room.tasks = Infinity
      room.spot = true
    },

    /** Starts or ends a user's plan. */
    async pays(userId: string, status: SubscriptionStatus = 'active'): Promise<void> {
      const { agentCount, ...user } = newUser({
        id: userId,
        email: `${userId}@b.co`,
        emailVerified: true,
        name: userId,
        plan: 'network',
        subscription: { id: null, status, customerId: null },
        referralCode: userId,
      })
      await userStore(table, userId).update('profile', { set: user, add: { agentCount } })
    },

    /** Starts an agent for a new user, without delivering any message. */
    async started(agentConfig: Record<string, unknown> = {}): Promise<Agent> {
      const userId = `usr_${++users}`
      await fleet.pays(userId)
      const input = { name: 'Ada', config: agentConfig, userId }
      const agent = await createAgent(trusted(services), input)
      return startAgent(services, { agent })
    },

    wantedTasks: (agent: Agent) => containers.list(agent.id),

    /** Returns the container engine's description of the agent's task. */
    async shownOf({ taskArn }: Agent) {
      const command = new DescribeTasksCommand({ cluster: 'fleet', tasks: [String(taskArn)] })
      const client = new ECSClient({ endpoint: engine.endpoint })
      return (await client.send(command)).tasks
    },

    /** Returns the environment of the agent's container: from its task and from its bootstrap. */
    async environmentOf(agent: Agent): Promise<Record<string, string>> {
      const { address } = await fleet.row(agent)
      const answer = await fetch(`http://127.0.0.1:${address?.port}/environment`)
      return (await answer.json()) as Record<string, string>
    },

    /** Returns the user's own variables in the agent's container. */
    async credentialsOf(agent: Agent): Promise<Record<string, string>> {
      const { CREDENTIALS = '{}' } = await fleet.environmentOf(agent)
      return JSON.parse(CREDENTIALS) as Record<string, string>
    },

    /** Delivers a message to its consumer. */
    consume: (message: unknown, ctx = consumer) =>
      consumeProvisioning(ctx, provisioning.schema().parse(message)),

    /** Assigns a container of the pool to its agent. */
    handOver: (message: unknown) =>
      handOver({ ...services, queues, settings }, handOvers.schema().parse(message)),

    /** Refills the pool to its size. */
    keepWarm: (
      config: Partial<typeof consumer.config> = {},
      now = Date.now(),
      by: WarmPoolContext['containers'] = containers,
    ) =>
      maintainWarmPool(
        { ...consumer, containers: by, config: { ...consumer.config, ...config } },
        now,
      ),

    /** Observes the tasks that a message names. */
    observe: (message: unknown) => observeTasks(consumer, taskStates.schema().parse(message)),

    /**
     * Delivers all waiting messages and their follow-ups once, except set-ups of channels, and checks of the watchdog, which has a fleet of its
     * own.
     */
    async deliver(): Promise<TaskEventOutcome[]> {
      const outcomes: TaskEventOutcome[] = []
      while (sent.length + events.length > 0) {
        for (const { queue, body } of sent.splice(0))
          if (queue === 'hand-overs') await fleet.handOver(body)
          else if (queue !== 'checks' && queue !== 'channel-set-ups') await fleet.consume(body)
        for (const event of events.splice(0)) outcomes.push(await applyTaskEvent(services, event))
      }
      return outcomes
    },

    /** Returns the agent's current row. */
    async row(agent: Pick<Agent, 'id' | 'userId'>): Promise<Agent> {
      const found = await readAgent(table, { userId: agent.userId, agentId: agent.id })
      if (found === undefined) throw new Error(`${agent.id} is gone`)
      return found
    },

    /** Delivers messages until the row passes a check. */
    async until(agent: Agent, good: (row: Agent) => boolean): Promise<Agent> {
      return vi.waitUntil(
        async () => {
          await fleet.deliver()
          const row = await fleet.row(agent)
          return good(row) ? row : false
        },
        { timeout: 30_000, interval: 10 },
      )
    },

    untilRunning: (agent: Agent) => fleet.until(agent, (row) => row.status === 'running'),

    async close() {
      await engine.close()
      await bootstrap.close()
      await database.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
  return fleet
}

export type Fleet = Awaited<ReturnType<typeof startFleet>>
