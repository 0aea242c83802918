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
import { report } from './report.ts'
import { countRequests } from './requests.ts'
import { measureRound, type Round } from './rounds.ts'
import { runBench } from './run.ts'

await runBench({ usualRounds: 7, peer: true }, async ({ running, callers, quick, rounds }) => {
  const warmUps = quick ? 1 : 3
  const seconds = quick ? 0.25 : 1.5
  // The compiler optimizes for about ten seconds; these rounds do not count.
  for (let i = 0; i < warmUps; i++) await measureRound(running, callers.keys, seconds)
  const measured: Round[] = []
  for (let i = 0; i < rounds; i++) measured.push(await measureRound(running, callers.keys, seconds))
  const requests = await countRequests(running, callers.keys)
  const { text, faults } = report(running, measured, requests)
  process.stdout.write(text)
  return faults === 0
})
