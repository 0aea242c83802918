/**
 * How long a person waits before the command line begins: `agents --help`, and a command that must first find out who is
 * signed in, beside a Node that does nothing, in the same run. Fails where the help takes more than 2.25 times the processor
 * time of that, which others on the machine change less than the time that passes. It is 1.7 on an idle machine, and would be
 * 2.3 with the server of tools parsed at each start.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median } from '../budgets/measure.ts'

const program = join(import.meta.dirname, '../../dist/clients/cli/agents.mjs')
const home = mkdtempSync(join(tmpdir(), 'agents-'))
const rounds = process.argv.includes('--quick') ? 11 : 31
const mostRatio = 2.25

/** Seconds that passed, in the program and in the kernel, as bash's own `time` says. */
const timed = 'TIMEFORMAT="%R %U %S"; { time "$@" >/dev/null 2>&3; } 2>&1 3>/dev/null'

/** A start of Node with these arguments, and the milliseconds of its rounds. */
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
    // The first round only warms the file cache.
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
process.exitCode = help.busy / floor.busy > mostRatio ? 1 : 0
