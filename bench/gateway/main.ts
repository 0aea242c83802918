/**
 * The AI gateway beside the provider asked directly and beside a peer, one process each: what is measured alone on
 * core 0, the fixed provider and the load on core 1. Rounds alternate between them, so that a busy machine slows all
 * alike; figures are medians of the rounds, ratios medians of the rounds' ratios.
 *
 * Ours is the AI function from its deployed entry in the local stack's function host behind the local stack's surface
 * (REST API events as JSON text, the streaming handler), callers with a key each, every check, the usage record and
 * the log on. Only its table is another, in memory behind the table port; the embedded database is measured beside it,
 * and the floor: a function in the same host that does nothing but ask the provider. The same group as a service, over plain
 * HTTP as its container runs it, has a floor of its own, `bare`: the plainest program with the same requests to the table.
 *
 * `--rounds <n>`: so many that count, instead of seven. `--quick`: one short round without the peer. Fails on wrong
 * answers, merged chunks or more database requests than allowed, never on time.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bundleFloor, bundleFunction, bundleService } from './bundle.ts'
import { createCallers } from './callers.ts'
import { countRequests } from './requests.ts'
import { report } from './report.ts'
import { measureRound, type Round } from './rounds.ts'
import { startTargets } from './targets.ts'

const { quick, rounds: count } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, rounds: { type: 'string' } },
}).values
const rounds = Number(count ?? (quick ? 1 : 7))
const warmUps = quick ? 1 : 3
const seconds = quick ? 0.25 : 1.5

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const dir = await mkdtemp(join(tmpdir(), 'bench-gateway-'))
const callers = await createCallers(32)
const running = await startTargets({
  bundles: await bundleFunction(),
  floorBundles: await bundleFloor(),
  serviceProgram: await bundleService(),
  dir,
  callers,
  withPeer: !quick,
})
try {
  // Code is compiled ever better for the first ten seconds of its running; these rounds are not counted.
  for (let i = 0; i < warmUps; i++) await measureRound(running, callers.keys, seconds)
  const measured: Round[] = []
  for (let i = 0; i < rounds; i++) measured.push(await measureRound(running, callers.keys, seconds))
  const requests = await countRequests(running, callers.keys)
  const { text, faults } = report(running, measured, requests)
  process.stdout.write(text)
  process.exitCode = faults === 0 ? 0 : 1
} finally {
  await running.stop()
  await rm(dir, { recursive: true, force: true })
}
