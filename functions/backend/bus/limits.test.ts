import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { AgentMessage } from '#shared/money/agent-message/message.ts'
import { type Bus, busCaller, signed } from '#tests/support/network/bus.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'

let database: TestTable
let bus: Bus

beforeAll(async () => {
  database = await startTestTable()
  bus = busCaller(database.table, {}, 'on')
})
afterAll(() => database.close())

const signer = async () => bus.signer(await bus.subscriber())

it('a recipient who repeats a message increases no other counter of its sender', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  try {
    const post = (sent: AgentMessage) =>
      bus.fetch(
        new Request('http://localhost/api/underground/bus/send', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(sent),
        }),
      )
    const [ada, bob, carol] = await Promise.all([signer(), signer(), signer()])
    const [sent, old] = await Promise.all([
      signed(ada, bob.agent),
      signed(ada, carol.agent, { timestamp: new Date(Date.now() - 600_000).toISOString() }),
    ])
    const answers = []
    for (const one of [sent, sent, sent, old, old]) answers.push((await post(one)).status)
    expect(answers).toEqual([200, 409, 409, 401, 401])
    const next = await post(await signed(ada, carol.agent))
    expect([next.status, next.headers.get('ratelimit-remaining')]).toEqual([200, '119'])
  } finally {
    vi.useRealTimers()
  }
})
