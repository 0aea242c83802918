import { availableParallelism } from 'node:os'
import { expect, test } from 'vitest'
import { openEngine, processesOf, server, sleeper, tempDir, until } from '../testing/harness.ts'

const onLinux = process.platform === 'linux'

test('a task goes from PROVISIONING to HEALTHY to STOPPED, each change an event', async () => {
  await using dir = await tempDir()
  await using engine = await openEngine(dir.path)

  const task = await engine.runWith({ EXIT_ON_TERM: '7' }, { startedBy: 'agt_1' })
  expect(task).toMatchObject({ lastStatus: 'PROVISIONING', desiredStatus: 'RUNNING', version: 1 })
  expect(task.taskArn).toMatch(/^arn:aws:ecs:us-east-1:000000000000:task\/test\/[0-9a-f]{32}$/)
  expect(task.createdAt).toBeInstanceOf(Date)

  await engine.told(task, { healthStatus: 'HEALTHY' })
  const [container] = (await engine.describe(task)).containers ?? []
  expect(container).toMatchObject({ name: 'agent', lastStatus: 'RUNNING', healthStatus: 'HEALTHY' })
  expect(container?.networkBindings).toEqual([
    { bindIP: '127.0.0.1', containerPort: 18789, hostPort: expect.any(Number), protocol: 'tcp' },
  ])
  expect(await engine.ask(task, '/environment')).toContain(task.taskArn)

  const { task: stopping } = await engine.stop(task, 'enough')
  expect(stopping).toMatchObject({ lastStatus: 'STOPPING', desiredStatus: 'STOPPED' })
  await engine.told(task, { lastStatus: 'STOPPED' })

  expect(
    engine
      .detailsOf(task)
      .map(({ version, lastStatus, healthStatus }) => [version, lastStatus, healthStatus]),
  ).toEqual([
    [1, 'PROVISIONING', 'UNKNOWN'],
    [2, 'PENDING', 'UNKNOWN'],
    [3, 'RUNNING', 'UNKNOWN'],
    [4, 'RUNNING', 'HEALTHY'],
    [5, 'STOPPING', 'HEALTHY'],
    [6, 'STOPPED', 'UNKNOWN'],
  ])
  const last = engine.events.at(-1)
  expect(last).toMatchObject({
    version: '0',
    source: 'aws.ecs',
    'detail-type': 'ECS Task State Change',
    account: '000000000000',
    region: 'us-east-1',
    resources: [task.taskArn],
    detail: {
      clusterArn: 'arn:aws:ecs:us-east-1:000000000000:cluster/test',
      startedBy: 'agt_1',
      group: 'family:server',
      desiredStatus: 'STOPPED',
      stopCode: 'UserInitiated',
      stoppedReason: 'enough',
      attachments: [],
      containers: [{ name: 'agent', exitCode: 7, lastStatus: 'STOPPED' }],
    },
  })
  expect(new Set(engine.events.map(({ id }) => id)).size).toBe(engine.events.length)
  expect(new Date(String(last?.detail['stoppedAt'])).toISOString()).toBe(last?.detail['stoppedAt'])
})

test('a process that exits by itself stops its task with its exit code', async () => {
  await using dir = await tempDir()
  await using engine = await openEngine(dir.path)
  const task = await engine.run()
  await engine.told(task, { healthStatus: 'HEALTHY' })
  await engine.ask(task, '/exit?code=3').catch(() => {})
  expect(await engine.told(task, { lastStatus: 'STOPPED' })).toMatchObject({
    stopCode: 'EssentialContainerExited',
    stoppedReason: 'Essential container in task exited',
    containers: [{ exitCode: 3 }],
  })
})

test('a process killed by a signal stops its task with 128 and the signal', async () => {
  await using dir = await tempDir()
  await using engine = await openEngine(dir.path)
  const task = await engine.run({ taskDefinition: 'sleeper' })
  await engine.told(task, { lastStatus: 'RUNNING' })
  await engine.stop(task)
  expect(await engine.told(task, { lastStatus: 'STOPPED' })).toMatchObject({
    containers: [{ exitCode: 143 }],
  })
})

test('a suspended process ends by SIGTERM, too', async () => {
  await using dir = await tempDir()
  await using engine = await openEngine(dir.path)
  const task = await engine.run({ taskDefinition: 'sleeper' })
  const { containers } = await engine.told(task, { lastStatus: 'RUNNING' })
  const [container] = containers as { runtimeId: string }[]
  process.kill(Number(container?.runtimeId), 'SIGSTOP')
  await engine.stop(task)
  // 137 would mean that the stop timeout had passed.
  expect(await engine.told(task, { lastStatus: 'STOPPED' })).toMatchObject({
    containers: [{ exitCode: 143 }],
  })
})

test('a process that ignores SIGTERM is killed after its stop timeout', async () => {
  await using dir = await tempDir()
  await using engine = await openEngine(dir.path, {
    families: { server: { ...server, stopTimeoutSeconds: 1 } },
  })
  const task = await engine.runWith({ IGNORE_TERM: '1' })
  await engine.told(task, { healthStatus: 'HEALTHY' })
  const before = performance.now()
  await engine.stop(task, 'first')
  await engine.stop(task, 'second')
  const stopped = await engine.told(task, { lastStatus: 'STOPPED' })
  expect(performance.now() - before).toBeGreaterThan(990)
  expect(stopped).toMatchObject({ stoppedReason: 'first', containers: [{ exitCode: 137 }] })

  const { task: again } = await engine.stop(task, 'third')
  expect(again).toMatchObject({ stoppedReason: 'first', version: stopped['version'] })
})

test.each([
  ['program', { command: ['no-such-program'] }],
  ['folder', { command: ['sleep', '600'], cwd: '/no/such/folder' }],
])('a task without its %s fails to start', async (_, broken) => {
  await using dir = await tempDir()
  await using engine = await openEngine(dir.path, {
    families: { broken: { ...server, ...broken } },
  })
  const task = await engine.run({ taskDefinition: 'broken' })
  expect(await engine.told(task, { lastStatus: 'STOPPED' })).toMatchObject({
    stopCode: 'TaskFailedToStart',
    containers: [{ reason: expect.stringContaining('CannotStartContainerError') }],
  })
  expect(engine.detailsOf(task).map(({ lastStatus }) => lastStatus)).not.toContain('RUNNING')
})

test('a task stopped before it started never runs', async () => {
  await using dir = await tempDir()
  await using engine = await openEngine(dir.path)
  const tasks = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const task = await engine.run({ taskDefinition: 'sleeper' })
      await engine.stop(task)
      return task
    }),
  )
  for (const task of tasks) {
    expect(await engine.told(task, { lastStatus: 'STOPPED' })).toMatchObject({
      stopCode: 'UserInitiated',
    })
    expect(engine.detailsOf(task).at(-1)).toMatchObject({ lastStatus: 'STOPPED' })
  }
})

test('health follows the container’s responses', async () => {
  await using dir = await tempDir()
  await using engine = await openEngine(dir.path, {
    families: { server: { ...server, healthCheck: { interval: 0.05, retries: 3 } } },
  })
  const task = await engine.run()
  await engine.told(task, { healthStatus: 'HEALTHY' })
  await engine.ask(task, '/ready?is=false')
  await engine.told(task, { healthStatus: 'UNHEALTHY', lastStatus: 'RUNNING' })
  await engine.ask(task, '/ready?is=true')
  await until('health again', () => engine.detailsOf(task).length === 6)
  expect(engine.detailsOf(task).map(({ healthStatus }) => healthStatus)).toEqual([
    'UNKNOWN',
    'UNKNOWN',
    'UNKNOWN',
    'HEALTHY',
    'UNHEALTHY',
    'HEALTHY',
  ])
})

test('a container that never responds becomes UNHEALTHY after start period and retries', async () => {
  await using dir = await tempDir()
  const healthCheck = { startPeriod: 0.1, interval: 0.05, retries: 2 }
  await using engine = await openEngine(dir.path, {
    families: { sleeper: { ...sleeper, healthPath: '/readyz', healthCheck } },
  })
  const before = Date.now()
  const task = await engine.run({ taskDefinition: 'sleeper' })
  const { updatedAt } = await engine.told(task, { healthStatus: 'UNHEALTHY' })
  expect(Date.parse(String(updatedAt)) - before).toBeGreaterThanOrEqual(190)
})

test.runIf(onLinux)('the processes of a task end with it, also outside of its group', async () => {
  await using dir = await tempDir()
  await using engine = await openEngine(dir.path)
  const task = await engine.runWith({ STRAY: '1' })
  await engine.told(task, { healthStatus: 'HEALTHY' })
  expect((await processesOf(dir.path)).size).toBe(2)
  await engine.ask(task, '/exit?code=0').catch(() => {})
  await engine.told(task, { lastStatus: 'STOPPED' })
  await until('no process', async () => (await processesOf(dir.path)).size === 0)
})

test('no two live tasks share a port', async () => {
  await using dir = await tempDir()
  await using engine = await openEngine(dir.path)
  const tasks = await Promise.all(
    Array.from({ length: 40 }, () => engine.run({ taskDefinition: 'sleeper' })),
  )
  const ports = await Promise.all(
    tasks.map(async (task) => {
      const detail = await engine.told(task, { lastStatus: 'RUNNING' })
      return JSON.stringify(detail['containers']).match(/"hostPort":(\d+)/)?.[1]
    }),
  )
  expect(new Set(ports).size).toBe(40)
})

test('tasks above the concurrency of starts wait, healthy or not', async () => {
  await using dir = await tempDir()
  await using engine = await openEngine(dir.path, {
    families: { sleeper: { ...sleeper, healthPath: '/readyz' } },
  })
  const count = 4 * Math.max(2, availableParallelism()) + 1
  const tasks = await Promise.all(
    Array.from({ length: count }, () => engine.run({ taskDefinition: 'sleeper' })),
  )
  const running = await Promise.all(
    tasks.map((task) => engine.told(task, { lastStatus: 'RUNNING' })),
  )
  const starts = running.map(({ startedAt }) => Date.parse(String(startedAt)))
  expect(Math.max(...starts) - Math.min(...starts)).toBeGreaterThan(900)
})

test(
  'closing ends 100 tasks in time, including tasks that ignore signals',
  { timeout: 120_000 },
  async () => {
    await using dir = await tempDir()
    const command = ['/bin/sh', '-c', 'trap "" TERM; while :; do sleep 600; done']
    const engine = await openEngine(dir.path, {
      families: { sleeper, stubborn: { ...sleeper, command, stopTimeoutSeconds: 1 } },
    })
    const tasks = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        engine.run({ taskDefinition: index % 2 ? 'sleeper' : 'stubborn' }),
      ),
    )
    for (const task of tasks) await engine.told(task, { lastStatus: 'RUNNING' })
    const before = performance.now()
    await engine[Symbol.asyncDispose]()
    // Sequential stops of the fifty stubborn tasks would take fifty seconds.
    expect(performance.now() - before).toBeLessThan(25_000)
    expect(onLinux ? await processesOf(dir.path) : new Map()).toEqual(new Map())

    await using next = await openEngine(dir.path)
    for (const task of tasks) {
      expect(await next.describe(task)).toMatchObject({
        lastStatus: 'STOPPED',
        stopCode: 'TerminationNotice',
      })
    }
  },
)
