import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { openEngine, processesOf, tempDir, until } from '../testing/harness.ts'

const onLinux = process.platform === 'linux'

test('a task does not inherit the engine’s environment', async () => {
  vi.stubEnv('INTERNAL_API_KEY', 'not for agents')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'nor this')
  await using dir = await tempDir()
  await using engine = await openEngine(dir.path)
  const task = await engine.runWith(
    { AGENT_ID: 'agt_1', GATEWAY_PORT: '1' },
    { startedBy: 'agt_1' },
  )
  await engine.told(task, { healthStatus: 'HEALTHY' })
  const seen = JSON.parse(await engine.ask(task, '/environment')) as Record<string, string>
  vi.unstubAllEnvs()

  const [binding] = (await engine.describe(task)).containers?.[0]?.networkBindings ?? []
  // The gate's shell adds PWD.
  const { PWD, ...rest } = seen
  expect(rest).toEqual({
    AGENT_ID: 'agt_1',
    ECS_TASK_ARN: task.taskArn,
    GATEWAY_PORT: String(binding?.hostPort),
    HOME: `${dir.path}/volumes/agt_1`,
    LANG: 'C.UTF-8',
    PATH: process.env['PATH'],
    TZ: 'UTC',
    WORKSPACE_DIR: `${dir.path}/volumes/agt_1`,
  })
  expect(PWD ?? rest['HOME']).toBe(rest['HOME'])
})

test('a volume outlives its tasks and the engine, and only its starter can use it', async () => {
  await using dir = await tempDir()
  {
    await using engine = await openEngine(dir.path)
    const task = await engine.run({ startedBy: 'agt_1' })
    await engine.told(task, { healthStatus: 'HEALTHY' })
    expect(await engine.ask(task, '/note?text=remember')).toBe('remember')
  }
  await using engine = await openEngine(dir.path)
  const next = await engine.run({ startedBy: 'agt_1' })
  await engine.told(next, { healthStatus: 'HEALTHY' })
  expect(await engine.ask(next, '/note')).toBe('remember')
  const other = await engine.run({ startedBy: 'agt_2' })
  await engine.told(other, { healthStatus: 'HEALTHY' })
  expect(await engine.ask(other, '/note')).toBe('')
})

test('a second engine cannot use a folder that one holds', async () => {
  await using dir = await tempDir()
  await using engine = await openEngine(dir.path)
  const task = await engine.run({ taskDefinition: 'sleeper' })
  await engine.told(task, { lastStatus: 'RUNNING' })
  await expect(openEngine(dir.path)).rejects.toThrow('locked')
  expect(await engine.describe(task)).toMatchObject({ lastStatus: 'RUNNING' })
})

test('a task whose log cannot be stored fails to start and leaves no process', async () => {
  await using dir = await tempDir()
  await writeFile(join(dir.path, 'logs'), 'in the way')
  await using engine = await openEngine(dir.path)
  const task = await engine.run({ taskDefinition: 'sleeper' })
  const stopped = await engine.told(task, { lastStatus: 'STOPPED' })
  expect(stopped).toMatchObject({ stopCode: 'TaskFailedToStart' })
  await until('no process', async () => !onLinux || (await processesOf(dir.path)).size === 0)
})

test('an engine whose port is in use releases its folder', async () => {
  await using dir = await tempDir()
  await using other = await tempDir()
  await using engine = await openEngine(dir.path)
  await expect(openEngine(other.path, { port: engine.port })).rejects.toThrow('EADDRINUSE')
  await using next = await openEngine(other.path)
  expect(next.port).not.toBe(engine.port)
})

test('stopped tasks are removed with their logs, but their client tokens are kept', async () => {
  await using dir = await tempDir()
  let now = Date.now()
  const options = { clock: () => now, stoppedRetentionMs: 60_000 }
  const input = { taskDefinition: 'sleeper', clientToken: 'agt_1-1' }
  const id = (arn = '') => arn.split('/').at(-1) ?? ''
  let arn: string | undefined
  {
    await using engine = await openEngine(dir.path, options)
    const task = await engine.run({
      ...input,
      overrides: { containerOverrides: [{ name: 'agent', command: ['echo', 'here'] }] },
    })
    arn = task.taskArn
    await engine.told(task, { lastStatus: 'STOPPED' })
    expect(await engine.readLogs(id(arn))).toMatchObject([{ text: 'here' }])
  }
  now += 59_000
  {
    await using engine = await openEngine(dir.path, options)
    expect(await engine.describe({ taskArn: arn })).toMatchObject({ lastStatus: 'STOPPED' })
  }
  now += 2000
  {
    await using engine = await openEngine(dir.path, options)
    await expect(engine.describe({ taskArn: arn })).rejects.toThrow('missing')
    expect(await engine.readLogs(id(arn))).toEqual([])
    await expect(engine.run(input)).rejects.toMatchObject({ resourceIds: [arn] })
  }
  now += 24 * 60 * 60 * 1000
  await using engine = await openEngine(dir.path, options)
  expect((await engine.run(input)).taskArn).not.toBe(arn)
})
