import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { allItems } from '#shared/platform/table/pages.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { type Keys, startKeys } from '#tests/support/accounts/keys.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { type PlayedSlack, startSlack } from '#tests/support/channels/slack.ts'
import { channelsOver } from '#tests/support/conversations/channels.ts'

let accounts: Keys
let slack: PlayedSlack
let ada: { id: string; session: string }
let agentId: string
let users = 0

interface Answer {
  id: string
  error: string
}

beforeAll(async () => void ([accounts, slack] = await Promise.all([startKeys(), startSlack()])))
afterAll(() => Promise.all([accounts.close(), slack.close()]))
beforeEach(async () => {
  ada = await accounts.signUp(`ada${users++}@b.co`)
  agentId = (await putAgent(accounts.table, ada.id)).id
})

const given = () => ({
  kind: 'slack',
  botToken: slack.token,
  signingSecret: slack.signingSecret,
})

async function create(body: object = given(), settings: Record<string, string> = {}) {
  const values = { SLACK_API_URL: slack.url, WEB_URL: 'https://play.example', ...settings }
  const { session } = ada
  const created = channelsOver(accounts.table, values).call('POST', `${agentId}/channels`, {
    session,
    body,
  })
  return (await created) as unknown as { status: number; body: Answer }
}

describe('a channel of Slack', () => {
  it('is created for the bot of its token, and shows no secret', async () => {
    const { status, body } = await create()
    expect([status, body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^chn_/),
        kind: 'slack',
        settings: { teamId: slack.teamId, team: 'Played', botUserId: slack.botUserId },
        receiveUrl: `https://play.example/in/slack/${body.id}`,
        waiting: 0,
        createdAt: expect.any(String),
      },
    ])
    const store = userStore(accounts.table, ada.id)
    const rows = JSON.stringify(await allItems((from) => store.query({ ...from })))
    expect(rows).toContain(body.id)
    expect(rows).not.toContain(slack.token)
    expect(rows).not.toContain(slack.signingSecret)
  })

  it('needs a public https address, and names the setting', async () => {
    const { status, body } = await create(given(), { WEB_URL: 'http://localhost:3000' })
    expect([status, body.error]).toEqual([400, expect.stringContaining('WEB_URL')])
  })

  it.each<[string, object]>([
    ['a token of a user', { botToken: 'xoxp-1234567890-1234567890' }],
    ['a token of another workspace', { botToken: 'xoxb-1234567890-1234567890' }],
    ['a signing secret of another form', { signingSecret: 'secret' }],
  ])('is refused with %s', async (_, change) => {
    const { status, body } = await create({ ...given(), ...change })
    expect([status, body.error]).toEqual([400, expect.stringMatching(/botToken|signingSecret/)])
    expect(JSON.stringify(body)).not.toContain('1234567890')
  })

  it('is refused if its app may not write, with what to do', async () => {
    const scopes = slack.scopes.splice(0)
    try {
      const { status, body } = await create()
      expect([status, body.error]).toEqual([400, expect.stringContaining('chat:write')])
    } finally {
      slack.scopes.push(...scopes)
    }
  })

  it('is not created while Slack fails or is away', async () => {
    slack.meets('auth.test', { status: 500 })
    expect((await create()).status).toBe(502)
    expect((await create(given(), { SLACK_API_URL: 'http://127.0.0.1:9/api' })).status).toBe(502)
  })
})
