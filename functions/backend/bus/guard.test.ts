import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Bus, busCaller, signed, type Signer } from '#tests/support/network/bus.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { startWebhook, type Webhook } from '#tests/support/tools/webhook-receiver.ts'

let database: TestTable
let bus: Bus
let hook: Webhook
let ada: Signer

beforeAll(async () => {
  database = await startTestTable()
  bus = busCaller(database.table)
  hook = await startWebhook()
  ada = await bus.signer(await bus.subscriber())
})
afterAll(() => Promise.all([database.close(), hook.close()]))
beforeEach(() => {
  hook.posted.length = 0
})

const agentAt = async (webhookUrl: string) =>
  (await bus.signer(await bus.subscriber(), { config: { webhookUrl } })).agent

describe('a deployed platform', () => {
  const deployed = (address: string) => {
    const looked: string[] = []
    const guarded = busCaller(database.table, {
      guard: {
        deployed: true,
        resolve: (name, _options, callback) => {
          looked.push(name)
          callback(null, [
            { address: '93.184.215.14', family: 4 },
            { address, family: address.includes(':') ? 6 : 4 },
          ])
        },
      },
    })
    return { guarded, looked }
  }

  it.each([
    'https://127.0.0.1/hook',
    'https://[::1]/hook',
    'https://10.0.0.8/hook',
    'https://169.254.169.254/latest/meta-data',
    'https://[::ffff:169.254.169.254]/',
    'https://[2002:0a00:0001::]/',
    'https://[64:ff9b::127.0.0.1]/',
    'https://0x7f.1/hook',
    'https://2130706433/',
  ])('sends nothing to %s', async (webhookUrl) => {
    const { guarded, looked } = deployed('127.0.0.1')
    const to = await agentAt(webhookUrl)
    expect((await guarded.send(await signed(ada, to))).body.code).toBe('DELIVERY_FAILED')
    expect(looked).toEqual([])
  })

  it.each(['127.0.0.1', '10.1.2.3', '192.168.0.1', '100.64.0.1', '::1', 'fd00::1', 'fe80::1'])(
    'sends nothing to a name that also resolves to %s, and resolves it once',
    async (address) => {
      const port = new URL(hook.url).port
      const { guarded, looked } = deployed(address)
      const to = await agentAt(`https://rebinding.example:${port}/hook`)
      expect((await guarded.send(await signed(ada, to))).body.code).toBe('DELIVERY_FAILED')
      expect(looked).toEqual(['rebinding.example'])
      expect(hook.posted).toEqual([])
    },
  )

  it('sends nothing without TLS', async () => {
    const { guarded } = deployed('127.0.0.1')
    const to = await agentAt(hook.url)
    expect((await guarded.send(await signed(ada, to))).body.code).toBe('DELIVERY_FAILED')
    expect(hook.posted).toEqual([])
  })
})
