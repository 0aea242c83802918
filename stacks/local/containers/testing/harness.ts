import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import {
  DescribeTasksCommand,
  ECSClient,
  RunTaskCommand,
  StopTaskCommand,
  type RunTaskCommandInput,
  type Task,
} from '@aws-sdk/client-ecs'
import type { Family } from '../family.ts'
import type { EventBridgeEvent } from '../outbox/event.ts'
import { startContainers, type ContainersOptions } from '../start.ts'

export const cluster = 'test'

/** A family of the test server. */
export const server: Family = {
  command: [process.execPath, fileURLToPath(new URL('server.ts', import.meta.url))],
  containerName: 'agent',
  // Longer than any test, so that no process is killed that would end at SIGTERM.
  stopTimeoutSeconds: 60,
  cpu: 256,
  memory: 512,
}

/** A family that only sleeps: cheap, and without a health check. */
export const sleeper: Family = { ...server, command: ['sleep', '600'], healthPath: null }

/** The families that every test engine has. */
export const families = { server, sleeper }

/** Creates a folder that is removed after the test. */
export async function tempDir(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'containers-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** Returns the real SDK's client for an engine. */
export function clientOf(endpoint: string): ECSClient {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' }
  return new ECSClient({ endpoint, region: 'us-east-1', credentials })
}

/** Polls until `read` returns a value. */
export async function until<T>(
  what: string,
  read: () => T | undefined | false | Promise<T | undefined | false>,
  deadlineMs = 30_000,
): Promise<T> {
  const deadline = performance.now() + deadlineMs
  for (;;) {
    const value = await read()
    if (value !== undefined && value !== false) return value
    if (performance.now() > deadline) throw new Error(`Timed out waiting for ${what}`)
    await sleep(10)
  }
}

type Detail = Record<string, unknown>

/** Starts an engine in this process, with its client and its delivered events. */
export async function openEngine(dir: string, options: Partial<ContainersOptions> = {}) {
  const events: EventBridgeEvent[] = []
  const containers = await startContainers({
    dir,
    cluster,
    families,
    onTaskEvent: async (event) => {
      events.push(event)
    },
    ...options,
  })
  const client = clientOf(containers.endpoint)

  const run = async (input: Partial<RunTaskCommandInput> = {}): Promise<Task> => {
    const command = new RunTaskCommand({ cluster, taskDefinition: 'server', ...input })
    const { tasks } = await client.send(command)
    if (!tasks?.[0]) throw new Error('No task was started')
    return tasks[0]
  }
  const runWith = (environment: Record<string, string>, input: Partial<RunTaskCommandInput> = {}) =>
    run({
      overrides: {
        containerOverrides: [
          {
            name: 'agent',
            environment: Object.entries(environment).map(([name, value]) => ({ name, value })),
          },
        ],
      },
      ...input,
    })
  const describe = async (task: Task): Promise<Task> => {
    const { tasks } = await client.send(
      new DescribeTasksCommand({ cluster, tasks: [task.taskArn ?? ''], include: ['TAGS'] }),
    )
    if (!tasks?.[0]) throw new Error(`${task.taskArn} is missing`)
    return tasks[0]
  }
  const detailsOf = (task: Task): Detail[] =>
    events.map(({ detail }) => detail).filter(({ taskArn }) => taskArn === task.taskArn)

  return {
    ...containers,
    client,
    events,
    run,
    runWith,
    describe,
    detailsOf,
    stop: (task: Task, reason?: string) =>
      client.send(new StopTaskCommand({ cluster, task: task.taskArn, reason })),
    /** Waits for an event with this state and returns its detail. */
    told: (task: Task, state: Detail) =>
      until(`an event ${JSON.stringify(state)}`, () =>
        detailsOf(task).find((detail) =>
          Object.entries(state).every(([name, value]) => detail[name] === value),
        ),
      ),
    /** Sends a request to the task's server. */
    ask: async (task: Task, path: string): Promise<string> => {
      const port = (await describe(task)).containers?.[0]?.networkBindings?.[0]?.hostPort
      return (await fetch(`http://127.0.0.1:${port}${path}`)).text()
    },
    [Symbol.asyncDispose]: async () => {
      client.destroy()
      await containers.close()
    },
  }
}

/** Returns the marked processes of the tasks of this folder's engine: pid to task ARN (Linux). */
export async function processesOf(dir: string): Promise<Map<number, string>> {
  const found = new Map<number, string>()
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const environ = await readFile(`/proc/${name}/environ`, 'latin1').catch(() => '')
    const entries = environ.split('\0')
    const arn = entries.find((entry) => entry.startsWith('ECS_TASK_ARN='))
    if (arn !== undefined && entries.some((entry) => entry.startsWith(`WORKSPACE_DIR=${dir}/`))) {
      found.set(Number(name), arn.slice('ECS_TASK_ARN='.length))
    }
  }
  return found
}
