import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { useLocalCredentials } from '#tests/support/platform/credentials.ts'
import { runRequest as request } from '#tests/support/platform/run-request.ts'
import { ecsContainers } from './ecs.ts'

describe('over the wire', () => {
  let server: Server
  let requests: Record<string, unknown>[]
  /** The next responses of ECS, with their status. */
  let answers: { status?: number; body: object }[]

  beforeAll(async () => {
    useLocalCredentials()
    server = createServer(async (incoming, response) => {
      requests.push(JSON.parse(await text(incoming)) as Record<string, unknown>)
      const { status = 200, body } = answers.shift() ?? { status: 500, body: {} }
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' })
      response.end(JSON.stringify(body))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterAll(() => server.close())

  function containersWith(...given: typeof answers) {
    requests = []
    answers = given
    return containers()
  }

  function containers(options: { publicAddress?: boolean } = {}) {
    return ecsContainers({
      ...options,
      cluster: 'prod',
      familyPrefix: 'app-prod-',
      subnets: ['subnet-1', 'subnet-2'],
      securityGroups: ['sg-1'],
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    })
  }

  it('returns all other tasks if ECS rejects requests for one of them', async () => {
    const other = { __type: 'InvalidParameterException', message: 'Identifier is for cluster old.' }
    const task = { taskArn: 'a', lastStatus: 'RUNNING' }
    const refused = { status: 400, body: other }
    const { describe: look } = containersWith(refused, { body: { tasks: [task] } }, refused)
    const [observed, wrong] = await Promise.allSettled([look('a'), look('b')])
    expect(observed).toMatchObject({ status: 'fulfilled', value: { arn: 'a' } })
    expect(wrong).toMatchObject({ reason: { name: 'InvalidParameterException' } })
  })

  it('requests one Fargate task in the platform’s own network', async () => {
    const { run } = containersWith({ body: { tasks: [{ taskArn: 'a', lastStatus: 'PENDING' }] } })
    expect(await run(request())).toMatchObject({ arn: 'a', status: 'PENDING' })
    expect(requests).toEqual([
      {
        cluster: 'prod',
        taskDefinition: 'app-prod-agent-label',
        clientToken: 'token-1',
        startedBy: 'agt_1',
        launchType: 'FARGATE',
        count: 1,
        overrides: {
          containerOverrides: [
            { name: 'agent', environment: [{ name: 'AGENT_GENERATION', value: '1' }] },
          ],
        },
        tags: [{ key: 'agentId', value: 'agt_1' }],
        networkConfiguration: {
          awsvpcConfiguration: {
            subnets: ['subnet-1', 'subnet-2'],
            securityGroups: ['sg-1'],
            assignPublicIp: 'ENABLED',
          },
        },
      },
    ])
  })

  it('requests no public address if agents use NAT gateways', async () => {
    containersWith({ body: { tasks: [{ taskArn: 'a', lastStatus: 'PENDING' }] } })
    await containers({ publicAddress: false }).run(request())
    expect(requests[0]).toMatchObject({
      networkConfiguration: { awsvpcConfiguration: { assignPublicIp: 'DISABLED' } },
    })
  })

  it('requests spare capacity by a strategy, without a launch type', async () => {
    const { run } = containersWith({ body: { tasks: [{ taskArn: 'a', lastStatus: 'PENDING' }] } })
    await run(request({ spot: true }))
    expect(requests[0]).toMatchObject({
      capacityProviderStrategy: [{ capacityProvider: 'FARGATE_SPOT', weight: 1 }],
    })
    expect(requests[0]).not.toHaveProperty('launchType')
  })

  it.each([
    [200, { failures: [{ reason: 'Capacity is unavailable at this time.' }] }],
    [
      400,
      { __type: 'ClientException', message: "You've reached the limit on the number of vCPUs" },
    ],
    [400, { __type: 'InvalidParameterException', message: 'The capacity provider is not there.' }],
  ])('detects missing spare capacity: %i %j', async (status, body) => {
    const { run } = containersWith({ status, body })
    await expect(run(request({ spot: true }))).rejects.toMatchObject({ name: 'SpotUnavailable' })
  })

  it.each([
    [
      'Too many concurrent attempts to create a new revision of the specified family.',
      'CapacityUnavailable',
    ],
    ['The image name is not valid.', 'StartRefused'],
  ])('distinguishes a rejected registration: %s', async (message, name) => {
    const original = { taskDefinitionArn: 'base:7', family: 'f', containerDefinitions: [] }
    const refused = (text: string) => ({
      status: 400,
      body: { __type: 'ClientException', message: text },
    })
    const { run } = containersWith(
      { body: { taskDefinition: original } },
      refused('Unable to describe task definition.'),
      refused(message),
    )
    const answer = run(request({ spot: true, image: 'agent:2' }))
    await expect(answer).rejects.toMatchObject({ name })
  })

  it('distinguishes an engine that does not respond', async () => {
    const denied = { __type: 'AccessDeniedException', message: 'not authorized' }
    const { run } = containersWith({ status: 400, body: denied })
    const answer = run(request({ spot: true }))
    await expect(answer).rejects.toMatchObject({ name: 'AccessDeniedException' })
  })

  it.each([
    [
      'ClientException',
      "You've reached the limit on the number of vCPUs you can run concurrently",
      'CapacityUnavailable',
    ],
    [
      'ClientException',
      'Too many concurrent attempts to create a new revision of the specified family.',
      'CapacityUnavailable',
    ],
    ['ClientException', 'TaskDefinition is inactive', 'StartRefused'],
    [
      'InvalidParameterException',
      'Container Overrides length must be at most 8192',
      'StartRefused',
    ],
    ['PlatformTaskDefinitionIncompatibilityException', 'no such platform', 'StartRefused'],
    ['AccessDeniedException', 'not authorized', 'AccessDeniedException'],
    ['ClusterNotFoundException', 'Cluster not found.', 'ClusterNotFoundException'],
  ])('treats %s "%s" as %s', async (type, message, name) => {
    const { run } = containersWith({ status: 400, body: { __type: type, message } })
    await expect(run(request())).rejects.toThrow(expect.objectContaining({ name, message }))
    expect(requests).toHaveLength(1)
  })

  it('treats throttling as a full cluster, for every call', async () => {
    const throttled = {
      status: 400,
      body: { __type: 'ThrottlingException', message: 'Rate exceeded' },
    }
    const full = expect.objectContaining({ name: 'CapacityUnavailable', message: 'Rate exceeded' })
    const answers = Array.from({ length: 8 }, () => throttled)
    const { run, stop } = containersWith(...answers)
    await expect(run(request())).rejects.toThrow(full)
    await expect(stop('a', 'asked')).rejects.toThrow(full)
  })

  it('registers a copy of the family for another image, and runs that', async () => {
    const original = {
      taskDefinitionArn: 'base:7',
      family: 'app-prod-agent-label',
      revision: 7,
      status: 'ACTIVE',
      compatibilities: ['EC2', 'FARGATE'],
      requiresAttributes: [{ name: 'x' }],
      registeredAt: 1,
      registeredBy: 'arn:deployer',
      cpu: '512',
      memory: '2048',
      networkMode: 'awsvpc',
      taskRoleArn: 'task-role',
      executionRoleArn: 'execution-role',
      requiresCompatibilities: ['FARGATE'],
      containerDefinitions: [{ name: 'agent', image: 'agent:1', user: 'node' }],
      volumes: [{ name: 'state' }],
    }
    const nowhere = { __type: 'ClientException', message: 'Unable to describe task definition.' }
    const { run } = containersWith(
      { body: { taskDefinition: original } },
      { status: 400, body: nowhere },
      { body: { taskDefinition: { ...original, taskDefinitionArn: 'copy:1' } } },
      { body: { tasks: [{ taskArn: 'a', lastStatus: 'PENDING' }] } },
    )
    expect(await run(request({ image: 'agent:2' }))).toMatchObject({ arn: 'a' })
    const family = expect.stringMatching(/^app-prod-agent-label-[0-9a-f]{20}$/)
    expect(requests).toMatchObject([
      { taskDefinition: 'app-prod-agent-label' },
      { taskDefinition: family },
      {},
      { taskDefinition: 'copy:1' },
    ])
    expect(requests[2]).toEqual({
      family,
      cpu: '512',
      memory: '2048',
      networkMode: 'awsvpc',
      taskRoleArn: 'task-role',
      executionRoleArn: 'execution-role',
      requiresCompatibilities: ['FARGATE'],
      containerDefinitions: [{ name: 'agent', image: 'agent:2', user: 'node' }],
      volumes: [{ name: 'state' }],
    })
  })

  it('treats failures as a full cluster, with their reasons', async () => {
    const { run } = containersWith({ body: { tasks: [], failures: [{ reason: 'RESOURCE:CPU' }] } })
    await expect(run(request())).rejects.toThrow(
      expect.objectContaining({ name: 'CapacityUnavailable', message: 'RESOURCE:CPU' }),
    )
  })

  it('retries temporary failures of AWS', async () => {
    const { run } = containersWith(
      { status: 500, body: { __type: 'ServerException', message: 'try again' } },
      { body: { tasks: [{ taskArn: 'a', lastStatus: 'PENDING' }] } },
    )
    expect(await run(request())).toMatchObject({ arn: 'a' })
    expect(requests[1]).toEqual(requests[0])
  })

  it('describes all requested tasks together, a hundred per request', async () => {
    const arns = Array.from({ length: 120 }, (_, n) => `task-${n}`)
    const shown = (some: string[]) => ({
      body: { tasks: some.map((taskArn) => ({ taskArn, lastStatus: 'RUNNING' })) },
    })
    const { describe: look } = containersWith(
      shown(arns.slice(0, 100)),
      // ECS no longer has one of them.
      shown(arns.slice(100, 119)),
    )
    const observed = await Promise.all(arns.map(look))
    expect(observed.map((task) => task?.arn)).toEqual([...arns.slice(0, 119), undefined])
    expect(requests.map(({ tasks }) => (tasks as string[]).length).toSorted()).toEqual([100, 20])
  })

  it('reports each requested task for which the cluster rejects requests', async () => {
    const body = { __type: 'ThrottlingException', message: 'Rate exceeded' }
    const { describe: look } = containersWith(
      ...Array.from({ length: 4 }, () => ({ status: 400, body })),
    )
    const observed = await Promise.allSettled([look('a'), look('b')])
    expect(observed).toMatchObject([
      { status: 'rejected', reason: { name: 'CapacityUnavailable' } },
      { status: 'rejected', reason: { name: 'CapacityUnavailable' } },
    ])
    expect(requests).toHaveLength(4)
  })

  it('reads every page of a list', async () => {
    const { list } = containersWith(
      { body: { taskArns: ['a', 'b'], nextToken: 'more' } },
      { body: { taskArns: ['c'] } },
    )
    expect(await list('agt_1')).toEqual(['a', 'b', 'c'])
    expect(requests[1]).toMatchObject({ nextToken: 'more', startedBy: 'agt_1' })
  })
})
