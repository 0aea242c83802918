import { expect, test } from 'vitest'
import { functions, functionsInLoops } from '#shared/manifest/index.ts'
import type { FunctionSpec, Grant, QueueName } from '#shared/manifest/index.ts'
import { declared } from './harness/declare.ts'

type Node = Pick<FunctionSpec, 'name' | 'trigger' | 'grants'>

interface Query {
  metric?: { metricName: string; dimensions: { FunctionName: string } }
}

const consumer = (queue: QueueName, ...grants: Grant[]): Node => ({
  name: queue,
  trigger: { kind: 'queue', queue, batchSize: 1, maxReceives: 1 },
  grants,
})

test('a function is in a loop if its messages lead back to it, directly or over others', () => {
  const nodes: Node[] = [
    consumer('videos', { send: 'videos' }, { send: 'mails' }),
    consumer('checks', { send: 'provisioning' }),
    consumer('provisioning', { send: 'hand-overs' }),
    consumer('hand-overs', { send: 'checks' }),
    // Receives from a loop and sends into one, but nothing leads back to it.
    consumer('mails', { invoke: 'signer' }),
    consumer('entitlements', { send: 'provisioning' }),
    { name: 'signer', trigger: { kind: 'invoke' }, grants: [] },
    { name: 'tick', trigger: { kind: 'schedule', everyMinutes: 1 }, grants: [{ send: 'videos' }] },
  ]
  expect(functionsInLoops(nodes)).toEqual(
    new Set(['videos', 'checks', 'provisioning', 'hand-overs']),
  )
})

test('a loop over an invoked function is found', () => {
  const nodes: Node[] = [
    consumer('splits', { invoke: 'signer' }),
    { name: 'signer', trigger: { kind: 'invoke' }, grants: [{ send: 'splits' }] },
  ]
  expect(functionsInLoops(nodes)).toEqual(new Set(['splits', 'signer']))
})

test('Lambda allows the loops of the manifest, and an alarm watches all other consumers', () => {
  const looping = functionsInLoops(functions)
  for (const name of ['checks', 'provisioning', 'splits', 'videos', 'webhook-deliveries'])
    expect(looping).toContain(name)
  const configs = declared().all('aws:lambda/functionRecursionConfig:FunctionRecursionConfig')
  expect([...configs.values()]).toEqual(
    [...configs.values()].map(({ functionName }) => ({ functionName, recursiveLoop: 'Allow' })),
  )
  const nameOf = (name: string) => `agent-platform-production-${name}`
  expect(new Set([...configs.values()].map(({ functionName }) => functionName))).toEqual(
    new Set([...looping].map(nameOf)),
  )
  const alarms = declared().all('aws:cloudwatch/metricAlarm:MetricAlarm').values()
  const watched = [...alarms].flatMap(({ metricQueries }) =>
    ((metricQueries ?? []) as Query[])
      .filter(({ metric }) => metric?.metricName === 'RecursiveInvocationsDropped')
      .map(({ metric }) => metric?.dimensions.FunctionName),
  )
  const others = functions.filter(
    ({ name, trigger }) => ['queue', 'invoke'].includes(trigger.kind) && !looping.has(name),
  )
  expect(watched.toSorted()).toEqual(others.map(({ name }) => nameOf(name)).toSorted())
})
