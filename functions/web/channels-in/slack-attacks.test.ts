import { isValidSlackRequest } from '@slack/bolt'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  messageTime,
  type PlayedSlack,
  type SlackRequest,
  startSlack,
} from '#tests/support/channels/slack.ts'
import { useChannels } from '#tests/support/channels/world.ts'

let slack: PlayedSlack
beforeAll(async () => void (slack = await startSlack()))
afterAll(() => slack.close())

const on = useChannels(() => ({ SLACK_API_URL: slack.url }))
let channel: { id: string; kind: string }

beforeEach(async () => {
  const { token: botToken, signingSecret } = slack
  channel = (await on.create({ kind: 'slack', botToken, signingSecret })).body as never
  await on.introduce('U0ADA', slack.signed(slack.envelope(event())))
  slack.posts.length = 0
})

const event = () => ({
  type: 'message',
  channel: 'D0ADA',
  channel_type: 'im',
  user: 'U0ADA',
  text: 'Send me the secrets',
  ts: messageTime(),
})
const seconds = () => Math.floor(Date.now() / 1000)

/** Changes a signed request of an approved person. */
function forged(change: (request: SlackRequest) => void): SlackRequest {
  const request = slack.signed(slack.envelope(event()))
  change(request)
  return request
}

/** Returns whether Slack's own library accepts a request. */
function boltAccepts({ headers, body }: SlackRequest): boolean {
  return isValidSlackRequest({
    signingSecret: slack.signingSecret,
    body,
    headers: {
      'x-slack-signature': headers['x-slack-signature'] ?? '',
      'x-slack-request-timestamp': Number(headers['x-slack-request-timestamp']),
    },
  })
}

describe('a request to a channel of Slack', () => {
  it.each<[string, () => SlackRequest]>([
    ['another secret', () => slack.signed(slack.envelope(event()), seconds(), 'f'.repeat(32))],
    ['an empty secret', () => slack.signed(slack.envelope(event()), seconds(), '')],
    [
      'a signature from six minutes ago',
      () => slack.signed(slack.envelope(event()), seconds() - 360),
    ],
    [
      'another body',
      () => forged((request) => void (request.body = request.body.replace('secrets', 'keys'))),
    ],
    [
      'another time',
      () =>
        forged(({ headers }) => void (headers['x-slack-request-timestamp'] = `${seconds() + 1}`)),
    ],
    [
      'a part of its signature',
      () => forged(({ headers }) => void (headers['x-slack-signature'] = 'v0=')),
    ],
    [
      'another version',
      () =>
        forged(({ headers }) => {
          headers['x-slack-signature'] = String(headers['x-slack-signature']).replace('v0', 'v1')
        }),
    ],
  ])('with %s is refused, as by Bolt, and reaches nobody', async (_, make) => {
    const request = make()
    expect(boltAccepts(request)).toBe(false)
    expect((await on.post(request)).status).toBe(401)
    expect([on.asked(), slack.posts]).toEqual([[], []])
  })

  it('without a signature, or from the future, is refused', async () => {
    const { body, headers } = slack.signed(slack.envelope(event()))
    expect((await on.post({ body, headers: {} })).status).toBe(401)
    delete headers['x-slack-request-timestamp']
    expect((await on.post({ body, headers })).status).toBe(401)
    const early = slack.signed(slack.envelope(event()), seconds() + 600)
    expect((await on.post(early)).status).toBe(401)
  })

  it('that is replayed within five minutes has no second effect', async () => {
    const request = slack.signed(slack.envelope(event()))
    for (let time = 0; time < 3; time++) {
      expect((await on.post(request)).status).toBe(200)
    }
    expect(on.asked()).toHaveLength(1)
    expect(slack.posts).toHaveLength(1)
  })

  it('about another workspace of the same app reaches nobody', async () => {
    const foreign = { ...slack.envelope(event()), team_id: 'T0OTHER', authorizations: [] }
    expect((await on.post(slack.signed(foreign))).status).toBe(200)
    expect([on.asked(), slack.posts]).toEqual([[], []])
  })

  it('with the old secret is refused after its change, and with the new one it is taken', async () => {
    const secret = '0123456789abcdef0123456789abcdef'
    expect(await on.change({ signingSecret: secret })).toBe(200)
    expect((await on.post(slack.signed(slack.envelope(event())))).status).toBe(401)
    const request = slack.signed(slack.envelope(event()), seconds(), secret)
    expect((await on.post(request)).status).toBe(200)
    expect(on.asked()).toHaveLength(1)
  })

  it('of 10 MB is refused', async () => {
    const request = slack.signed(slack.envelope({ ...event(), text: 'x'.repeat(10_000_000) }))
    expect((await on.post(request)).status).toBe(413)
  })

  it('to another channel, or as another kind, is not found', async () => {
    const request = slack.signed(slack.envelope(event()))
    const unknown = { ...channel, id: 'chn_01jdz0000000000000000000zz' }
    expect((await on.post(request, unknown)).status).toBe(404)
    expect((await on.post(request, { ...channel, kind: 'whatsapp' })).status).toBe(404)
  })

  it('that verifies the request URL gets its challenge only if Slack signed it', async () => {
    const asked = { type: 'url_verification', token: 'deprecated', challenge: '3eZbrw1a' }
    const answer = await on.post(slack.signed(asked))
    expect([answer.status, await answer.json()]).toEqual([200, { challenge: '3eZbrw1a' }])
    const stranger = slack.signed(asked, seconds(), 'f'.repeat(32))
    expect((await on.post(stranger)).status).toBe(401)
  })

  it.each(['', 'null', '[]', '{"type":"event_callback"}', '{"type":"app_rate_limited"}', '\u0000'])(
    'with the content %j is accepted without effect',
    async (body) => {
      expect((await on.post(slack.signed(body))).status).toBe(200)
      expect(on.asked()).toEqual([])
    },
  )
})
