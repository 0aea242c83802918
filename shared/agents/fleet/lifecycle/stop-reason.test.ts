import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeAgent } from '#shared/agents/record/change.ts'
import { webView } from '#shared/agents/record/views.ts'
import { causeOf } from '#shared/agents/record/watch/cause.ts'
import type { TaskStop } from '#shared/platform/containers/port.ts'
import { type Fleet, startFleet } from '#tests/support/agents/fleet.ts'
import { fallAsleep } from '../activity/sleep.ts'
import { startTask } from '../provisioning/start.ts'
import type { StartMessage } from '../requests/topic.ts'
import { failAgent } from './fail.ts'
import { stopAgent } from './stop.ts'

let fleet: Fleet

beforeAll(async () => {
  fleet = await startFleet()
})
afterAll(() => fleet.close())

const ended = (fields: Partial<TaskStop>): TaskStop => ({
  code: 'EssentialContainerExited',
  exitCode: null,
  text: 'Essential container in task exited',
  at: '2026-01-01T00:00:00.000Z',
  ...fields,
})

describe('a stop reason', () => {
  it.each([
    [ended({ exitCode: 1 }), 'it exited with code 1'],
    [ended({ exitCode: 0 }), 'it exited with code 0'],
    [
      ended({ exitCode: 137 }),
      'it was killed, perhaps because it hung or ran out of memory (exit code 137)',
    ],
    [ended({ exitCode: 139 }), 'it crashed in native code (exit code 139)'],
    [
      ended({ exitCode: 137, text: 'exited: OutOfMemoryError: Container killed due to memory' }),
      'it ran out of memory',
    ],
    [
      ended({ code: 'TaskFailedToStart', text: 'CannotPullContainerError: not found' }),
      'its image cannot be fetched: CannotPullContainerError: not found',
    ],
    [
      ended({ code: 'TaskFailedToStart', text: 'ResourceInitializationError: no route' }),
      'ResourceInitializationError: no route',
    ],
    [ended({ text: '' }), 'it ended without a reason (EssentialContainerExited)'],
  ])('%# is %s', (stop, words) => {
    expect(causeOf(stop)).toBe(words)
  })
})

describe('the reason why an agent stopped', () => {
  const shown = (agent: Parameters<typeof webView>[0]) => webView(agent, fleet.services).stopReason
  const at = expect.stringMatching(/^\d{4}-.*Z$/)

  it('is that a person stopped it, with its exit', async () => {
    const agent = await fleet.untilRunning(await fleet.started())
    await stopAgent(fleet.services, { agent })
    const request = { code: 'UserInitiated', text: 'Stopped by a person', at }
    expect(shown(await fleet.row(agent))).toEqual({ ...request, exitCode: null })
    const gone = await fleet.until(agent, ({ taskStatus }) => taskStatus === 'STOPPED')
    expect(shown(gone)).toEqual({ ...request, exitCode: 143 })
  })

  it.each([
    [1, 'It slept after a minute without work'],
    [5, 'It slept after 5 minutes without work'],
  ])('is that it went to sleep after %i', async (sleepAfterMinutes, text) => {
    const agent = await fleet.untilRunning(await fleet.started({ sleepAfterMinutes }))
    await changeAgent(fleet, {
      agent,
      decide: (row) => fallAsleep(row, Date.now()),
    })
    for (const arn of await fleet.wantedTasks(agent)) await fleet.containers.stop(arn, 'asleep')
    const gone = await fleet.until(agent, ({ taskStatus }) => taskStatus === 'STOPPED')
    expect(shown(gone)).toEqual({ code: 'Asleep', exitCode: 143, text, at })
  })

  it('is the watchdog’s reason to give it up', async () => {
    const agent = await fleet.untilRunning(await fleet.started())
    await failAgent(fleet.services, { agent, reason: { code: 'CrashLoop', text: 'no answer' } })
    const gone = await fleet.until(agent, ({ taskStatus }) => taskStatus === 'STOPPED')
    expect(shown(gone)).toEqual({ code: 'CrashLoop', exitCode: 143, text: 'no answer', at })
    // Stopping a failed agent keeps the reason of the failure.
    await stopAgent(fleet.services, { agent: gone })
    expect(shown(await fleet.row(agent))).toMatchObject({ code: 'CrashLoop' })
  })

  it('is that the cluster is full, until it has room', async () => {
    fleet.room.tasks = 0
    const agent = await fleet.started()
    const [start] = fleet.sent.splice(0)
    // Neither Spot nor On-Demand capacity.
    await fleet.consume(start?.body)
    await fleet.consume(start?.body)
    const waiting = await fleet.row(agent)
    expect(waiting).toMatchObject({ status: 'provisioning', startAttempts: 1 })
    const text = expect.stringMatching(/^Waiting for capacity: \w/)
    expect(shown(waiting)).toEqual({ code: 'NoCapacity', exitCode: null, text, at })
    fleet.forget()
    await startTask(fleet.consumer, start?.body as StartMessage, waiting.retryAt)
    expect(shown(await fleet.untilRunning(agent))).toBeNull()
  })

  it('is the exit of its process, if it exited by itself', async () => {
    const agent = await fleet.untilRunning(await fleet.started())
    const { address } = await fleet.row(agent)
    await fetch(`http://127.0.0.1:${address?.port}/exit?code=7`).catch(() => undefined)
    const gone = await fleet.until(agent, ({ taskStatus }) => taskStatus === 'STOPPED')
    expect(shown(gone)).toMatchObject({ code: 'EssentialContainerExited', exitCode: 7 })
  })
})
