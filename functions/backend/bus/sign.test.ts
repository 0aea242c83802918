import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testSigner } from '#tests/support/chains/signer.ts'
import { type Bus, busCaller, message, type Signer } from '#tests/support/network/bus.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'

let database: TestTable
let bus: Bus
let owner: string
let ada: Signer
let bob: Signer
let key: string

beforeAll(async () => {
  database = await startTestTable()
  const signer = testSigner(database.table)({ requestId: 'req_1', askedBy: 'platform' })
  bus = busCaller(database.table, { signer })
})
afterAll(() => database.close())
beforeEach(async () => {
  owner = await bus.subscriber()
  ada = await bus.signer(owner, { verification: undefined })
  bob = await bus.signer(await bus.subscriber())
  key = await bus.agentKey(ada.agent)
})

/** A message of Ada's without a wallet address. */
const unsigned = (from: object = {}) => ({
  ...message(ada, bob.agent),
  from: { agentId: ada.agent.id, ...from },
})

const sign = (body: object, by = key, headers = {}) =>
  bus.call('POST', '/sign', { body, key: by, headers })

describe('an agent’s own wallet', () => {
  it('signs a message that is then accepted, and is created for it', async () => {
    const input = unsigned()
    const { status, body } = await sign(input)
    expect(status).toBe(200)
    expect(Object.keys(body).sort()).toEqual(['address', 'signature'])
    const { address, signature } = body as unknown as Record<string, string>
    const sent = { ...input, from: { ...input.from, walletAddress: address }, signature }
    expect((await bus.send(sent)).status).toBe(200)
    expect((await bus.inbox(bob.agent.id)).body.messages[0]?.message).toEqual(sent)
    expect((await sign(unsigned({ walletAddress: address }))).status).toBe(200)
    expect((await bus.send({ ...sent, messageId: 'another' })).status).toBe(401)
  })

  it('signs for a trusted caller too, and for its user', async () => {
    expect((await sign(unsigned(), 'internal-key')).status).toBe(200)
    const as = (user: string) => sign(unsigned(), 'internal-key', { 'x-user-id': user })
    expect((await as(owner)).status).toBe(200)
    expect((await as('usr_eve')).status).toBe(404)
  })

  it('signs with no other address: 400', async () => {
    await sign(unsigned())
    expect((await sign(unsigned({ walletAddress: bob.wallet.address }))).status).toBe(400)
  })

  it('signs for no other agent: 404', async () => {
    const ofBob = { ...unsigned(), from: { agentId: bob.agent.id } }
    expect((await sign(ofBob)).status).toBe(404)
    expect((await sign({ ...ofBob, from: { agentId: 'agt_none' } }, 'internal-key')).status).toBe(
      404,
    )
  })

  it('signs only messages: 400', async () => {
    const { action: _, ...without } = unsigned()
    expect((await sign(without)).status).toBe(400)
    expect((await sign({ ...unsigned(), payload: 'Verify agent agt_1' })).status).toBe(400)
    expect((await sign({ message: 'hello' })).status).toBe(400)
  })

  it.each(['wrong', `sk_${'0'.repeat(64)}`, 'ak_x'])('signs nothing for %s: 401', async (by) => {
    expect((await sign(unsigned(), by)).status).toBe(401)
  })
})
