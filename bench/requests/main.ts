/**
 * Measures requests through a whole local platform, as `npm run dev` runs it: a read by API key (`GET /api/settings`) and
 * the AI gateway, compared with Portkey and with another checkout of this project (`--against <its folder>`, built). Rounds
 * alternate between the targets, so that a busy machine slows all of them. Figures are medians of the rounds; ratios are
 * medians of the rounds' ratios. CPU time is for the whole process. The floor is a minimal single-threaded program with
 * the same requests to a table that survives a kill.
 *
 * `--quick`: two short rounds without the peer. Fails on responses other than 200, never on time.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createCallers, requestText } from '../gateway/callers.ts'
import { startChild } from '../gateway/child.ts'
import { startPeer } from '../gateway/peer.ts'
import { launchStack } from '../stack/launch.ts'
import { signUpCallers } from './callers.ts'
import { report } from './report.ts'
import { type Measured, measureRound, type Target } from './rounds.ts'

const {
  quick,
  against,
  rounds: count,
} = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    against: { type: 'string' },
    rounds: { type: 'string' },
  },
}).values
const rounds = Number(count ?? (quick ? 2 : 9))
const seconds = quick ? 0.3 : 1.5
const callers = 8

const file = (path: string) => join(import.meta.dirname, '../gateway', path)
const started: { stop(): Promise<unknown> }[] = []
try {
  const load = startChild(1, file('load/main.ts'))
  const provider = startChild(1, file('upstream/main.ts'))
  started.push(load, provider)
  const { port } = (await provider.next()) as { port: number }
  const providerUrl = `http://127.0.0.1:${port}/v1`
  const targets: Target[] = [await ours('ours')]
  if (against !== undefined) targets.push(await ours('earlier', against))
  if (!quick) {
    targets.push(await floor())
    const peer = await startPeer(0)
    if ('missing' in peer) process.stdout.write(`no peer: ${peer.missing}\n`)
    else {
      started.push(peer.child)
      const request = (kind: 'fast') => [requestText('bench', kind, peer.headers(providerUrl))]
      const { pid = 0 } = peer.child.process
      targets.push({
        name: peer.name,
        pid,
        gateway: { port: peer.port, requests: request('fast') },
      })
    }
  }
  targets.push({
    name: 'provider',
    pid: provider.process.pid ?? 0,
    gateway: { port, requests: [requestText('', 'fast')] },
  })

  async function ours(name: string, root?: string): Promise<Target> {
    const environment = { AI_BASE_URL: providerUrl, AI_API_KEY: 'bench' }
    const stack = await launchStack(environment, root && join(root, 'stacks/local/main.ts'))
    started.push(stack)
    const keys = await signUpCallers(stack, callers)
    return {
      name,
      pid: stack.process.pid ?? 0,
      settings: { port: portOf(stack.web), requests: keys.map(settingsRequest) },
      gateway: {
        port: portOf(stack.backend),
        requests: keys.map((key) => requestText(key, 'fast')),
      },
    }
  }

  async function floor(): Promise<Target> {
    const dir = await mkdtemp(join(tmpdir(), 'bench-requests-'))
    const { items, keys } = await createCallers(callers)
    await writeFile(join(dir, 'items.json'), JSON.stringify(items))
    const child = startChild(0, file('bare/main.ts'), [providerUrl], {
      BENCH_ITEMS: join(dir, 'items.json'),
      BENCH_DATABASE: dir,
    })
    started.push(child, { stop: () => rm(dir, { recursive: true, force: true }) })
    const { port } = (await child.next()) as { port: number }
    const requests = keys.map((key) => requestText(key, 'fast'))
    return { name: 'floor', pid: child.process.pid ?? 0, gateway: { port, requests } }
  }

  // The compiler optimizes for about ten seconds; these rounds do not count.
  for (let i = 0; i < (quick ? 1 : 2); i++) await measureRound(load, targets, seconds)
  const measured: Measured[] = []
  for (let i = 0; i < rounds; i++) measured.push(await measureRound(load, targets, seconds))
  const { text, faults } = report(measured)
  process.stdout.write(text)
  process.exitCode = faults === 0 ? 0 : 1
} finally {
  await Promise.all(started.map((each) => each.stop()))
}

function settingsRequest(key: string): string {
  return `GET /api/settings HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${key}\r\n\r\n`
}

function portOf(url: string): number {
  return Number(new URL(url).port)
}
