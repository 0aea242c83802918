import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listApprovals } from '#shared/permits/approvals/list.ts'
import { handOver } from '#tests/support/channels/hand-over.ts'
import { mailOf } from '#tests/support/channels/mails.ts'
import { messageTime, type PlayedSlack, startSlack } from '#tests/support/channels/slack.ts'
import { subscribe } from '#tests/support/channels/subscribe.ts'
import type { PlayedBot } from '#tests/support/channels/telegram-state.ts'
import { startTelegram } from '#tests/support/channels/telegram.ts'
import { newWamid, type PlayedWhatsApp, startWhatsApp } from '#tests/support/channels/whatsapp.ts'
import { useChannels } from '#tests/support/channels/world.ts'
import { encryptionKey } from '#tests/support/conversations/chat.ts'
import { decideAndCarryOut } from '#tests/support/permits/decide.ts'
import { setPolicyOf } from '#tests/support/permits/policy.ts'
import { startWebhook, type Webhook } from '#tests/support/tools/webhook-receiver.ts'

let slack: PlayedSlack
let whatsapp: PlayedWhatsApp
let telegram: Awaited<ReturnType<typeof startTelegram>>
let receiver: Webhook
beforeAll(async () => {
  ;[slack, whatsapp, telegram, receiver] = await Promise.all([
    startSlack(),
    startWhatsApp(),
    startTelegram(),
    startWebhook(),
  ])
})
afterAll(() => Promise.all([slack.close(), whatsapp.close(), telegram.close(), receiver.close()]))

const on = useChannels(() => ({
  SLACK_API_URL: slack.url,
  TELEGRAM_API_URL: telegram.url,
  WHATSAPP_API_URL: whatsapp.url,
}))

const content = 'day,sum\n1,20'
const hash = createHash('sha256').update(content).digest('hex')

/** Writes a file of the agent. */
async function write(path: string, text = content): Promise<void> {
  const answer = await on.files('PUT', `/content?path=${encodeURIComponent(path)}`, text)
  expect(answer.status).toBe(200)
}

beforeEach(async () => {
  await subscribe(on.table, on.owner.id)
  await write('reports/june.csv')
})

/** Sends a file by the agent's tool. */
const send = (to: string, path = 'reports/june.csv', text?: string) =>
  on.use('send_file', { channel: on.channelId, to, path, ...(text !== undefined && { text }) })

const newest = async () => (await on.delivered())[0]

describe('a file to Slack', () => {
  const message = () => {
    const place = { channel: 'D0ADA', channel_type: 'im' }
    const said = { type: 'message', ...place, user: 'U0ADA', text: 'Hi', ts: messageTime() }
    return slack.signed(slack.envelope(said))
  }

  beforeEach(async () => {
    const { token: botToken, signingSecret } = slack
    await on.create({ kind: 'slack', botToken, signingSecret })
    await on.introduce('U0ADA', message())
    await on.post(message())
    await on.settle()
    slack.posts.length = 0
  })

  const shared = () =>
    slack.posts.flatMap(({ files = [] }) => files.map((id) => slack.files.stored.get(id)))

  const setPreset = (preset: 'open' | 'guarded' | 'locked') =>
    setPolicyOf(on.table, { userId: on.owner.id, agentId: on.agentId }, { preset, rules: [] })

  async function decide(decision: 'approve' | 'deny') {
    const ctx = { table: on.table, owner: on.owner.id }
    const [approval] = (await listApprovals(ctx, { agentId: on.agentId, limit: 20 })).items
    await decideAndCarryOut(on.table, {
      userId: on.owner.id,
      approvalId: approval?.id ?? '',
      decision,
      settings: { WALLET_ENCRYPTION_KEY: encryptionKey },
    })
    await on.settle()
    return approval
  }

  it('is shared once after its text, and is listed with the deliveries', async () => {
    expect(await send('D0ADA', 'reports/june.csv', 'The report')).toEqual({ state: 'waiting' })
    await on.settle()
    await on.settle()
    expect(slack.posts.map(({ text }) => text)).toEqual(['The report', ''])
    expect(shared().map((file) => [file?.name, String(file?.bytes)])).toEqual([
      ['june.csv', content],
    ])
    expect(await newest()).toMatchObject({ text: 'june.csv (12 bytes)', state: 'sent' })
  })

  it.each([
    ['../secret', 'path must not contain'],
    ['/etc/passwd', 'path must be relative'],
    ['a\0b', 'path must be UTF-8 without zero bytes'],
    ['reports/none.csv', 'File not found'],
    ['reports', 'File not found'],
  ])('is refused for the path %j', async (path, reason) => {
    await expect(send('D0ADA', path)).rejects.toThrow(reason)
    await on.settle()
    expect(slack.posts).toEqual([])
  })

  it('goes only to the chats of approved people', async () => {
    await expect(send('D0EVE')).rejects.toThrow('`to` must be one of the chats')
  })

  it('is not found for an agent without files', async () => {
    expect((await on.files('DELETE', '/content?path=reports&recursive=true')).status).toBe(200)
    await expect(send('D0ADA')).rejects.toThrow('File not found')
  })

  it('is denied, or waits for an approval with its name, size and hash, as the policy decides', async () => {
    await setPreset('locked')
    await expect(send('D0ADA')).rejects.toMatchObject({ code: 'POLICY_DENIED' })
    await setPreset('guarded')
    expect(await send('D0ADA')).toMatchObject({ state: 'pending' })
    await on.settle()
    expect(slack.posts).toEqual([])
    expect(await decide('approve')).toMatchObject({
      summary: `Write to D0ADA on slack: june.csv (12 bytes, SHA-256 ${hash})`,
    })
    expect(shared().map((file) => String(file?.bytes))).toEqual([content])
  })

  it('that changes after it was asked is sent as it was approved', async () => {
    await setPreset('guarded')
    await send('D0ADA')
    await write('reports/june.csv', 'another')
    await decide('approve')
    expect(shared().map((file) => String(file?.bytes))).toEqual([content])
  })

  it('whose content is no longer stored has failed, and other bytes are never sent', async () => {
    await send('D0ADA')
    for (const [key, { bytes }] of on.jobs.stored)
      if (Buffer.from(bytes).includes(content))
        await on.jobs.objects.put(key, Buffer.alloc(bytes.length))
    await on.settle()
    expect(shared()).toEqual([])
    expect(await newest()).toMatchObject({
      state: 'failed',
      reason: 'The file was changed or deleted before it could be sent',
    })
  })

  it('that Slack may have shared is not shared again', async () => {
    slack.meets('files.completeUploadExternal', 'lost')
    await send('D0ADA')
    await on.settle()
    await on.settle()
    expect(await newest()).toMatchObject({ state: 'unknown' })
    expect(slack.posts).toHaveLength(1)
  })

  it('is uploaded again while Slack is down', async () => {
    slack.meets('files.getUploadURLExternal', { status: 503 })
    await send('D0ADA')
    await on.settle()
    expect(await newest()).toMatchObject({ state: 'sent', attempts: 2 })
    expect(slack.posts).toHaveLength(1)
  })
})

describe('a file to Telegram', () => {
  let bot: PlayedBot
  beforeEach(async () => {
    bot = telegram.newBot('rhythm_bot')
    await on.create({ kind: 'telegram', token: bot.token })
    await on.introduce('77', bot.post(bot.receive({ text: 'Hi' })))
    await on.post(bot.post(bot.receive({ text: 'Hi' })))
    bot.sent.length = 0
  })

  it.each([
    ['reports/june.csv', 'document', 'text/csv'],
    ['plan.png', 'photo', 'image/png'],
  ])('is a document or a photo: %s', async (path, kind, type) => {
    await write(path)
    await send('77', path)
    await on.settle()
    expect(bot.sent).toMatchObject([
      { chatId: '77', file: { kind, type, name: path.split('/').at(-1) } },
    ])
    expect(String(bot.sent[0]?.file?.bytes)).toBe(content)
  })
})

describe('a file to WhatsApp', () => {
  const ada = '15550123'
  beforeEach(async () => {
    whatsapp.open.add(ada)
    const said = () => {
      const timestamp = String(Math.floor(Date.now() / 1000))
      const text = { body: 'Hi' }
      const messages = [{ from: ada, id: newWamid(), timestamp, type: 'text', text }]
      return whatsapp.signed(whatsapp.notification({ messages }))
    }
    await on.create({ kind: 'whatsapp', ...whatsapp.fields })
    await on.introduce(ada, said())
    await on.post(said())
    whatsapp.sent.length = 0
  })

  it('is uploaded and sent under its name', async () => {
    await send(ada)
    await on.settle()
    expect(whatsapp.sent.map(({ body }) => body)).toMatchObject([
      { type: 'document', document: { filename: 'june.csv' } },
    ])
  })

  it('of a type that it does not take is refused at once', async () => {
    await write('all.zip')
    await expect(send(ada, 'all.zip')).rejects.toThrow(
      'WhatsApp takes no file of type application/zip',
    )
  })
})

describe('a file to a webhook', () => {
  it('is base64 in the signed JSON', async () => {
    receiver.posted.length = 0
    receiver.answers({ status: 200 })
    const created = await on.create({
      kind: 'webhook',
      promptTemplate: 'An alert',
      answerUrl: receiver.url,
    })
    const channel = created.body as unknown as { id: string; secret: string }
    await on.jobs.hook(channel, 'evt_1', {})
    await on.jobs.deliver()
    receiver.posted.length = 0
    await send(channel.id)
    await on.settle()
    expect(receiver.posted.map(({ text }) => JSON.parse(text) as object)).toMatchObject([
      {
        channelId: channel.id,
        file: { name: 'june.csv', mime: 'text/csv', base64: btoa(content) },
      },
    ])
  })
})

describe('a file by mail', () => {
  const arrive = async (id: string) => {
    const { channelId, jobs } = on
    return handOver(jobs.objects, { channelId, mail: mailOf({ id }), key: `mails/in/${id}` })
  }
  beforeEach(async () => {
    await on.create({ kind: 'email' })
    await on.introduce('ada@example.com', await arrive('<1@example.com>'))
    await on.post(await arrive('<2@example.com>'))
    on.jobs.mails.length = 0
  })

  it('is an attachment in the thread', async () => {
    await send('ada@example.com')
    await on.settle()
    const [mail] = on.jobs.mails
    expect(on.jobs.mails).toMatchObject([
      { to: 'ada@example.com', attachments: [{ name: 'june.csv', mime: 'text/csv' }] },
    ])
    const stored = await on.jobs.objects.get(String(mail?.attachments?.[0]?.key))
    expect(Buffer.from(stored ?? []).toString()).toBe(content)
  })

  it('that is a program is refused at once', async () => {
    await write('run.exe')
    const refused = 'Mail services refuse programs as attachments'
    await expect(send('ada@example.com', 'run.exe')).rejects.toThrow(refused)
  })
})
