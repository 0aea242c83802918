import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { handOverHeaders } from '#shared/conversations/channels/adapters/email/handed-over.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { openMail } from '#shared/platform/mail/open.ts'
import type { Mail } from '#shared/platform/mail/port.ts'
import type { QueuedMail } from '#shared/platform/mail/topic.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import { sealer } from '#shared/platform/seal.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { attached, gmailReply, mailOf, multipart, plain } from '#tests/support/channels/mails.ts'
import { channelsOver } from '#tests/support/conversations/channels.ts'
import { encryptionKey } from '#tests/support/conversations/chat.ts'
import { usePlayedAgent } from '#tests/support/conversations/played-agent.ts'
import { callerOf } from '#tests/support/http/caller.ts'
import { say } from '../../../agent/gateway/testing/upstream.ts'
import { senderRoutes } from '../agent-lifecycle/senders.ts'

const on = usePlayedAgent()

let channels: ReturnType<typeof channelsOver>
let callSenders: ReturnType<typeof callerOf>
let sent: Mail[]

beforeAll(() => {
  const { table } = on.accounts
  channels = channelsOver(table)
  const config = loadConfig({ WALLET_ENCRYPTION_KEY: encryptionKey })
  callSenders = callerOf({ routes: senderRoutes }, { table, config } as never)
})
beforeEach(() => {
  sent = []
  on.gateway.reply = (response) => say(response, 'It is **Thursday**. <b>Really</b>')
})

const refused = () => Promise.reject(new Error('the queue takes no such message'))

/** The jobs, at a queue that takes no mails. */
const refusing = {
  reach<T extends object>(port: T): T {
    if (!('sendAll' in port)) return port
    const { send, sendAll } = port as unknown as Queues
    const sends = (...[topic, body, options]: Parameters<Queues['send']>) =>
      topic.queue === 'mails' ? refused() : send(topic, body, options)
    return { sendAll, send: sends } as unknown as T
  },
}

/** Collects the mails that the jobs request. */
const collecting = {
  reach<T extends object>(port: T): T {
    if (!('sendAll' in port)) return port
    const { send, sendAll } = port as unknown as Queues
    return {
      sendAll,
      async send(...[topic, body, options]: Parameters<Queues['send']>) {
        if (topic.queue !== 'mails') return send(topic, body, options)
        sent.push(await openMail(body as QueuedMail, sealer(encryptionKey)))
      },
    } as unknown as T
  },
}

async function withChannel() {
  const agent = await putAgent(on.accounts.table, on.ada.id, {
    ...(on.agent.address && { address: on.agent.address }),
  })
  const { session } = on.ada
  const body = { kind: 'email' }
  const created = await channels.call('POST', `${agent.id}/channels`, { session, body })
  const { id, address } = created.body as { id: string; address: string }
  const senders = `/api/agents/${agent.id}/channels/${id}/senders`
  return {
    address,
    /** Hands a mail over, as the job does, and lets the jobs finish. */
    async arrive(
      mail: string,
      {
        dmarc = 'PASS',
        envelopeFrom = 'ada@example.com',
        channelId = id,
        through = collecting,
      } = {},
    ) {
      const raw = new Uint8Array(Buffer.from(mail))
      const verdicts = { spf: 'PASS', dkim: 'PASS', dmarc, spam: 'PASS', virus: 'PASS' }
      const received = { raw, key: 'mails/in/1', envelopeFrom, verdicts, at: Date.now() }
      const headers = await handOverHeaders(encryptionKey, { ...received, channelId }, Date.now())
      const answer = await channels.receive(`email/${id}`, { text: mail, headers })
      await channels.deliver(through).catch((error: unknown) => {
        if (through === collecting) throw error
      })
      return answer.status
    },
    async waiting() {
      const { body } = await channels.call('GET', `${agent.id}/channels`, { session })
      return (body['channels'] as { waiting: number }[]).map(({ waiting }) => waiting)
    },
    async deliveries() {
      const { body } = await channels.call('GET', `${agent.id}/channels/${id}/deliveries`, {
        session,
      })
      return body['deliveries'] as { chat: string; state: string; reason: string | null }[]
    },
    ask: (query: string) => channels.receive(`email/${id}?${query}`, { method: 'GET' }),
    async senders() {
      const listed = await callSenders('GET', senders, { session })
      const body = (await listed.json()) as {
        senders: { id: string; name: string; state: string; code: string }[]
      }
      return body.senders
    },
    approve: (sender: string) =>
      callSenders('POST', `${senders}/${encodeURIComponent(sender)}`, {
        session,
        body: { decision: 'approve' },
      }),
  }
}

const asked = () => on.gateway.calls.map(({ body }) => body.messages.at(-1)?.content)

describe('an email channel', () => {
  it('sends a stranger a code, and answers in the thread after the approval', async () => {
    const channel = await withChannel()
    expect(await channel.arrive(mailOf({ id: '<1@example.com>' }))).toBe(200)
    expect(asked()).toEqual([])
    const [stranger] = await channel.senders()
    expect(stranger).toMatchObject({ id: 'ada@example.com', state: 'pending' })
    expect(sent).toMatchObject([{ to: 'ada@example.com', from: channel.address }])
    expect(sent[0]?.text).toContain(stranger?.code)
    expect(await channel.waiting()).toEqual([1])
    expect((await channel.approve('ada@example.com')).status).toBe(200)
    expect(await channel.waiting()).toEqual([0])

    const headers = ['In-Reply-To: <1@example.com>', 'References: <1@example.com>']
    const content = gmailReply('Which day is it?')
    const mail = mailOf({ id: '<2@example.com>', subject: 'Re: Question', headers, content })
    for (let count = 0; count < 3; count++) expect(await channel.arrive(mail)).toBe(200)
    expect(asked()).toEqual(['Subject: Re: Question\n\nWhich day is it?'])
    expect(sent).toHaveLength(2)
    expect(sent[1]).toMatchObject({
      to: 'ada@example.com',
      from: channel.address,
      subject: 'Re: Question',
      text: 'It is **Thursday**. <b>Really</b>',
      headers: {
        'Auto-Submitted': 'auto-replied',
        'In-Reply-To': '<2@example.com>',
        References: '<1@example.com> <2@example.com>',
      },
    })
    const toAda = { chat: 'ada@example.com', state: 'sent' }
    expect(await channel.deliveries()).toMatchObject([toAda, toAda])
    expect(sent[1]?.html).toContain('<strong>Thursday</strong>. &lt;b&gt;Really&lt;/b&gt;')
  })

  it('gives programs and forged senders neither a code nor a turn, also with an approved address', async () => {
    const channel = await withChannel()
    await channel.arrive(mailOf({ id: '<1@example.com>' }))
    await channel.approve('ada@example.com')
    sent = []
    const before = asked().length
    const automatic = ['Auto-Submitted: auto-replied']
    await channel.arrive(mailOf({ id: '<2@example.com>', headers: automatic }))
    await channel.arrive(mailOf({ id: '<3@example.com>' }), { dmarc: 'FAIL' })
    await channel.arrive(mailOf({ id: '<4@example.com>' }), { envelopeFrom: '' })
    await channel.arrive(mailOf({ id: '<5@b.co>', from: 'bob@b.co' }), { dmarc: 'FAIL' })
    expect([asked().length - before, sent]).toEqual([0, []])
    expect((await channel.senders()).map(({ id }) => id)).toEqual(['ada@example.com'])
    await channel.arrive(mailOf({ id: '<3@example.com>', content: plain('Really me.') }))
    expect(asked().slice(before)).toEqual(['Subject: Question\n\nReally me.'])
  })

  it('tells the listener which addresses exist, and takes no request of strangers', async () => {
    const channel = await withChannel()
    expect((await channel.ask('domain=agents.localhost')).status).toBe(204)
    expect((await channel.ask('domain=example.com')).status).toBe(404)
    const unknown = 'email/chn_01kb0000000000000000000000?domain=agents.localhost'
    expect((await channels.receive(unknown, { method: 'GET' })).status).toBe(404)
    const [id] = channel.address.split('@')
    expect((await channels.receive(`email/${id}`, { text: mailOf() })).status).toBe(401)
    const other = await withChannel()
    expect(await channel.arrive(mailOf(), { channelId: other.address.split('@')[0]! })).toBe(401)
  })

  it('takes a mail whatever names it has, and shows them as one short line', async () => {
    const channel = await withChannel()
    const files = Array.from({ length: 12 }, (_, index) =>
      attached(`${index}${'x'.repeat(8000)}.txt`, 'text/plain', Buffer.from('a')),
    )
    const from = `=?utf-8?B?${Buffer.from('Ada\u202e\nBoss').toString('base64')}?= <ada@example.com>`
    const content = multipart('mixed', plain('See them.'), ...files)
    expect(await channel.arrive(mailOf({ from, content }))).toBe(200)
    expect(await channel.senders()).toMatchObject([{ id: 'ada@example.com', name: 'Ada Boss' }])
  })

  it('sends an answer that is nested too deeply to be read as it is', async () => {
    const channel = await withChannel()
    await channel.arrive(mailOf({ id: '<1@example.com>' }))
    await channel.approve('ada@example.com')
    on.gateway.reply = (response) => say(response, '> '.repeat(10_000))
    await channel.arrive(mailOf({ id: '<2@example.com>' }))
    expect(sent).toHaveLength(2)
    expect(sent[1]?.html).toContain('<pre>&gt; &gt; ')
  })

  it('gives up an answer whose every attempt is interrupted, and sends the next one', async () => {
    const channel = await withChannel()
    await channel.arrive(mailOf({ id: '<1@example.com>' }))
    await channel.approve('ada@example.com')
    sent = []
    await channel.arrive(mailOf({ id: '<2@example.com>' }), { through: refusing })
    for (let count = 0; count < 12; count++) {
      channels.state.now += 100_000
      await channels.tick()
      await channels.deliver(refusing).catch(() => undefined)
    }
    const [answer] = await channel.deliveries()
    expect(answer).toMatchObject({
      state: 'failed',
      reason: 'Each attempt to send it was interrupted',
    })
    const headers = ['References: <2@example.com>']
    await channel.arrive(mailOf({ id: '<3@example.com>', headers }))
    expect(sent).toHaveLength(1)
  })
})
