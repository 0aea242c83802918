import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { handOver } from '#tests/support/channels/hand-over.ts'
import { mailOf } from '#tests/support/channels/mails.ts'
import { useChannels } from '#tests/support/channels/world.ts'
import { encryptionKey } from '#tests/support/conversations/chat.ts'
import { callerOf } from '#tests/support/http/caller.ts'
import * as group from '../channels-in.ts'

const on = useChannels(() => ({ WEB_URL: 'http://localhost:3000' }))

beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterAll(() => void vi.useRealTimers())
beforeEach(async () => {
  vi.setSystemTime(Math.ceil(Date.now() / 60_000) * 60_000)
  expect((await on.create({ kind: 'email' })).status).toBe(201)
})

/** Hands over a mail of ada@example.com, as the job does. */
const mail = (parts: Parameters<typeof mailOf>[0]) =>
  handOver(on.jobs.objects, { channelId: on.channelId, mail: mailOf(parts), key: 'mails/in/1' })

it('questions of strangers about an address do not hold up its mails', async () => {
  const { queues, config, objects } = on.jobs
  const services = {
    table: on.table,
    queues,
    config,
    objects,
    encryptionKey,
    webUrl: config.WEB_URL,
    guard: { deployed: false },
  }
  const call = callerOf(group, services, [], 'on')
  const path = `/in/email/${on.channelId}`
  const answers: number[] = []
  for (let count = 0; count < 301; count++)
    answers.push((await call('GET', `${path}?domain=agents.localhost`)).status)
  expect([answers[299], answers[300]]).toEqual([204, 429])
  const { headers, body } = await mail({ id: '<1@example.com>' })
  expect((await call('POST', path, { headers, text: body })).status).toBe(200)
})

it('the mail of another person with the same id does not take the place of a mail', async () => {
  await on.post(await mail({ id: '<1@example.com>' }))
  expect(await on.decide('ada@example.com')).toBe(200)
  await on.post(await mail({ id: '<2@example.com>', from: 'Eve <eve@example.com>' }))
  for (let count = 0; count < 2; count++) await on.post(await mail({ id: '<2@example.com>' }))
  expect(on.asked()).toHaveLength(1)
})

it('a letter that only looks like one of ASCII is another person', async () => {
  const from = 'Kate <kate@example.com>'
  await on.post(await mail({ id: '<1@example.com>', from }))
  expect(await on.decide('kate@example.com')).toBe(200)
  await on.post(await mail({ id: '<2@example.com>', from: 'Kate <\u212aate@example.com>' }))
  await on.post(await mail({ id: '<3@example.com>', from: 'Kate <kate@example.\u212aom>' }))
  expect(on.asked()).toHaveLength(0)
  await on.post(await mail({ id: '<4@example.com>', from: 'Kate <KATE@example.com>' }))
  expect(on.asked()).toHaveLength(1)
})
