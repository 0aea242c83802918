import { describe, expect, it } from 'vitest'
import { ecsTask } from './task.ts'

/** Returns a task as Fargate describes it, with some changes. */
const task = (changes: object = {}) =>
  ecsTask.parse({
    taskArn: 'arn:aws:ecs:us-east-1:1:task/c/1',
    startedBy: 'agt_1',
    lastStatus: 'RUNNING',
    version: 4,
    containers: [{ name: 'agent', networkBindings: [] }],
    attachments: [
      { type: 'Service Connect', details: [] },
      {
        type: 'eni',
        details: [
          { name: 'subnetId', value: 'subnet-1' },
          { name: 'privateIPv4Address', value: '10.0.1.7' },
        ],
      },
    ],
    overrides: {
      containerOverrides: [
        { name: 'agent', environment: [{ name: 'AGENT_GENERATION', value: '3' }] },
      ],
    },
    ...changes,
  })

describe('a task', () => {
  it('has the address of its own interface, with the gateway port', () => {
    expect(task().address).toEqual({ host: '10.0.1.7', port: 18789 })
    const described = [
      {
        type: 'ElasticNetworkInterface',
        details: [{ name: 'privateIPv4Address', value: '10.0.1.8' }],
      },
    ]
    expect(task({ attachments: described }).address).toEqual({ host: '10.0.1.8', port: 18789 })
  })

  it('has the port of its host if it is bound to one', () => {
    const networkBindings = [{ bindIP: '127.0.0.1', containerPort: 18789, hostPort: 40123 }]
    expect(task({ containers: [{ networkBindings }] }).address).toEqual({
      host: '127.0.0.1',
      port: 40123,
    })
  })

  it('has no address before it has a network', () => {
    expect(task({ attachments: [] }).address).toBeUndefined()
    const attaching = [{ type: 'eni', details: [{ name: 'subnetId', value: 'subnet-1' }] }]
    expect(task({ attachments: attaching }).address).toBeUndefined()
  })

  it('contains its start, if it belongs to one', () => {
    expect(task().generation).toBe(3)
    expect(task({ overrides: {} }).generation).toBeUndefined()
    expect(task({ overrides: undefined }).generation).toBeUndefined()
  })

  it.each([
    ['an event', '2026-11-21T04:00:00.5Z'],
    ['an answer of the SDK', new Date('2026-11-21T04:00:00.500Z')],
  ])('has the same times in %s', (_, at) => {
    const ended = task({
      lastStatus: 'STOPPED',
      startedAt: at,
      stoppedAt: at,
      stopCode: 'EssentialContainerExited',
      stoppedReason: 'Essential container in task exited',
      containers: [{ exitCode: 137, reason: 'OutOfMemoryError' }],
    })
    expect(ended.startedAt).toBe('2026-11-21T04:00:00.500Z')
    expect(ended.stop).toEqual({
      code: 'EssentialContainerExited',
      exitCode: 137,
      text: 'Essential container in task exited: OutOfMemoryError',
      at: '2026-11-21T04:00:00.500Z',
    })
  })

  it('a task that never ran has no exit code', () => {
    const failed = task({ lastStatus: 'STOPPED', stopCode: 'TaskFailedToStart', containers: [{}] })
    expect(failed.stop).toMatchObject({ code: 'TaskFailedToStart', exitCode: null, text: '' })
  })

  it.each([
    ['HEALTHY', 'HEALTHY'],
    ['UNHEALTHY', 'UNHEALTHY'],
    [undefined, 'UNKNOWN'],
    ['anything else', 'UNKNOWN'],
  ])('a task with health %s counts as %s', (healthStatus, health) => {
    expect(task({ healthStatus }).health).toBe(health)
  })
})
