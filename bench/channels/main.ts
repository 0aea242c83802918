/**
 * Measures channels: how much later the answer to an event arrives than the same answer of an awake agent at the chat
 * route, on one machine. The events are webhooks that this process signs, and it receives their answers; each is sent in
 * turn with the same message at the chat route, whose reply is streamed.
 * `--quick`: fewer turns. Fails on answers that are wrong, missing or repeated, never on time.
 */
import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import { webhookHeaders } from '#shared/platform/webhook-signature.ts'
import { median } from '../budgets/measure.ts'
import { cpuSeconds } from '../gateway/rounds.ts'
import { launchStack } from '../stack/launch.ts'
import { provisionOnce, signUp } from '../stack/provision.ts'

const quick = process.argv.includes('--quick')
/** A chat has at most 60 turns in ten minutes, and each channel for webhooks is one chat: contract.md 18. */
const perChannel = quick ? 10 : 40
const channelCount = quick ? 1 : 5
const warmUps = 5
/** The maximum that the answer of an awake agent may arrive later, in milliseconds. */
const wantedMs = 300
const deadlineMs = 60_000
const message = 'How are you?'

interface Answer {
  answerTo: string
  text: string
}

const answers: Answer[] = []
const arrivals = new EventEmitter()
const receiver = createServer(async (request, response) => {
  const answer = JSON.parse(await text(request)) as Answer
  response.end()
  answers.push(answer)
  arrivals.emit(answer.answerTo, answer)
})
receiver.listen(0, '127.0.0.1')
await once(receiver, 'listening')
const answerUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`

const stack = await launchStack()
try {
  const session = await signUp(stack)
  await provisionOnce(stack, session, 'Bench')
  const headers = { 'content-type': 'application/json', ...session }
  const { agents } = await ask<{ agents: { id: string }[] }>('/api/agents')
  const agentId = agents[0]?.id ?? ''
  const times = { word: [] as number[], whole: [] as number[], channel: [] as number[] }
  let cpuMs = 0
  for (let n = 0; n < channelCount; n++) {
    const channel = await ask<Channel>(`/api/agents/${agentId}/channels`, {
      kind: 'webhook',
      promptTemplate: message,
      answerUrl,
    })
    for (let turn = -warmUps; turn < perChannel; turn++) {
      const direct = await chatTurn()
      const before = cpuSeconds(stack.process.pid ?? 0)
      const byChannel = await channelTurn(channel, `evt_${n}_${turn}`)
      const usedMs = (cpuSeconds(stack.process.pid ?? 0) - before) * 1000
      if (byChannel.text !== direct.text) throw new Error(`another answer: ${byChannel.text}`)
      if (turn < 0) continue
      cpuMs += usedMs
      times.word.push(direct.wordMs)
      times.whole.push(direct.wholeMs)
      times.channel.push(byChannel.ms)
    }
    const path = `/api/agents/${agentId}/channels/${channel.id}/deliveries?limit=100`
    const { deliveries } = await ask<{ deliveries: { state: string }[] }>(path)
    const sent = deliveries.filter(({ state }) => state === 'sent').length
    if (sent !== perChannel + warmUps) throw new Error(`${sent} answers were sent`)
  }
  if (answers.length !== channelCount * (perChannel + warmUps))
    throw new Error(`${answers.length} answers arrived`)
  const [word, whole, channel] = [times.word, times.whole, times.channel].map(median)
  const added = (channel ?? 0) - (word ?? 0)
  print('chat route, first word, p50', word)
  print('chat route, whole answer, p50', whole)
  print('event to its answer, p50', channel)
  print('CPU of the whole stack, an event', cpuMs / times.channel.length)
  print('added', added, `  at most ${wantedMs} ms: ${added <= wantedMs ? 'met' : 'NOT met'}`)

  async function ask<T>(path: string, body?: object): Promise<T> {
    const method = body === undefined ? 'GET' : 'POST'
    const content = body === undefined ? {} : { body: JSON.stringify(body) }
    const answer = await fetch(stack.web + path, { method, headers, ...content })
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
    return (await answer.json()) as T
  }

  async function chatTurn() {
    const started = performance.now()
    const body = JSON.stringify({ agentId, message, stream: true })
    const answer = await fetch(`${stack.web}/api/chat`, { method: 'POST', headers, body })
    if (!answer.ok || answer.body === null) throw new Error(await answer.text())
    const events = answer.body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream())
    let wordMs: number | undefined
    for await (const { event, data } of events) {
      if (event === 'delta') wordMs ??= performance.now() - started
      if (event === 'done' && wordMs !== undefined) {
        const { reply } = JSON.parse(data) as { reply: string }
        return { wordMs, wholeMs: performance.now() - started, text: reply }
      }
    }
    throw new Error('the reply is not whole')
  }

  async function channelTurn({ id, secret }: Channel, event: string) {
    const started = performance.now()
    const body = '{}'
    const arrival = once(arrivals, event, { signal: AbortSignal.timeout(deadlineMs) })
    const signed = webhookHeaders(secret, { id: event, body, now: Date.now() })
    const taken = await fetch(`${stack.web}/in/webhook/${id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signed },
      body,
    })
    if (taken.status !== 200) throw new Error(`an event got ${taken.status}`)
    const [answer] = (await arrival) as [Answer]
    return { ms: performance.now() - started, text: answer.text }
  }
} finally {
  await stack.stop()
  receiver.close()
}

interface Channel {
  id: string
  secret: string
}

function print(name: string, ms = Number.NaN, verdict = ''): void {
  process.stdout.write(`${name.padEnd(36)}${`${ms.toFixed(2)} ms`.padStart(12)}${verdict}\n`)
}
