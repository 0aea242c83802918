/**
 * Simulates a fleet of many agents with the platform's own verbs and a table that counts its request units: ticks, checks,
 * mass failure, a lost zone, restarts and refused starts. Queues have the instances, batches and retries of the manifest, and
 * ECS enforces its rate limits. SCALE_AGENTS sets the number of agents; arguments select scenarios:
 * `SCALE_AGENTS=10000 node bench/scale/main.ts zoneLost`.
 */
import { halfDead, hung, type Outcome, refused, restarted, steady, zoneLost } from './scenarios.ts'

const quick = process.argv.includes('--quick')
const size = Number(process.env.SCALE_AGENTS ?? (quick ? 2000 : 10_000))
const all = { steady, hung, halfDead, zoneLost, restarted, refused }
const named = process.argv.slice(2).filter((word) => word !== '--quick')
const unknown = named.filter((name) => !(name in all))
if (unknown.length > 0) {
  process.stderr.write(`no scenario is ${unknown.join(' or ')}: ${Object.keys(all).join(', ')}\n`)
  process.exit(2)
}
const wanted = named.length > 0 ? named : Object.keys(all).slice(0, quick ? 3 : undefined)
const scenarios = Object.entries(all).filter(([name]) => wanted.includes(name))

const outcomes: Outcome[] = []
for (const [, scenario] of scenarios) outcomes.push(...(await scenario(size)))

const width = Math.max(...outcomes.map(({ scenario }) => scenario.length)) + 2
process.stdout.write(`${size} agents, simulated\n`)
for (const { scenario, what, wanted, good } of outcomes)
  process.stdout.write(
    `${scenario.padEnd(width)}${what}  (wanted ${wanted})${good ? '' : '  OVER'}\n`,
  )
process.exitCode = outcomes.every(({ good }) => good) ? 0 : 1
