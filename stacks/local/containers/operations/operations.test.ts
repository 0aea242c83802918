import {
  DescribeClustersCommand,
  DescribeTaskDefinitionCommand,
  DescribeTasksCommand,
  ListClustersCommand,
  ListTasksCommand,
  paginateListTasks,
  RegisterTaskDefinitionCommand,
  RunTaskCommand,
  StopTaskCommand,
  TagResourceCommand,
} from '@aws-sdk/client-ecs'
import { expect, test } from 'vitest'
import { cluster, openEngine, sleeper, tempDir } from '../testing/harness.ts'

const definition = 'sleeper'

test('20 identical concurrent RunTasks start one task', async () => {
  await using dir = await tempDir()
  await using engine = await openEngine(dir.path)
  const input = { taskDefinition: definition, clientToken: 'agt_1-1', startedBy: 'agt_1' }
  const tasks = await Promise.all(Array.from({ length: 20 }, () => engine.run(input)))
  expect(new Set(tasks.map(({ taskArn }) => taskArn)).size).toBe(1)

  const [task] = tasks
  if (!task) throw new Error('No task')
  await engine.told(task, { lastStatus: 'RUNNING' })
  await engine.stop(task)
  await engine.told(task, { lastStatus: 'STOPPED' })
  expect(await engine.run(input)).toMatchObject({ taskArn: task.taskArn, lastStatus: 'STOPPED' })
  expect(engine.events.filter(({ detail }) => detail['version'] === 1)).toHaveLength(1)
})

test('a client token with other parameters is a conflict that names the task', async () => {
  await using dir = await tempDir()
  await using engine = await openEngine(dir.path)
  const input = { taskDefinition: definition, clientToken: 'agt_1-1' }
  const task = await engine.run(input)
  for (const other of [{ startedBy: 'agt_2' }, { count: 2 }, { taskDefinition: 'sleeper:1' }]) {
    await expect(engine.run({ ...input, ...other })).rejects.toMatchObject({
      name: 'ConflictException',
      resourceIds: [task.taskArn],
    })
  }
})

test('overrides replace command and environment, and are returned', async () => {
  await using dir = await tempDir()
  await using engine = await openEngine(dir.path)
  const task = await engine.run({
    taskDefinition: definition,
    overrides: {
      cpu: '1024',
      memory: '4096',
      containerOverrides: [
        {
          name: 'agent',
          command: ['/bin/sh', '-c', 'echo "$GREETING"; exit 9'],
          environment: [{ name: 'GREETING', value: 'hello' }],
        },
      ],
    },
  })
  expect(await engine.told(task, { lastStatus: 'STOPPED' })).toMatchObject({
    cpu: '1024',
    memory: '4096',
    overrides: { containerOverrides: [{ environment: [{ name: 'GREETING', value: 'hello' }] }] },
    containers: [{ exitCode: 9 }],
  })
  const id = task.taskArn?.split('/').at(-1) ?? ''
  expect(await engine.readLogs(id)).toMatchObject([{ text: 'hello' }])
})

test('RunTask starts the requested number, and reports tasks without room', async () => {
  await using dir = await tempDir()
  await using engine = await openEngine(dir.path, { capacity: () => 3 })
  const run = new RunTaskCommand({ cluster, taskDefinition: definition, count: 5 })
  const { tasks, failures } = await engine.client.send(run)
  expect(tasks).toHaveLength(3)
  expect(failures).toHaveLength(2)
  expect(failures?.[0]?.reason).toContain('Capacity is unavailable')
  const again = await engine.client.send(run)
  expect([again.tasks?.length, again.failures?.length]).toEqual([0, 5])
})

test('RunTask has no spare capacity if a test configures it, and is otherwise unchanged', async () => {
  await using dir = await tempDir()
  await using engine = await openEngine(dir.path, { trouble: () => ({ noSpot: true }) })
  const run = (capacityProvider: string) =>
    engine.client.send(
      new RunTaskCommand({
        cluster,
        taskDefinition: definition,
        capacityProviderStrategy: [{ capacityProvider }],
      }),
    )
  expect(await run('FARGATE_SPOT')).toMatchObject({
    tasks: [],
    failures: [{ reason: expect.stringContaining('Capacity is unavailable') }],
  })
  const { tasks = [] } = await run('FARGATE')
  expect(tasks).toMatchObject([{ capacityProviderName: 'FARGATE', launchType: 'FARGATE' }])
})

test.each([
  [
    'a launch type beside a strategy',
    { launchType: 'FARGATE' as const, capacityProviderStrategy: [{ capacityProvider: 'FARGATE' }] },
    'InvalidParameterException',
  ],
  ['an unknown family', { taskDefinition: 'nothing' }, 'ClientException'],
  ['an unknown revision', { taskDefinition: 'sleeper:7' }, 'ClientException'],
  ['another cluster', { cluster: 'other' }, 'ClusterNotFoundException'],
  ['no cluster', { cluster: undefined }, 'ClusterNotFoundException'],
  ['eleven tasks', { count: 11 }, 'InvalidParameterException'],
  ['no task', { count: 0 }, 'InvalidParameterException'],
  ['a long client token', { clientToken: 'x'.repeat(65) }, 'InvalidParameterException'],
  ['a path as starter', { startedBy: '../../escape' }, 'InvalidParameterException'],
  ['dots as starter', { startedBy: '..' }, 'InvalidParameterException'],
  ['a slash in the starter', { startedBy: 'a/b' }, 'InvalidParameterException'],
  ['a long starter', { startedBy: 'a'.repeat(129) }, 'InvalidParameterException'],
  [
    'an override without a container',
    { overrides: { containerOverrides: [{ name: 'stranger' }] } },
    'InvalidParameterException',
  ],
  [
    'a NUL in the command',
    { overrides: { containerOverrides: [{ name: 'agent', command: ['a\0b'] }] } },
    'InvalidParameterException',
  ],
  [
    'too large an override',
    {
      overrides: {
        containerOverrides: [
          { name: 'agent', environment: [{ name: 'A', value: '"'.repeat(4096) }] },
        ],
      },
    },
    'InvalidParameterException',
  ],
  [
    'an invalid variable name',
    {
      overrides: {
        containerOverrides: [{ name: 'agent', environment: [{ name: 'A=B', value: '' }] }],
      },
    },
    'InvalidParameterException',
  ],
])('RunTask rejects %s', async (_, input, name) => {
  await using dir = await tempDir()
  await using engine = await openEngine(dir.path)
  await expect(engine.run({ taskDefinition: definition, ...input })).rejects.toMatchObject({ name })
  expect(await engine.client.send(new ListTasksCommand({ cluster }))).toMatchObject({
    taskArns: [],
  })
})

test('DescribeTasks reports missing tasks', async () => {
  await using dir = await tempDir()
  await using engine = await openEngine(dir.path)
  const task = await engine.run({ taskDefinition: definition })
  const missing = task.taskArn?.replace(/[^/]+$/, 'f'.repeat(32)) ?? ''
  const { tasks, failures } = await engine.client.send(
    new DescribeTasksCommand({ cluster, tasks: [task.taskArn ?? '', missing] }),
  )
  expect(tasks).toMatchObject([{ taskArn: task.taskArn }])
  expect(failures).toEqual([{ arn: missing, reason: 'MISSING' }])
  await expect(
    engine.client.send(new StopTaskCommand({ cluster, task: missing })),
  ).rejects.toMatchObject({ name: 'InvalidParameterException' })
})

test('DescribeClusters returns the one cluster and reports every other as missing', async () => {
  await using dir = await tempDir()
  await using engine = await openEngine(dir.path)
  const ask = (clusters: string[]) => engine.client.send(new DescribeClustersCommand({ clusters }))
  expect(await ask([cluster])).toMatchObject({
    clusters: [{ clusterName: cluster, status: 'ACTIVE' }],
    failures: [],
  })
  expect(await ask(['other'])).toMatchObject({ clusters: [], failures: [{ reason: 'MISSING' }] })
})

test('ListTasks filters and paginates', async () => {
  await using dir = await tempDir()
  await using engine = await openEngine(dir.path, {
    families: { sleeper, other: sleeper },
  })
  const started = []
  for (let index = 0; index < 7; index++) {
    const taskDefinition = index < 5 ? 'sleeper' : 'other'
    started.push(await engine.run({ taskDefinition, startedBy: `agt_${index % 2}` }))
  }
  const arns = started.map(({ taskArn }) => taskArn)
  const pages = []
  const pager = paginateListTasks({ client: engine.client, pageSize: 3 }, { cluster })
  for await (const { taskArns } of pager) pages.push(taskArns)
  expect(pages.map((page) => page?.length)).toEqual([3, 3, 1])
  expect(pages.flat()).toEqual(arns)

  const list = async (filter: object) =>
    (await engine.client.send(new ListTasksCommand({ cluster, ...filter }))).taskArns
  expect(await list({ family: 'other' })).toEqual(arns.slice(5))
  expect(await list({ startedBy: 'agt_1' })).toEqual([arns[1], arns[3], arns[5]])
  expect(await list({ startedBy: 'agt_1', family: 'other' })).toEqual([arns[5]])
  expect(await list({ desiredStatus: 'STOPPED' })).toEqual([])
  await engine.stop(started[0] ?? {})
  expect(await list({ desiredStatus: 'STOPPED' })).toEqual([arns[0]])
  await expect(list({ nextToken: 'bad' })).rejects.toMatchObject({
    name: 'InvalidParameterException',
  })
})

test('tags are kept until the task stops, and are never in events', async () => {
  await using dir = await tempDir()
  await using engine = await openEngine(dir.path)
  const tags = [{ key: 'agentId', value: 'agt_1' }]
  const task = await engine.run({ taskDefinition: definition, tags })
  const resourceArn = task.taskArn
  const more = [{ key: 'stage', value: 'local' }]
  await engine.client.send(new TagResourceCommand({ resourceArn, tags: more }))
  expect((await engine.describe(task)).tags).toEqual([...tags, ...more])
  const { tasks } = await engine.client.send(
    new DescribeTasksCommand({ cluster, tasks: [resourceArn ?? ''] }),
  )
  expect(tasks?.[0]?.tags).toEqual([])

  await engine.stop(task)
  const stopped = await engine.told(task, { lastStatus: 'STOPPED' })
  expect(stopped).not.toHaveProperty('tags')
  expect((await engine.describe(task)).tags).toEqual([])
  await expect(
    engine.client.send(new TagResourceCommand({ resourceArn, tags: more })),
  ).rejects.toMatchObject({ name: 'ResourceNotFoundException' })
})

test('a definition registered over the network runs', async () => {
  await using dir = await tempDir()
  await using engine = await openEngine(dir.path)
  const command = new RegisterTaskDefinitionCommand({
    family: 'wired',
    cpu: '512',
    containerDefinitions: [{ name: 'agent', command: ['/bin/sh', '-c', 'exit 4'] }],
  })
  const { taskDefinition } = await engine.client.send(command)
  expect(taskDefinition).toMatchObject({
    taskDefinitionArn: 'arn:aws:ecs:us-east-1:000000000000:task-definition/wired:1',
    revision: 1,
  })
  expect((await engine.client.send(command)).taskDefinition?.revision).toBe(2)
  const task = await engine.run({ taskDefinition: 'wired' })
  expect(task).toMatchObject({ cpu: '512', taskDefinitionArn: expect.stringMatching(/wired:2$/) })
  expect(await engine.told(task, { lastStatus: 'STOPPED' })).toMatchObject({
    containers: [{ exitCode: 4 }],
  })
})

test('a family gets a new revision when its definition changes, and only then', async () => {
  await using dir = await tempDir()
  const revisionWith = async (families: Record<string, typeof sleeper>) => {
    await using engine = await openEngine(dir.path, { families })
    const describe = new DescribeTaskDefinitionCommand({ taskDefinition: 'sleeper' })
    return (await engine.client.send(describe)).taskDefinition?.revision
  }
  expect(await revisionWith({ sleeper })).toBe(1)
  expect(await revisionWith({ sleeper: { ...sleeper } })).toBe(1)
  expect(await revisionWith({ sleeper: { ...sleeper, memory: 1024 } })).toBe(2)
})

test('the server rejects unknown operations', async () => {
  await using dir = await tempDir()
  await using engine = await openEngine(dir.path)
  await expect(engine.client.send(new ListClustersCommand({}))).rejects.toMatchObject({
    name: 'UnknownOperationException',
    $metadata: { httpStatusCode: 400 },
  })
  const send = (body: string, init: RequestInit = {}) =>
    fetch(engine.endpoint, {
      method: 'POST',
      headers: { 'x-amz-target': 'AmazonEC2ContainerServiceV20141113.ListTasks' },
      body,
      ...init,
    })
  expect((await send('{')).status).toBe(400)
  expect((await send('[]')).status).toBe(400)
  expect((await send(JSON.stringify({ cluster: 'x'.repeat(2 ** 20) }))).status).toBe(400)
  expect((await fetch(engine.endpoint)).status).toBe(404)
  expect((await send('{}', { headers: {} })).status).toBe(400)
})
