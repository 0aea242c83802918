/**
 * Measures the start of the command line: `agents --help`, and a command that must check the sign-in, relative to an empty
 * Node program in the same run. Fails if the help takes more than 2.25 times its CPU time, which varies less with the load of
 * the machine than elapsed time. The ratio is 1.7 on an idle machine, and would be 2.3 if each start parsed the MCP server.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median } from '../budgets/measure.ts'

const program = join(import.meta.dirname, '../../dist/clients/cli/agents.mjs')
const home = mkdtempSync(join(tmpdir(), 'agents-'))
const rounds = process.argv.includes('--quick') ? 11 : 31
const maxRatio = 2.25

/** Prints elapsed, user and system seconds by bash's own `time`. */
const timed = 'TIMEFORMAT="%R %U %S"; { time "$@" >/dev/null 2>&3; } 2>&1 3>/dev/null'

/** A start of Node with arguments, and the milliseconds of its rounds. */
const start = (name: string, args: readonly string[]) => ({
  name,
  args,
  passed: [] as number[],
  busy: [] as number[],
})
const cases = [
  start('node -e 0', ['-e', '0']),
  start('agents --help', [program, '--help']),
  start('agents whoami, signed out', [program, 'whoami']),
]

for (let round = 0; round <= rounds; round++)
  for (const { name, args, passed, busy } of cases) {
    const { stdout } = spawnSync('bash', ['-c', timed, 'bash', process.execPath, ...args], {
      env: { PATH: process.env.PATH, HOME: home },
      encoding: 'utf8',
    })
    const [real = Number.NaN, user = 0, kernel = 0] = stdout.trim().split(' ').map(Number)
    if (Number.isNaN(real)) throw new Error(`${name} was not measured: ${stdout}`)
    // The first round warms up the file cache.
    if (round === 0) continue
    passed.push(real * 1000)
    busy.push((user + kernel) * 1000)
  }
rmSync(home, { recursive: true })

const rows = cases.map(({ name, passed, busy }) => ({
  name,
  passed: median(passed),
  busy: median(busy),
}))
const [floor = { passed: 1, busy: 1 }, help = floor] = rows
const print = ([name = '', ...cells]: string[]) =>
  process.stdout.write(`${name.padEnd(28)}${cells.map((cell) => cell.padStart(12)).join('')}\n`)
print([`medians of ${rounds}`, 'passed', 'ratio', 'processor', 'ratio'])
for (const { name, passed, busy } of rows)
  print([
    name,
    `${passed.toFixed(0)} ms`,
    (passed / floor.passed).toFixed(2),
    `${busy.toFixed(0)} ms`,
    (busy / floor.busy).toFixed(2),
  ])
process.exitCode = help.busy / floor.busy > maxRatio ? 1 : 0
