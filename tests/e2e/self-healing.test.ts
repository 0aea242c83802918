import { describe, expect, it } from 'vitest'
import { eventually } from '../support/clock/eventually.ts'
import { noticesAbout } from '../support/stack/notices-receiver.ts'
import {
  agentOf,
  asInternal,
  call,
  chat,
  newSubscriber,
  runningAgent,
  stack,
  untilStatus,
} from '../support/stack/platform.ts'
import { killProcessesOf, processesOf } from '../support/stack/processes.ts'

describe('an agent whose process is killed', () => {
  it('is repaired automatically, with a visible incident and one notice', async () => {
    const user = await newSubscriber()
    const id = await runningAgent(user)
    const { dataDir } = stack()
    const [before, ...more] = processesOf(dataDir, id)
    expect(more).toEqual([])
    process.kill(before?.pid ?? 0, 'SIGKILL')

    await eventually(async () => {
      const agent = await agentOf(user, id)
      expect(agent).toMatchObject({ status: 'running', stopReason: null })
      const incidents = [{ resolvedAt: expect.any(String) }]
      expect(agent.watchdog).toMatchObject({ state: 'running', attempts: 0, incidents })
      // A repair waits eleven seconds, plus the time of a busy machine.
    }, 60_000)

    const after = processesOf(dataDir, id)
    expect(after).toHaveLength(1)
    expect(after[0]?.pid).not.toBe(before?.pid)
    expect(after[0]?.generation).toBe(2)
    const incidents = [
      {
        at: expect.any(String),
        cause: 'it was killed, perhaps because it hung or ran out of memory (exit code 137)',
        step: 'restart',
        attempt: 1,
        resolvedAt: expect.any(String),
      },
    ]
    const web = await agentOf(user, id)
    const backend = await call(`${stack().backend}/api/agents/${id}`, { headers: asInternal() })
    for (const { watchdog } of [web, backend.body]) expect(watchdog).toMatchObject({ incidents })
    expect((await chat(user, { message: 'Still there?', agentId: id })).status).toBe(200)

    await eventually(async () =>
      expect(await noticesAbout(stack().receiver, id)).toMatchObject([
        { kind: 'repair_started', agentName: 'Rhythm', attempt: 1 },
        { kind: 'repaired', agentName: 'Rhythm', attempt: 1 },
      ]),
    )
  })

  it('is not repaired after too many crashes, until a person starts it', async () => {
    const user = await newSubscriber()
    const id = await runningAgent(user)
    const { dataDir } = stack()
    const observed = new Set<number>()
    // Kills every new process, like a program that always crashes.
    await eventually(async () => {
      for (const { pid } of await killProcessesOf(dataDir, id)) observed.add(pid)
      const { watchdog } = await agentOf(user, id)
      expect(watchdog.state).toBe('crash_loop')
    }, 60_000)
    expect(observed.size).toBe(3)
    const input = await agentOf(user, id)
    expect(input.status).toBe('error')
    expect(input.watchdog).toMatchObject({
      incidents: [{ step: 'crash_loop', resolvedAt: null }],
    })
    expect(processesOf(dataDir, id)).toEqual([])
    await eventually(async () => {
      const kinds = (await noticesAbout(stack().receiver, id)).map(({ kind }) => kind)
      expect(kinds.toSorted()).toEqual(['crash_loop', 'repair_failed', 'repair_started'])
    })

    const started = await call(`${stack().backend}/api/agents/${id}/start`, {
      method: 'POST',
      headers: asInternal(user.id),
    })
    expect(started.body).toEqual({ success: true, status: 'provisioning' })
    await untilStatus(user, id, 'running')
    await eventually(async () =>
      expect((await agentOf(user, id)).watchdog).toMatchObject({
        state: 'running',
        incidents: [{ step: 'crash_loop', resolvedAt: expect.any(String) }],
      }),
    )
  })
})
