import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { vi } from 'vitest'
import { onDeleted } from '#functions/jobs/provisioning/on-deleted.ts'
import { consumeProvisioning } from '#shared/agents/fleet/provisioning/consume.ts'
import { provisioning as provisioningTopic } from '#shared/agents/fleet/requests/topic.ts'
import { observeTasks } from '#shared/agents/fleet/task-states/observe.ts'
import { taskStates } from '#shared/agents/fleet/task-states/topic.ts'
import { taskEvents } from '#shared/agents/fleet/tasks/topic.ts'
import { checkAgents } from '#shared/agents/fleet/watchdog/check-all.ts'
import { observeTask } from '#shared/agents/fleet/watchdog/observe-task.ts'
import { tick } from '#shared/agents/fleet/watchdog/tick.ts'
import { checks } from '#shared/agents/fleet/watchdog/topic.ts'
import type { AgentContext, AgentSetting } from '#shared/agents/record/context.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { ecsContainers } from '#shared/platform/containers/ecs.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import { createLog, type Log } from '#shared/platform/log.ts'
import { type NoticeMessage, notices } from '#shared/signals/notices/topic.ts'
import { startBootstrap } from '#tests/support/agents/bootstrap.ts'
import { trusted } from '#tests/support/platform/context.ts'
import { Killed } from '#tests/support/platform/killed-process.ts'
import { startTestTable } from '#tests/support/platform/table.ts'
import { cluster, good, startHost } from './host.ts'
import { type Letter, startMail } from './mail.ts'
import { type Calls, lifeOf } from './perish.ts'
import type { Random } from './random.ts'

/** During chaos: the percentage of events that are lost, and of processes that are killed during their work. */
const lost = 25
const doomed = 12

const quiet: Log = { ...createLog(), info: () => {}, warn: () => {}, error: () => {} }

/**
 * The agents' domain with its consumers and its watchdog over a real database and a real container engine. Messages
 * arrive late, twice and out of order, events are lost, and processes die between any two calls. The clock is the
 * test's: waits of minutes take no time.
 */
export async function startWorld(random: Random) {
  await using resources = new AsyncDisposableStack()
  const dir = await mkdtemp(join(tmpdir(), 'world-'))
  resources.defer(() => rm(dir, { recursive: true, force: true }))
  const { table, close } = await startTestTable()
  resources.defer(close)
  const systemNow = Date.now
  let offset = 0
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => systemNow() + offset)
  resources.defer(() => clock.mockRestore())
  const mail = startMail(random, Date.now)
  let chaos = true
  const host = await startHost(dir, (event) => {
    if (!(chaos && random.percent(lost))) mail.add('task-events', event)
  })
  resources.defer(host.close)

  const bootstrap = await startBootstrap(() => ({ table, config }))
  resources.defer(bootstrap.close)
  const config = loadConfig({
    BACKEND_URL: bootstrap.url,
    WALLET_ENCRYPTION_KEY: 'a key that is long enough for the tests',
    AGENT_IMAGE: good,
  })
  const containers = ecsContainers({
    cluster,
    familyPrefix: '',
    subnets: [],
    securityGroups: [],
    endpoint: host.endpoint,
  })

  const reports: NoticeMessage[] = []

  const calls: Calls = { open: 0 }

  /** Returns the ports of a new process; during chaos, some processes die. */
  function newProcess() {
    const reach = lifeOf(random, chaos && random.percent(doomed), calls)
    const ports = { table: reach(table), queues: reach(mail.queues) }
    const services = trusted<AgentContext & Reads<AgentSetting>>({ ...ports, config })
    return {
      services,
      provisioning: { ...ports, config, containers: reach(containers), onDeleted, log: quiet },
      watchdog: { ...ports, settings: config, log: quiet },
    }
  }

  function consume({ queue, body }: Letter): Promise<unknown> {
    const { provisioning, watchdog } = newProcess()
    if (queue === 'provisioning')
      return consumeProvisioning(provisioning, provisioningTopic.schema().parse(body))
    if (queue === 'task-states') return observeTasks(provisioning, taskStates.schema().parse(body))
    if (queue === 'task-events') return observeTask(watchdog, taskEvents.schema().parse(body))
    if (queue === 'checks') return checkAgents(watchdog, checks.schema().parse(body).agents)
    reports.push(notices.schema().parse(body))
    return Promise.resolve()
  }

  /**
   * Delivers one due message.
   * @returns false if no message is due
   */
  async function deliver(): Promise<boolean> {
    const letter = mail.take(chaos)
    if (letter === undefined) return false
    try {
      await consume(letter)
    } catch (error) {
      // If a consumer dies or the engine is down, the message comes again. Any other error fails the test.
      if (!isExpected(error) && host.isUp()) throw error
      mail.back(letter)
    }
    return true
  }

  const world = {
    dir,
    table,
    mail,
    host,
    random,
    newProcess,
    deliver,
    config,
    /** The notices in the order of their arrival. */
    told: reports,

    /** Advances the clock, and runs the watchdog's rounds. */
    async pass(seconds: number): Promise<void> {
      offset += seconds * 1000
      const { watchdog } = newProcess()
      const now = Date.now()
      const minute = { ...watchdog, waiting: async () => 0 }
      await tick(minute, { now, at: now }).catch(expected)
    },

    /** Ends all faults. */
    async calm(): Promise<void> {
      chaos = false
      if (!host.isUp()) await host.start()
    },

    /** Delivers due messages until no message is in transit, without advancing the clock. */
    async untilQuiet(): Promise<void> {
      for (;;) {
        if (await deliver()) continue
        if (calls.open === 0 && (!host.isUp() || (await host.isQuiet()))) return
        await wait(10)
      }
    },
  }
  const stored = resources.move()
  return { ...world, [Symbol.asyncDispose]: () => stored.disposeAsync() }
}

export type World = Awaited<ReturnType<typeof startWorld>>

function isExpected(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isExpected)
  return error instanceof Killed
}

/**
 * Ignores the error of a killed process.
 * @throws any other error
 */
export function expected(error: unknown): void {
  if (!isExpected(error)) throw error
}
