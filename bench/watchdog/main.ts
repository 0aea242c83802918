/**
 * Runs one watchdog round over 100, 1,000 and 10,000 agents. One in a hundred fails. Measures its memory and its
 * CPU time per agent, and checks that it finds all failing agents. Then measures, with real processes and default
 * waits, how long an agent takes to recover after its process was killed. `--quick` leaves out 10,000 agents and the
 * repair.
 */
import { join } from 'node:path'
import { functions } from '#shared/manifest/index.ts'
import { build } from '#stacks/build/build.ts'
import { measureRepair } from './repair.ts'
import { type Round, runRound } from './round.ts'

const quick = process.argv.includes('--quick')
const sizes = quick ? [100, 1000] : [100, 1000, 10_000]

/** The maximum memory of the function, and the maximum duration of a repair. */
const memoryMb = 256
const repairSeconds = 40

/** The cost per agent must not grow with the number of agents; on a busy machine it varies by about this much. */
const growth = 1.3

const root = join(import.meta.dirname, '../..')
await build({ functions, root, outDir: join(root, 'dist'), documents: false })

const rounds: Round[] = []
for (const size of sizes) rounds.push(await runRound(size))

const perAgent = (round: Round) => (round.tickCpuMs + round.checksCpuMs) / round.agents
const columns = (cells: (string | number)[]) =>
  cells.map((cell) => String(cell).padStart(12)).join('')
const lines = rounds.map((round) =>
  columns([
    round.agents,
    (round.tickCpuMs / round.agents).toFixed(3),
    (round.checksCpuMs / round.agents).toFixed(3),
    perAgent(round).toFixed(3),
    round.seconds.toFixed(1),
    round.tickMb.toFixed(0),
    round.checksMb.toFixed(0),
    `${round.found}/${round.failing}`,
  ]),
)
const head = columns([
  'agents',
  'tick ms',
  'checks ms',
  'CPU ms',
  'seconds',
  'tick MB',
  'checks MB',
  'found',
])
process.stdout.write(`CPU times are per agent.\n${head}\n${lines.join('\n')}\n`)

const slope = slopeOf(
  rounds.map((round) => [Math.log(round.agents), Math.log(perAgent(round) * round.agents)]),
)
process.stdout.write(`total CPU grows with agents to the power of ${slope.toFixed(2)}\n`)

const [first] = rounds
const cheapest = first === undefined ? 0 : perAgent(first)
const problems = new Set<string>()
for (const round of rounds) {
  if (round.found !== round.failing || round.wrong > 0)
    problems.add('the round did not find exactly the failing agents')
  if (Math.max(round.tickMb, round.checksMb) > memoryMb) problems.add(`more than ${memoryMb} MB`)
  if (perAgent(round) > growth * cheapest)
    problems.add('the CPU time per agent grows with their number')
}

if (!quick) {
  const { detectedMs, backMs, verifiedMs } = await measureRepair()
  const seconds = (ms: number) => (ms / 1000).toFixed(1)
  process.stdout.write(
    `repair: detected ${seconds(detectedMs)} s after the kill; back ${seconds(backMs)} s and verified ${seconds(verifiedMs)} s after that\n`,
  )
  if (verifiedMs > repairSeconds * 1000) problems.add(`a repair took more than ${repairSeconds} s`)
}
if (problems.size > 0) process.stdout.write(`OVER: ${[...problems].join('; ')}\n`)
process.exitCode = problems.size > 0 ? 1 : 0

/** Returns the slope of the regression line. */
function slopeOf(points: (readonly [number, number])[]): number {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const x = mean(points.map(([value]) => value))
  const y = mean(points.map(([, value]) => value))
  const over = points.reduce((sum, [a, b]) => sum + (a - x) * (b - y), 0)
  return over / points.reduce((sum, [a]) => sum + (a - x) ** 2, 0)
}
