import { median } from '../budgets/measure.ts'
import { type LoadName, loads, type Measured, type Result } from './rounds.ts'

export function report(rounds: readonly Measured[]): { text: string; faults: number } {
  const faults: string[] = []
  const lines = [row('milliseconds', ['req/s', 'p50', 'p99', 'cpu', 'times ours'])]
  for (const { name } of loads) {
    const seen = rounds.map((round) => round.get(name) ?? new Map<string, Result>())
    lines.push('', name)
    for (const target of seen[0]?.keys() ?? []) {
      const over = (pick: (result: Result) => number) =>
        median(seen.map((results) => pick(results.get(target) as Result)))
      const ours = median(
        seen.map(
          (results) =>
            (results.get('ours')?.perSecond ?? Number.NaN) /
            (results.get(target)?.perSecond ?? Number.NaN),
        ),
      )
      lines.push(
        row(`  ${target}`, [
          over(({ perSecond }) => perSecond).toFixed(0),
          over(({ p50 }) => p50).toFixed(2),
          over(({ p99 }) => p99).toFixed(2),
          over(({ cpuMs }) => cpuMs).toFixed(2),
          ours.toFixed(2),
        ]),
      )
      for (const { refused } of seen.map((results) => results.get(target) as Result)) {
        const other = JSON.stringify(refused)
        if (other !== '{}') faults.push(`${target}, ${name}: answers by status ${other}`)
      }
    }
  }
  lines.push('', ...figures(rounds), '', ...faults.map((fault) => `FAULT: ${fault}`))
  return { text: `${lines.join('\n')}\n`, faults: faults.length }
}

/**
 * Returns our required figures next to the floor's. Leaves out a figure if its other target was not measured.
 */
function figures(rounds: readonly Measured[]): string[] {
  const has = (load: LoadName, target: string) =>
    rounds.every((round) => round.get(load)?.has(target))
  const over = (pick: (of: (load: LoadName, target: string) => Result) => number) =>
    median(rounds.map((round) => pick((load, target) => round.get(load)?.get(target) as Result)))
  const peer = [...(rounds[0]?.get('gateway at 1')?.keys() ?? [])].find(
    (name) => !['ours', 'earlier', 'floor', 'provider'].includes(name),
  )
  const lines: string[] = []
  const say = (what: string, value: number, limit: string, met: boolean) =>
    lines.push(
      `${what.padEnd(58)}${value.toFixed(2).padStart(8)}   limit ${limit}${met ? '' : '  MISSED'}`,
    )
  const times = (load: LoadName, who: string, whose: string) =>
    over((of) => of(load, who).perSecond / of(load, whose).perSecond)
  if (peer !== undefined && has('gateway at 32', 'floor')) {
    const many = times('gateway at 32', 'ours', peer)
    const most = times('gateway at 32', 'floor', peer).toFixed(2)
    say(
      'gateway at 32: times the peer’s requests a second',
      many,
      `>= 1.5; floor has ${most}`,
      many >= 1.5,
    )
    const added = (who: string) =>
      over((of) => {
        const direct = of('gateway at 1', 'provider').p50
        return (of('gateway at 1', who).p50 - direct) / (of('gateway at 1', peer).p50 - direct)
      })
    const one = added('ours')
    const least = added('floor').toFixed(2)
    say(
      'gateway at 1: added p50, as a share of the peer’s',
      one,
      `<= 1; floor has ${least}`,
      one <= 1,
    )
  }
  if (has('settings at 32', 'earlier')) {
    const reads = times('settings at 32', 'ours', 'earlier')
    say('settings at 32: times the earlier requests a second', reads, '>= 4', reads >= 4)
  }
  return lines
}

function row(name: string, cells: readonly string[]): string {
  return `${name.padEnd(24)}${cells.map((cell) => cell.padStart(11)).join('')}`
}
