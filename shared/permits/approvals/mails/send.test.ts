import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startPermits } from '#tests/support/permits/world.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { mailGapMs } from './request.ts'

let database: TestTable
beforeAll(async () => {
  database = await startTestTable()
})
afterAll(() => database.close())

const start = () => startPermits(database.table)

const subjects = ({ mails }: Awaited<ReturnType<typeof start>>) =>
  mails.map(({ subject }) => subject)

describe('the mail about pending approvals', () => {
  it('leads to the approval, without any text of the request', async () => {
    const world = await start()
    const id = await world.park({ by: 'send' })
    await world.run()
    const [mail, ...others] = world.mails
    expect([mail?.to, mail?.subject, others]).toEqual([
      `${world.userId}@b.co`,
      '1 request of your agents waits for your approval',
      [],
    ])
    expect(mail?.text).toContain(`http://localhost:3000/approvals/${id}`)
    expect(mail?.text).not.toContain('api.example.com')
    expect(await world.view(id)).toMatchObject({ state: 'pending' })
  })

  it('is sent at most once in ten minutes, and tells of every later approval', async () => {
    const world = await start()
    const realStart = Date.now()
    await world.park({ by: 'send' })
    await world.run()
    for (let i = 0; i < 5; i++) {
      await world.park({ by: 'send' })
      await world.run()
    }
    expect(subjects(world)).toHaveLength(1)
    world.clock.now = realStart + mailGapMs - 60_000
    await world.run()
    expect(subjects(world)).toHaveLength(1)
    world.clock.now = Date.now() + mailGapMs + 60_000
    await world.run()
    expect(subjects(world)).toEqual([
      '1 request of your agents waits for your approval',
      '6 requests of your agents wait for your approval',
    ])
  })

  it('is not sent if everything is decided', async () => {
    const world = await start()
    const id = await world.park({ by: 'send' })
    await world.decide(id, { decision: 'deny' })
    await world.run()
    expect(subjects(world)).toEqual([])
  })

  it('has one id if its process is killed at any call, so that it is sent once', async () => {
    for (let calls = 0; ; calls++) {
      const world = await start()
      await world.park({ by: 'send' })
      const isKilled = await world.run({ calls, isLastCarriedOut: calls % 2 === 0 })
      await world.runUntilIdle()
      expect(new Set(world.mails.map(({ once }) => once)).size).toBe(1)
      if (!isKilled) break
      expect(calls).toBeLessThan(40)
    }
  })
})
