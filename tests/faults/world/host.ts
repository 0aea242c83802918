import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { DescribeTasksCommand, ECSClient, paginateListTasks, type Task } from '@aws-sdk/client-ecs'
import type { Trouble } from '../../../stacks/local/containers/engine.ts'
import { agentProcesses } from '../../support/processes.ts'
import { startFront } from './front.ts'

export const cluster = 'world'

/** What agents run on, what they may be updated to, and what ends as soon as it is started. */
export const good = 'registry.example/agent:1.2.3'
export const other = 'registry.example/agent:2.0.0'
export const crashing = 'registry.example/crashing:1'

const script = fileURLToPath(new URL('engine.ts', import.meta.url))

/** The most that one DescribeTasks takes. */
const page = 100

/** A container engine whose process can be killed and started again over what it left. */
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

  /** Every task that is to run, or every one that is to end or has ended. */
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

  /** Waits until everything is here that the engine has told so far: what it says comes in order. */
  function hearAll(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    answered = resolve
    child?.send({ ask: true })
    return promise
  }

  /** From now on the host suffers from this and nothing else. */
  async function suffer(trouble: Trouble): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    answered = resolve
    child?.send({ trouble })
    await promise
  }

  /** Whether nothing is on its way up or down, and no event of it on its way here. */
  async function isQuiet(): Promise<boolean> {
    const before = heardAt
    if (performance.now() - before < 50) return false
    const all = await tasks()
    // The engine sees the end of a killed process a moment after it.
    const alive = new Set(agentProcesses(dir).map(({ taskArn }) => taskArn))
    const settled = all.every(
      ({ taskArn = '', lastStatus, healthStatus }) =>
        lastStatus === 'RUNNING' && healthStatus === 'HEALTHY' && alive.has(taskArn),
    )
    if (!settled) return false
    // A task that was told to end is listed no more among those that are to run, and its end is still to come.
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
      // Only an engine ends the tasks that it has or finds.
      if (child === undefined) await start()
      const exit = child && once(child, 'exit')
      child?.send('end')
      await exit
      client.destroy()
      await front.close()
    },
  }
}
