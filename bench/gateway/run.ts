import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bundleFloor, bundleFunction, bundleService } from './bundle.ts'
import { type Callers, createCallers } from './callers.ts'
import { concurrency } from './rounds.ts'
import { type Running, startTargets } from './targets.ts'

interface Bench {
  running: Running
  callers: Callers
  /** True for one short round. */
  quick: boolean
  rounds: number
}

/**
 * Starts the targets, measures them, and stops them. `--rounds <n>` sets the number of rounds, `--quick` is one short round.
 * @param measure returns whether all responses were right
 */
export async function runBench(
  { usualRounds, peer }: { usualRounds: number; peer: boolean },
  measure: (bench: Bench) => Promise<boolean>,
): Promise<void> {
  const { quick, rounds } = parseArgs({
    options: { quick: { type: 'boolean', default: false }, rounds: { type: 'string' } },
  }).values
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  const dir = await mkdtemp(join(tmpdir(), 'bench-gateway-'))
  const callers = await createCallers(concurrency)
  const running = await startTargets({
    bundles: await bundleFunction(),
    floorBundles: await bundleFloor(),
    serviceProgram: await bundleService(),
    dir,
    callers,
    withPeer: peer && !quick,
  })
  try {
    const count = Number(rounds ?? (quick ? 1 : usualRounds))
    const isRight = await measure({ running, callers, quick, rounds: count })
    process.exitCode = isRight ? 0 : 1
  } finally {
    await running.stop()
    await rm(dir, { recursive: true, force: true })
  }
}
