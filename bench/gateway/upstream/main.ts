/**
 * A fake model provider with a fixed response of 0.8 KB, on a raw socket so that it is never the bottleneck. The request's
 * text selects its behaviour: `bench:slow` waits 50 ms, `bench:held` until the benchmark continues; a stream has 30 chunks
 * 5 ms apart, each with its send time; `bench:long` is a stream of 8 s.
 */
import { createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'

const usage = { prompt_tokens: 25, completion_tokens: 120, total_tokens: 145 }
const base = { id: 'chatcmpl-bench', created: 1_790_000_000, model: 'openai/gpt-6-luna' }
const content = 'The quick brown fox jumps over the lazy dog. '.repeat(12)
const body = JSON.stringify({
  ...base,
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  usage,
})
const answer = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
const streamHead =
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n'

const chunks = 30
const gapMs = 5
const longGapMs = 267
const slowMs = 50
let held: Socket | undefined

function frame(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`
}

function event(i: number): string {
  if (i === chunks) return 'data: [DONE]\n\n'
  const last = i === chunks - 1
  const sent = String(process.hrtime.bigint())
  const choices = [{ index: 0, delta: { content: sent }, finish_reason: last ? 'stop' : null }]
  const chunk = { ...base, object: 'chat.completion.chunk', choices, ...(last && { usage }) }
  return `data: ${JSON.stringify(chunk)}\n\n`
}

function stream(socket: Socket, everyMs: number): void {
  socket.write(streamHead + frame(event(0)))
  let i = 1
  const stop = () => {
    clearInterval(timer)
    socket.off('close', stop)
  }
  const timer = setInterval(() => {
    if (i < chunks) socket.write(frame(event(i++)))
    else {
      stop()
      socket.write(`${frame(event(chunks))}0\r\n\r\n`)
    }
  }, everyMs)
  socket.once('close', stop)
}

function serve(socket: Socket, request: string): void {
  if (request.includes('"stream":true'))
    stream(socket, request.includes('bench:long') ? longGapMs : gapMs)
  else if (request.includes('bench:slow')) setTimeout(() => socket.write(answer), slowMs)
  else if (request.includes('bench:held')) {
    held = socket
    process.send?.('held')
  } else socket.write(answer)
}

const server = createServer({ noDelay: true }, (socket) => {
  let pending = ''
  socket.on('data', (data) => {
    pending += data.toString('latin1')
    const head = pending.indexOf('\r\n\r\n')
    if (head < 0) return
    const length = Number(/content-length: (\d+)/i.exec(pending)?.[1] ?? 0)
    if (pending.length < head + 4 + length) return
    const request = pending
    pending = ''
    serve(socket, request)
  })
  socket.on('error', () => socket.destroy())
})
server.listen(0, '127.0.0.1', () =>
  process.send?.({ port: (server.address() as AddressInfo).port }),
)
process.on('message', () => held?.write(answer))
process.on('disconnect', () => process.exit())
