import { App, HTTPReceiver, isValidSlackRequest } from '@slack/bolt'
import { LogLevel, WebClient } from '@slack/web-api'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { messageTime, type PlayedSlack, startSlack } from './slack.ts'

let slack: PlayedSlack

beforeAll(async () => void (slack = await startSlack()))
afterAll(() => slack.close())

it('an app of Bolt takes the events of the played Slack, and answers over its Web API', async () => {
  const { signingSecret, token, url } = slack
  const receiver = new HTTPReceiver({ signingSecret, logLevel: LogLevel.ERROR })
  const clientOptions = { slackApiUrl: `${url}/` }
  const app = new App({ receiver, token, clientOptions, logLevel: LogLevel.ERROR })
  app.message('ping', ({ say }) => say('pong').then(() => undefined))
  const server = await app.start({ port: 0, host: '127.0.0.1' })
  const { port } = server.address() as { port: number }
  const deliver = (payload: unknown, at?: number, secret?: string) =>
    fetch(`http://127.0.0.1:${port}/slack/events`, {
      method: 'POST',
      ...slack.signed(payload, at, secret),
    })
  try {
    const challenge = await deliver({ type: 'url_verification', challenge: 'c1', token: 'x' })
    expect(await challenge.text()).toContain('c1')
    const event = { type: 'message', channel: 'D0PLAYED', channel_type: 'im', user: 'U0PERSON' }
    const ping = slack.envelope({ ...event, text: 'ping', ts: messageTime() })
    expect((await deliver(ping, 1_700_000_000)).status).toBe(401)
    expect((await deliver(ping, undefined, 'another secret')).status).toBe(401)
    expect((await deliver(ping)).status).toBe(200)
    await vi.waitFor(() => expect(slack.posts.at(-1)).toMatchObject({ text: 'pong' }), 20_000)
  } finally {
    await app.stop()
  }
})

it('the client of Slack uploads to the played Slack, and is refused with another token', async () => {
  const options = { slackApiUrl: `${slack.url}/`, logLevel: LogLevel.ERROR }
  const client = new WebClient(slack.token, options)
  const file = { file: Buffer.from('a,b'), filename: 'table.csv', channel_id: 'D0PLAYED' }
  await client.files.uploadV2(file)
  const [id = ''] = slack.posts.at(-1)?.files ?? []
  expect(slack.files.stored.get(id)).toMatchObject({ name: 'table.csv' })
  const foreign = new WebClient('xoxb-1-foreign', options)
  await expect(foreign.auth.test()).rejects.toThrow('invalid_auth')
})

it('Bolt accepts the signature of a request of the played Slack', () => {
  const { headers, body } = slack.signed({ type: 'event_callback' })
  const of = (secret: string) =>
    isValidSlackRequest({
      signingSecret: secret,
      body,
      headers: {
        'x-slack-signature': headers['x-slack-signature'] ?? '',
        'x-slack-request-timestamp': Number(headers['x-slack-request-timestamp']),
      },
    })
  expect(of(slack.signingSecret)).toBe(true)
  expect(of('another secret')).toBe(false)
})
