/**
 * Compares the AI gateway with direct calls of the provider and with a peer, each in its own process: the measured target
 * alone on core 0, the fixed provider and the load on core 1. Rounds alternate, so that a busy machine slows all targets.
 * Figures are medians of the rounds; ratios are medians of the rounds' ratios.
 *
 * Ours is the AI function from its deployed entry in the local stack's function host behind the local stack's surface (REST
 * API events as JSON text, the streaming handler), with a key per caller and all checks, usage records and logs. Only its
 * table differs: it is in memory behind the table port. The embedded database is measured separately, and so is the floor: a
 * function in the same host that only calls the provider. The same group as a service, with plain HTTP as in its container,
 * has its own floor, `bare`: a minimal program with the same table requests.
 *
 * `--rounds <n>`: the number of measured rounds, default seven. `--quick`: one short round without the peer. Fails on wrong
 * responses, merged chunks or too many database requests, never on time.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bundleFloor, bundleFunction, bundleService } from './bundle.ts'
import { createCallers } from './callers.ts'
import { report } from './report.ts'
import { countRequests } from './requests.ts'
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
  // The compiler optimizes for about ten seconds; these rounds do not count.
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
