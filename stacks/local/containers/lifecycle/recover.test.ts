import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { DescribeTasksCommand, RunTaskCommand, type ECSClient } from '@aws-sdk/client-ecs'
import { expect, test } from 'vitest'
import type { EventBridgeEvent } from '../outbox/event.ts'
import { clientOf, cluster, openEngine, processesOf, tempDir, until } from '../testing/harness.ts'

const onLinux = process.platform === 'linux'
const taskCount = 30

/** Starts an engine in its own process. */
async function spawnEngine(dir: string) {
  const script = fileURLToPath(new URL('../testing/engine.ts', import.meta.url))
  const child = spawn(process.execPath, [script, dir], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [endpoint] = (await once(createInterface(child.stdout), 'line')) as [string]
  const client = clientOf(endpoint)
  const exited = once(child, 'exit')
  const kill = async () => {
    child.kill('SIGKILL')
    await exited
    client.destroy()
  }
  return { client, kill, [Symbol.asyncDispose]: kill }
}

const runAll = (client: ECSClient) =>
  Promise.all(
    Array.from({ length: taskCount }, async (_, index) => {
      const run = new RunTaskCommand({
        cluster,
        taskDefinition: 'sleeper',
        clientToken: `token-${index}`,
        startedBy: `agt_${index}`,
      })
      return (await client.send(run)).tasks?.[0]?.taskArn
    }).map((sent) => sent.catch(() => undefined)),
  )

/** Returns the versions of each task in events, and the last status. */
function readTold(dir: string) {
  const told = new Map<string, { versions: Set<number>; lastStatus: unknown }>()
  using db = new DatabaseSync(join(dir, 'told.db'), { readOnly: true, timeout: 5000 })
  for (const { event } of db.prepare('SELECT event FROM told ORDER BY rowid').iterate()) {
    const { detail } = JSON.parse(String(event)) as EventBridgeEvent
    const arn = String(detail['taskArn'])
    const { versions } = told.get(arn) ?? { versions: new Set<number>() }
    versions.add(Number(detail['version']))
    told.set(arn, { versions, lastStatus: detail['lastStatus'] })
  }
  return told
}

test.runIf(onLinux).each([0, 10, 30, 60, 100, 160])(
  'an engine killed %i ms after it began to start tasks orphans no task, starts none twice, loses no event',
  async (delay) => {
    await using dir = await tempDir()
    await using doomed = await spawnEngine(dir.path)
    const answers = runAll(doomed.client)
    await sleep(delay + Math.random() * 20)
    await doomed.kill()
    const acknowledged = await answers

    {
      await using engine = await spawnEngine(dir.path)
      expect(await processesOf(dir.path)).toEqual(new Map())
      const again = await runAll(engine.client)
      expect(new Set(again).size).toBe(taskCount)
      expect(again).toEqual(acknowledged.map((arn, index) => arn ?? again[index]))

      const settled = await until('every task to run or to have stopped', async () => {
        const tasks = again.map((arn) => arn ?? '')
        const described = await engine.client.send(new DescribeTasksCommand({ cluster, tasks }))
        const rest = described.tasks?.filter(
          ({ lastStatus = '' }) => !['RUNNING', 'STOPPED'].includes(lastStatus),
        )
        return rest?.length === 0 && described.tasks
      })
      expect(settled).toHaveLength(taskCount)
      const running = settled.filter(({ lastStatus }) => lastStatus === 'RUNNING')
      const processes = await until('the processes to be there', async () => {
        const found = await processesOf(dir.path)
        return found.size >= running.length && found
      })
      expect([...processes.values()].toSorted()).toEqual(
        running.map(({ taskArn = '' }) => taskArn).toSorted(),
      )

      await until('every event', () => {
        const told = readTold(dir.path)
        return settled.every(({ taskArn = '', version, lastStatus }) => {
          const seen = told.get(taskArn)
          return seen?.versions.size === version && seen?.lastStatus === lastStatus
        })
      })
      const stopped = settled.filter(({ lastStatus }) => lastStatus === 'STOPPED')
      const noticed = {
        stopCode: 'TerminationNotice',
        stoppedReason: expect.stringMatching(/restarted/),
      }
      expect(stopped).toEqual(stopped.map(() => expect.objectContaining(noticed)))
    }
    // The killed engine's last tasks still run until the next engine ends them.
    await using last = await openEngine(dir.path)
    expect(last.port).toBeGreaterThan(0)
    expect(await processesOf(dir.path)).toEqual(new Map())
  },
)

test.runIf(onLinux)('a process that now has the pid of an ended task is not killed', async () => {
  await using dir = await tempDir()
  await using doomed = await spawnEngine(dir.path)
  const run = new RunTaskCommand({ cluster, taskDefinition: 'sleeper' })
  const { tasks } = await doomed.client.send(run)
  // A process exists before it is recorded.
  await until('the task to run', async () => {
    const describe = new DescribeTasksCommand({ cluster, tasks: [tasks?.[0]?.taskArn ?? ''] })
    return (await doomed.client.send(describe)).tasks?.[0]?.lastStatus === 'RUNNING'
  })
  const [pid] = (await processesOf(dir.path)).keys()
  await doomed.kill()

  const bystander = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' })
  const exit = once(bystander, 'exit')
  const db = new DatabaseSync(join(dir.path, 'engine.db'))
  const { changes } = db
    .prepare('UPDATE task SET pid = ? WHERE pid = ?')
    .run(bystander.pid ?? 0, pid ?? 0)
  db.close()
  expect(changes).toBe(1)

  await using engine = await openEngine(dir.path)
  bystander.kill('SIGTERM')
  expect(await exit).toEqual([null, 'SIGTERM'])
  expect(await engine.describe(tasks?.[0] ?? {})).toMatchObject({ stopCode: 'TerminationNotice' })
  // The task's process is identified by its mark, even if the record is wrong.
  expect(await processesOf(dir.path)).toEqual(new Map())
})
