import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { useLocalCredentials } from '../../../tests/support/credentials.ts'
import { type Fleet, startFleet } from '../../../tests/support/fleet.ts'
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

  it('tells a full ground from a wrong request', async () => {
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

  it('takes failures for a full ground, with their reasons', async () => {
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
