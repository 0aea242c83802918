import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLog } from '#shared/platform/log.ts'
import { type Accounts, startAccounts } from '#tests/support/accounts/accounts.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { encryptionKey } from '#tests/support/conversations/chat.ts'
import { callerOf } from '#tests/support/http/caller.ts'
import * as group from '../channels.ts'

let accounts: Accounts
let ada: { id: string; session: string }

beforeAll(async () => {
  accounts = await startAccounts()
  ada = await accounts.signUp('ada@b.co')
})
afterAll(() => accounts.close())

/** Creates an email channel on a stage with this domain. */
async function create(domain: string | undefined, { deployed = true } = {}) {
  const { table } = accounts
  const agent = await putAgent(table, ada.id)
  const config = { EMAIL_IN_DOMAIN: domain }
  const webUrl = 'https://app.example.com'
  const services = { table, config, guard: { deployed }, webUrl, encryptionKey, log: createLog() }
  const call = callerOf(group, services as never)
  const path = `/api/agents/${agent.id}/channels`
  const response = await call('POST', path, { session: ada.session, body: { kind: 'email' } })
  const listed = await call('GET', path, { session: ada.session })
  return {
    status: response.status,
    body: (await response.json()) as Record<string, unknown>,
    channels: ((await listed.json()) as { channels: unknown[] }).channels,
  }
}

describe('a channel for email', () => {
  it('has an address that cannot be guessed, and no address for requests', async () => {
    const { status, body, channels } = await create('Agents.Example.com')
    const address = `${String(body['id'])}@agents.example.com`
    expect([status, body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^chn_[0-9a-z]{26}$/),
        kind: 'email',
        address,
        settings: { address },
        receiveUrl: null,
        waiting: 0,
        createdAt: expect.any(String),
      },
    ])
    expect(channels).toEqual([body])
  })

  it('has a local address on one machine', async () => {
    const { body } = await create(undefined, { deployed: false })
    expect(body['address']).toMatch(/^chn_[0-9a-z]{26}@agents\.localhost$/)
  })

  it('is refused on a deployed stage without a domain', async () => {
    const { status, body, channels } = await create(undefined)
    expect([status, channels]).toEqual([503, []])
    expect(body).toMatchObject({ missing: ['EMAIL_IN_DOMAIN'] })
  })
})
