/** Runs every benchmark in turn and prints its table. `--quick` is the short version for CI. Fails if one fails. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const quick = process.argv.includes('--quick')
const benches = quick
  ? ['stack', 'gateway', 'logs', 'broker', 'edge', 'cli']
  : [
      'budgets',
      'stack',
      'gateway',
      'gateway/families',
      'streams',
      'requests',
      'database',
      'aws',
      'lists',
      'auth',
      'wallet',
      'bus',
      'watchdog',
      'scale',
      'agents',
      'wake',
      'files',
      'logs',
      'broker',
      'channels',
      'connections',
      'policy',
      'summarizer',
      'edge',
      'cli',
      'console',
    ]

for (const name of benches) {
  process.stdout.write(`\n${name}\n`)
  const { status } = spawnSync(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      join(import.meta.dirname, name, 'main.ts'),
      ...process.argv.slice(2),
    ],
    { stdio: 'inherit' },
  )
  if (status !== 0) process.exitCode = 1
}
