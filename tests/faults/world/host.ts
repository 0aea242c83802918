import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { DescribeTasksCommand, ECSClient, paginateListTasks, type Task } from '@aws-sdk/client-ecs'
import type { SimulatedFaults } from '#stacks/local/containers/engine.ts'
import { agentProcesses } from '#tests/support/stack/processes.ts'
import { startFront } from './front.ts'

export const cluster = 'world'

/** The agents' image, the images for updates, and an image that exits immediately. */
export const good = 'registry.example/agent:1.2.3'
export const other = 'registry.example/agent:2.0.0'
export const crashing = 'registry.example/crashing:1'

const script = fileURLToPath(new URL('engine.ts', import.meta.url))

/** The maximum number of tasks in one DescribeTasks call. */
const page = 100

/** Starts a container engine whose process a test can kill and restart over the same state. */
export async function startHost(dir: string, onEvent: (event: unknown) => void) {
  let child: ChildProcess | undefined
  let port: number | undefined
  const front = await startFront(() => port)
  const { endpoint } = front
  const client = new ECSClient({ endpoint })
  let heardAt = performance.now()
  let answered: (() => void) | undefined

  async function start(): Promise<void> {
    const started = fork(script, [dir], {
      execArgv: ['--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    started.on('message', ({ event, answer }: { event?: unknown; answer?: true }) => {
      if (answer) return answered?.()
      heardAt = performance.now()
      if (event !== undefined) onEvent(event)
    })
    child = started
    port = await new Promise<number>((resolve, reject) => {
      started.on('message', ({ ready }: { ready?: number }) => ready && resolve(ready))
      started.once('exit', (code) => reject(new Error(`the engine ended with ${code}`)))
    })
  }

  async function kill(): Promise<void> {
    const killed = child
    child = undefined
    port = undefined
    if (killed === undefined) return
    const exit = once(killed, 'exit')
    killed.kill('SIGKILL')
    await exit
    front.cut()
  }

  /** Returns every task with this desired status. */
  async function tasks(desiredStatus: 'RUNNING' | 'STOPPED' = 'RUNNING'): Promise<Task[]> {
    const arns: string[] = []
    for await (const { taskArns = [] } of paginateListTasks({ client }, { cluster, desiredStatus }))
      arns.push(...taskArns)
    const found: Task[] = []
    for (let i = 0; i < arns.length; i += page) {
      const command = new DescribeTasksCommand({ cluster, tasks: arns.slice(i, i + page) })
      found.push(...((await client.send(command)).tasks ?? []))
    }
    return found
  }

  /** Waits until every event that the engine has sent so far has arrived; the channel keeps their order. */
  function hearAll(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    answered = resolve
    child?.send({ ask: true })
    return promise
  }

  /** Sets the host's only fault from now on. */
  async function suffer(trouble: SimulatedFaults): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    answered = resolve
    child?.send({ trouble })
    await promise
  }

  /** Returns whether no task is starting or stopping, and no event is in transit. */
  async function isQuiet(): Promise<boolean> {
    const before = heardAt
    if (performance.now() - before < 50) return false
    const all = await tasks()
    // The engine notices the end of a killed process a moment later.
    const alive = new Set(agentProcesses(dir).map(({ taskArn }) => taskArn))
    const settled = all.every(
      ({ taskArn = '', lastStatus, healthStatus }) =>
        lastStatus === 'RUNNING' && healthStatus === 'HEALTHY' && alive.has(taskArn),
    )
    if (!settled) return false
    // A stopping task is no longer listed with desired status RUNNING, but its end is still to come.
    const ending = await tasks('STOPPED')
    if (ending.some(({ lastStatus }) => lastStatus !== 'STOPPED')) return false
    await hearAll()
    return heardAt === before
  }

  await start()
  return {
    endpoint,
    start,
    kill,
    tasks,
    isQuiet,
    suffer,
    isUp: () => child !== undefined,
    async close(): Promise<void> {
      // Only an engine can end the tasks that it has or finds.
      if (child === undefined) await start()
      const exit = child && once(child, 'exit')
      child?.send('end')
      await exit
      client.destroy()
      await front.close()
    },
  }
}
