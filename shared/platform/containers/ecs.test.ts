import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { untilFound } from '../../../tests/support/eventually.ts'
import { useLocalCredentials } from '../../../tests/support/credentials.ts'
import { type Fleet, otherImage, startFleet } from '../../../tests/support/fleet.ts'
import { ecsContainers } from './ecs.ts'
import type { RunRequest } from './port.ts'

const request = (changes: Partial<RunRequest> = {}): RunRequest => ({
  clientToken: 'token-1',
  startedBy: 'agt_1',
  family: 'agent-label',
  environment: { AGENT_GENERATION: '1' },
  tags: { agentId: 'agt_1' },
  ...changes,
})

describe('over the container engine', () => {
  let fleet: Fleet
  beforeAll(async () => {
    fleet = await startFleet()
  })
  afterAll(() => fleet.close())
  afterEach(() => fleet.forget())

  /** The task definition of a task, as its events tell. */
  const definitionOf = (arn: string) =>
    untilFound(() => {
      const event = fleet.events.find(({ detail }) => detail.taskArn === arn)
      return event?.detail.taskDefinitionArn
    })

  it('starts one task for one token, and finds it again', async () => {
    const { run, list, describe: look } = fleet.containers
    const first = await run(request())
    expect(await run(request())).toMatchObject({ arn: first.arn })
    expect(await list('agt_1')).toEqual([first.arn])
    expect(await list('agt_2')).toEqual([])
    expect(await look(first.arn)).toMatchObject({ arn: first.arn, generation: 1 })
  })

  it('adopts the task of a token whose first request was another', async () => {
    const { run, list } = fleet.containers
    const first = await run(request({ clientToken: 'token-2', startedBy: 'agt_3' }))
    const environment = { AGENT_GENERATION: '1', AGENT_NAME: 'renamed' }
    const again = await run(request({ clientToken: 'token-2', startedBy: 'agt_3', environment }))
    expect(again.arn).toBe(first.arn)
    expect(await list('agt_3')).toEqual([first.arn])
  })

  it('stops a task as often as it is told to, and knows what it does not know', async () => {
    const { run, stop, describe: look } = fleet.containers
    const { arn } = await run(request({ clientToken: 'token-4' }))
    expect(await stop(arn, 'asked')).toMatchObject({ arn })
    expect(await stop(arn, 'asked again')).toMatchObject({ arn })
    const unknown = `${arn.slice(0, -4)}0000`
    expect(await stop(unknown, 'asked')).toBeUndefined()
    expect(await look(unknown)).toBeUndefined()
  })

  it('runs a family with another image, by one definition of its own', async () => {
    const { run, describe: look } = fleet.containers
    const asked = { image: otherImage, family: 'agent-solo' }
    const first = await run(request({ ...asked, clientToken: 'token-7' }))
    const second = await run(request({ ...asked, clientToken: 'token-8' }))
    await untilFound(async () => (await look(second.arn))?.health === 'HEALTHY')
    const definitions = await Promise.all([first.arn, second.arn].map(definitionOf))
    expect(definitions[0]).toMatch(/task-definition\/agent-solo-[0-9a-f]{20}:1$/)
    expect(definitions[1]).toBe(definitions[0])
    const plain = await run(request({ family: 'agent-solo', clientToken: 'token-9' }))
    expect(await definitionOf(plain.arn)).toMatch(/task-definition\/agent-solo:1$/)
  })

  it('cannot run an image that this machine does not have', async () => {
    const { run, describe: look } = fleet.containers
    const { arn } = await run(request({ clientToken: 'token-10', image: 'agent:nowhere' }))
    await untilFound(async () => (await look(arn))?.status === 'STOPPED')
    expect((await look(arn))?.stop).toMatchObject({
      code: 'TaskFailedToStart',
      exitCode: null,
      text: expect.stringContaining('CannotPullContainerError'),
    })
  })

  it('tells a full cluster from a wrong request', async () => {
    fleet.room.tasks = 0
    await expect(fleet.containers.run(request({ clientToken: 'token-5' }))).rejects.toThrow(
      expect.objectContaining({ name: 'CapacityUnavailable' }),
    )
    fleet.room.tasks = Infinity
    const wrong = request({ clientToken: 'token-6', family: 'agent-gigantic' })
    await expect(fleet.containers.run(wrong)).rejects.toThrow(
      expect.objectContaining({ name: 'StartRefused' }),
    )
  })
})

describe('over the wire', () => {
  let server: Server
  let requests: Record<string, unknown>[]
  /** What ECS says next, and with which status. */
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
    return ecsContainers({
      cluster: 'prod',
      familyPrefix: 'app-prod-',
      subnets: ['subnet-1', 'subnet-2'],
      securityGroups: ['sg-1'],
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    })
  }

  it('asks AWS for one Fargate task in the platform’s own network', async () => {
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
  ])('takes %s "%s" for %s', async (type, message, name) => {
    const { run } = containersWith({ status: 400, body: { __type: type, message } })
    await expect(run(request())).rejects.toThrow(expect.objectContaining({ name, message }))
    expect(requests).toHaveLength(1)
  })

  it('takes too many requests for a cluster without room, for every call', async () => {
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

  it('takes failures for a full cluster, with their reasons', async () => {
    const { run } = containersWith({ body: { tasks: [], failures: [{ reason: 'RESOURCE:CPU' }] } })
    await expect(run(request())).rejects.toThrow(
      expect.objectContaining({ name: 'CapacityUnavailable', message: 'RESOURCE:CPU' }),
    )
  })

  it('tries again what AWS could not do just now', async () => {
    const { run } = containersWith(
      { status: 500, body: { __type: 'ServerException', message: 'try again' } },
      { body: { tasks: [{ taskArn: 'a', lastStatus: 'PENDING' }] } },
    )
    expect(await run(request())).toMatchObject({ arn: 'a' })
    expect(requests[1]).toEqual(requests[0])
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
