import { expect, it } from 'vitest'
import { schedulesDue } from '#shared/conversations/scheduled-tasks/rows.ts'
import { eventually } from '../support/clock/eventually.ts'
import {
  call,
  historyOf,
  newSubscriber,
  runningAgent,
  sharedTable,
  stack,
} from '../support/stack/platform.ts'

it('a due task is sent to its agent by the schedule, once', async () => {
  const user = await newSubscriber('solo')
  const agentId = await runningAgent(user)
  const path = `${stack().web}/api/scheduled-tasks`
  const { status, body } = await call(path, {
    headers: user.session,
    body: { name: 'Brief', cronSchedule: '0 0 1 1 *', prompt: 'What is new?', agentId },
  })
  expect(status).toBe(201)
  // Moves the yearly task's next run to now.
  const due = new Date(Date.now() - 1000).toISOString()
  const key = { pk: `user#${user.id}`, sk: `task#${String(body.id)}` }
  await sharedTable().update(key, {
    set: { nextRun: due, ...schedulesDue.at(String(body.id), Date.parse(due)) },
    add: { revision: 1 },
  })
  const task = async () => {
    const { tasks } = (await call(path, { headers: user.session })).body
    return (tasks as Record<string, unknown>[])[0]
  }
  await eventually(
    async () => expect(await task()).toMatchObject({ lastRun: due, lastStatus: 'ok' }),
    90_000,
  )
  const messages = (await historyOf(user, agentId)).filter(
    ({ platform }) => platform === 'schedule',
  )
  expect(messages).toMatchObject([
    { sender: 'user', content: 'What is new?' },
    { sender: 'agent', content: expect.stringContaining('What is new?') },
  ])
}, 180_000)
