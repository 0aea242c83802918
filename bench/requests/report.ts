import { median } from '../budgets/measure.ts'
import { loads, type Measured, type Result } from './rounds.ts'

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
  lines.push('', ...faults.map((fault) => `FAULT: ${fault}`))
  return { text: `${lines.join('\n')}\n`, faults: faults.length }
}

function row(name: string, cells: readonly string[]): string {
  return `${name.padEnd(24)}${cells.map((cell) => cell.padStart(11)).join('')}`
}
