/**
 * Measures the broker: how much it adds to a small HTTPS GET, in turn with the same request without it and with its list of
 * credentials, over kept connections; and how much the memory of the local stack grows for a 1 GB body, down and up. The
 * stack and the host each have their own process. `--quick`: fewer requests, 128 MB. Fails on wrong responses, missing
 * records or memory that grows with the body, never on time.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import http from 'node:http'
import https from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline, Readable } from 'node:stream'
import { median } from '../budgets/measure.ts'
import { cpuSeconds } from '../gateway/rounds.ts'
import { residentMb } from '../stack/launch.ts'
import { startBrokerStack } from './stack.ts'

const quick = process.argv.includes('--quick')
const questions = quick ? 200 : 3000
const bytes = (quick ? 128 : 1024) * 1024 * 1024
/** The maximum growth of memory in MB: socket buffers and uncollected garbage, but no body. */
const maxMb = 200
/** The maximum that a small GET may take longer, in milliseconds. */
const wantedMs = 2

const dataDir = await mkdtemp(join(tmpdir(), 'platform-bench-'))
const host = spawn(
  process.execPath,
  ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'host.ts')],
  { stdio: ['ignore', 'pipe', 'inherit'] },
)
const { port, certFile } = await firstLine<{ port: number; certFile: string }>(host)
const stack = await startBrokerStack(dataDir, { host: `localhost:${port}`, certFile })
try {
  const direct = {
    url: `https://localhost:${port}`,
    headers: { authorization: 'Bearer x' },
    agent: new https.Agent({ keepAlive: true, ca: readFileSync(certFile) }),
  }
  const brokered = {
    url: stack.broker,
    headers: { authorization: `Bearer ${stack.key}` },
    agent: new http.Agent({ keepAlive: true }),
  }
  // The same guard in the same function without a call to a host: the cost of the local stack itself.
  const listed = { ...brokered, url: new URL('/broker', brokered.url).href, path: '' }
  const cpuBefore = cpuSeconds(stack.pid)
  const times = { direct: [] as number[], listed: [] as number[], brokered: [] as number[] }
  for (let i = -Math.round(questions / 5); i < questions; i++) {
    const [one, list, other] = [await timed(direct), await timed(listed), await timed(brokered)]
    if (one.text !== other.text || other.status !== 200) throw new Error('another answer')
    if (i < 0) continue
    times.direct.push(one.ms)
    times.listed.push(list.ms)
    times.brokered.push(other.ms)
  }
  const cpuMs = ((cpuSeconds(stack.pid) - cpuBefore) * 1000) / (questions * 1.2)
  const [one, other] = [median(times.direct), median(times.brokered)]
  const down = await grown(stack.pid, () => download(brokered))
  const up = await grown(stack.pid, () => upload(brokered))
  if ((await stack.recorded()) !== 200) throw new Error('uses are missing in the records')
  const mb = bytes / 1024 / 1024
  print('small GET, direct, p50', `${one.toFixed(2)} ms`)
  print('list of credentials, p50', `${median(times.listed).toFixed(2)} ms`)
  print('small GET, by the broker, p50', `${other.toFixed(2)} ms`)
  print('CPU of the whole stack for the two', `${cpuMs.toFixed(2)} ms`)
  const added = other - one
  print('added', `${added.toFixed(2)} ms`, `${wantedMs} ms`, added <= wantedMs)
  for (const [name, of] of Object.entries({ down, up })) {
    const flat = of.mb <= maxMb
    const speed = `${(mb / of.seconds).toFixed(0)} MB/s`
    print(`${mb} MB ${name}: memory grew by`, `${of.mb} MB (${speed})`, `${maxMb} MB`, flat)
    if (!flat) process.exitCode = 1
  }
} finally {
  await stack.stop()
  host.kill('SIGTERM')
  await rm(dataDir, { recursive: true, force: true })
}

interface Way {
  url: string
  headers: Record<string, string>
  agent: http.Agent
  /** The requested path; default: the small response. */
  path?: string
}

function open({ url, headers, agent }: Way, path: string, method: string): http.ClientRequest {
  const { request } = url.startsWith('https:') ? https : http
  return request(url + path, { method, headers, agent })
}

async function answerOf(request: http.ClientRequest): Promise<http.IncomingMessage> {
  const [answer] = (await once(request, 'response')) as [http.IncomingMessage]
  return answer
}

async function timed(way: Way): Promise<{ ms: number; status?: number | undefined; text: string }> {
  const started = performance.now()
  const answer = await answerOf(open(way, way.path ?? '/small', 'GET').end())
  let text = ''
  for await (const chunk of answer) text += String(chunk)
  return { ms: performance.now() - started, status: answer.statusCode, text }
}

async function download(way: Way): Promise<void> {
  const answer = await answerOf(open(way, `/large?bytes=${bytes}`, 'GET').end())
  let size = 0
  for await (const chunk of answer) size += (chunk as Buffer).length
  if (size !== bytes) throw new Error(`${size} bytes arrived`)
}

async function upload(way: Way): Promise<void> {
  const chunk = Buffer.alloc(256 * 1024, 'x')
  function* chunks() {
    for (let sent = 0; sent < bytes; sent += chunk.length) yield chunk
  }
  const request = open(way, '/taken', 'POST')
  pipeline(Readable.from(chunks()), request, () => {})
  let text = ''
  for await (const part of await answerOf(request)) text += String(part)
  if (text !== String(bytes)) throw new Error(`the host took ${text}`)
}

/** Returns the maximum growth of a process's memory during some work, and the duration of the work. */
async function grown(
  pid: number,
  work: () => Promise<void>,
): Promise<{ mb: number; seconds: number }> {
  const before = residentMb(pid)
  let most = before
  const looking = setInterval(() => {
    most = Math.max(most, residentMb(pid))
  }, 20)
  const started = performance.now()
  try {
    await work()
  } finally {
    clearInterval(looking)
  }
  return { mb: Math.round(most - before), seconds: (performance.now() - started) / 1000 }
}

async function firstLine<T>({ stdout }: ChildProcess): Promise<T> {
  if (stdout === null) throw new Error('its output is not piped')
  const [line] = (await once(createInterface(stdout), 'line')) as [string]
  return JSON.parse(line) as T
}

function print(name: string, value: string, limit = '', met?: boolean): void {
  const verdict = met === undefined ? '' : `at most ${limit}: ${met ? 'met' : 'NOT met'}`
  process.stdout.write(`${name.padEnd(36)}${value.padStart(20)}  ${verdict}\n`)
}
