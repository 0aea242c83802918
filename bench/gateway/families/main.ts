/**
 * Compares the families of model APIs in the AI gateway over one provider that serves all of them: Messages and Responses
 * with chat completions. Each slice of a family follows the slice of another family on the same target, so that a busy
 * machine slows all of them. The ratios are medians of the rounds' ratios; the added time is the time of the gateway without
 * the time of the same request to the provider.
 *
 * `--rounds <n>`: the number of measured rounds, default 15. `--quick`: one short round. Fails on wrong responses, never on
 * time.
 */
import { loadavg } from 'node:os'
import { median } from '../../budgets/measure.ts'
import { requestText, type TextFamily } from '../callers.ts'
import { measure, type Results } from '../rounds.ts'
import { runBench } from '../run.ts'
import type { Running } from '../targets.ts'

const families: readonly TextFamily[] = ['chat', 'messages', 'responses']

/** The results of a round by target and family. */
type Round = Map<string, Results>

async function measureRound(
  running: Running,
  { round, keys, seconds }: { round: number; keys: readonly string[]; seconds: number },
): Promise<Round> {
  const results: Round = new Map()
  // Another family is the first one of each round.
  const turned = families.map((_, i) => families[(i + round) % families.length] ?? 'chat')
  for (const target of [running.direct, running.ours, running.service])
    for (const family of turned) {
      const name = `${target.name} ${family}`
      const asked = {
        ...target,
        name,
        request: (key: string, kind: Parameters<typeof requestText>[1]) =>
          requestText(key, kind, {}, family),
      }
      results.set(name, await measure(running, asked, keys, seconds))
    }
  return results
}

function resultsOf(round: Round, target: string, family: TextFamily): Results {
  const results = round.get(`${target} ${family}`)
  if (results === undefined) throw new Error(`${target} ${family} was not measured`)
  return results
}

type Figure = (round: Round, target: string, family: TextFamily) => number

function added(of: (results: Results) => number): Figure {
  return (round, target, family) =>
    of(resultsOf(round, target, family)) - of(resultsOf(round, 'direct', family))
}

const figures: Record<string, Figure> = {
  'requests a second at 32': (round, target, family) =>
    resultsOf(round, target, family).many.perSecond,
  'CPU microseconds per request': (round, target, family) =>
    resultsOf(round, target, family).many.cpuMicroseconds,
  'added p50 at 1, ms': added(({ one }) => one.p50),
  'added p50 at 32, provider 50 ms': added(({ slow }) => slow.p50),
  'added time to first byte, ms': added(({ stream }) => stream.firstByteP50),
}

function report({ ours, service }: Running, measured: readonly Round[]): string {
  const cells = (each: readonly string[]) => each.map((cell) => cell.padStart(12)).join('')
  const titles = ['chat', 'messages', 'of chat', 'responses', 'of chat']
  const lines = [
    `load ${loadavg()
      .map((load) => load.toFixed(1))
      .join(' ')}, ${measured.length} rounds`,
  ]
  for (const target of [ours.name, service.name]) {
    lines.push('', target.padEnd(34) + cells(titles))
    for (const [name, figure] of Object.entries(figures)) {
      const of = (family: TextFamily) =>
        median(measured.map((round) => figure(round, target, family))).toFixed(3)
      const ratio = (family: TextFamily) =>
        median(
          measured.map((round) => figure(round, target, family) / figure(round, target, 'chat')),
        ).toFixed(2)
      const [, ...others] = families
      const row = [of('chat'), ...others.flatMap((family) => [of(family), ratio(family)])]
      lines.push(name.padEnd(34) + cells(row))
    }
  }
  return lines.join('\n')
}

/** Returns the responses with another status than 200, and the streams without events. */
function faultsOf(measured: readonly Round[]): string[] {
  const faults: string[] = []
  for (const round of measured)
    for (const [name, results] of round) {
      for (const [load, { refused }] of Object.entries(results)) {
        const other = JSON.stringify(refused)
        if (other !== '{}') faults.push(`${name}, ${load}: answers by status ${other}`)
      }
      if (results.stream.events === 0) faults.push(`${name}: a stream without events`)
    }
  return faults
}

await runBench({ usualRounds: 15, peer: false }, async ({ running, callers, quick, rounds }) => {
  const warmUps = quick ? 1 : 6
  const how = { keys: callers.keys, seconds: quick ? 0.25 : 0.4 }
  // The compiler optimizes for about ten seconds; these rounds do not count.
  for (let i = 0; i < warmUps; i++) await measureRound(running, { ...how, round: i })
  const measured: Round[] = []
  for (let i = 0; i < rounds; i++) measured.push(await measureRound(running, { ...how, round: i }))
  const faults = faultsOf(measured)
  const lines = faults.map((each) => `FAULT: ${each}\n`)
  process.stdout.write(`${report(running, measured)}\n${lines.join('')}`)
  return faults.length === 0
})
