import { expect, test } from 'vitest'
import { openEngine, tempDir, until } from '../testing/harness.ts'
import type { EventBridgeEvent } from './event.ts'

const versionsOf = (events: EventBridgeEvent[]) => events.map(({ detail }) => detail['version'])

test('a rejected event is sent again before later ones', async () => {
  await using dir = await tempDir()
  const offered: EventBridgeEvent[] = []
  let refusals = 2
  await using engine = await openEngine(dir.path, {
    onTaskEvent: async (event) => {
      offered.push(event)
      if (event.detail['version'] === 2 && refusals-- > 0) throw new Error('not now')
    },
  })
  await engine.run({ taskDefinition: 'sleeper' })
  await until('the third event', () => offered.some(({ detail }) => detail['version'] === 3))
  expect(versionsOf(offered)).toEqual([1, 2, 2, 2, 3])
  expect(new Set(offered.slice(1, 4).map(({ id }) => id)).size).toBe(1)
})

test('undelivered events are sent first at the next start', async () => {
  await using dir = await tempDir()
  {
    await using engine = await openEngine(dir.path, {
      onTaskEvent: () => Promise.reject(new Error('never')),
    })
    const task = await engine.run({ taskDefinition: 'sleeper' })
    await until('the task to run', async () => {
      return (await engine.describe(task)).lastStatus === 'RUNNING'
    })
  }
  await using next = await openEngine(dir.path)
  await until('the last event', () => next.events.length === 5)
  expect(versionsOf(next.events)).toEqual([1, 2, 3, 4, 5])
  expect(next.events.at(-1)?.detail).toMatchObject({
    lastStatus: 'STOPPED',
    stopCode: 'TerminationNotice',
  })
})

test('a receiver that never responds does not delay closing', async () => {
  await using dir = await tempDir()
  const engine = await openEngine(dir.path, { onTaskEvent: () => new Promise(() => {}) })
  await engine.run({ taskDefinition: 'sleeper' })
  await expect(engine[Symbol.asyncDispose]()).resolves.toBeUndefined()
})
