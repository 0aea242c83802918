/**
 * A fake model provider with a fixed response of 0.8 KB in the form of the request's family, on a raw socket so that it is
 * never the bottleneck. The request's text selects its behaviour: `bench:slow` waits 50 ms, `bench:held` until the benchmark
 * continues; a stream has 30 chunks 5 ms apart, each with its send time; `bench:long` is a stream of 8 s.
 */
import { createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { chat, type Family, messages, responses } from './families.ts'

const streamHead =
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n'

const byPath = new Map<string, Family>([
  ['/v1/chat/completions', chat],
  ['/v1/messages', messages],
  ['/v1/responses', responses],
])

/** Whole answers with their heads, by family. */
const answers = new Map(
  Array.from(byPath.values(), (family) => {
    const body = JSON.stringify(family.whole)
    const head = `content-type: application/json\r\ncontent-length: ${body.length}`
    return [family, `HTTP/1.1 200 OK\r\n${head}\r\n\r\n${body}`]
  }),
)

const chunks = 30
const gapMs = 5
const longGapMs = 267
const slowMs = 50
let held: (() => void) | undefined

function frame(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`
}

function stream(socket: Socket, family: Family, everyMs: number): void {
  const sent = () => String(process.hrtime.bigint())
  socket.write(streamHead + frame(family.begin + family.piece(sent())))
  let i = 1
  const stop = () => {
    clearInterval(timer)
    socket.off('close', stop)
  }
  const timer = setInterval(() => {
    if (i++ < chunks) socket.write(frame(family.piece(sent())))
    else {
      stop()
      socket.write(`${frame(family.end)}0\r\n\r\n`)
    }
  }, everyMs)
  socket.once('close', stop)
}

function serve(socket: Socket, request: string): void {
  const family = byPath.get(request.split(' ', 2)[1] ?? '') ?? chat
  const answer = answers.get(family) ?? ''
  if (request.includes('"stream":true'))
    stream(socket, family, request.includes('bench:long') ? longGapMs : gapMs)
  else if (request.includes('bench:slow')) setTimeout(() => socket.write(answer), slowMs)
  else if (request.includes('bench:held')) {
    held = () => socket.write(answer)
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
process.on('message', () => held?.())
process.on('disconnect', () => process.exit())
