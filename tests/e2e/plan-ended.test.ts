import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { eventually } from '../support/clock/eventually.ts'
import {
  agentOf,
  chat,
  newSubscriber,
  runningAgent,
  stack,
  subscribe,
  untilStatus,
} from '../support/stack/platform.ts'
import { processesOf } from '../support/stack/processes.ts'

async function subjectsTo(email: string): Promise<string[]> {
  const dir = join(stack().dataDir, 'outbox')
  const files = (await readdir(dir)).filter((name) => name.endsWith('.json')).toSorted()
  const mails = await Promise.all(
    files.map(async (name) => JSON.parse(await readFile(join(dir, name), 'utf8'))),
  )
  return mails.filter(({ to }) => to === email).map(({ subject }) => subject as string)
}

it('the end of a plan stops its agents and their containers, and a plan starts them again', async () => {
  const user = await newSubscriber('solo')
  const id = await runningAgent(user)
  await subscribe(user.id, 'solo', 'canceled')
  await untilStatus(user, id, 'stopped')
  await eventually(() => expect(processesOf(stack().dataDir, id)).toEqual([]))
  expect(await agentOf(user, id)).toMatchObject({ stopReason: { code: 'PlanEnded' } })
  const { status, body } = await chat(user, { message: 'Hello?', agentId: id })
  expect([status, body.code]).toEqual([402, 'SUBSCRIPTION_REQUIRED'])
  await eventually(async () =>
    expect(await subjectsTo(user.email)).toContain('Your plan has ended'),
  )
  await subscribe(user.id, 'solo')
  await untilStatus(user, id, 'running')
  await eventually(async () =>
    expect(await subjectsTo(user.email)).toContain('Your agents have started again'),
  )
})
